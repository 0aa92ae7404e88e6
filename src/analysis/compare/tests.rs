//! The interval of a change where the truth is known: logarithms are drawn, those of rounds around their run's, those of
//! runs around the truth.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64Mcg;

use super::super::paired::Paired;
use super::super::verdict::{ALPHA, THRESHOLD};
use super::together::RUN_TO_RUN;
use super::welch::{Difference, Sample, change, difference};
use crate::words::Repetition;

const TRIALS: u32 = 2_000;
const ROUNDS: usize = 10;

/// How logarithms of a speed-up vary, as standard deviations.
#[derive(Debug, Clone, Copy)]
struct Variation {
    between_runs: f64,
    between_rounds: f64,
}

fn draw(generator: &mut Pcg64Mcg) -> f64 {
    StandardNormal.sample(generator)
}

/// A run of rounds around this truth.
fn run(truth: f64, variation: Variation, generator: &mut Pcg64Mcg) -> Sample {
    let centre = truth + variation.between_runs * draw(generator);
    let rounds: Vec<f64> = (0..ROUNDS).map(|_| centre + variation.between_rounds * draw(generator)).collect();
    let within = Paired::of(&rounds).expect("finite");
    Sample { log: within.mean, within: Some(within), restarts: 1 }
}

fn side(runs: usize, truth: f64, variation: Variation, generator: &mut Pcg64Mcg) -> Vec<Sample> {
    (0..runs).map(|_| run(truth, variation, generator)).collect()
}

/// The share of trials in which something holds of the difference between so many runs on each side.
fn share(
    (base, new): (usize, usize),
    truth: f64,
    variation: Variation,
    allowance: f64,
    holds: impl Fn(&Difference) -> bool,
) -> f64 {
    let mut generator = Pcg64Mcg::seed_from_u64(1);
    let held = (0..TRIALS).filter(|_| {
        let base = side(base, 1.2, variation, &mut generator);
        let new = side(new, 1.2 + truth, variation, &mut generator);
        holds(&difference(&base, &new, allowance).expect("every run has rounds"))
    });
    held.count() as f64 / f64::from(TRIALS)
}

fn covers(truth: f64) -> impl Fn(&Difference) -> bool {
    move |difference| {
        let (low, high) = difference.interval(0.95);
        low <= truth && truth <= high
    }
}

/// The whole interval below the practical threshold.
fn is_regression(difference: &Difference) -> bool {
    difference.mean < 0.0 && difference.p_within(THRESHOLD.ln_1p()) <= ALPHA
}

/// A quiet machine: rounds vary by 5 %, runs by 3 %.
const QUIET: Variation = Variation { between_runs: 0.03, between_rounds: 0.05 };
/// A noisy one: rounds vary by 20 %, runs by 5 %, all that is allowed for.
const NOISY: Variation = Variation { between_runs: 0.05, between_rounds: 0.20 };
/// 95 % and three standard errors of a share in 2,000 trials, either way.
const NOMINAL: std::ops::RangeInclusive<f64> = 0.935..=0.965;

fn close(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-9, "{left} is not {right}");
}

fn of_rounds(mean: f64, deviation: f64, units: usize) -> Sample {
    Sample { log: mean, within: Some(Paired { mean, deviation, units }), restarts: 1 }
}

#[test]
fn one_run_each_is_welchs_interval_worked_by_hand() {
    // Variances 1 ÷ 4 and 4 ÷ 16, a quarter each: error √½, and 0.5² ÷ (0.25² ÷ 3 + 0.25² ÷ 15) = 10 degrees of freedom.
    let found = difference(&[of_rounds(0.0, 1.0, 4)], &[of_rounds(0.5, 2.0, 16)], 0.0).expect("both have rounds");
    assert_eq!((found.repetition, found.run_to_run), (Repetition::Rounds, None));
    close(found.mean, 0.5);
    close(found.error, 0.5_f64.sqrt());
    close(found.freedom, 10.0);
    // t(10, 97.5 %) = 2.228139.
    let (low, high) = found.interval(0.95);
    assert!((low - (0.5 - 2.228_139 * 0.5_f64.sqrt())).abs() < 1e-5 && (low + high - 1.0).abs() < 1e-9);
}

