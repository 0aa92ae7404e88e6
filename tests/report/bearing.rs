//! How models bear their load, and who is the limit, where the truth is known.

use patternbench::analysis::analyse;
use patternbench::record::{CalibrationRecord, LoadAnalysis, RoundRecord, ScenarioRecord};
use patternbench::units::{Micros, Rate, Seconds};
use patternbench::words::{
    ArrivalProcess, Bottleneck, ClaimMetric, ClaimOutcome, Metric, Profile, Role, RoundOutcome, Verdict,
};

use crate::known::{Maker, RATE, claim, close, encoded, lognormal, wobble};

/// Two models under open load, naive three times as slow; lag is 24 µs.
fn offered() -> Maker {
    let mut maker = Maker::new("two", &[("read", 1.0)])
        .model("naive", Role::Naive, &[("read", 3_000.0)])
        .model("fast", Role::Pattern, &[("read", 1_000.0)])
        .effect(wobble)
        .open();
    maker.lag = Some(24.0);
    maker
}

fn judged(mut scenario: ScenarioRecord) -> ScenarioRecord {
    analyse(&mut scenario, Profile::Quick);
    scenario
}

fn load<'a>(scenario: &'a ScenarioRecord, model: &str) -> &'a LoadAnalysis {
    &scenario.analysis.load[model]
}

fn reason<'a>(scenario: &'a ScenarioRecord, model: &str) -> &'a str {
    load(scenario, model).reason.as_deref().expect("it says how that shows")
}

/// Changes every measured window of a model.
fn change(scenario: &mut ScenarioRecord, model: &str, change: impl Fn(&mut RoundRecord)) {
    scenario.rounds.iter_mut().filter(|window| window.model == model).for_each(change);
}

/// A window takes longer by this factor for the same operations.
fn stretch(window: &mut RoundRecord, factor: f64) {
    window.seconds = Seconds::new(window.seconds.get() * factor);
    window.achieved_rate = Rate::new(window.achieved_rate.get() / factor);
}

/// Service times of all operations of a window, their number as it is.
fn serve(window: &mut RoundRecord, median: f64) {
    for figures in window.operations.values_mut() {
        figures.service = encoded(lognormal(median, 0.4, figures.count));
    }
}

/// Mean of a lognormal distribution whose logarithm spreads by 0.4.
fn mean(median: f64) -> f64 {
    median * (0.4_f64 * 0.4 / 2.0).exp()
}

#[test]
fn what_keeps_up_is_told_by_utilisation_operations_under_way_and_lag() {
    let mut scenario = offered().build();
    let calibrated =
        |capacity: f64| CalibrationRecord { capacity: Rate::new(capacity), p99: None, light_load_mean: None };
    scenario.calibration.insert("naive".to_owned(), calibrated(1_000.0));
    change(&mut scenario, "naive", |window| {
        window.operations.get_mut("read").expect("measured").backlogged = 100;
    });
    let scenario = judged(scenario);
    let naive = load(&scenario, "naive");
    assert_eq!(naive.bottleneck, None);
    close(naive.utilisation.expect("calibrated").get(), 0.6, 1e-12);
    close(naive.achieved_rate.expect("measured").get(), RATE, 1e-9);
    // Little's law; the wobble averages out within a percent.
    close(naive.in_flight.expect("measured").get(), RATE * mean(3_000.0) / 1e6, 0.02);
    close(naive.backlogged.expect("measured").get(), 100.0 / 2_000.0, 1e-12);
    assert_eq!(naive.lag_p50.map(Micros::get), Some(24.0));
    close(naive.lag_p95.expect("measured").get(), 24.0 * (0.2_f64 * 1.644_854).exp(), 0.03);
    assert_eq!(load(&scenario, "fast").utilisation, None, "never calibrated");
}

#[test]
fn lag_within_its_limits_says_by_how_much_it_pulls_the_ratio() {
    let scenario = judged(offered().build());
    let p50 = &scenario.analysis.operations["read"][&Metric::P50];
    let (naive, fast) = (p50.naive.expect("measured"), p50.pattern.expect("measured"));
    let (with, without) = (naive / fast, (naive - 24.0) / (fast - 24.0));
    let expected =
        format!("median lag 24 µs: the ratio of p50 of read is {with:.3} with it and would be {without:.3} without");
    assert_eq!(reason(&scenario, "fast"), expected);
    assert!(without > with, "lag pulls towards 1");
    assert!(scenario.analysis.operations["read"][&Metric::P95].speedup.verdict.is_some());
}

