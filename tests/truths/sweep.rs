//! Truths of a sweep: a crossover that is declared is found, and of the intervals of an exponent 95 % hold the true one.

use std::collections::BTreeMap;
use std::sync::Arc;

use patternbench::analysis::{Observation, Paired, curve};
use patternbench::backend::simulated::{Moment, SimulatedClock, SimulatedModel, SimulatedServer};
use patternbench::clock::VirtualClock;
use patternbench::plan::RunOptions;
use patternbench::record::{PointRecord, SweepRecord};
use patternbench::run::{Event, Interrupt, Listener, Target};
use patternbench::scenario::{Scenario, load_scenario};
use patternbench::source::{SourceText, show};
use patternbench::study::{
    AxisChoice, AxisValue, Refinement, SweepListener, SweepRequest, empty_sweep, sweep, usual_load, values_of,
};
use patternbench::units::Share;
use patternbench::words::{CrossoverOutcome, GrowthWord, Profile};

use crate::support::{SEED, in_parallel, micros, options, simulation};
use crate::trials::RUNS;

/// Two models of something that has a size. What they take is declared, so their steps never run.
const SIZED: &str = "
format: 1
title: Sized models
summary: What they take grows with the size, as declared.
parameters: {size: {default: 100, min: 1, max: 1000000}}
sweep: {size: [10, 100, 1000, 10000]}
dataset:
  things: {count: 10, document: {_id: ^index, size: ^size}}
models:
  naive:
    role: naive
    collections: {things: {from: things}}
    operations:
      read: {growth: linear in size, steps: [{findOne: {collection: things, filter: {_id: ^thing}}}]}
  pattern:
    role: pattern
    collections: {things: {from: things}}
    operations:
      read: {growth: constant, steps: [{findOne: {collection: things, filter: {_id: ^thing}}}]}
workload:
  read: {weight: 1, args: {thing: {^int: {min: 0, max: 9}}}, returns: {fields: [_id]}}
";

fn sized() -> Arc<Scenario> {
    let loaded = load_scenario(SourceText::new("sized.yaml", SIZED));
    Arc::new(loaded.unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false))))
}

struct Silent;

impl Listener for Silent {
    fn hear(&mut self, _: &Event) {}
}

impl SweepListener for Silent {
    fn begins(&mut self, _: &AxisValue, _: usize, _: usize) {}
    fn done(&mut self, _: &PointRecord) {}
}

/// A sweep of the size in virtual time.
fn swept(declared: &str, sizes: &[u32], refinement: Option<Refinement>) -> SweepRecord {
    let scenario = sized();
    let values = sizes.iter().map(ToString::to_string).collect();
    let choice = AxisChoice::Parameters(vec![("size".to_owned(), values)]);
    let asked = RunOptions { concurrency: None, ..options(Profile::Quick) };
    let axis = values_of(&scenario, &asked, &choice).unwrap_or_else(|error| panic!("{error}"));
    let options = usual_load(asked, &scenario, &axis, false);
    let (clock, runtime) = VirtualClock::runtime().expect("a runtime can be made");
    let server = Arc::new(SimulatedServer::start(simulation(declared), SimulatedClock::Virtual(clock)));
    let target = Target::Simulated(server);
    let known = empty_sweep(&scenario, &options, &axis, refinement, &target, BTreeMap::new());
    let known = known.unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let request = SweepRequest { target, options, scenario, axis, refinement, folder: folder.path(), known };
    let finish = runtime.block_on(sweep(&request, &mut Silent, Interrupt::new()));
    assert!(finish.errors.is_empty() && finish.record.complete, "{:?}", finish.errors);
    let written = SweepRecord::read(folder.path()).expect("it is written");
    assert_eq!(written, finish.record);
    finish.record
}

#[test]
fn a_declared_crossover_is_found_within_five_percent_in_at_most_twelve_values() {
    // Naive takes size ÷ 700 of what the pattern takes, in every quantile: they are equal at 700.
    let latency = "latency: {lognormal: {median: 1ms, sigma: 0.3}}, between_windows: 0.02";
    let declared = format!(
        "models: {{naive: {{read: {{{latency}, grows: {{with: size, unit: 700}}}}}}, pattern: {{read: {{{latency}}}}}}}"
    );
    let refinement = Refinement { factor: 1.25, limit: 12 };
    let found = swept(&declared, &[10, 20_000], Some(refinement));
    assert!(found.points.len() > 2 && found.points.len() <= 12, "{} values", found.points.len());
    assert_eq!(found.points.iter().filter(|point| point.added).count(), found.points.len() - 2);
    let crossover = found.crossover.iter().find(|found| found.operation == "read").expect("it is compared");
    assert_eq!((crossover.outcome, crossover.faster_above), (CrossoverOutcome::Found, Some(true)));
    let (at, low, high) =
        (crossover.at.expect("found"), crossover.low.expect("closed"), crossover.high.expect("closed"));
    assert!((at / 700.0 - 1.0).abs() <= 0.05, "{at} is not 700");
    assert!(low <= 700.0 && 700.0 <= high && high / low <= 1.25, "{low} to {high}");
    // The values on either side are as close.
    let (below, above): (Vec<f64>, Vec<f64>) =
        found.points.iter().map(|point| point.at).partition(|place| *place <= at);
    let gap = above.iter().copied().fold(f64::INFINITY, f64::min) / below.iter().copied().fold(0.0, f64::max);
    assert!(gap <= 1.25, "{gap}");
}

