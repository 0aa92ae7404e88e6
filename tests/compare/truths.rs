//! What is said of a change where it is known what changed.

use patternbench::analysis::{CompareOptions, analyse, compare};
use patternbench::record::{CalibrationRecord, RunRecord};
use patternbench::units::{Rate, Share};
use patternbench::words::{Basis, Change, Metric, Mode, Phase, Profile, Repetition, RoundOutcome};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64Mcg;

use crate::known::{Maker, product_page, two};
use crate::made::{compared, figure, number, of_scenario, options, run, side, speedup};

/// A product list page in which each model's operations take this many times as long.
fn page(naive: f64, pattern: f64) -> Maker {
    let mut maker = product_page().rounds(6, 2_400);
    for ((model, _), truth) in &mut maker.truths {
        truth.median *= if model == "naive" { naive } else { pattern };
    }
    maker
}

/// Two models of one operation: what they take is multiplied by these.
fn simple(naive: f64, pattern: f64) -> Maker {
    let mut maker = two(2.0).rounds(6, 400);
    for ((model, _), truth) in &mut maker.truths {
        truth.median *= if model == "naive" { naive } else { pattern };
    }
    maker
}

/// Factors of runs of one build: everything varies by 10 % from night to night, each model besides by 3 %.
fn nights(number: usize) -> Vec<RunRecord> {
    let mut generator = Pcg64Mcg::seed_from_u64(1);
    let mut factor = |deviation: f64| -> f64 {
        let drawn: f64 = StandardNormal.sample(&mut generator);
        (deviation * drawn).exp()
    };
    let night = |place: usize| {
        let night = factor(0.10);
        run(place as u32 + 1, &page(night * factor(0.03), night * factor(0.03)))
    };
    (0..number).map(night).collect()
}

#[test]
fn five_pairs_of_runs_of_one_build_show_no_regression_and_figures_have_no_verdict() {
    let runs = nights(10);
    for pair in runs.chunks(2) {
        let found = compared(vec![pair[0].clone()], vec![pair[1].clone()]);
        assert_eq!((found.regressions, found.improvements), (0, 0));
        for change in &found.scenarios[0].speedups {
            let judged = change.metric != Metric::Throughput || change.basis == Basis::Rate;
            assert!(!judged || change.verdict.is_some(), "{change:?}");
        }
        for change in &found.scenarios[0].figures {
            assert_eq!(change.verdict, None, "{change:?}");
            assert!(change.reason.as_ref().is_some_and(|why| why.starts_with("one run each")), "{change:?}");
            assert!(change.low.is_some() && change.high.is_some(), "an interval stands there all the same: {change:?}");
        }
    }
}

#[test]
fn what_slows_both_models_alike_is_no_change_of_the_speedup() {
    let found = compared(vec![run(1, &page(1.0, 1.0))], vec![run(2, &page(1.6, 1.6))]);
    assert_eq!(found.regressions, 0);
    // Whole µs round every quantile a little.
    assert!((number(speedup(&found, "list_page", "page").change) - 1.0).abs() < 0.01);
    assert!((number(figure(&found, "list_page", "naive").change) - 1.6).abs() < 0.01);
}

#[test]
fn a_pattern_that_takes_twice_as_long_is_a_regression_and_one_that_takes_half_an_improvement() {
    let (base, slow, fast) = (run(1, &page(1.0, 1.0)), run(2, &page(1.0, 2.0)), run(3, &page(1.0, 0.5)));
    let worse = compared(vec![base.clone()], vec![slow]);
    let change = speedup(&worse, "list_page", "page");
    assert_eq!((change.verdict, change.repetition), (Some(Change::Regression), Some(Repetition::Rounds)));
    assert!((number(change.change) - 0.5).abs() < 0.01 && number(change.high) < 1.0 / 1.05, "{change:?}");
    // Closed load: the rate of the whole mix fell as well.
    let rate = worse.scenarios[0].speedups.iter().find(|change| change.metric == Metric::Throughput);
    assert_eq!(rate.expect("the mix has a rate").basis, Basis::Rate);
    let better = compared(vec![base], vec![fast]);
    assert_eq!(speedup(&better, "list_page", "page").verdict, Some(Change::Improvement));
    assert_eq!(better.regressions, 0);
}

#[test]
fn the_threshold_is_the_users() {
    let (base, new) = (side("a", vec![run(1, &simple(1.0, 1.0))]), side("b", vec![run(2, &simple(1.0, 1.5))]));
    let with = |threshold: f64| {
        let options = CompareOptions { threshold: Share::new(threshold), ..options() };
        compare(&base, &new, &options).expect("comparable").regressions
    };
    assert!(with(0.05) > 0);
    assert_eq!(with(0.60), 0);
}

