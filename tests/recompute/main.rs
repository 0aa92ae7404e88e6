//! An independent implementation in Python computes the analysis again from `run.json`, and agrees.

#[path = "../report/known.rs"]
#[allow(dead_code, reason = "shared with the tests of reports, which use the rest of it")]
mod known;

use std::path::Path;
use std::process::{Command, Output};

use known::{Maker, claim, lognormal, on_naive, product_page, run_of, wobble};
use patternbench::analysis::analyse;
use patternbench::record::{CalibrationRecord, DeclaredOperation, RunRecord, ScenarioRecord};
use patternbench::units::{Rate, Ratio};
use patternbench::words::{BreakEvenAnswer, ClaimMetric, OperationKind, Profile, Role, RoundOutcome};
use serde_json::Value;

/// Writes the record and lets the script look at it.
fn recompute(text: &str) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run.json");
    std::fs::write(&path, text).expect("the folder can be written to");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recompute/recompute.py");
    let python = Command::new("python3").arg(script).arg(&path).output();
    python.expect("python3 runs (scripts/test installs it)")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The number of figures that the script compared, all of which agree.
fn agreed(run: &RunRecord) -> u64 {
    let output = recompute(&serde_json::to_string(run).expect("it serialises"));
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    let compared = said.split_whitespace().next().and_then(|number| number.parse().ok());
    compared.expect("the last line begins with the number of figures compared")
}

fn analysed(profile: Profile, mut scenario: ScenarioRecord) -> RunRecord {
    analyse(&mut scenario, profile);
    run_of(profile, vec![scenario])
}

/// Open load with everything beside the headline, lag and calibration included.
fn open() -> ScenarioRecord {
    let mut maker = product_page().open().light_load(5, 400);
    maker.waiting = |round, model| on_naive(model, 1.3) + wobble(round + 7, model);
    maker.light_effect = |round, model| 2.0 * wobble(round + 3, model);
    maker.lag = Some(18.0);
    let mut scenario = maker.build();
    for (model, capacity) in [("naive", 1_000.0), ("page", 4_200.0)] {
        let calibration = CalibrationRecord { capacity: Rate::new(capacity), p99: None, light_load_mean: None };
        scenario.calibration.insert(model.to_owned(), calibration);
    }
    let mut between = claim("all", ClaimMetric::Mean, 2.0);
    between.at_most = Some(Ratio::new(9.0));
    scenario.claims = vec![
        claim("list_page", ClaimMetric::P95, 5.0),
        claim("list_page", ClaimMetric::P95, 8.2),
        claim("add_review", ClaimMetric::P99, 0.5),
        claim("add_review", ClaimMetric::P50, 0.8),
        between,
    ];
    scenario
}

/// Thirty rounds of few operations whose naive wanders, so that rounds are joined for either reason.
fn wandering() -> ScenarioRecord {
    let mut maker = Maker::new("wandering", &[("often", 9.0), ("rarely", 1.0)])
        .model("naive", Role::Naive, &[("often", 1_150.0), ("rarely", 5_000.0)])
        .model("fast", Role::Pattern, &[("often", 1_000.0), ("rarely", 4_900.0)])
        .rounds(30, 250);
    maker.effect = |round, model| 2.0 * wobble(round, model) + on_naive(model, 1.0 + 0.5 * f64::from(round / 8 % 2));
    maker.build()
}

#[test]
fn closed_load_with_claims_and_an_engine_limited_row() {
    let mut scenario = product_page().build();
    scenario.models[1].operations.get_mut("add_review").expect("it has it").engine_limited = Some("linear".to_owned());
    scenario.claims = vec![claim("list_page", ClaimMetric::P95, 5.0), claim("add_review", ClaimMetric::P95, 5.0)];
    assert!(agreed(&analysed(Profile::Quick, scenario)) > 1_000);
}

#[test]
fn open_load_with_service_times_light_load_lag_and_claims() {
    let run = analysed(Profile::Quick, open());
    let outcomes: Vec<_> = run.scenarios[0].claims.iter().map(|claim| claim.outcome).collect();
    assert!(outcomes.iter().all(Option::is_some) && outcomes.iter().any(|outcome| *outcome != outcomes[0]));
    assert!(agreed(&run) > 3_000);
}

#[test]
fn few_operations_and_correlated_rounds_joined() {
    let run = analysed(Profile::Standard, wandering());
    let joined = |operation: &str| {
        let metrics = &run.scenarios[0].analysis.operations[operation];
        metrics.values().filter_map(|comparison| comparison.speedup.checks.as_ref()?.joined.as_ref()).count()
    };
    assert!(joined("often") > 0, "the rounds that wander were joined");
    agreed(&run);
}

/// The same with what the file says of its operations, so that there is a break-even.
fn declared(mut scenario: ScenarioRecord) -> ScenarioRecord {
    for (name, kind) in [("list_page", OperationKind::Read), ("add_review", OperationKind::Write)] {
        scenario.declared.insert(name.to_owned(), DeclaredOperation { kind, expect: None });
    }
    scenario
}