#[test]
fn words_and_curves_say_what_is_declared() {
    // 1 ms + size µs against 1.5 ms: from 2,000 to 20,000 the slope is log10(21 ÷ 3) = 0.85.
    let grows = "latency: {lognormal: {median: 1ms, sigma: 0.3}}, grows: {with: size, unit: 1000, fixed: 1}";
    let flat = "latency: {lognormal: {median: 1.5ms, sigma: 0.3}}";
    let declared = format!("models: {{naive: {{read: {{{grows}}}}}, pattern: {{read: {{{flat}}}}}}}");
    let found = swept(&declared, &[10, 100, 2_000, 20_000], None);
    let fit = |model: &str| found.fits.iter().find(|fit| fit.model == model && fit.operation == "read").expect("a fit");
    let (naive, pattern) = (fit("naive"), fit("pattern"));
    assert_eq!((naive.growth, pattern.growth), (Some(GrowthWord::Linear), Some(GrowthWord::Flat)));
    let slope = naive.slopes.last().expect("a decade");
    assert!((slope.slope - 7_f64.log10()).abs() < 0.05, "{slope:?}");
    assert!((naive.k.expect("it grows") - 1.0).abs() < 0.1, "{naive:?}");
    assert!(pattern.slopes.iter().all(|slope| slope.slope.abs() < 0.05), "{pattern:?}");
    let crossover = found.crossover.iter().find(|found| found.operation == "read").expect("it is compared");
    // 1 + size ÷ 1000 = 1.5 at 500; between 100 and 2,000 a straight line stands in for the curve.
    assert!((200.0..1_000.0).contains(&crossover.at.expect("found")), "{crossover:?}");
}

/// Sizes of a trial.
const SIZES: [u32; 5] = [10, 100, 1_000, 10_000, 100_000];
const ROUNDS: u64 = 7;
/// Operations in a window: enough for a p95 of its own.
const OPERATIONS: u64 = 100;
/// 95 % and three standard errors of a share in 2,000 runs, either way.
const COVERED: std::ops::RangeInclusive<f64> = 0.935..=0.965;

/// The log p95 of each window of a model.
fn windows(model: &SimulatedModel, first: u64) -> Vec<f64> {
    let window = |round: u64| {
        let common = model.common(0, first + round);
        let from = (first + round) * OPERATIONS;
        let step = |number| model.step(0, &Moment { number, progress: Share::new(0.0), common });
        let mut micros: Vec<u64> = (from..from + OPERATIONS).map(|number| micros(step(number).latency)).collect();
        let rank = (0.95 * micros.len() as f64).ceil() as usize;
        (*micros.select_nth_unstable(rank - 1).1 as f64).ln()
    };
    (0..ROUNDS).map(window).collect()
}

/// 1 ms + 0.5 ms · size ÷ 100, and a level of its own in each window.
const GROWS: &str = "default: {latency: {lognormal: {median: 0.5ms, sigma: 0.4}}, between_windows: 0.05, \
                     grows: {with: size, unit: 100, exponent: 1, fixed: 2}}";

#[test]
fn a_declared_exponent_lies_in_95_of_100_intervals() {
    let declared = simulation(GROWS);
    let held = in_parallel(RUNS, |run| {
        let model =
            SimulatedModel::new(&declared, "naive", std::iter::once("read"), SEED + run).expect("it is declared");
        let observe = |(place, size): (usize, &u32)| {
            let set = [("size".to_owned(), bson::Bson::Int64(i64::from(*size)))].into();
            let logs = windows(&model.clone().under(&set), place as u64 * ROUNDS);
            let units = Paired::of(&logs).expect("seven finite logs");
            Observation { at: f64::from(*size), log: units.mean, error: Some(units.error()), units: ROUNDS as u32 }
        };
        let observations: Vec<Observation> = SIZES.iter().enumerate().map(observe).collect();
        let grows = curve(&observations).expect("five sizes").grows.expect("it grows");
        (grows.low.unwrap_or(0.0)..=grows.high.unwrap_or(f64::INFINITY)).contains(&1.0)
    });
    let share = held.iter().filter(|held| **held).count() as f64 / RUNS as f64;
    assert!(COVERED.contains(&share), "{share}");
}
