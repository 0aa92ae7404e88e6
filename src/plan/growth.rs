//! How much the data grow over a run, and what becomes of them for that.

use bson::{Bson, RawDocumentBuf};

use super::calibrated::{CalibratedPlan, Capacity};
use super::effects::{Effects, Place, effects};
use super::estimate::load_time;
use super::resolve::Plan;
use crate::record::GrowthRecord;
use crate::scenario::{Collection, Model};
use crate::units::{Rate, Share};
use crate::words::DataState;

/// Data that grow by more than this between two loads are growing.
const STEADY_UP_TO: f64 = 0.1;
/// Part of the measured time that loading the data anew for every round may take.
const RELOADS_UP_TO: f64 = 0.5;
/// Rows whose arrays are counted.
const ROWS: u64 = 64;

impl Plan {
    /// What so many operations of the mix add to each model's data, as far as the steps tell.
    pub(super) fn growth_per(&self, operations: f64) -> Vec<GrowthRecord> {
        self.models().flat_map(|model| self.growth_of(model, operations)).collect()
    }

    /// What is known of the rounds before calibration: where operations or rate were asked for.
    pub(super) fn foreseen(&self) -> Option<CalibratedPlan> {
        let by_number = self.operations.map(|operations| operations as f64 / self.window.as_secs_f64().max(1e-3));
        let pace = self.load.rate().or(by_number.map(Rate::new))?;
        Some(CalibratedPlan::new(self, Capacity { slower: pace, p99: std::time::Duration::ZERO }))
    }

    /// Whether so many operations make a model's data grow (or shrink) so much that what is measured afterwards is no longer
    /// comparable with what was before.
    pub fn outgrown(&self, model: &Model, operations: u64) -> bool {
        self.growth_of(model, operations as f64).iter().any(|growth| extent(growth) > STEADY_UP_TO)
    }

    /// Why the data are not loaded anew however much they grow, if that is so.
    pub fn grows_along(&self) -> Option<String> {
        match self.state {
            Some(DataState::Growing) => Some("the scenario says that its data grow along".to_owned()),
            Some(DataState::Steady) => Some("the scenario says that its data are steady".to_owned()),
            Some(DataState::Reload) => None,
            None => self.reads_by_number().map(|operation| {
                format!("reloaded data would fall behind what {operation} asks for, which goes on with time")
            }),
        }
    }

    /// What so many operations add to a model's data.
    fn growth_of(&self, model: &Model, operations: f64) -> Vec<GrowthRecord> {
        let blocks = operations / self.mix.block_length().max(1) as f64;
        let mut added = Effects::new();
        // The plan has found that they can be told.
        let partitions = model.partitions(&self.world).unwrap_or_default();
        for (place, operation) in self.workload().operations.iter().enumerate() {
            let Some(done) = model.operations.get(&operation.name) else { continue };
            let times = self.mix.per_block(place) as f64 * blocks;
            for (grows, each) in effects(self, operation, done, &partitions) {
                *added.entry(grows).or_default() += each * times;
            }
        }
        added
            .into_iter()
            .filter(|(_, added)| *added != 0.0)
            .map(|(place, added)| self.record_of(model, place, added))
            .collect()
    }

    fn record_of(&self, model: &Model, place: Place, added: f64) -> GrowthRecord {
        let collection = model.collections.iter().find(|collection| collection.name == place.collection);
        let loaded = collection.and_then(|collection| self.loaded(collection, place.field.as_deref()));
        let share = loaded.filter(|loaded| *loaded > 0.0).map(|loaded| Share::new(added / loaded));
        GrowthRecord {
            model: model.name.clone(),
            collection: place.collection,
            field: place.field,
            added,
            loaded,
            share,
        }
    }

    /// Documents that are loaded into a collection, or the elements of an array in them; `None` where a pipeline decides.
    fn loaded(&self, collection: &Collection, field: Option<&str>) -> Option<f64> {
        let Some(set) = &collection.from else { return Some(0.0) };
        if collection.pipeline.is_some() {
            return None;
        }
        let documents = self.world.count(set)?;
        let Some(field) = field else { return Some(documents as f64) };
        Some(self.mean_length(set, documents, field)? * documents as f64)
    }

    /// Mean length of an array over rows spread evenly over a set; an absent one has none.
    fn mean_length(&self, set: &str, rows: u64, field: &str) -> Option<f64> {
        // `items.$.tags` is the array of some element of another.
        if field.contains('$') || rows == 0 {
            return None;
        }
        let sampled = rows.min(ROWS);
        let length = |sample: u64| {
            let row = self.world.row(set, sample * rows / sampled).ok()?;
            Some(length_of(&row, field) as f64)
        };
        let total: f64 = (0..sampled).map(length).sum::<Option<f64>>()?;
        Some(total / sampled as f64)
    }

