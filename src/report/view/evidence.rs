//! The evidence: what explains a latency and does not depend on the machine.

use std::collections::BTreeSet;

use super::facts::operations_shown;
use super::notes::Notes;
use super::table::{Cell, Column, Row, Table, Tone};
use crate::analysis::Cast;
use crate::record::{
    COLLECTION_SCAN, CollectionSizesRecord, EvidenceRecord, IndexUseRecord, JoinedRecord, ModelOperationRecord,
    ModelRecord, RunRecord, ScenarioRecord,
};
use crate::report::format;
use crate::units::{Bytes, Micros};
use crate::words::{DataSize, EvidenceFlag, SortedInMemory};

/// Places of a flag that a line names; the table has all.
const NAMED: usize = 6;

const PLANS: [Column; 11] = [
    Column::left("operation", "What the application does", 9),
    Column::left("model", "How the data are laid out", 9),
    Column::left("step", "What it calls, on which collection", 9),
    Column::left("data", "The small data of parity, or the measured ones", 9),
    Column::left("path", "How documents are found, and the stages above", 9),
    Column::left("index", "The index used", 9),
    Column::right("keys", "Index keys examined", 9),
    Column::right("documents", "Documents examined", 9),
    Column::right("matched", "Documents that pass the filter; before a grouping, those that enter it", 9),
    Column::right("returned", "Documents returned", 9),
    Column::left("look at", "What a reader should look at", 9),
];
const TRAFFIC: [Column; 6] = [
    Column::left("operation", "What the application does", 9),
    Column::left("model", "How the data are laid out", 9),
    Column::right("round trips", "Requests that are waited for, a mean per operation", 9),
    Column::right("on the network", "Round trips × the network's round trip", 9),
    Column::right("sent", "Bytes of requests, a mean per operation", 9),
    Column::right("received", "Bytes of replies, a mean per operation", 9),
];
const SIZES: [Column; 7] = [
    Column::left("model", "How the data are laid out", 9),
    Column::left("collection", "The collection", 9),
    Column::right("average document", "Mean size of a document as stored", 9),
    Column::right("largest document", "Size of the largest document", 9),
    Column::right("data", "Uncompressed bytes of documents", 9),
    Column::right("on disk", "Bytes on disk, where the server tells them", 9),
    Column::right("indexes", "Bytes of indexes", 9),
];

/// The evidence of a scenario.
#[derive(Debug, Clone)]
pub(in crate::report) struct EvidenceView {
    /// What `explain` says of each step.
    pub(in crate::report) plans: Option<Table>,
    /// Round trips and bytes of each operation.
    pub(in crate::report) traffic: Option<Table>,
    /// Sizes of each collection.
    pub(in crate::report) sizes: Option<Table>,
    /// Which flags there are, with what they mean and where they are.
    pub(in crate::report) flags: Vec<Flagged>,
    /// What is said of the use of indexes.
    pub(in crate::report) index_use: Vec<String>,
    pub(in crate::report) notes: Notes,
}

/// A flag and where it is.
#[derive(Debug, Clone)]
pub(in crate::report) struct Flagged {
    pub(in crate::report) flag: EvidenceFlag,
    pub(in crate::report) places: Vec<String>,
}

impl Flagged {
    /// The flag and the first places in a line.
    pub(in crate::report) fn line(&self) -> String {
        let named = self.places.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        match self.places.len().saturating_sub(NAMED) {
            0 => format!("{}: {named}", words(self.flag)),
            more => format!("{}: {named} and {more} more", words(self.flag)),
        }
    }
}

/// The words of a flag.
pub(in crate::report) fn words(flag: EvidenceFlag) -> String {
    flag.word().replace('_', " ").replace("in memory", "in-memory")
}

impl EvidenceView {
    /// The evidence, or `None` where the record holds none.
    pub(super) fn of(run: &RunRecord, scenario: &ScenarioRecord) -> Option<Self> {
        let mut notes = Notes::default();
        let view = Self {
            plans: plans(scenario, &mut notes),
            traffic: traffic(scenario, run.server.rtt.map(|rtt| rtt.p50)),
            sizes: sizes(scenario, &mut notes),
            flags: flags(scenario),
            index_use: index_use(scenario),
            notes,
        };
        let is_something = view.plans.is_some() || view.traffic.is_some() || view.sizes.is_some();
        (is_something || !view.index_use.is_empty()).then_some(view)
    }
}