#[test]
fn three_runs_a_side_judge_figures_and_tell_how_much_runs_vary() {
    // Both sides vary alike: 2 % down, as it is, 2 % up. The new ones take half as long again in both models.
    let side_of = |day: u32, factor: f64| -> Vec<RunRecord> {
        let factors = [0.98, 1.0, 1.02].map(|night| night * factor);
        factors.iter().zip(day..).map(|(factor, day)| run(day, &simple(*factor, *factor))).collect()
    };
    let found = compared(side_of(1, 1.0), side_of(11, 1.5));
    for model in ["naive", "fast"] {
        let change = figure(&found, "read", model);
        assert_eq!(
            (change.verdict, change.repetition),
            (Some(Change::Regression), Some(Repetition::Runs)),
            "{change:?}"
        );
        // Standard deviation of the logarithms of 0.98, 1 and 1.02.
        let logs = [0.98_f64.ln(), 0.0, 1.02_f64.ln()];
        let mean = logs.iter().sum::<f64>() / 3.0;
        let deviation = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
        let told = change.run_to_run.expect("runs tell").get();
        assert!((told / deviation - 1.0).abs() < 0.1, "{told} is not {deviation}");
    }
    assert_ne!(speedup(&found, "read", "fast").verdict, Some(Change::Regression));
    let few = compared(side_of(1, 1.0), side_of(11, 1.5)[..2].to_vec());
    let change = figure(&few, "read", "naive");
    assert_eq!(change.verdict, None);
    assert!(change.reason.as_ref().is_some_and(|why| why.contains("three on each side")), "{change:?}");
}

#[test]
fn three_restarts_on_each_side_judge_figures_too() {
    let restarted = |day, factor| run(day, &simple(factor, factor).rounds(9, 400).restarts(3));
    let found = compared(vec![restarted(1, 1.0)], vec![restarted(2, 1.5)]);
    let change = figure(&found, "read", "naive");
    assert_eq!(
        (change.verdict, change.repetition),
        (Some(Change::Regression), Some(Repetition::Restarts)),
        "{change:?}"
    );
    let once = compared(vec![restarted(1, 1.0)], vec![run(2, &simple(1.5, 1.5).rounds(9, 400))]);
    assert_eq!(figure(&once, "read", "naive").verdict, None, "one side was loaded but once");
}

#[test]
fn response_times_are_compared_at_the_same_rate_and_service_times_otherwise() {
    // Waiting makes naive's response times half as long again in the new run; its service times are as before.
    let waiting: fn(u32, &str) -> f64 = |_, model| if model == "naive" { 1.5_f64.ln() } else { 0.0 };
    let open = |day, waits: bool, rate: f64| {
        let mut maker = simple(1.0, 1.0).open();
        if waits {
            maker.waiting = waiting;
        }
        let mut scenario = maker.build();
        scenario.plan.rate = Some(Rate::new(rate));
        // The load was borne at this rate.
        for window in &mut scenario.rounds {
            window.seconds = patternbench::units::Seconds::new(window.planned as f64 / rate);
            window.achieved_rate = Rate::new(rate);
        }
        of_scenario(day, scenario)
    };
    let same = compared(vec![open(1, false, 600.0)], vec![open(2, true, 600.0)]);
    let change = speedup(&same, "read", "fast");
    assert_eq!(change.basis, Basis::Response);
    assert!((number(change.change) - 1.5).abs() < 0.01, "{change:?}");
    let other = compared(vec![open(1, false, 600.0)], vec![open(2, true, 650.0)]);
    let change = speedup(&other, "read", "fast");
    assert_eq!(change.basis, Basis::Service);
    assert!((number(change.change) - 1.0).abs() < 0.01, "{change:?}");
    let remark = &other.scenarios[0].remarks[0];
    assert!(remark.contains("600/s to 650/s") && remark.contains("--rate 600"), "{remark}");
}

#[test]
fn a_model_that_no_longer_bears_the_rate_is_compared_at_light_load() {
    let light = |day, factor: f64, saturated: bool| {
        let mut maker = simple(1.0, 1.0).open().light_load(5, 300);
        if factor > 1.0 {
            maker.light_effect = |_, model| if model == "fast" { 3.0_f64.ln() } else { 0.0 };
        }
        let mut scenario = maker.build();
        if saturated {
            let windows = scenario.rounds.iter_mut();
            for window in windows.filter(|window| window.phase == Phase::Measured && window.model == "fast") {
                window.outcome = RoundOutcome::Saturated;
            }
        }
        of_scenario(day, scenario)
    };
    let found = compared(vec![light(1, 1.0, false)], vec![light(2, 3.0, true)]);
    let change = speedup(&found, "read", "fast");
    assert_eq!((change.basis, change.verdict), (Basis::LightLoad, Some(Change::Regression)), "{change:?}");
    assert!((number(change.change) - 1.0 / 3.0).abs() < 0.01);
    let remarks = found.scenarios[0].remarks.join("; ");
    assert!(remarks.contains("1 of 1 new runs") && remarks.contains("light load"), "{remarks}");
    // Among several, the night that did not bear it is left out.
    let group = vec![light(1, 1.0, false), light(2, 3.0, true), light(3, 1.0, false)];
    let found = compared(group, vec![light(4, 1.0, false)]);
    assert_eq!(speedup(&found, "read", "fast").basis, Basis::Response);
    assert!(found.scenarios[0].remarks.join("; ").contains("left out"));
}

