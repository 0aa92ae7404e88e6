//! What stands beside the headline: service time, light load, other methods, restarts, the order of windows.

use patternbench::analysis::{Fault, analyse, spreads, taken_out};
use patternbench::record::{ScenarioRecord, SideRecord};
use patternbench::words::{ClaimMetric, ClaimOutcome, Metric, Phase, Profile, Verdict};

use crate::known::{Maker, analysed, claim, close, number, of, on_naive, product_page, two, wobble};

fn ratio_of(side: Option<&SideRecord>) -> f64 {
    number(side.expect("it stands there").speedup.speedup)
}

/// Under open load naive waits half as long again; at light load it is slower by a fifth more.
fn open_with_light_load() -> Maker {
    let mut maker = two(2.0).open().light_load(5, 400);
    maker.waiting = |_, model| on_naive(model, 1.5);
    maker.light_effect = |round, model| on_naive(model, 1.2) + wobble(round, model);
    maker
}

#[test]
fn service_time_and_light_load_stand_beside_the_response_time() {
    let scenario = analysed(&open_with_light_load());
    for metric in [Metric::P50, Metric::P95, Metric::Mean] {
        let comparison = of(&scenario, "read", metric);
        close(number(comparison.speedup.speedup), 3.0, 0.02);
        close(ratio_of(comparison.service.as_ref()), 2.0, 0.02);
        close(ratio_of(comparison.light_load.as_ref()), 2.4, 0.03);
        for (side, units) in [(&comparison.service, 10), (&comparison.light_load, 5)] {
            let speedup = &side.as_ref().expect("it stands there").speedup;
            assert_eq!((speedup.verdict, speedup.units.len()), (None, units), "never a verdict");
            assert!(speedup.low < speedup.speedup && speedup.speedup < speedup.high);
        }
    }
    let light = of(&scenario, "read", Metric::P50).light_load.as_ref().expect("it stands there");
    close(light.pattern.expect("a figure"), 500.0, 0.03);
    let p99 = of(&scenario, "read", Metric::P99).light_load.as_ref().expect("it stands there");
    let reason = p99.speedup.reason.as_deref();
    assert_eq!(reason, Some("2000 operations in 5 rounds; an interval of p99 needs 5 units of 1000"));
    assert_eq!(of(&scenario, "all", Metric::Throughput).light_load, None);
}

#[test]
fn further_models_have_the_same_beside_them() {
    let scenario = analysed(&product_page().open().light_load(5, 2_000));
    let tuned = &of(&scenario, "list_page", Metric::P95).others["tuned"];
    close(ratio_of(tuned.service.as_ref()), 4_200.0 / 1_600.0, 0.03);
    close(ratio_of(tuned.light_load.as_ref()), 4_200.0 / 1_600.0, 0.01);
}

#[test]
fn closed_load_is_service_time_already_and_older_records_have_no_light_load() {
    let scenario = analysed(&two(2.0));
    let p95 = of(&scenario, "read", Metric::P95);
    assert_eq!((&p95.service, &p95.light_load), (&None, &None));
    let scenario = analysed(&two(2.0).light_load(5, 200));
    let p95 = of(&scenario, "read", Metric::P95);
    assert!(p95.service.is_none() && p95.light_load.is_some());
}

#[test]
fn each_unit_lists_the_figures_that_its_ratio_is_made_of() {
    let scenario = analysed(&open_with_light_load());
    let p95 = of(&scenario, "read", Metric::P95);
    let sides = [&p95.service, &p95.light_load].map(|side| &side.as_ref().expect("it stands there").speedup);
    for speedup in [&p95.speedup].into_iter().chain(sides) {
        for unit in &speedup.units {
            let (naive, pattern) = (unit.naive.expect("listed"), unit.pattern.expect("listed"));
            close(unit.ratio.get(), naive / pattern, 1e-12);
        }
    }
    let mut scenario = two(2.0).build();
    analyse(&mut scenario, Profile::Quick);
    let throughput = &of(&scenario, "all", Metric::Throughput).speedup.units[0];
    let (naive, pattern) = (throughput.naive.expect("listed"), throughput.pattern.expect("listed"));
    close(throughput.ratio.get(), pattern / naive, 1e-12);
}

#[test]
fn three_methods_agree_where_rounds_differ_little() {
    let scenario = analysed(&two(3.0));
    let checks = of(&scenario, "read", Metric::P95).speedup.checks.as_ref().expect("there are units");
    for check in [checks.jackknife, checks.hodges_lehmann] {
        let check = check.expect("ten units");
        close(check.ratio.get(), 3.0, 0.02);
        assert!(number(check.low) < 3.0 && 3.0 < number(check.high));
    }
    assert_eq!(checks.disagreement, None);
    assert_eq!(checks.autocorrelation, None, "ten rounds are too few to test");
}