    /// An operation that reads by arguments which go on with its number, as a clock does.
    fn reads_by_number(&self) -> Option<&str> {
        let reads = self.workload().operations.iter().filter(|operation| operation.returns.is_some());
        let mut by_number =
            reads.filter(|operation| operation.args.iter().any(|(_, template)| template.follows_number()));
        by_number.next().map(|operation| operation.name.as_str())
    }

    /// Documents of the model that has most of them, a collection that a pipeline makes counted as what it is made from.
    pub(super) fn documents_of_largest_model(&self) -> u64 {
        let of_collection = |collection: &Collection| collection.from.as_ref().and_then(|set| self.world.count(set));
        let of_model = |model: &Model| model.collections.iter().filter_map(of_collection).sum();
        self.models().map(of_model).max().unwrap_or(0)
    }
}

fn length_of(row: &RawDocumentBuf, field: &str) -> usize {
    let Ok(row) = bson::Document::try_from(row.as_ref()) else { return 0 };
    let (above, last) = field.rsplit_once('.').map_or((None, field), |(above, last)| (Some(above), last));
    let holder =
        above.into_iter().flat_map(|above| above.split('.')).try_fold(&row, |row, key| row.get_document(key).ok());
    holder.and_then(|holder| holder.get(last)).and_then(Bson::as_array).map_or(0, Vec::len)
}

impl CalibratedPlan {
    /// How much each collection and array of each model grows between two loads of the data, as far as the steps tell.
    pub fn growth(&self, plan: &Plan) -> Vec<GrowthRecord> {
        let rounds = if self.state(plan).0 == DataState::Reload { 1 } else { plan.rounds_per_restart() };
        self.growth_over(plan, rounds)
    }

    fn growth_over(&self, plan: &Plan, rounds: u32) -> Vec<GrowthRecord> {
        let each = self.rounds.operations_per_round + self.rounds.lead_in_operations;
        plan.growth_per(f64::from(rounds) * each as f64)
    }

    /// What becomes of the data over the run, and why, where the workload does not say. Up to a tenth of growth they are
    /// steady. What grows more is loaded anew for every round where that takes at most half of the measured time, and
    /// grows where it does not, or where a read asks for what came last.
    pub fn state(&self, plan: &Plan) -> (DataState, Option<String>) {
        if let Some(state) = plan.state {
            return (state, None);
        }
        let growth = self.growth_over(plan, plan.rounds_per_restart());
        // Of equals, the first.
        let more = |one, other| if extent(other) > extent(one) { other } else { one };
        let Some(most) = growth.iter().reduce(more) else {
            return (DataState::Steady, Some("no step adds anything to the data".to_owned()));
        };
        let told = in_words(most);
        if extent(most) <= STEADY_UP_TO {
            return (DataState::Steady, Some(told));
        }
        if let Some(operation) = plan.reads_by_number() {
            let why =
                format!("{told}; reloaded data would fall behind what {operation} asks for, which goes on with time");
            return (DataState::Growing, Some(why));
        }
        let reload = load_time(plan.documents_of_largest_model()).as_secs_f64();
        let measured = self.round_seconds();
        if reload <= measured * RELOADS_UP_TO {
            let why = format!("{told}; loading anew takes about {reload:.1} s of a round of {measured:.1} s");
            return (DataState::Reload, Some(why));
        }
        let why = format!("{told}; loading anew would take about {reload:.1} s for each round of {measured:.1} s");
        (DataState::Growing, Some(why))
    }

    /// How long a window takes with its lead-in.
    fn round_seconds(&self) -> f64 {
        let rounds = &self.rounds;
        let lead_in = rounds.lead_in_operations as f64 / rounds.operations_per_round.max(1) as f64;
        rounds.planned.as_secs_f64() * (1.0 + lead_in)
    }
}

/// The part by which something grows (or shrinks); what starts from nothing grows without bound, and what is unknown is
/// taken not to grow.
fn extent(growth: &GrowthRecord) -> f64 {
    match (growth.share, growth.loaded) {
        (Some(share), _) => share.get().abs(),
        (None, Some(_)) => f64::INFINITY,
        (None, None) => 0.0,
    }
}

/// What grows, by how much of what: `reviews of naive grows by 12 %`.
pub(super) fn in_words(growth: &GrowthRecord) -> String {
    let what = match &growth.field {
        Some(field) => format!("{}.{field} of {}", growth.collection, growth.model),
        None => format!("{} of {}", growth.collection, growth.model),
    };
    let unit = if growth.field.is_some() { "elements" } else { "documents" };
    let changes = if growth.added < 0.0 { "shrinks" } else { "grows" };
    let added = growth.added.abs();
    match (growth.share, growth.loaded) {
        (Some(share), _) => format!("{what} {changes} by {}", percent(share.get().abs())),
        (None, Some(_)) => format!("{what} starts empty and {changes} by {added:.0} {unit}"),
        (None, None) => format!("{what} {changes} by {added:.0} {unit}, of how many is not known beforehand"),
    }
}

fn percent(share: f64) -> String {
    if share < 0.01 { format!("{:.2} %", share * 100.0) } else { format!("{:.0} %", share * 100.0) }
}