/// The steps of each operation, model beside model.
fn plans(scenario: &ScenarioRecord, notes: &mut Notes) -> Option<Table> {
    let cast = Cast::of(&scenario.models);
    let mut rows = Vec::new();
    for operation in operations_shown(scenario) {
        let first = rows.len();
        for model in cast.shown() {
            let evidence = model.operations.get(operation).map(|known| known.evidence.as_slice()).unwrap_or_default();
            for step in evidence {
                rows.push(step_row(model, step, notes));
                rows.extend(step.joined.iter().map(|joined| joined_row(model, joined, notes)));
            }
        }
        if let Some(row) = rows.get_mut(first) {
            row.cells[0] = Cell::new(operation).toned(Tone::Strong);
            row.opens_group = true;
        }
    }
    let claimed = || all_evidence(scenario).any(|(_, _, step)| step.claimed_by_server);
    let caption = format!(
        "What explain says of each step, with the arguments of the first parity operation in which it ran.{}",
        if claimed() {
            " The figures are the server's claim: it derives them from the plan that it reports and counts nothing while it \
             runs."
        } else {
            ""
        }
    );
    (!rows.is_empty()).then(|| Table { caption, columns: PLANS.to_vec(), rows })
}

fn step_row(model: &ModelRecord, step: &EvidenceRecord, notes: &mut Notes) -> Row {
    let mut cells = vec![
        Cell::empty(),
        Cell::new(model.name.clone()),
        Cell::new(format!("{} {} on {}", step.step + 1, step.call, step.collection)),
        Cell::new(match step.data {
            DataSize::Parity => "small",
            DataSize::Measured => "measured",
        }),
    ];
    if let Some(why) = &step.not_explained {
        cells.push(Cell::not_available(notes.note(why)));
        cells.extend((0..6).map(|_| Cell::empty()));
        return Row { cells, opens_group: false };
    }
    let unsaid = "counts, values that an index skips through, and time series have nothing that matches one by one; and a \
                  server may not report it";
    cells.push(path(step, notes));
    cells.push(Cell::new(step.index.clone().unwrap_or_default()));
    cells.push(figure(step.keys_examined, notes));
    cells.push(figure(step.docs_examined, notes));
    cells.push(match step.matched {
        Some(matched) => Cell::new(format::count(matched)),
        None => Cell::not_available(notes.note(unsaid)),
    });
    cells.push(step.returned.map_or_else(Cell::empty, |returned| Cell::new(format::count(returned))));
    cells.push(look_at(step, notes));
    Row { cells, opens_group: false }
}

fn joined_row(model: &ModelRecord, joined: &JoinedRecord, notes: &mut Notes) -> Row {
    let strategy = joined.strategy.as_ref().map(|strategy| format!(" ({strategy})")).unwrap_or_default();
    let stage = match &joined.stage {
        Some(stage) => scan_toned(format!("{stage}{strategy}"), stage),
        None => not_reported(notes),
    };
    let cells = vec![
        Cell::empty(),
        Cell::new(model.name.clone()),
        Cell::new(format!("· {} {}", joined.by, joined.collection)),
        Cell::empty(),
        stage,
        Cell::new(joined.index.clone().unwrap_or_default()),
        figure(joined.keys_examined, notes),
        figure(joined.docs_examined, notes),
        Cell::empty(),
        Cell::empty(),
        Cell::empty(),
    ];
    Row { cells, opens_group: false }
}

/// The way to the documents with the stages above that say something of it.
fn path(step: &EvidenceRecord, notes: &mut Notes) -> Cell {
    let Some(stage) = &step.stage else { return not_reported(notes) };
    let above = step.above.iter().filter(|stage| !stage.starts_with("PROJECTION"));
    let path: Vec<&str> = std::iter::once(stage).chain(above).map(String::as_str).collect();
    let shards = step.shards.map(|shards| format!(" on {}", format::plural(u64::from(shards), "shard", "shards")));
    scan_toned(format!("{}{}", path.join(" → "), shards.unwrap_or_default()), stage)
}