#[test]
fn closed_load_has_a_rate_and_operations_under_way_and_no_limit() {
    let mut maker = offered();
    maker.mode = patternbench::words::Mode::Closed;
    let scenario = judged(maker.effect(|_, _| 0.0).build());
    let naive = load(&scenario, "naive");
    close(naive.achieved_rate.expect("measured").get(), 2_000.0 / 1.5, 1e-9);
    close(naive.in_flight.expect("measured").get(), 2_000.0 * mean(3_000.0) / 1.5e6, 0.01);
    let rest = (naive.utilisation, naive.backlogged, naive.lag_p50, naive.bottleneck, &naive.reason);
    assert_eq!(rest, (None, None, None, None, &None));
}

#[test]
fn a_server_too_slow_for_its_rate_is_told_by_its_workers_waiting() {
    // Given up at twice the planned time with a quarter of the rate: 1,000 operations in 6.67 s on 16 workers, so that a
    // worker waits 107 ms for each when it does nothing else.
    let mut scenario = offered().build();
    change(&mut scenario, "naive", |window| {
        window.outcome = RoundOutcome::Saturated;
        window.seconds = Seconds::new(2_000.0 / RATE * 2.0);
        window.achieved_rate = Rate::new(1_000.0 / window.seconds.get());
        window.operations.get_mut("read").expect("measured").count = 1_000;
        serve(window, 96_000.0);
    });
    let scenario = judged(scenario);
    assert_eq!(load(&scenario, "naive").bottleneck, Some(Bottleneck::Server));
    let expected = "150/s of 600/s achieved; all 16 workers were waiting for the server";
    assert_eq!(reason(&scenario, "naive"), expected);
    assert_eq!(load(&scenario, "fast").bottleneck, None, "the other model keeps up");
    close(load(&scenario, "naive").achieved_rate.expect("measured").get(), 150.0, 1e-9);
}

#[test]
fn a_generator_too_slow_for_its_rate_leaves_its_workers_idle_and_nothing_is_judged() {
    let mut scenario = offered().build();
    change(&mut scenario, "fast", |window| stretch(window, 1.2));
    scenario.claims = vec![claim("read", ClaimMetric::P95, 2.0)];
    let scenario = judged(scenario);
    assert_eq!(load(&scenario, "fast").bottleneck, Some(Bottleneck::Generator));
    assert!(reason(&scenario, "fast").starts_with("500/s of 600/s achieved, although the 16 workers waited"));
    for metrics in scenario.analysis.operations.values() {
        assert!(metrics.values().all(|comparison| comparison.speedup.verdict.is_none()));
    }
    let p95 = &scenario.analysis.operations["read"][&Metric::P95].speedup;
    assert!(p95.low.is_some(), "the interval stays");
    let why = p95.reason.as_deref().expect("a reason");
    assert!(why.starts_with("no verdict: the load generator was the limit (fast: 500/s of 600/s"), "{why}");
    assert_eq!(scenario.claims[0].outcome, Some(ClaimOutcome::Inconclusive));
    assert!(scenario.claims[0].reason.as_deref().expect("a reason").contains("the load generator was the limit"));
}

#[test]
fn lag_that_is_no_small_part_of_the_response_time_makes_the_generator_late() {
    for (lag, late) in [(90.0, false), (120.0, true)] {
        let mut maker = offered();
        maker.lag = Some(lag);
        let scenario = judged(maker.build());
        // The smaller response p50 is 1,000 µs, a tenth of it the limit; naive is read against the same.
        for model in ["fast", "naive"] {
            assert_eq!((load(&scenario, model).late.is_some(), load(&scenario, model).bottleneck), (late, None));
        }
    }
    // p50 of lag far below its limit, p95 beyond: one operation in ten is 700 µs late, and the smaller p95 is 1,931 µs.
    let mut scenario = offered().build();
    change(&mut scenario, "fast", |window| {
        let late = (0..2_000).map(|place| if place < 200 { 700 } else { 20 }).collect();
        window.operations.get_mut("read").expect("measured").pacer_lag = encoded(late);
    });
    let scenario = judged(scenario);
    let late = load(&scenario, "fast").late.as_deref().expect("it was late");
    assert!(late.starts_with("p95 of lag 700 µs is 36 %"), "{late}");
}