#[test]
fn one_very_slow_round_makes_the_methods_disagree_and_the_record_says_why() {
    let scenario = analysed(&two(2.0).effect(|round, model| if round == 4 { on_naive(model, 20.0) } else { 0.0 }));
    let p95 = &of(&scenario, "read", Metric::P95).speedup;
    let checks = p95.checks.as_ref().expect("there are units");
    assert!(checks.jackknife.expect("ten units").ratio > p95.high.expect("it has one"));
    close(checks.hodges_lehmann.expect("ten units").ratio.get(), 2.0, 0.01);
    let said = checks.disagreement.as_deref().expect("they disagree");
    assert!(said.starts_with("all operations together give") && said.contains("slow ones weigh more"), "{said}");
}

#[test]
fn five_units_have_no_signed_rank_interval_at_95_percent() {
    let scenario = analysed(&two(2.0).rounds(5, 2_000));
    let checks = of(&scenario, "read", Metric::P95).speedup.checks.as_ref().expect("there are units");
    let centre = checks.hodges_lehmann.expect("five units");
    assert_eq!((centre.low, centre.high), (None, None));
}

#[test]
fn rounds_that_follow_each_other_are_joined_and_the_record_says_so() {
    // Naive is slower in the second and third quarter of forty rounds.
    let plateaus = |round: u32, model: &str| {
        wobble(round, model) + if (10..30).contains(&round) { on_naive(model, 1.3) } else { 0.0 }
    };
    let scenario = analysed(&two(2.0).rounds(40, 200).effect(plateaus));
    let p95 = &of(&scenario, "read", Metric::P95).speedup;
    let checks = p95.checks.as_ref().expect("there are units");
    assert!(checks.autocorrelation.expect("forty rounds").estimate > 0.5);
    assert!(p95.units.len() < 20, "joined at least once: {}", p95.units.len());
    let rounds: Vec<u32> = p95.units.iter().flat_map(|unit| unit.rounds.clone()).collect();
    assert_eq!(rounds, (0..40).collect::<Vec<_>>(), "every round is in one unit");
    let said = checks.joined.as_deref().expect("they were joined");
    assert!(said.contains(&format!("40 were joined into {}", p95.units.len())), "{said}");
}

#[test]
fn a_ratio_that_only_drifts_is_told_and_not_joined() {
    let scenario = analysed(
        &two(2.0)
            .rounds(20, 200)
            .effect(|round, model| wobble(round, model) + on_naive(model, 1.0 + 0.02 * f64::from(round))),
    );
    let p95 = &of(&scenario, "read", Metric::P95).speedup;
    let checks = p95.checks.as_ref().expect("there are units");
    assert!(checks.trend.expect("twenty rounds").p < 1e-3);
    assert_eq!((p95.units.len(), &checks.joined), (20, &None));
}

/// Twelve rounds over three fresh loads; on the second naive is slower by a tenth, on the third by two.
fn three_restarts() -> Maker {
    two(2.0).rounds(12, 500).restarts(3).effect(|round, model| on_naive(model, 1.0 + 0.1 * f64::from(round / 4)))
}

#[test]
fn with_restarts_the_interval_is_over_fresh_loads_not_over_rounds() {
    let scenario = analysed(&three_restarts());
    let p50 = &of(&scenario, "read", Metric::P50).speedup;
    let restarts: Vec<u32> = p50.units.iter().map(|unit| unit.restart).collect();
    assert_eq!(restarts, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], "all rounds stay listed");
    // Logs ln 2.0, ln 2.2, ln 2.4 but for rounding in the histograms; t(2, 97.5 %) = 4.302653.
    let logs = [2.0_f64, 2.2, 2.4].map(f64::ln);
    let mean = logs.iter().sum::<f64>() / 3.0;
    let deviation = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
    let reach = 4.302_653 * deviation / 3.0_f64.sqrt();
    close(number(p50.speedup), mean.exp(), 0.002);
    close(number(p50.low), (mean - reach).exp(), 0.01);
    close(number(p50.high), (mean + reach).exp(), 0.01);
    let naive = spreads(&scenario).into_iter().find(|spread| spread.model == "naive").expect("measured");
    let (low, high) = naive.interval.expect("three restarts");
    close((high.get() / low.get()).ln(), 2.0 * reach, 0.05);
}