fn scan_toned(text: String, stage: &str) -> Cell {
    let cell = Cell::new(text);
    if stage == COLLECTION_SCAN { cell.toned(Tone::Open) } else { cell }
}

fn figure(figure: Option<u64>, notes: &mut Notes) -> Cell {
    figure.map_or_else(|| not_reported(notes), |figure| Cell::new(format::count(figure)))
}

fn not_reported(notes: &mut Notes) -> Cell {
    Cell::not_available(notes.note("not reported by this server"))
}

fn look_at(step: &EvidenceRecord, notes: &mut Notes) -> Cell {
    let mut said: Vec<String> = step.flags.iter().map(|flag| words(*flag)).collect();
    let flagged = !said.is_empty();
    if step.in_memory_sort == Some(SortedInMemory::Results) {
        said.push("sorts results".to_owned());
    }
    let sorts = step.in_memory_sort == Some(SortedInMemory::Documents);
    let subject = step.scan_is_the_subject.as_ref().filter(|_| sorts || !step.scanned().is_empty());
    said.extend(subject.map(|_| if sorts { "the sort is the subject" } else { "the scan is the subject" }.to_owned()));
    let cell = Cell::new(said.join(", "));
    let cell = if flagged { cell.toned(Tone::Bad) } else { cell };
    match subject {
        Some(why) => cell.marked(notes.note(why)),
        None => cell,
    }
}

fn all_evidence(scenario: &ScenarioRecord) -> impl Iterator<Item = (&ModelRecord, &str, &EvidenceRecord)> {
    let cast = Cast::of(&scenario.models);
    let models: Vec<&ModelRecord> = cast.shown().collect();
    models.into_iter().flat_map(|model| {
        model
            .operations
            .iter()
            .flat_map(move |(name, operation)| operation.evidence.iter().map(move |step| (model, name.as_str(), step)))
    })
}

/// Where each flag is, each place once.
fn flags(scenario: &ScenarioRecord) -> Vec<Flagged> {
    let of_flag = |flag: &EvidenceFlag| {
        let mut seen = BTreeSet::new();
        let steps = all_evidence(scenario).filter(|(.., step)| step.flags.contains(flag));
        let mut places: Vec<String> = steps
            .map(|(model, operation, step)| format!("{} {operation} ({})", model.name, where_flagged(step, *flag)))
            .filter(|place| seen.insert(place.clone()))
            .collect();
        places.extend(flagged_indexes(scenario, *flag));
        (!places.is_empty()).then_some(Flagged { flag: *flag, places })
    };
    EvidenceFlag::ALL.iter().filter_map(of_flag).collect()
}

/// The collection that a flag speaks of.
fn where_flagged(step: &EvidenceRecord, flag: EvidenceFlag) -> &str {
    match step.scanned().first().copied() {
        Some(scanned) if flag == EvidenceFlag::CollectionScan => scanned,
        _ => &step.collection,
    }
}

fn flagged_indexes(scenario: &ScenarioRecord, flag: EvidenceFlag) -> Vec<String> {
    let cast = Cast::of(&scenario.models);
    let indexes = cast.shown().flat_map(|model| {
        let indexes = model.index_use.iter().flat_map(|of_model| &of_model.indexes);
        indexes
            .filter(|index| index.flags.contains(&flag))
            .map(|index| format!("{} {}.{}", model.name, index.collection, index.name))
    });
    indexes.collect()
}

/// What the rounds used of the indexes, or why that cannot be said.
fn index_use(scenario: &ScenarioRecord) -> Vec<String> {
    let cast = Cast::of(&scenario.models);
    let mut said = Vec::new();
    let mut reasons = BTreeSet::new();
    for model in cast.shown() {
        let Some(used) = &model.index_use else { continue };
        match &used.not_counted {
            Some(why) if reasons.insert(why.clone()) => {
                said.push(format!("Which indexes were used is not known: {why}."))
            }
            Some(_) => {}
            None => said.push(of_model(model, used)),
        }
    }
    said
}

