//! Whatever a record holds, its analysis is finite and its reports are harmless.

use std::collections::BTreeMap;

use patternbench::analysis::analyse;
use patternbench::record::{
    CalibrationRecord, CpuRecord, EventRecord, MemoryRecord, OperationRound, RoundRecord, RunRecord, ScenarioRecord,
};
use patternbench::report::{Export, Style, Wish, html, summary, terminal};
use patternbench::units::{Bytes, Rate, Seconds};
use patternbench::words::{ArrivalProcess, ClaimMetric, Mode, Phase, Profile, Role, RoundOutcome};
use proptest::prelude::*;
use proptest::sample::select;

use crate::known::{Maker, claim, encoded, run_of};
use crate::{hdr, junit, markup};

fn names() -> impl Strategy<Value = String> {
    select(vec!["naive", "page", "tuned", "all", "<script>", "", "日本語", "\u{1b}[31m", "a&b\"'"])
        .prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        1 => Just(None),
        6 => proptest::collection::vec(0_u64..100_000_000, 0..150).prop_map(encoded),
        1 => Just(Some("broken".to_owned())),
    ]
}

fn operation_round() -> impl Strategy<Value = OperationRound> {
    let errors = proptest::collection::btree_map(names(), any::<u64>(), 0..2);
    let texts = (text(), text(), text());
    (any::<u64>(), any::<u64>(), any::<u64>(), texts, errors).prop_map(
        |(count, empty, backlogged, (service, response, pacer_lag), errors)| OperationRound {
            count,
            empty,
            expected: errors.clone(),
            errors,
            retries: backlogged,
            backlogged,
            above_range: count,
            service,
            response,
            pacer_lag,
            slices: Vec::new(),
        },
    )
}

fn number() -> impl Strategy<Value = f64> {
    select(vec![0.0, 1e-300, 1.5, 1e300])
}

fn window() -> impl Strategy<Value = RoundRecord> {
    // The phases that are compared, and what is not, as often as each of them.
    let phase = select(vec![Phase::Measured, Phase::LightLoad, Phase::Calibration]);
    (
        (0_u32..8, 0_u32..3, names(), phase, select(RoundOutcome::ALL.to_vec())),
        (number(), number(), any::<bool>(), 0_u32..4, 0_u32..20),
        proptest::collection::btree_map(names(), operation_round(), 0..3),
    )
        .prop_map(
            |((round, restart, model, phase, outcome), (seconds, rate, disturbed, position, workers), operations)| {
                RoundRecord {
                    round,
                    phase,
                    model,
                    position,
                    started_at: String::new(),
                    seconds: Seconds::new(seconds),
                    workers,
                    restart,
                    pool_wait: None,
                    cpu: CpuRecord::default(),
                    memory: MemoryRecord::default(),
                    server_counters: BTreeMap::new(),
                    intervals: Vec::new(),
                    background: Vec::new(),
                    events: Vec::new(),
                    planned: 0,
                    achieved_rate: Rate::new(rate),
                    outcome,
                    disturbed: if disturbed { vec!["<b>".to_owned()] } else { Vec::new() },
                    operations,
                }
            },
        )
}

