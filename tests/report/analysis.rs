//! What the rounds of a record say, where the truth is known.

use patternbench::analysis::{Cast, Fault, Latency, analyse, spreads, taken_out};
use patternbench::record::ScenarioRecord;
use patternbench::units::{Bytes, Rate, Ratio, Share};
use patternbench::words::{ClaimMetric, ClaimOutcome, Metric, Profile, Role, RoundOutcome, Verdict};
use serde_json::json;

use crate::known::{Maker, analysed, claim, close, lognormal_quantile, number, of, product_page, two, wobble};

#[test]
fn the_ratio_of_two_lognormals_is_that_of_their_medians_at_every_quantile() {
    let scenario = analysed(&two(3.0));
    for metric in [Metric::P50, Metric::P95, Metric::P99, Metric::Mean] {
        let comparison = of(&scenario, "read", metric);
        // The wobble of ten rounds leaves 1 % at most in the mean log ratio.
        close(number(comparison.speedup.speedup), 3.0, 0.02);
        assert!(number(comparison.speedup.low) < 3.0 && 3.0 < number(comparison.speedup.high), "{metric}");
        assert_eq!(comparison.speedup.units.len(), 10);
    }
    assert_eq!(of(&scenario, "read", Metric::P95).speedup.verdict, Some(Verdict::Faster));
    assert_eq!(of(&scenario, "read", Metric::P50).speedup.verdict, None, "other metrics are descriptive");
}

#[test]
fn speedup_and_interval_are_those_of_the_unit_ratios_it_lists() {
    let scenario = analysed(&two(1.5));
    let speedup = &of(&scenario, "read", Metric::P95).speedup;
    let logs: Vec<f64> = speedup.units.iter().map(|unit| unit.ratio.get().ln()).collect();
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let deviation = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
    // t(9, 97.5 %) from a printed table.
    let reach = 2.262_157 * deviation / count.sqrt();
    close(number(speedup.speedup), mean.exp(), 1e-9);
    close(number(speedup.low), (mean - reach).exp(), 1e-6);
    close(number(speedup.high), (mean + reach).exp(), 1e-6);
}

#[test]
fn figures_are_quantiles_of_all_operations_used() {
    let scenario = analysed(&two(3.0).effect(|_, _| 0.0));
    let p95 = of(&scenario, "read", Metric::P95);
    let expected = lognormal_quantile(3_000.0, 0.4, 2_000, 0.95);
    close(p95.naive.expect("naive was measured"), expected, 0.001);
    close(p95.pattern.expect("the pattern was measured"), expected / 3.0, 0.002);
}

#[test]
fn a_drift_that_both_models_share_does_not_touch_the_ratio() {
    let scenario = analysed(&two(2.0).effect(|round, _| 0.02 * f64::from(round)));
    let speedup = &of(&scenario, "read", Metric::P95).speedup;
    close(number(speedup.speedup), 2.0, 0.001);
    close(number(speedup.high) / number(speedup.low), 1.0, 0.003);
}

#[test]
fn the_same_model_twice_is_equal() {
    let scenario = analysed(&two(1.0));
    assert_eq!(of(&scenario, "read", Metric::P95).speedup.verdict, Some(Verdict::Equal));
}

#[test]
fn an_undecided_ratio_says_how_many_rounds_would_settle_it() {
    let noisy = |round: u32, model: &str| 6.0 * wobble(round, model);
    let scenario = analysed(&two(1.15).effect(noisy));
    let speedup = &of(&scenario, "read", Metric::P95).speedup;
    assert_eq!(speedup.verdict, Some(Verdict::Inconclusive));
    let reason = speedup.reason.as_deref().expect("a reason");
    assert!(reason.contains("rounds would settle it"), "{reason}");
}

