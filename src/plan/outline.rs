//! The plan as a person reads it: before it is carried out (`run --dry-run`), and what calibration has added to it.

use super::calibrated::{CalibratedPlan, LEAST_OPEN_CAPACITY, OFFERED_SHARE};
use super::choice::LoadChoice;
use super::estimate::{operations_known, window_time};
use super::growth::in_words;
use super::ranges::{CALIBRATION_FROM, LIGHT_LOAD_FROM, MEASURED_FROM};
use super::resolve::Plan;
use crate::record::GrowthRecord;
use crate::words::{DataState, Isolation, Mode};

/// Operations per which growth is told before the number of operations is known.
const PER: f64 = 1_000.0;

/// A line of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineRow {
    /// What it is about; empty where it goes on from the line before.
    pub what: &'static str,
    /// What is planned.
    pub value: String,
    /// When it is known.
    pub decided: Decided,
}

/// When a line of a plan is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    /// Now.
    Now,
    /// After calibration.
    ByCalibration,
}

impl Plan {
    /// What will be done, line by line.
    pub fn outline(&self) -> Vec<OutlineRow> {
        let foreseen = self.foreseen();
        let mut rows = vec![
            now("models", self.models_text()),
            now("parameters", self.parameters_text()),
            now("dataset", self.dataset_text()),
            now("seed", self.seed.to_string()),
            now("mix", self.mix_text()),
        ];
        rows.extend(self.load_rows());
        rows.extend(self.round_rows());
        rows.push(now("isolation", isolation_text(self.isolation).to_owned()));
        rows.extend(self.cache_bytes.map(|bytes| now("cache", cache_text(bytes))));
        match &foreseen {
            Some(foreseen) => rows.extend(foreseen.outline(self)),
            None => rows.extend(self.rows_before_calibration()),
        }
        let estimate = self.estimate();
        let seconds = |part: std::time::Duration| format!("{:.0} s", part.as_secs_f64());
        rows.push(now(
            "estimate",
            format!(
                "about {}: loading {}, comparing answers {}, calibration {}, light load {}, rounds {}, comparing again {}",
                seconds(estimate.total()),
                seconds(estimate.load),
                seconds(estimate.parity),
                seconds(estimate.calibration),
                seconds(estimate.light_load),
                seconds(estimate.measure),
                seconds(estimate.closing),
            ),
        ));
        rows
    }

    /// How load is offered.
    fn load_rows(&self) -> Vec<OutlineRow> {
        let workers = self.concurrency;
        let share = OFFERED_SHARE * 100.0;
        let for_a_stall = format!("at least {workers}, and twice as many as are busy at the 99th percentile");
        let offered = format!(
            "up to {share:.0} % of the capacity of the slower of naive and pattern, {} arrivals",
            self.arrivals
        );
        match self.load {
            LoadChoice::Closed => vec![now("mode", Mode::Closed.to_string()), now("workers", workers.to_string())],
            LoadChoice::Open { rate: Some(rate) } => vec![
                now("mode", Mode::Open.to_string()),
                now("rate", format!("{}/s, {} arrivals", rate.get(), self.arrivals)),
                later("workers", for_a_stall),
            ],
            LoadChoice::Open { rate: None } => {
                vec![now("mode", Mode::Open.to_string()), later("rate", offered), later("workers", for_a_stall)]
            }
            LoadChoice::Auto => vec![
                later("mode", format!("open; closed where the slower capacity is under {LEAST_OPEN_CAPACITY:.0}/s")),
                later("rate", offered),
                later("workers", format!("{for_a_stall}; under closed load {workers}")),
            ],
        }
    }

    /// The rounds, their numbers and their order.
    fn round_rows(&self) -> Vec<OutlineRow> {
        let light = self.light_load;
        let mut rows = vec![
            now(
                "light load",
                format!(
                    "{} rounds of about {:.1} s per model, one worker, closed",
                    light.rounds,
                    light.window.as_secs_f64()
                ),
            ),
            now(
                "rounds",
                format!(
                    "{} of about {:.1} s per model, each after a lead-in of a fifth of its operations",
                    self.rounds_per_restart(),
                    window_time(self).as_secs_f64()
                ),
            ),
        ];
        if self.restarts > 1 {
            rows.push(now("restarts", format!("{}: all of this on so many fresh loads", self.restarts)));
        }
        rows.push(self.operations_row());
        rows.push(now(
            "numbers",
            format!(
                "parity from 0, calibration from {CALIBRATION_FROM}, light load from {LIGHT_LOAD_FROM}, rounds from {MEASURED_FROM}"
            ),
        ));
        rows.extend((1..).zip(&self.record().order).map(|(number, round)| {
            now(if number == 1 { "order" } else { "" }, format!("round {number}: {}", round.join(", ")))
        }));
        rows
    }