#[test]
fn two_restarts_that_do_not_decide_say_how_many_would() {
    let shifted = |round: u32, model: &str| if round >= 5 { on_naive(model, 1.1) } else { 0.0 };
    let scenario = analysed(&two(1.5).rounds(10, 500).restarts(2).effect(shifted));
    let p95 = &of(&scenario, "read", Metric::P95).speedup;
    // One degree of freedom: t = 12.7, so ±0.61 around ln 1.57.
    assert_eq!(p95.verdict, Some(Verdict::Inconclusive));
    let reason = p95.reason.as_deref().expect("a reason");
    let expected = "2 restarts do not decide whether the ratio lies beyond ±5 %; about 3 restarts would settle it";
    assert_eq!(reason, expected);
}

#[test]
fn a_restart_that_was_interrupted_early_is_left_out_whole() {
    let mut scenario = three_restarts().build();
    scenario.rounds.retain(|window| window.restart == 0 || window.round == 4);
    analyse(&mut scenario, Profile::Quick);
    let p50 = &of(&scenario, "read", Metric::P50).speedup;
    assert_eq!(p50.reason.as_deref(), Some("4 rounds in the comparison; an interval needs 5"));
    let told: Vec<_> = taken_out(&scenario).into_iter().map(|taken| (taken.round, taken.faults)).collect();
    assert_eq!(told, [(4, vec![("fast".to_owned(), Fault::ShortRestart)])]);

    let mut scenario = two(2.0).rounds(12, 500).restarts(2).build();
    scenario.rounds.retain(|window| window.round < 7);
    analyse(&mut scenario, Profile::Quick);
    let units = &of(&scenario, "read", Metric::P50).speedup.units;
    assert!(units.len() == 6 && units.iter().all(|unit| unit.restart == 0), "one load: an interval over its rounds");
}

#[test]
fn no_unit_joins_rounds_of_different_restarts() {
    let scenario = analysed(&two(2.0).rounds(18, 40).restarts(3));
    let p95 = &of(&scenario, "read", Metric::P95).speedup;
    let units: Vec<_> = p95.units.iter().map(|unit| (unit.restart, unit.rounds.len())).collect();
    assert_eq!(units, [(0, 3), (0, 3), (1, 3), (1, 3), (2, 3), (2, 3)]);
}

#[test]
fn light_load_of_several_restarts_may_number_its_rounds_anew() {
    let scenario = analysed(&two(2.0).rounds(12, 500).restarts(2).light_load(3, 200));
    let light = of(&scenario, "read", Metric::P50).light_load.as_ref().expect("measured");
    let units: Vec<_> = light.speedup.units.iter().map(|unit| (unit.restart, unit.rounds.clone())).collect();
    let expected = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)].map(|(restart, round)| (restart, vec![round]));
    assert_eq!(units, expected);
}

/// What becomes of the claim that naive takes at least `at_least` times as long, by p95.
fn judged(maker: &Maker, metric: ClaimMetric, at_least: f64) -> (ClaimOutcome, Option<f64>, String) {
    let mut scenario = maker.build();
    scenario.claims = vec![claim("read", metric, at_least)];
    analyse(&mut scenario, Profile::Quick);
    let claim = &scenario.claims[0];
    let light = claim.light_load.map(|light| light.ratio.get());
    (claim.outcome.expect("judged"), light, claim.reason.clone().unwrap_or_default())
}

#[test]
fn a_latency_claim_must_hold_at_the_headline_and_at_light_load() {
    // 3.0 at the headline, 2.4 at light load.
    let maker = open_with_light_load();
    let (outcome, light, reason) = judged(&maker, ClaimMetric::P95, 2.0);
    assert_eq!((outcome, reason.as_str()), (ClaimOutcome::Confirmed, ""));
    close(light.expect("the ratio judged"), 2.4, 0.03);
    let (outcome, _, reason) = judged(&maker, ClaimMetric::P95, 2.7);
    assert_eq!((outcome, reason.as_str()), (ClaimOutcome::Refuted, "refuted at light load"));
    let (outcome, _, reason) = judged(&maker, ClaimMetric::P95, 3.3);
    assert_eq!((outcome, reason.as_str()), (ClaimOutcome::Refuted, "refuted at the headline and at light load"));
    let (outcome, _, reason) = judged(&maker, ClaimMetric::P95, 2.4);
    let expected = "at light load the interval contains the bound";
    assert_eq!((outcome, reason.as_str()), (ClaimOutcome::Inconclusive, expected));
}