fn of_model(model: &ModelRecord, used: &IndexUseRecord) -> String {
    let unused = used.indexes.iter().filter(|index| index.flags.contains(&EvidenceFlag::UnusedIndex)).count();
    let indexes = format::plural(used.indexes.len() as u64, "index", "indexes");
    let name = &model.name;
    match unused {
        0 => format!("{name}: of {indexes} each was used or has another purpose (on _id, unique, expiry)."),
        unused => format!("{name}: of {indexes} no operation used {}.", format::count(unused as u64)),
    }
}

/// Round trips and bytes, model beside model; `None` where no byte was counted.
fn traffic(scenario: &ScenarioRecord, rtt: Option<Micros>) -> Option<Table> {
    let cast = Cast::of(&scenario.models);
    let mut rows = Vec::new();
    for operation in operations_shown(scenario) {
        let first = rows.len();
        for model in cast.shown() {
            let Some(known) = model.operations.get(operation).filter(|known| known.bytes_sent.is_some()) else {
                continue;
            };
            rows.push(Row { cells: traffic_cells(model, known, rtt), opens_group: false });
        }
        if let Some(row) = rows.get_mut(first) {
            row.cells[0] = Cell::new(operation).toned(Tone::Strong);
            row.opens_group = true;
        }
    }
    let trip = match rtt {
        Some(rtt) => format!("{} here, and more between machines", format::time(rtt)),
        None => "not measured".to_owned(),
    };
    let caption = format!(
        "What an operation sends and receives, counted during parity over a client of its own: messages of MongoDB's wire \
         protocol with their headers, before TLS, not compressed. A round trip on the network takes {trip}."
    );
    (!rows.is_empty()).then(|| Table { caption, columns: TRAFFIC.to_vec(), rows })
}

fn traffic_cells(model: &ModelRecord, known: &ModelOperationRecord, rtt: Option<Micros>) -> Vec<Cell> {
    let bytes = |mean: Option<f64>| match mean {
        Some(mean) => Cell::new(format::bytes(Bytes::new(mean.round() as u64))),
        None => Cell::unknown(),
    };
    let network = known.round_trips.zip(rtt).map(|(trips, rtt)| Micros::new(trips * rtt.get()));
    vec![
        Cell::empty(),
        Cell::new(model.name.clone()),
        known.round_trips.map_or_else(Cell::unknown, |trips| Cell::new(format::mean(trips))),
        network.map_or_else(Cell::unknown, |time| Cell::new(format::time(time))),
        bytes(known.bytes_sent),
        bytes(known.bytes_received),
    ]
}

/// Sizes of each model's collections; `None` where none were read.
fn sizes(scenario: &ScenarioRecord, notes: &mut Notes) -> Option<Table> {
    let cast = Cast::of(&scenario.models);
    let mut rows = Vec::new();
    for model in cast.shown() {
        for (place, collection) in model.sizes.iter().enumerate() {
            let mut cells = size_cells(collection, notes);
            let name = if place == 0 { Cell::new(model.name.clone()).toned(Tone::Strong) } else { Cell::empty() };
            cells.insert(0, name);
            rows.push(Row { cells, opens_group: place == 0 });
        }
    }
    let caption = "Documents and collections as loaded.".to_owned();
    (!rows.is_empty()).then(|| Table { caption, columns: SIZES.to_vec(), rows })
}

fn size_cells(collection: &CollectionSizesRecord, notes: &mut Notes) -> Vec<Cell> {
    let mut known = |bytes: Option<Bytes>, without: &str| match bytes {
        Some(bytes) => Cell::new(format::bytes(bytes)),
        None => Cell::not_available(notes.note(without)),
    };
    vec![
        Cell::new(collection.name.clone()),
        known(collection.average_document, "no documents"),
        known(collection.largest_document, "the server did not tell the largest document in time, or keeps buckets"),
        Cell::new(format::bytes(collection.data_bytes)),
        known(collection.storage_bytes, "the server does not tell bytes on disk"),
        Cell::new(format::bytes(collection.index_bytes)),
    ]
}