/// A comparison of response times that are three to one, with a claim of at least two, for which the load generator was late;
/// by service times, which hold none of its lag, the models are as far apart as their medians.
fn late(naive: f64, fast: f64) -> ScenarioRecord {
    let mut maker = offered();
    maker.lag = Some(120.0);
    let mut scenario = maker.build();
    change(&mut scenario, "naive", |window| serve(window, naive));
    change(&mut scenario, "fast", |window| serve(window, fast));
    scenario.claims = vec![claim("read", ClaimMetric::P95, 2.0)];
    judged(scenario)
}

#[test]
fn where_the_generator_was_late_a_verdict_stands_if_service_time_gives_the_same() {
    let scenario = late(2_800.0, 850.0);
    let speedup = &scenario.analysis.operations["read"][&Metric::P95].speedup;
    assert_eq!(speedup.verdict, Some(Verdict::Faster), "{:?}", speedup.reason);
    assert_eq!(scenario.claims[0].outcome, Some(ClaimOutcome::Confirmed));
}

#[test]
fn what_only_lag_tells_apart_is_told_apart_by_nobody() {
    let scenario = late(900.0, 900.0);
    let speedup = &scenario.analysis.operations["read"][&Metric::P95].speedup;
    assert_eq!(speedup.verdict, Some(Verdict::Inconclusive));
    let reason = speedup.reason.as_deref().expect("it says why");
    assert!(
        reason.starts_with("response time says faster, but the load generator was late (naive: p50 of lag"),
        "{reason}"
    );
    assert!(reason.ends_with("service time says equal"), "{reason}");
    assert_eq!(scenario.claims[0].outcome, Some(ClaimOutcome::Inconclusive));
    let reason = scenario.claims[0].reason.as_deref().expect("it says why");
    assert!(reason.contains("service time does not say the same"), "{reason}");
}

#[test]
fn a_single_stall_at_the_end_of_a_window_is_nobodys_limit() {
    let mut scenario = offered().build();
    let window = scenario.rounds.iter_mut().find(|window| window.model == "naive").expect("measured");
    let planned = window.seconds.get();
    stretch(window, (planned + 1.9) / planned);
    let mut times = lognormal(3_000.0, 0.4, 1_999);
    times.push(2_000_000);
    window.operations.get_mut("read").expect("measured").service = encoded(times);
    assert_eq!(load(&judged(scenario), "naive").bottleneck, None);
}

#[test]
fn chance_alone_makes_poisson_arrivals_come_late() {
    // 10 rounds of 200 operations: three standard deviations of the time they come in are 6.7 %.
    let shortened = |arrivals| {
        let mut scenario = offered().rounds(10, 200).build();
        scenario.plan.arrivals = Some(arrivals);
        change(&mut scenario, "fast", |window| stretch(window, 1.05));
        load(&judged(scenario), "fast").bottleneck
    };
    assert_eq!(shortened(ArrivalProcess::Constant), Some(Bottleneck::Generator));
    assert_eq!(shortened(ArrivalProcess::Poisson), None);
}

#[test]
fn disturbed_windows_say_nothing_of_how_a_model_bears_its_load() {
    let mut scenario = offered().build();
    change(&mut scenario, "fast", |window| {
        if window.round < 4 {
            stretch(window, 3.0);
            window.disturbed = vec!["steal 12 %".to_owned()];
        }
    });
    assert_eq!(load(&judged(scenario), "fast").bottleneck, None);
}

#[test]
fn a_server_that_answered_nothing_is_the_limit_itself() {
    let mut scenario = offered().build();
    change(&mut scenario, "naive", |window| {
        window.outcome = RoundOutcome::Saturated;
        (window.achieved_rate, window.operations) = (Rate::new(0.0), Default::default());
    });
    let scenario = judged(scenario);
    assert_eq!(load(&scenario, "naive").bottleneck, Some(Bottleneck::Server));
    assert_eq!(reason(&scenario, "naive"), "no operation was answered");
}