#[test]
fn neighbouring_rounds_are_joined_until_a_unit_has_a_hundred_operations() {
    let maker = two(2.0).rounds(10, 50);
    let scenario = analysed(&maker);
    let p95 = &of(&scenario, "read", Metric::P95).speedup;
    let joined: Vec<_> = p95.units.iter().map(|unit| unit.rounds.clone()).collect();
    assert_eq!(joined, [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]);
    assert_eq!(of(&scenario, "read", Metric::P50).speedup.units.len(), 10, "p50 needs thirty");
}

#[test]
fn where_p95_has_too_few_operations_p50_carries_the_verdict_and_says_so() {
    let scenario = analysed(&two(2.0).rounds(10, 40));
    let p95 = &of(&scenario, "read", Metric::P95);
    assert!(p95.naive.is_some(), "the pooled figure is shown");
    assert_eq!((p95.speedup.low, p95.speedup.verdict), (None, None));
    let reason = p95.speedup.reason.as_deref().expect("a reason");
    assert_eq!(reason, "400 operations in 10 rounds; an interval of p95 needs 5 units of 100; p50 carries the verdict");
    assert_eq!(of(&scenario, "read", Metric::P50).speedup.verdict, Some(Verdict::Faster));
    let p99 = &of(&scenario, "read", Metric::P99).speedup;
    assert!(p99.speedup.is_some() && p99.low.is_none() && p99.units.is_empty());
}

#[test]
fn too_few_operations_for_a_quantile_leave_the_cell_empty() {
    let scenario = analysed(&two(2.0).rounds(1, 19));
    let p95 = of(&scenario, "read", Metric::P95);
    assert_eq!((p95.naive, p95.pattern, p95.speedup.speedup), (None, None, None));
    assert_eq!(p95.speedup.reason.as_deref(), Some("19 operations timed; p95 needs 20"));
}

#[test]
fn smoke_never_gives_a_verdict_whatever_its_rounds_say() {
    let mut scenario = two(5.0).build();
    scenario.claims = vec![claim("read", ClaimMetric::P95, 2.0)];
    analyse(&mut scenario, Profile::Smoke);
    for metrics in scenario.analysis.operations.values() {
        assert!(metrics.values().all(|comparison| comparison.speedup.verdict.is_none()));
    }
    let p95 = &of(&scenario, "read", Metric::P95).speedup;
    assert!(p95.low.is_some());
    assert_eq!(p95.reason.as_deref(), Some("no verdict: smoke runs only show that everything works"));
    assert_eq!(scenario.claims[0].outcome, Some(ClaimOutcome::NotTestedHere));
}

#[test]
fn models_that_diverged_under_load_get_no_verdict() {
    let mut scenario = two(5.0).build();
    scenario.claims = vec![claim("read", ClaimMetric::P95, 2.0)];
    scenario.closing_parity.as_mut().expect("made above").mismatches = 3;
    analyse(&mut scenario, Profile::Quick);
    let p95 = &of(&scenario, "read", Metric::P95).speedup;
    assert_eq!(p95.verdict, None);
    assert!(p95.reason.as_deref().expect("a reason").contains("diverged under load"));
    assert_eq!(scenario.claims[0].outcome, Some(ClaimOutcome::Inconclusive));
}

#[test]
fn a_disturbed_or_unfinished_window_leaves_as_a_whole_pair() {
    let mut scenario = two(2.0).build();
    for window in &mut scenario.rounds {
        if window.round == 3 && window.model == "naive" {
            window.disturbed = vec!["steal 12 %".to_owned()];
        }
        if window.round == 7 && window.model == "fast" {
            window.outcome = RoundOutcome::Saturated;
        }
    }
    analyse(&mut scenario, Profile::Quick);
    let units = &of(&scenario, "read", Metric::P95).speedup.units;
    let rounds: Vec<u32> = units.iter().flat_map(|unit| unit.rounds.clone()).collect();
    assert_eq!(rounds, [0, 1, 2, 4, 5, 6, 8, 9]);
    let told: Vec<_> = taken_out(&scenario).into_iter().map(|taken| (taken.round, taken.faults)).collect();
    assert_eq!(
        told,
        [
            (3, vec![("naive".to_owned(), Fault::Disturbed(vec!["steal 12 %".to_owned()]))]),
            (7, vec![("fast".to_owned(), Fault::Ended(RoundOutcome::Saturated))]),
        ]
    );
}