#[test]
fn throughput_under_open_load_is_what_calibration_found() {
    let calibrated = |day, capacity: f64| {
        let mut scenario = simple(1.0, 1.0).open().build();
        for (model, capacity) in [("naive", 1_000.0), ("fast", capacity)] {
            let found = CalibrationRecord { capacity: Rate::new(capacity), p99: None, light_load_mean: None };
            scenario.calibration.insert(model.to_owned(), found);
        }
        assert_eq!(scenario.plan.mode, Mode::Open);
        of_scenario(day, scenario)
    };
    let capacity_of = |base: Vec<RunRecord>, new: Vec<RunRecord>| {
        let found = compared(base, new);
        let change = found.scenarios[0].speedups.iter().find(|change| change.metric == Metric::Throughput);
        change.expect("the mix has a capacity").clone()
    };
    let once = capacity_of(vec![calibrated(1, 2_000.0)], vec![calibrated(2, 1_000.0)]);
    assert_eq!((once.basis, once.verdict, once.low), (Basis::Capacity, None, None));
    assert!((number(once.change) - 0.5).abs() < 1e-9);
    let runs = |day, capacities: [f64; 3]| -> Vec<RunRecord> {
        capacities.iter().zip(day..).map(|(capacity, day)| calibrated(day, *capacity)).collect()
    };
    let groups = capacity_of(runs(1, [1_980.0, 2_000.0, 2_020.0]), runs(11, [990.0, 1_000.0, 1_010.0]));
    assert_eq!(groups.verdict, Some(Change::Regression), "{groups:?}");
}

#[test]
fn a_run_is_not_judged_against_itself() {
    let found = compared(vec![run(1, &page(1.0, 1.0))], vec![run(1, &page(1.0, 1.0))]);
    assert!(found.same);
    for (_, change) in found.changes() {
        assert_eq!((change.verdict, change.low), (None, None));
        assert!(change.change.is_none_or(|change| (change.get() - 1.0).abs() < 1e-12));
    }
}

#[test]
fn what_gives_no_verdict_in_a_run_gives_none_between_runs() {
    let base = run(1, &simple(1.0, 1.0));
    let mut smoke = run(2, &simple(1.0, 3.0));
    smoke.profile = Profile::Smoke;
    let mut apart = simple(1.0, 3.0).build();
    apart.parity.as_mut().expect("made with one").mismatches = 3;
    for (new, why) in [(smoke, "smoke"), (of_scenario(2, apart), "answered 3 operations differently")] {
        let found = compared(vec![base.clone()], vec![new]);
        let change = speedup(&found, "read", "fast");
        assert_eq!((change.verdict, found.regressions), (None, 0));
        assert!(change.reason.as_ref().is_some_and(|reason| reason.contains(why)), "{change:?}");
    }
}

#[test]
fn what_the_server_distorts_on_both_sides_does_not_count() {
    let limited = |day, factor, limited: bool| {
        let mut scenario = simple(1.0, factor).build();
        let operation = scenario.models[1].operations.get_mut("read").expect("made with it");
        operation.engine_limited = limited.then(|| "sorted without limit".to_owned());
        of_scenario(day, scenario)
    };
    let found = compared(vec![limited(1, 1.0, true)], vec![limited(2, 3.0, true)]);
    let change = speedup(&found, "read", "fast");
    assert_eq!(change.verdict, Some(Change::Regression));
    assert!(change.engine_limited.is_some());
    assert_eq!(found.regressions, 0);
    let only_now = compared(vec![limited(1, 1.0, false)], vec![limited(2, 3.0, true)]);
    assert!(only_now.regressions > 0, "that it is distorted now is new");
}

#[test]
fn too_few_operations_for_p95_leave_the_word_to_p50() {
    let few = |day, factor| run(day, &simple(1.0, factor).rounds(6, 60));
    let found = compared(vec![few(1, 1.0)], vec![few(2, 3.0)]);
    let change = speedup(&found, "read", "fast");
    assert_eq!((change.metric, change.verdict), (Metric::P50, Some(Change::Regression)));
}

#[test]
fn an_analysis_that_an_older_version_left_is_made_again() {
    let mut older = run(1, &simple(1.0, 1.0));
    for comparison in older.scenarios[0].analysis.operations.values_mut().flat_map(|metrics| metrics.values_mut()) {
        comparison.speedup.units.iter_mut().for_each(|unit| (unit.naive, unit.pattern) = (None, None));
    }
    let found = compared(vec![older], vec![run(2, &simple(1.0, 3.0))]);
    assert_eq!(speedup(&found, "read", "fast").verdict, Some(Change::Regression));
    assert!(figure(&found, "read", "naive").low.is_some(), "each unit has the figures of its models again");
    let mut bare = run(3, &simple(1.0, 1.0)).scenarios.remove(0);
    bare.analysis = Default::default();
    let mut unanalysed = of_scenario(3, bare.clone());
    unanalysed.scenarios[0].analysis = Default::default();
    analyse(&mut bare, Profile::Quick);
    let again = compared(vec![run(1, &simple(1.0, 1.0))], vec![unanalysed]);
    assert!(speedup(&again, "read", "fast").low.is_some());
}