#[test]
fn break_even_of_rounds_and_of_restarts() {
    let of = |run: &RunRecord| run.scenarios[0].analysis.break_even.clone().expect("reads and writes are declared");
    let run = analysed(Profile::Quick, declared(open()));
    assert_eq!((of(&run).answer, of(&run).units), (BreakEvenAnswer::Share, 10));
    agreed(&run);
    let maker = product_page().rounds(24, 1_000).restarts(4);
    let run = analysed(Profile::Nightly, declared(maker.build()));
    assert_eq!(of(&run).units, 4);
    agreed(&run);
    let text = serde_json::to_string(&run).expect("it serialises");
    let mut falsified: Value = serde_json::from_str(&text).expect("it was just written");
    for place in ["read_share", "low", "reads/naive"] {
        let figure =
            falsified.pointer_mut(&format!("/scenarios/0/analysis/break_even/{place}")).expect("it stands there");
        *figure = (figure.as_f64().expect("a number") * 1.000_001).into();
    }
    let found = said(&recompute(&falsified.to_string()));
    assert!(found.contains("figures compared, 3 differ"), "{found}");
}

#[test]
fn several_restarts_of_which_one_is_short() {
    let mut maker = product_page().rounds(24, 1_000).restarts(4).light_load(3, 200);
    maker.effect = |round, model| wobble(round, model) + on_naive(model, 1.0 + 0.05 * f64::from(round / 6));
    let mut scenario = maker.build();
    scenario.rounds.retain(|window| window.restart < 3 || window.round < 20);
    agreed(&analysed(Profile::Nightly, scenario));
}

#[test]
fn disturbed_saturated_and_damaged_windows() {
    let mut scenario = open();
    for window in scenario.rounds.iter_mut().filter(|window| window.phase == patternbench::words::Phase::Measured) {
        match (window.round, window.model.as_str()) {
            (2, "naive") => window.disturbed = vec!["steal 12 %".to_owned()],
            (3, "page") => window.outcome = RoundOutcome::Saturated,
            (5, "tuned") => {
                window.operations.get_mut("list_page").expect("measured").response = Some("damaged".to_owned());
            }
            _ => {}
        }
    }
    agreed(&analysed(Profile::Quick, scenario));
}

#[test]
fn a_family_in_which_holm_holds_a_verdict_back_and_no_verdicts_at_all() {
    let mix: Vec<_> = ["a", "b", "c", "d", "e"].into_iter().map(|name| (name, 1.0)).collect();
    let naive: Vec<_> = mix.iter().map(|(name, _)| (*name, if *name == "a" { 1_200.0 } else { 1_000.0 })).collect();
    let same: Vec<_> = mix.iter().map(|(name, _)| (*name, 1_000.0)).collect();
    let mut maker = Maker::new("family", &mix).model("naive", Role::Naive, &naive).model("same", Role::Pattern, &same);
    maker.effect = |round, model| 4.7 * wobble(round, model);
    let text = serde_json::to_string(&analysed(Profile::Quick, maker.build())).expect("it serialises");
    assert!(text.contains("Holm's adjustment"), "one is held back");
    agreed(&analysed(Profile::Quick, maker.build()));
    agreed(&analysed(Profile::Smoke, maker.build()));
    let mut diverged = maker.build();
    diverged.closing_parity.as_mut().expect("made above").mismatches = 3;
    agreed(&analysed(Profile::Quick, diverged));
}

#[test]
fn five_hundred_values_in_every_range_are_decoded_alike() {
    // From 1 µs to 60 s, so that every doubling of the histograms is met.
    let mut scenario = product_page().rounds(5, 500).build();
    for (place, window) in scenario.rounds.iter_mut().enumerate() {
        let wide = lognormal(20_000.0 * (1.0 + place as f64 / 10.0), 3.0, 500);
        window.operations.get_mut("list_page").expect("measured").service = known::encoded(wide);
    }
    agreed(&analysed(Profile::Quick, scenario));
}

#[test]
fn a_falsified_figure_is_found_wherever_it_stands() {
    let text = serde_json::to_string(&analysed(Profile::Quick, open())).expect("it serialises");
    let p95 = "/scenarios/0/analysis/operations/list_page/p95";
    let places = [
        format!("{p95}/speedup"),
        format!("{p95}/high"),
        format!("{p95}/units/3/ratio"),
        format!("{p95}/units/3/naive"),
        format!("{p95}/service/low"),
        format!("{p95}/light_load/pattern"),
        format!("{p95}/others/tuned/speedup"),
        format!("{p95}/checks/jackknife/low"),
        format!("{p95}/checks/hodges_lehmann/high"),
        format!("{p95}/tuning_share"),
        "/scenarios/0/analysis/load/page/in_flight".to_owned(),
        "/scenarios/0/claims/0/light_load/low".to_owned(),
    ];
    let mut falsified: Value = serde_json::from_str(&text).expect("it was just written");
    for place in &places {
        let figure = falsified.pointer_mut(place).unwrap_or_else(|| panic!("{place} stands in the record"));
        *figure = (figure.as_f64().expect("a number") * 1.000_001).into();
    }
    // Nothing is computed from the figures falsified, so that each is found by itself.
    let output = recompute(&falsified.to_string());
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(&format!("figures compared, {} differ", places.len())), "{said}");
    let verdict = text.replacen(r#""verdict":"faster""#, r#""verdict":"equal""#, 1);
    assert_ne!(verdict, text);
    let found = self::said(&recompute(&verdict));
    assert!(found.contains(".verdict: run.json says equal, recomputed faster"), "{found}");
}