#[test]
fn a_model_that_left_is_compared_over_the_rounds_it_ran() {
    let mut scenario = product_page().build();
    scenario.rounds.retain(|window| window.model != "tuned" || window.round < 6);
    analyse(&mut scenario, Profile::Quick);
    let p95 = of(&scenario, "list_page", Metric::P95);
    assert_eq!(p95.speedup.units.len(), 10);
    assert_eq!(p95.others["tuned"].speedup.units.len(), 6);
}

#[test]
fn a_model_that_was_not_measured_has_its_reason_and_no_figure() {
    let mut scenario = two(2.0).build();
    scenario.rounds.retain(|window| window.model == "naive");
    scenario.models[1].skipped = Some("bulkWrite needs server 8.0".to_owned());
    analyse(&mut scenario, Profile::Quick);
    let p95 = of(&scenario, "read", Metric::P95);
    assert!(p95.naive.is_some(), "naive's own figure stands");
    assert_eq!((p95.pattern, p95.speedup.speedup), (None, None));
    assert_eq!(p95.speedup.reason.as_deref(), Some("fast was not measured: bulkWrite needs server 8.0"));
}

#[test]
fn the_operations_are_one_family_and_the_mix_a_question_of_its_own() {
    // Four operations without difference beside one that is clear by itself but not five times over.
    let mix: Vec<_> = ["a", "b", "c", "d", "e"].into_iter().map(|name| (name, 1.0)).collect();
    let naive: Vec<_> = mix.iter().map(|(name, _)| (*name, if *name == "a" { 1_200.0 } else { 1_000.0 })).collect();
    let same: Vec<_> = mix.iter().map(|(name, _)| (*name, 1_000.0)).collect();
    let noisy = |round: u32, model: &str| 4.7 * wobble(round, model);
    let maker = |mix: &[(&str, f64)]| {
        Maker::new("family", mix).model("naive", Role::Naive, &naive).model("same", Role::Pattern, &same).effect(noisy)
    };
    let alone = analysed(&maker(&mix[..1]));
    assert_eq!(of(&alone, "a", Metric::P95).speedup.verdict, Some(Verdict::Faster));
    let together = analysed(&maker(&mix));
    let held_back = &of(&together, "a", Metric::P95).speedup;
    assert!(number(held_back.low) > 1.05, "the plain interval lies beyond the threshold");
    assert_eq!(held_back.verdict, Some(Verdict::Inconclusive));
    assert!(held_back.reason.as_deref().expect("a reason").contains("Holm's adjustment for 5 operations"));
}

#[test]
fn the_whole_mix_merges_every_operation() {
    let scenario = analysed(&product_page());
    let all = of(&scenario, "all", Metric::P50);
    let list = of(&scenario, "list_page", Metric::P50);
    close(all.naive.expect("measured"), list.naive.expect("measured"), 0.1);
    assert!(all.naive < list.naive, "the five per cent of quick reviews pull the median down");
}

#[test]
fn closed_throughput_is_pattern_over_naive_by_round() {
    let mut scenario = two(2.0).build();
    for window in &mut scenario.rounds {
        window.achieved_rate = Rate::new(if window.model == "fast" { 900.0 } else { 300.0 });
    }
    analyse(&mut scenario, Profile::Quick);
    let throughput = of(&scenario, "all", Metric::Throughput);
    close(throughput.naive.expect("a rate"), 300.0, 1e-9);
    close(throughput.pattern.expect("a rate"), 900.0, 1e-9);
    close(number(throughput.speedup.speedup), 3.0, 1e-9);
    assert_eq!(throughput.speedup.units.len(), 10);
    assert!(!scenario.analysis.operations["read"].contains_key(&Metric::Throughput));
}