#[test]
fn what_differs_from_run_to_run_is_added_for_each_run() {
    let found = difference(&[of_rounds(0.0, 1.0, 4)], &[of_rounds(0.5, 2.0, 16)], 0.6).expect("both have rounds");
    close(found.error, (0.5 + 2.0 * 0.36_f64).sqrt());
    // Nothing is estimated of the allowance: (0.5 + 0.72)² ÷ 0.025.
    close(found.freedom, 1.22 * 1.22 / 0.025);
    let exact = Sample { within: Some(Paired { mean: 0.0, deviation: 0.0, units: 5 }), ..of_rounds(0.0, 0.0, 5) };
    let known = difference(&[exact], &[exact], 0.1).expect("both have rounds");
    assert!(known.freedom.is_infinite());
    // The normal quantile: 1.959964 · 0.1 · √2.
    assert!((known.interval(0.95).1 - 1.959_964 * 0.1 * 2.0_f64.sqrt()).abs() < 1e-6);
}

#[test]
fn three_runs_on_a_side_tell_how_much_runs_vary() {
    let of = |logs: &[f64]| logs.iter().map(|log| of_rounds(*log, 0.01, 10)).collect::<Vec<_>>();
    let (base, new) = (of(&[0.1, 0.2, 0.3]), of(&[0.4, 0.6, 0.8]));
    let found = difference(&base, &new, 5.0).expect("three runs each");
    assert_eq!(found.repetition, Repetition::Runs);
    close(found.mean, 0.4);
    // 0.01 ÷ 3 and 0.04 ÷ 3; the allowance has no part in it. Pooled they vary by √0.025.
    close(found.error, (0.05_f64 / 3.0).sqrt());
    close(found.run_to_run.expect("runs tell"), 0.025_f64.sqrt());
    close(found.freedom, 0.05 * 0.05 / (0.01 * 0.01 / 2.0 + 0.04 * 0.04 / 2.0));
    // One new run: it is taken to vary as those of the base, 0.01 · (1 + 1 ÷ 3), with their two degrees of freedom.
    let one = difference(&base, &new[..1], 5.0).expect("three runs against one");
    close(one.error, (0.01_f64 * 4.0 / 3.0).sqrt());
    close(one.freedom, 2.0);
}

#[test]
fn a_single_run_that_is_less_sure_than_runs_vary_counts_as_it_says() {
    let base: Vec<Sample> = [0.10, 0.11, 0.12].map(|log| of_rounds(log, 0.001, 10)).into();
    // Its own rounds say 1 ÷ 4; the base's runs vary by 0.0001.
    let found = difference(&base, &[of_rounds(0.1, 1.0, 4)], 0.0).expect("three runs against one");
    close(found.error, (0.25 + 0.0001_f64 / 3.0).sqrt());
}

#[test]
fn three_restarts_in_one_run_are_the_units() {
    let restarted = |mean, deviation| Sample { restarts: 3, ..of_rounds(mean, deviation, 3) };
    let found = difference(&[restarted(0.0, 0.1)], &[restarted(0.3, 0.1)], 9.0).expect("three restarts each");
    assert_eq!(found.repetition, Repetition::Restarts);
    close(found.error, (0.02_f64 / 3.0).sqrt());
    close(found.freedom, 4.0);
    let once = difference(&[restarted(0.0, 0.1)], &[of_rounds(0.3, 0.1, 10)], 9.0).expect("rounds");
    assert_eq!(once.repetition, Repetition::Rounds, "one side was loaded but once");
}

#[test]
fn without_rounds_there_is_a_change_and_no_interval() {
    let alone = Sample { log: 0.2, within: None, restarts: 1 };
    assert_eq!(difference(&[alone], &[of_rounds(0.1, 0.1, 5)], 0.1), None);
    close(change(&[alone], &[of_rounds(0.1, 0.1, 5)]).expect("two figures"), -0.1);
    assert_eq!(change(&[], &[alone]), None);
    // Three calibrations on each side need nothing within.
    let capacities = |logs: [f64; 3]| logs.map(|log| Sample { log, ..alone });
    let found = difference(&capacities([1.0, 1.1, 1.2]), &capacities([1.0, 1.1, 1.2]), 0.0).expect("three runs each");
    assert_eq!((found.repetition, found.mean), (Repetition::Runs, 0.0));
}

