//! Truth 9: a step in a history is marked on its night, and flat histories bear no marks. Nights are restarts of the
//! simulated server, which differ by 2 %.

use patternbench::analysis::trend::steps;
use patternbench::backend::simulated::{Moment, SimulatedModel};
use patternbench::units::Share;

use crate::support::{SEED, model, simulation};

const HISTORIES: u64 = 200;
const NIGHTS: u32 = 30;
/// The first night after the step, from 0.
const STEP: usize = 20;

fn declared(latency: &str, seed: u64) -> SimulatedModel {
    let text = format!("models: {{pattern: {{read: {{latency: {{constant: {latency}}}, between_restarts: 0.02}}}}}}");
    model(&simulation(&text), "pattern", seed)
}

/// What an operation takes on a night, in seconds.
fn night(model: &SimulatedModel, night: u32) -> f64 {
    let moment = Moment { number: 0, progress: Share::new(0.0), common: model.common(night, 0) };
    model.step(0, &moment).latency.as_secs_f64()
}

/// A history that has this latency from [`STEP`] on, and 5 ms before.
fn history(from_step: &str, seed: u64) -> Vec<f64> {
    let (before, after) = (declared("5ms", seed), declared(from_step, seed));
    let of = |place: u32| if (place as usize) < STEP { &before } else { &after };
    (0..NIGHTS).map(|place| night(of(place), place)).collect()
}

#[test]
fn a_step_of_ten_percent_is_marked_within_a_night_in_nine_of_ten_histories() {
    let found = (SEED..SEED + HISTORIES)
        .filter(|seed| steps(&history("5.5ms", *seed)).iter().any(|step| step.at.abs_diff(STEP) <= 1))
        .count();
    assert!(found >= 180, "in {found} of {HISTORIES}");
}

#[test]
fn at_most_one_flat_history_in_twenty_bears_a_mark() {
    let marked = (SEED..SEED + HISTORIES).filter(|seed| !steps(&history("5ms", *seed)).is_empty()).count();
    assert!(marked <= 10, "{marked} of {HISTORIES}; one in a hundred is designed for");
}