#[test]
fn open_load_is_judged_by_response_time_and_its_throughput_by_calibration() {
    let mut scenario = two(2.0).open().build();
    assert_eq!(Latency::of(&scenario), Latency::Response);
    analyse(&mut scenario, Profile::Quick);
    let throughput = &of(&scenario, "all", Metric::Throughput).speedup;
    assert_eq!(throughput.speedup, None);
    assert!(throughput.reason.as_deref().expect("a reason").contains("no closed calibration"));
    assert_eq!(Latency::of(&two(2.0).build()), Latency::Service);
}

#[test]
fn the_share_of_tuning_is_a_quotient_of_logarithms() {
    let scenario = analysed(&product_page().effect(|_, _| 0.0));
    let share =
        of(&scenario, "list_page", Metric::P95).tuning_share.map(Share::get).expect("all that it needs is there");
    let p95 = |median| lognormal_quantile(median, 0.4, 1_900, 0.95);
    close(share, (p95(4_200.0) / p95(1_600.0)).ln() / (p95(4_200.0) / p95(600.0)).ln(), 0.002);
    assert_eq!(of(&scenario, "add_review", Metric::P95).tuning_share, None, "the pattern is slower there");
}

#[test]
fn no_share_of_tuning_where_a_row_it_needs_is_engine_limited() {
    for limited in 0..3 {
        let mut scenario = product_page().build();
        let operation = scenario.models[limited].operations.get_mut("list_page").expect("every model has it");
        operation.engine_limited = Some("pipeline-form $lookup".to_owned());
        analyse(&mut scenario, Profile::Quick);
        assert_eq!(of(&scenario, "list_page", Metric::P95).tuning_share, None);
        assert_eq!(of(&scenario, "all", Metric::P95).tuning_share, None);
    }
}

#[test]
fn claims_are_confirmed_refuted_or_left_open_by_the_whole_interval() {
    let mut scenario = product_page().build();
    let mut narrow = claim("list_page", ClaimMetric::P95, 1.0);
    narrow.at_most = Some(Ratio::new(2.0));
    scenario.claims =
        vec![claim("list_page", ClaimMetric::P95, 5.0), claim("list_page", ClaimMetric::P95, 20.0), narrow];
    analyse(&mut scenario, Profile::Quick);
    let inside = number(scenario.claims[0].measured);
    scenario.claims.push(claim("list_page", ClaimMetric::P95, inside));
    analyse(&mut scenario, Profile::Quick);
    let outcomes: Vec<_> = scenario.claims.iter().map(|claim| claim.outcome.expect("judged")).collect();
    assert_eq!(
        outcomes,
        [ClaimOutcome::Confirmed, ClaimOutcome::Refuted, ClaimOutcome::Refuted, ClaimOutcome::Inconclusive]
    );
    let reason = scenario.claims[3].reason.as_deref();
    let alone = "judged at the headline alone: nothing was measured at light load";
    assert_eq!(reason, Some(format!("the interval contains the bound; {alone}").as_str()));
    assert_eq!(scenario.claims[0].reason.as_deref(), Some(alone));
}

#[test]
fn claims_on_other_parameters_or_limited_rows_are_not_tested_here() {
    let mut scenario = product_page().build();
    let mut elsewhere = claim("list_page", ClaimMetric::P95, 5.0);
    elsewhere.at.insert("products".to_owned(), json!(500_000));
    let mut here = claim("list_page", ClaimMetric::P95, 5.0);
    here.at.insert("products".to_owned(), json!(2000.0));
    scenario.claims =
        vec![elsewhere, here, claim("add_review", ClaimMetric::P95, 5.0), claim("all", ClaimMetric::P95, 5.0)];
    scenario.models[1].operations.get_mut("add_review").expect("it has it").engine_limited = Some("linear".to_owned());
    analyse(&mut scenario, Profile::Quick);
    let outcomes: Vec<_> = scenario.claims.iter().map(|claim| claim.outcome.expect("judged")).collect();
    assert_eq!(
        outcomes,
        [
            ClaimOutcome::NotTestedHere,
            ClaimOutcome::Confirmed,
            ClaimOutcome::NotTestedHere,
            ClaimOutcome::NotTestedHere
        ]
    );
    assert_eq!(scenario.claims[0].reason.as_deref(), Some("claimed for products = 500000; here it is 2000"));
    assert!(scenario.claims[3].reason.as_deref().expect("a reason").contains("add_review: linear"));
}