fn record() -> impl Strategy<Value = (ScenarioRecord, Profile)> {
    let roles = proptest::collection::vec((names(), select(Role::ALL.to_vec()), any::<bool>()), 0..4);
    let mix = proptest::collection::btree_map(names(), select(vec![0.0, 1.0, 1e300]), 0..3);
    let windows = proptest::collection::vec(window(), 0..24);
    let claims = proptest::collection::vec((names(), select(ClaimMetric::ALL.to_vec()), any::<bool>()), 0..3);
    let load =
        (number(), proptest::collection::btree_map(names(), number(), 0..3), select(ArrivalProcess::ALL.to_vec()));
    let (mode, profile) = (select(Mode::ALL.to_vec()), select(Profile::ALL.to_vec()));
    (roles, mix, windows, claims, (mode, load), profile, any::<u64>()).prop_map(
        |(roles, mix, windows, claims, (mode, (rate, capacities, arrivals)), profile, size)| {
            let mut maker = Maker::new("<script>alert(1)</script>", &[]);
            maker.mode = mode;
            maker.rounds = 0;
            maker.models = roles.iter().map(|(name, role, _)| (name.clone(), *role)).collect();
            let mut scenario = maker.build();
            scenario.plan.mix = mix;
            scenario.plan.arrivals = Some(arrivals);
            scenario.plan.rate = Some(Rate::new(rate));
            scenario.calibration = capacities.into_iter().map(|(model, rate)| (model, calibrated(rate))).collect();
            scenario.rounds = windows;
            for (model, (_, _, skipped)) in scenario.models.iter_mut().zip(&roles) {
                model.skipped = skipped.then(|| "</td>\u{0}".to_owned());
                if let Some(storage) = &mut model.storage {
                    (storage.documents, storage.data_bytes, storage.index_bytes) =
                        (size, Bytes::new(size), Bytes::new(0));
                }
            }
            scenario.claims = claims
                .into_iter()
                .map(|(operation, metric, bound)| {
                    let mut made = claim(&operation, metric, 1.0);
                    made.at_least = made.at_least.filter(|_| bound);
                    made
                })
                .collect();
            scenario.events = vec![EventRecord { at: "<i>".into(), model: None, what: "\u{1b}[2J".into() }];
            (scenario, profile)
        },
    )
}

fn calibrated(capacity: f64) -> CalibrationRecord {
    CalibrationRecord { capacity: Rate::new(capacity), p99: None, light_load_mean: None }
}

/// Every number in a JSON text is finite by its grammar; what is not finite is written as `null`.
fn assert_no_null(value: &serde_json::Value, path: &str) {
    match value {
        serde_json::Value::Null => panic!("{path} is null"),
        serde_json::Value::Array(items) => items.iter().for_each(|item| assert_no_null(item, path)),
        serde_json::Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| assert_no_null(field, &format!("{path}.{name}")));
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn it_is_analysed_to_finite_figures_and_shown_without_harm((mut scenario, profile) in record()) {
        analyse(&mut scenario, profile);
        let json = serde_json::to_value((&scenario.analysis, &scenario.claims)).expect("it serialises");
        assert_no_null(&json, "analysis");
        let once = scenario.clone();
        analyse(&mut scenario, profile);
        prop_assert_eq!(&scenario, &once);
        if profile == Profile::Smoke {
            let mut verdicts = scenario.analysis.operations.values().flat_map(|metrics| metrics.values());
            prop_assert!(verdicts.all(|comparison| comparison.speedup.verdict.is_none()));
        }

        let run: RunRecord = run_of(profile, vec![scenario]);
        let shown = terminal(&run, &Style::default());
        for unwanted in ["\u{1b}", "NaN", "inf ", "inf×"] {
            prop_assert!(!shown.contains(unwanted), "{:?} in {}", unwanted, shown);
        }
        let line = summary(&run, &Style::default());
        prop_assert_eq!(line.lines().count(), 1);
        let page = html(&run);
        let elements = markup::elements(&page);
        prop_assert!(elements.iter().all(|element| element.name != "script" && element.name != "b"));
        prop_assert!(!page.contains("NaN"));
        for export in Export::ALL {
            let made = export.of(&run, &Wish { charts: Some("charts".to_owned()), service: false });
            let texts = made.main.iter().chain(made.beside.iter().map(|file| &file.text));
            texts.for_each(|text| assert!(!text.contains("NaN") && !text.contains('\u{1b}'), "{export:?}: {text}"));
        }
        junit::checked(&junit::results(&run));
        for file in Export::Hgrm.of(&run, &Wish::default()).beside {
            hdr::Distribution::read(&file.text);
        }
        hdr::log(&run);
    }
}