#[test]
fn p_is_five_percent_where_the_interval_touches_the_threshold() {
    let found = difference(&[of_rounds(0.0, 0.2, 10)], &[of_rounds(-0.9, 0.3, 7)], 0.05).expect("both have rounds");
    let (_, high) = found.interval(0.95);
    close(found.p_within(-high), 0.05);
    assert!(found.p_within(-high - 0.01) < 0.05 && found.p_within(-high + 0.01) > 0.05);
    assert_eq!(found.p_within(1.0), 1.0);
}

#[test]
fn rounds_alone_cover_the_truth_only_where_runs_do_not_vary() {
    let alike = Variation { between_runs: 0.0, ..QUIET };
    let share_covered = |variation, allowance| share((1, 1), -0.3, variation, allowance, covers(-0.3));
    let covered = share_covered(alike, 0.0);
    assert!(NOMINAL.contains(&covered), "{covered}");
    // Two runs differ by more than their rounds tell: 3 % · √2 beside an error of 5 % · √(2 ÷ 10).
    let uncovered = share_covered(QUIET, 0.0);
    assert!(uncovered < 0.75, "{uncovered}");
}

#[test]
fn with_the_allowance_the_interval_covers_as_long_as_runs_vary_no_more_than_that() {
    let share_covered = |variation| share((1, 1), -0.3, variation, RUN_TO_RUN.get(), covers(-0.3));
    let quiet = share_covered(QUIET);
    assert!(quiet >= 0.965, "runs vary by less than is allowed for: {quiet}");
    let noisy = share_covered(NOISY);
    assert!(NOMINAL.contains(&noisy), "runs vary by what is allowed for: {noisy}");
    let beyond = share_covered(Variation { between_runs: 0.15, ..NOISY });
    assert!(beyond < 0.85, "where they vary by three times as much, it is too short: {beyond}");
}

#[test]
fn groups_of_runs_cover_however_much_runs_vary() {
    for between_runs in [0.0, 0.03, 0.15] {
        let variation = Variation { between_runs, ..QUIET };
        // A single run that is less sure than runs vary counts as it says, which covers a little more.
        for runs in [(7, 1), (5, 2), (10, 10), (3, 3)] {
            let covered = share(runs, -0.3, variation, 0.0, covers(-0.3));
            assert!((0.935..=0.985).contains(&covered), "{runs:?} runs that vary by {between_runs}: {covered}");
        }
    }
}

#[test]
fn two_runs_of_the_same_build_are_told_apart_in_at_most_one_of_a_hundred() {
    let false_alarms = |variation, allowance| share((1, 1), 0.0, variation, allowance, is_regression);
    for variation in [QUIET, NOISY] {
        let share = false_alarms(variation, RUN_TO_RUN.get());
        // One in a hundred and two standard errors of a share in 2,000 trials.
        assert!(share <= 0.0145, "{variation:?}: {share}");
    }
    // Without it a threshold of 5 % is no protection: runs that vary by 5 % pass it in many of a hundred.
    let unprotected = false_alarms(Variation { between_rounds: 0.05, ..NOISY }, 0.0);
    assert!(unprotected >= 0.05, "{unprotected}");
}

#[test]
fn a_lost_index_is_found_with_one_run_each_and_a_tenth_only_by_groups() {
    let found = |runs, truth, allowance| share(runs, truth, QUIET, allowance, is_regression);
    let halved = found((1, 1), 0.5_f64.ln(), RUN_TO_RUN.get());
    assert!(halved >= 0.999, "{halved}");
    let tenth = 0.90_f64.ln();
    assert!(found((1, 1), tenth, RUN_TO_RUN.get()) < 0.1);
    let by_groups = found((10, 10), tenth, RUN_TO_RUN.get());
    assert!(by_groups > 0.85, "{by_groups}");
}