#[test]
fn claims_on_the_bill_are_exact() {
    let mut scenario = product_page().build();
    let naive = scenario.models[0].storage.as_mut().expect("loaded");
    (naive.documents, naive.index_bytes) = (10_800, Bytes::new(8_700));
    let pattern = scenario.models[1].storage.as_mut().expect("loaded");
    (pattern.documents, pattern.index_bytes) = (1_000, Bytes::new(1_000));
    scenario.claims = vec![claim("all", ClaimMetric::Documents, 10.0), claim("all", ClaimMetric::IndexBytes, 8.8)];
    analyse(&mut scenario, Profile::Quick);
    close(number(scenario.claims[0].measured), 10.8, 1e-12);
    assert_eq!((scenario.claims[0].low, scenario.claims[0].outcome), (None, Some(ClaimOutcome::Confirmed)));
    assert_eq!(scenario.claims[1].outcome, Some(ClaimOutcome::Refuted));
    scenario.models[1].storage = None;
    analyse(&mut scenario, Profile::Quick);
    assert_eq!((scenario.claims[0].measured, scenario.claims[0].outcome), (None, Some(ClaimOutcome::Inconclusive)));
}

#[test]
fn an_analysis_made_again_from_the_file_is_the_same() {
    let mut scenario = product_page().build();
    scenario.claims = vec![claim("list_page", ClaimMetric::P95, 5.0)];
    analyse(&mut scenario, Profile::Quick);
    let text = serde_json::to_string(&scenario).expect("it serialises");
    let mut read: ScenarioRecord = serde_json::from_str(&text).expect("it reads back");
    assert_eq!(read, scenario);
    analyse(&mut read, Profile::Quick);
    assert_eq!(read, scenario);
}

#[test]
fn damaged_histograms_are_left_out_and_told() {
    let mut scenario = two(2.0).rounds(5, 2_000).build();
    scenario.rounds[0].operations.get_mut("read").expect("measured").service = Some("not a histogram".to_owned());
    analyse(&mut scenario, Profile::Quick);
    let p95 = &of(&scenario, "read", Metric::P95).speedup;
    assert!(p95.speedup.is_some() && p95.low.is_none(), "four rounds are too few for an interval");
    assert!(p95.reason.as_deref().expect("a reason").contains("the histograms of 1 rounds are damaged"));
}

#[test]
fn the_chart_gets_each_models_p95_with_the_interval_of_its_rounds() {
    let scenario = product_page().build();
    let found = spreads(&scenario);
    assert_eq!(found.len(), 9, "two operations and the mix in three models");
    let naive = found.iter().find(|spread| spread.operation == "list_page" && spread.model == "naive").expect("there");
    close(naive.p95.get(), lognormal_quantile(4_200.0, 0.4, 1_900, 0.95), 0.02);
    let (low, high) = naive.interval.expect("ten rounds have one");
    assert!(low < naive.p95 && naive.p95 < high);
}

#[test]
fn roles_decide_who_is_compared_with_whom() {
    let scenario = product_page().build();
    let cast = Cast::of(&scenario.models);
    let shown: Vec<_> = cast.shown().map(|model| model.name.as_str()).collect();
    assert_eq!(shown, ["naive", "page", "tuned"]);
}
