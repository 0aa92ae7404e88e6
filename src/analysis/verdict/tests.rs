use rand::SeedableRng;
use rand_distr::{Distribution, Normal};
use rand_pcg::Pcg64Mcg;

use super::*;

fn around(ratio: f64, wobble: f64) -> Paired {
    let logs: Vec<f64> = [-1.0, 1.0, -0.5, 0.5, 0.0].iter().map(|step| ratio.ln() + step * wobble).collect();
    Paired::of(&logs).expect("finite")
}

fn verdict(paired: Paired) -> Verdict {
    decide(&[paired], THRESHOLD)[0].verdict
}

#[test]
fn twice_as_fast_is_faster_and_half_as_fast_is_slower() {
    assert_eq!(verdict(around(2.0, 0.05)), Verdict::Faster);
    assert_eq!(verdict(around(0.5, 0.05)), Verdict::Slower);
}

#[test]
fn a_real_difference_of_two_percent_is_equal() {
    assert_eq!(verdict(around(1.02, 0.001)), Verdict::Equal);
    assert_eq!(verdict(around(1.0 / 1.02, 0.001)), Verdict::Equal);
}

#[test]
fn an_interval_across_the_threshold_is_inconclusive() {
    assert_eq!(verdict(around(1.05, 0.05)), Verdict::Inconclusive);
    assert_eq!(verdict(around(1.5, 1.0)), Verdict::Inconclusive);
}

#[test]
fn an_operation_alone_is_decided_that_a_family_holds_back() {
    // p a little under 5 % by itself; beside three operations without a difference Holm multiplies it by four.
    let bound = THRESHOLD.ln_1p();
    let mut wobble = 0.01;
    while around(1.2, wobble).p_within(bound) < 0.03 {
        wobble += 0.001;
    }
    let clear = around(1.2, wobble);
    assert!(clear.p_within(bound) <= ALPHA);
    assert_eq!(verdict(clear), Verdict::Faster);
    let same = around(1.0, 0.1);
    let together = decide(&[same, clear, same, same], THRESHOLD);
    assert_eq!(together[1], Decision { verdict: Verdict::Inconclusive, held_back: true });
    assert!(!together[0].held_back);
}

/// Ten rounds whose log ratio spreads by 10 % around the truth.
fn run(truth: f64, generator: &mut Pcg64Mcg) -> Paired {
    let spread = Normal::new(truth.ln(), 0.1).expect("a positive deviation");
    let logs: Vec<f64> = spread.sample_iter(generator).take(10).collect();
    Paired::of(&logs).expect("finite")
}

const RUNS: u32 = 2_000;

#[test]
fn identical_models_are_told_apart_in_one_run_of_twenty() {
    let mut generator = Pcg64Mcg::seed_from_u64(1);
    let (mut without_threshold, mut with_threshold) = (0, 0);
    let decided = |verdict| matches!(verdict, Verdict::Faster | Verdict::Slower);
    for _ in 0..RUNS {
        let paired = run(1.0, &mut generator);
        without_threshold += u32::from(decided(decide(&[paired], 0.0)[0].verdict));
        with_threshold += u32::from(decided(verdict(paired)));
    }
    // 5 % and three standard errors of a share over 2,000 runs.
    let most = (0.05 + 3.0 * (0.05_f64 * 0.95 / f64::from(RUNS)).sqrt()) * f64::from(RUNS);
    assert!(f64::from(without_threshold) <= most, "{without_threshold} of {RUNS}");
    assert!(with_threshold < without_threshold, "the practical threshold makes false verdicts rarer");
}

#[test]
fn the_interval_covers_the_truth_in_nineteen_runs_of_twenty() {
    let mut generator = Pcg64Mcg::seed_from_u64(1);
    for truth in [1.10_f64, 1.5, 5.0] {
        let covered = (0..RUNS)
            .filter(|_| {
                let (low, high) = run(truth, &mut generator).interval(0.95);
                low <= truth.ln() && truth.ln() <= high
            })
            .count();
        let share = covered as f64 / f64::from(RUNS);
        assert!((0.935..=0.965).contains(&share), "{share} at {truth}");
    }
}