    fn operations_row(&self) -> OutlineRow {
        match operations_known(self) {
            Some(operations) => now("operations", format!("{operations} per round and model")),
            None => later("operations", "as many per round and model as come due in that time".to_owned()),
        }
    }

    /// What follows from the number of operations, as far as it can be told without it.
    fn rows_before_calibration(&self) -> Vec<OutlineRow> {
        let mut rows = vec![later("figures", "which of p50, p95, p99 and mean get an interval".to_owned())];
        let per = self.growth_per(PER);
        rows.extend(named("growth", per.iter().map(|growth| later("", per_operations(growth)))));
        rows.push(match self.state {
            Some(state) => now("state", state_text(state).to_owned()),
            None => {
                later("state", "steady up to 10 % of growth; above, loaded anew for each round or growing".to_owned())
            }
        });
        rows
    }

    fn models_text(&self) -> String {
        let names = self.models().map(|model| format!("{} ({})", model.name, model.role)).collect::<Vec<_>>();
        match &self.control {
            Some(model) => format!("{}: {model} compared with itself", names.join(", ")),
            None => names.join(", "),
        }
    }

    fn parameters_text(&self) -> String {
        let texts: Vec<String> = self.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
    }

    fn dataset_text(&self) -> String {
        let sizes = self.scenario.dataset.iter().map(|set| {
            let rows = self.world.count(&set.name).unwrap_or(0);
            format!("{rows} {}", set.name)
        });
        sizes.collect::<Vec<_>>().join(", ")
    }

    fn mix_text(&self) -> String {
        let operations = &self.workload().operations;
        let block = self.mix.block_length();
        let shares = operations.iter().enumerate().map(|(place, operation)| {
            format!("{} {:.1} %", operation.name, self.mix.per_block(place) as f64 / block as f64 * 100.0)
        });
        shares.collect::<Vec<_>>().join(", ")
    }
}

impl CalibratedPlan {
    /// What follows from the number of operations: figures, growth, and what becomes of the data.
    pub fn outline(&self, plan: &Plan) -> Vec<OutlineRow> {
        let figures = alike(self.figures(plan)).into_iter();
        let figures = figures.map(|(operations, told)| now("", format!("{}: {told}", operations.join(", "))));
        let mut rows = named("figures", figures);
        rows.extend(named("growth", self.growth(plan).iter().map(|growth| now("", in_words(growth)))));
        let (state, reason) = self.state(plan);
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        rows.push(now("state", format!("{}{reason}", state_text(state))));
        rows
    }
}

/// The operations that get the same figures, together.
fn alike(figures: Vec<(String, String)>) -> Vec<(Vec<String>, String)> {
    let mut alike: Vec<(Vec<String>, String)> = Vec::new();
    for (operation, told) in figures {
        match alike.iter_mut().find(|(_, known)| *known == told) {
            Some((operations, _)) => operations.push(operation),
            None => alike.push((vec![operation], told)),
        }
    }
    alike
}

/// The rows with the first of them named.
fn named(what: &'static str, rows: impl Iterator<Item = OutlineRow>) -> Vec<OutlineRow> {
    let mut rows: Vec<_> = rows.collect();
    if let Some(first) = rows.first_mut() {
        first.what = what;
    }
    rows
}

fn per_operations(growth: &GrowthRecord) -> String {
    let loaded = growth.loaded.map(|loaded| format!(", beside {loaded:.0} loaded")).unwrap_or_default();
    let place = match &growth.field {
        Some(field) => format!("{}.{field}", growth.collection),
        None => growth.collection.clone(),
    };
    format!("{place} of {}: {:+.0} in {PER:.0} operations{loaded}", growth.model, growth.added)
}

const fn isolation_text(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::Shared => "models share a server; of the embedded server each has its own, except at smoke size",
        Isolation::Process => "each model has a server process of its own, of which only the measured one runs",
    }
}

fn cache_text(bytes: u64) -> String {
    let mebibytes = bytes >> 20;
    format!("{mebibytes} MiB, on servers that patternbench starts")
}

const fn state_text(state: DataState) -> &'static str {
    match state {
        DataState::Steady => "steady",
        DataState::Reload => "loaded anew for each round",
        DataState::Growing => "growing",
    }
}

fn now(what: &'static str, value: String) -> OutlineRow {
    OutlineRow { what, value, decided: Decided::Now }
}

fn later(what: &'static str, value: String) -> OutlineRow {
    OutlineRow { what, value, decided: Decided::ByCalibration }
}
