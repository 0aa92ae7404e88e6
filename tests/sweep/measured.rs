//! A sweep on the embedded server, interrupted and gone on with.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use patternbench::guard::Consent;
use patternbench::plan::RunOptions;
use patternbench::record::{PointRecord, SweepRecord};
use patternbench::run::{Event, Interrupt, Listener, RunError, Target};
use patternbench::scenario::{Scenario, load_scenario};
use patternbench::server::RunningServer;
use patternbench::source::SourceText;
use patternbench::study::{
    Axis, AxisChoice, AxisValue, SweepFinish, SweepListener, SweepRequest, empty_sweep, sweep, usual_load, values_of,
};
use patternbench::words::{Mode, Phase, Profile};

use crate::support::{shared_server, unique_name};
use crate::typed::{ORDERS, places};

/// Wishes to end when so many values are done and the next is being measured.
#[derive(Default)]
struct Ending {
    after: Option<usize>,
    interrupt: Interrupt,
    begun: Vec<f64>,
    done: usize,
}

impl Listener for Ending {
    fn hear(&mut self, event: &Event) {
        let measures = matches!(event, Event::PhaseStarted { phase: Phase::Measured, .. });
        if measures && self.after == Some(self.done) {
            self.interrupt.trigger();
        }
    }
}

impl SweepListener for Ending {
    fn begins(&mut self, value: &AxisValue, _: usize, _: usize) {
        self.begun.push(value.at);
    }

    fn done(&mut self, _: &PointRecord) {
        self.done += 1;
    }
}

/// The scenario under a name that no other test uses.
fn orders() -> Arc<Scenario> {
    let name = format!("{}.yaml", unique_name("swept-orders"));
    Arc::new(load_scenario(SourceText::new(name, ORDERS)).expect("it is valid"))
}

fn small(scenario: &Scenario) -> (RunOptions, Axis) {
    let choice = AxisChoice::Parameters(Vec::new());
    let asked = RunOptions { profile: Profile::Smoke, rounds: Some(5), operations: Some(150), ..RunOptions::default() };
    let axis = values_of(scenario, &asked, &choice).expect("the scenario names values");
    (usual_load(asked, scenario, &axis, false), axis)
}

fn on(server: &RunningServer) -> Target<'_> {
    Target::Server { server, consent: Consent::default(), ends: false }
}

async fn go(scenario: &Arc<Scenario>, folder: &Path, known: Option<SweepRecord>, listener: &mut Ending) -> SweepFinish {
    let server = shared_server();
    let (options, axis) = small(scenario);
    let empty = || empty_sweep(scenario, &options, &axis, None, &on(server), BTreeMap::new()).expect("it fits");
    let known = known.unwrap_or_else(empty);
    let scenario = Arc::clone(scenario);
    let request = SweepRequest { target: on(server), options, scenario, axis, refinement: None, folder, known };
    let interrupt = listener.interrupt.clone();
    sweep(&request, listener, interrupt).await
}

fn written(folder: &Path, point: &PointRecord) -> SystemTime {
    fs::metadata(folder.join(&point.run).join("run.json")).and_then(|run| run.modified()).expect("it is there")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_sweep_goes_on_where_it_was_and_repeats_nothing() {
    let (scenario, folder) = (orders(), tempfile::tempdir().expect("a temporary folder can be made"));
    let folder = folder.path();
    let mut first = Ending { after: Some(1), ..Ending::default() };
    let finish = go(&scenario, folder, None, &mut first).await;
    assert!(matches!(finish.errors.as_slice(), [RunError::Interrupted]), "{:?}", finish.errors);
    assert_eq!(first.begun, [2.0, 8.0], "the second was in work");
    let begun = SweepRecord::read(folder).expect("it was written");
    assert!(!begun.complete);
    assert_eq!(places(&begun), [2.0], "no more is lost than that");
    let before = written(folder, &begun.points[0]);

    let mut second = Ending::default();
    let finish = go(&scenario, folder, Some(begun.clone()), &mut second).await;
    assert!(finish.errors.is_empty(), "{:?}", finish.errors);
    assert_eq!(second.begun, [8.0, 32.0], "what was done is not done again");
    let whole = SweepRecord::read(folder).expect("it was written");
    assert!(whole.complete && whole == finish.record);
    assert_eq!(places(&whole), [2.0, 8.0, 32.0]);
    assert_eq!(whole.points[0], begun.points[0]);
    assert_eq!(written(folder, &whole.points[0]), before);
    for point in &whole.points {
        assert!(point.failed.is_empty(), "{:?}", point.failed);
        let show = point.figures.iter().find(|figure| figure.operation == "show" && figure.model == "embedded");
        let show = show.expect("it was timed");
        assert!(show.latency.values().all(|latency| latency.low.is_some()), "five rounds give intervals: {show:?}");
        let bill = &point.storage["default"]["naive"];
        // At smoke size there are 20 orders, with so many lines each.
        assert_eq!(bill.documents, 20 + 20 * point.at as u64);
    }
    assert!(whole.crossover.iter().any(|found| found.operation == "show"), "{:?}", whole.points[0].figures);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_load_is_one_worker_unless_claims_are_to_be_judged() {
    let scenario = orders();
    let (options, axis) = small(&scenario);
    assert_eq!((options.mode, options.concurrency), (Some(Mode::Closed), Some(1)));
    let claimed = ORDERS.replace(
        "sweep: {lines: [2, 8, 32]}",
        "claims: [{operation: show, metric: mean, ratio_at_least: 0.001, at: {lines: 8}, source: a test}]\nsweep: {lines: [2, 8, 32]}",
    );
    let claimed = load_scenario(SourceText::new("claimed.yaml", claimed.as_str())).expect("it is valid");
    let asked = RunOptions { rounds: Some(5), ..RunOptions::default() };
    let as_run = usual_load(asked, &claimed, &axis, false);
    assert_eq!((as_run.mode, as_run.concurrency), (None, None));
}