#[test]
fn p50_stands_in_at_light_load_where_the_claims_metric_has_too_few_operations() {
    let maker = open_with_light_load().light_load(5, 60);
    let (outcome, light, reason) = judged(&maker, ClaimMetric::P95, 2.0);
    let expected = "at light load p50 stands in for p95, which has no interval there";
    assert_eq!((outcome, reason.as_str()), (ClaimOutcome::Confirmed, expected));
    close(light.expect("the ratio judged"), 2.4, 0.03);
    let (outcome, _, reason) = judged(&maker.light_load(2, 60), ClaimMetric::P95, 2.0);
    assert_eq!(outcome, ClaimOutcome::Inconclusive);
    assert_eq!(reason, "at light load 2 rounds in the comparison; an interval needs 5");
}

#[test]
fn a_claim_on_throughput_is_no_question_of_light_load() {
    let mut scenario = two(2.0).light_load(5, 400).build();
    scenario.claims = vec![claim("all", ClaimMetric::Throughput, 1.5)];
    // By the wobble alone the closed rates are equal.
    analyse(&mut scenario, Profile::Quick);
    let claim = &scenario.claims[0];
    assert_eq!((claim.outcome, claim.light_load, &claim.reason), (Some(ClaimOutcome::Refuted), None, &None));
}

/// All six orders of three models, twice: every model in each place and after each other equally often.
fn balanced() -> Vec<Vec<usize>> {
    vec![vec![0, 1, 2], vec![1, 2, 0], vec![2, 0, 1], vec![2, 1, 0], vec![0, 2, 1], vec![1, 0, 2]]
}

fn factor(scenario: &ScenarioRecord, position: Option<u32>, after: Option<&str>) -> f64 {
    let effects = &scenario.analysis.order_effects;
    let found = effects.iter().find(|effect| effect.position == position && effect.after.as_deref() == after);
    found.expect("it is told").factor.get()
}

#[test]
fn the_effects_of_place_and_predecessor_are_found_whatever_the_models_are() {
    let mut maker = product_page().rounds(12, 4_000).effect(|round, _| 0.1 * f64::from(round));
    maker.order = balanced();
    maker.order_effect = |place, before| {
        let of_place = [0.06, -0.02, -0.04][place as usize];
        let of_predecessor = match before {
            Some("naive") => 0.03,
            Some(_) => -0.015,
            None => 0.0,
        };
        of_place + of_predecessor
    };
    let mut scenario = maker.build();
    for lost in [None, Some(3)] {
        // With a round lost the order is no longer balanced.
        scenario.rounds.retain(|window| Some(window.round) != lost);
        analyse(&mut scenario, Profile::Quick);
        assert_eq!(scenario.analysis.order_effects.len(), 6);
        for (place, log) in [0.06_f64, -0.02, -0.04].into_iter().enumerate() {
            close(factor(&scenario, Some(place as u32), None), log.exp(), 0.002);
        }
        for (model, log) in [("naive", 0.03_f64), ("page", -0.015), ("tuned", -0.015)] {
            close(factor(&scenario, None, Some(model)), log.exp(), 0.002);
        }
    }
    let effect = &scenario.analysis.order_effects[0];
    assert!(effect.low <= effect.factor && effect.factor <= effect.high && effect.windows == 11);
}

#[test]
fn with_two_models_only_the_place_can_be_told() {
    let mut maker = two(2.0);
    maker.order = vec![vec![0, 1], vec![1, 0]];
    maker.order_effect = |place, _| if place == 0 { 0.05 } else { -0.05 };
    let scenario = analysed(&maker);
    let effects = &scenario.analysis.order_effects;
    assert!(effects.len() == 2 && effects.iter().all(|effect| effect.after.is_none()));
    // The wobble of ten rounds is within the interval.
    let first = &effects[0];
    assert!(first.low.get().ln() < 0.05 && 0.05 < first.high.get().ln(), "{first:?}");
}

#[test]
fn an_order_that_never_changes_tells_nothing_of_places() {
    let scenario = analysed(&product_page());
    assert!(scenario.analysis.order_effects.is_empty());
}

#[test]
fn light_load_rounds_are_no_part_of_the_headline() {
    let with = analysed(&two(2.0).light_load(5, 300));
    let without = analysed(&two(2.0));
    let speedup = |scenario: &ScenarioRecord| of(scenario, "read", Metric::P95).speedup.clone();
    assert_eq!(speedup(&with), speedup(&without));
    assert!(with.rounds.iter().any(|window| window.phase == Phase::LightLoad));
}
