//! The storage bill: what each model costs to keep.

use super::notes::Notes;
use super::table::{Cell, Column, Row, Table};
use crate::analysis::Cast;
use crate::record::{ModelRecord, ScenarioRecord, StorageRecord};
use crate::report::format;
use crate::units::{Bytes, Ratio, Share};

/// Where the ratios to the cache stand.
const TO_CACHE: [usize; 2] = [4, 5];
const COLUMNS: [Column; 10] = [
    Column::left("model", "How the data are laid out", 9),
    Column::right("documents", "Documents stored", 8),
    Column::right("data", "Uncompressed bytes of documents", 9),
    Column::right("indexes", "Bytes of indexes", 9),
    Column::right(
        "indexes ÷ cache",
        "Bytes of indexes as a share of the server's cache: above 100 % they are read from disk",
        3,
    ),
    Column::right("data ÷ cache", "Uncompressed bytes of documents as a share of the server's cache", 2),
    Column::right("on disk", "Bytes on disk, where the server tells them", 4),
    Column::right("collections", "Number of collections", 3),
    Column::right("index count", "Number of indexes, those on _id included", 2),
    Column::right("loaded in", "Time to load, indexes included", 1),
];

/// The bill, or `None` where no model was loaded.
pub(super) fn bill(scenario: &ScenarioRecord, notes: &mut Notes) -> Option<Table> {
    let cast = Cast::of(&scenario.models);
    let naive = cast.naive.and_then(|model| model.storage.as_ref());
    let models: Vec<&ModelRecord> = cast.shown().collect();
    if models.iter().all(|model| model.storage.is_none()) {
        return None;
    }
    let rows = models
        .into_iter()
        .map(|model| {
            let beside = naive.filter(|_| cast.naive.is_some_and(|naive| !std::ptr::eq(naive, model)));
            Row { cells: cells(model, beside, notes), opens_group: false }
        })
        .collect();
    let caption = "The storage bill after loading; in brackets the share of naive's.".to_owned();
    let mut table = Table { caption, columns: COLUMNS.to_vec(), rows };
    let knows_cache = |storage: &StorageRecord| storage.index_to_cache.is_some();
    if !cast.shown().filter_map(|model| model.storage.as_ref()).any(knows_cache) {
        TO_CACHE.iter().rev().for_each(|place| table.without_column(*place));
    }
    Some(table)
}

fn cells(model: &ModelRecord, naive: Option<&StorageRecord>, notes: &mut Notes) -> Vec<Cell> {
    let mut cells = vec![Cell::new(model.name.clone())];
    match &model.storage {
        Some(storage) => cells.extend(figures(storage, naive, notes)),
        None => {
            let why = model.skipped.as_deref().unwrap_or("sizes were not read");
            let mark = notes.note(&format!("{}: {why}", model.name));
            cells.extend((0..8).map(|_| Cell::not_available(mark)));
        }
    }
    cells.push(match &model.load {
        Some(load) => Cell::new(format::seconds(load.seconds)),
        None => Cell::not_available(notes.note("not loaded by this run")),
    });
    cells
}

fn figures(storage: &StorageRecord, naive: Option<&StorageRecord>, notes: &mut Notes) -> Vec<Cell> {
    let beside = |own: u64, of: fn(&StorageRecord) -> u64| share(own, naive.map(of));
    let sized = |own: Bytes, of: fn(&StorageRecord) -> u64| {
        Cell::new(format!("{}{}", format::bytes(own), beside(own.get(), of)))
    };
    vec![
        Cell::new(format!("{}{}", format::count(storage.documents), beside(storage.documents, |bill| bill.documents))),
        sized(storage.data_bytes, |bill| bill.data_bytes.get()),
        sized(storage.index_bytes, |bill| bill.index_bytes.get()),
        to_cache(storage.index_to_cache),
        to_cache(storage.data_to_cache),
        match storage.storage_bytes {
            Some(bytes) => Cell::new(format::bytes(bytes)),
            None => Cell::not_available(notes.note("the server does not tell bytes on disk")),
        },
        Cell::new(format::count(storage.collections)),
        Cell::new(format::count(storage.indexes)),
    ]
}

fn to_cache(ratio: Option<Ratio>) -> Cell {
    ratio.map_or_else(Cell::unknown, |ratio| Cell::new(format::small_share(Share::new(ratio.get()))))
}

/// ` (41 %)`, or nothing where there is nothing to compare with.
fn share(own: u64, naive: Option<u64>) -> String {
    match naive {
        Some(naive) if naive > 0 => format!(" ({} %)", format::significant(own as f64 * 100.0 / naive as f64)),
        _ => String::new(),
    }
}
