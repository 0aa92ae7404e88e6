//! The tables as a user sees them on a terminal.

use patternbench::analysis::analyse;
use patternbench::record::{EventRecord, RunRecord};
use patternbench::report::{Style, terminal};
use patternbench::words::{ClaimMetric, DataState, Product, Profile, RoundOutcome, ServerSource, Topology};

use crate::known::{Maker, claim, encoded, lognormal, on_secantusd, product_page, run_of};

/// A run of the product list page with claims, on the embedded server, where `tuned` is engine-limited.
pub(crate) fn typical() -> RunRecord {
    let mut scenario = product_page().build();
    let reads = scenario.models[2].operations.get_mut("list_page").expect("every model lists pages");
    reads.engine_limited = Some("pipeline-form $lookup copies the foreign collection per outer document".to_owned());
    scenario.claims = vec![claim("list_page", ClaimMetric::P95, 5.0), claim("all", ClaimMetric::Documents, 10.0)];
    analyse(&mut scenario, Profile::Quick);
    on_secantusd(run_of(Profile::Quick, vec![scenario]))
}

/// The same with everything that can go wrong.
pub(crate) fn troubled() -> RunRecord {
    let mut scenario = product_page().build();
    scenario.complete = false;
    scenario.plan.state = DataState::Growing;
    scenario.plan.mode_reason = Some("the slower model does fewer than 50 operations per second".to_owned());
    let parity = scenario.closing_parity.as_mut().expect("made with one");
    (parity.mismatches, parity.last_write_differences) = (2, 5);
    parity.not_compared = vec!["tuned".to_owned()];
    scenario.models[2].skipped = Some("saturated in round 6".to_owned());
    for window in &mut scenario.rounds {
        let reviews = window.operations.get_mut("add_review").expect("every window has both");
        reviews.service = encoded(lognormal(900.0, 0.4, 3));
        match (window.round, window.model.as_str()) {
            (2, "naive") => window.disturbed = vec!["steal 12 %".to_owned()],
            (6, "tuned") => window.outcome = RoundOutcome::Saturated,
            (9, "page") => {
                reviews.errors.insert("NetworkTimeout".to_owned(), 1_234);
                reviews.expected.insert("DuplicateKey".to_owned(), 7);
                reviews.above_range = 1;
            }
            _ => {}
        }
    }
    scenario.rounds.retain(|window| window.model != "tuned" || window.round <= 6);
    scenario.events =
        vec![EventRecord { at: "2025-01-01T00:00:41Z".into(), model: Some("tuned".into()), what: "left".into() }];
    analyse(&mut scenario, Profile::Quick);
    let mut run = run_of(Profile::Quick, vec![scenario]);
    run.label = Some("before the index".to_owned());
    run
}

fn wide() -> Style {
    Style { width: 160, ..Style::default() }
}

#[test]
fn a_typical_run() {
    insta::assert_snapshot!(terminal(&typical(), &wide()));
}

#[test]
fn a_run_in_which_much_went_wrong() {
    insta::assert_snapshot!(terminal(&troubled(), &wide()));
}

#[test]
fn a_smoke_run_says_why_it_gives_no_verdict() {
    let mut scenario = product_page().rounds(2, 400).build();
    scenario.claims = vec![claim("list_page", ClaimMetric::P95, 5.0)];
    analyse(&mut scenario, Profile::Smoke);
    insta::assert_snapshot!(terminal(&run_of(Profile::Smoke, vec![scenario]), &wide()));
}

#[test]
fn a_run_that_stopped_before_its_first_window() {
    let mut scenario = product_page().rounds(0, 0).build();
    scenario.complete = false;
    (scenario.closing_parity, scenario.plan.operations_per_round) = (None, None);
    scenario.parity.as_mut().expect("made with one").mismatches = 4;
    analyse(&mut scenario, Profile::Quick);
    insta::assert_snapshot!(terminal(&run_of(Profile::Quick, vec![scenario]), &wide()));
}

#[test]
fn no_line_of_a_table_passes_the_width_and_no_figure_is_cut() {
    for width in [72, 80, 100, 120, 200] {
        for run in [typical(), troubled()] {
            let text = terminal(&run, &Style { width, ..Style::default() });
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
            assert!(text.contains("p95 speed-up") && text.contains("verdict"));
        }
    }
}

#[test]
fn without_unicode_everything_of_ours_is_ascii() {
    let text = terminal(&typical(), &Style { unicode: false, ..wide() });
    assert_eq!(text.chars().find(|c| !c.is_ascii()), None);
    assert!(text.contains("19,000"), "thousands are told apart by a comma");
}

#[test]
fn colours_change_nothing_but_colours() {
    let plain = terminal(&typical(), &wide());
    let coloured = terminal(&typical(), &Style { colour: true, ..wide() });
    assert_ne!(plain, coloured);
    let mut stripped = String::new();
    let mut parts = coloured.split("\u{1b}[");
    stripped.push_str(parts.next().expect("there is a first part"));
    for part in parts {
        stripped.push_str(part.split_once('m').expect("a colour ends with m").1);
    }
    let trimmed: Vec<&str> = stripped.lines().map(str::trim_end).collect();
    assert_eq!(trimmed, plain.lines().collect::<Vec<_>>());
}

#[test]
fn colour_is_for_what_differs_for_certain() {
    let colours = |run: &RunRecord| {
        let text = terminal(run, &Style { colour: true, ..wide() });
        let codes =
            text.split("\u{1b}[").skip(1).filter_map(|part| part.split_once('m').map(|(code, _)| code.to_owned()));
        codes.filter(|code| !["0", "1", "2"].contains(&code.as_str())).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(colours(&typical()), ["31".to_owned(), "32".to_owned()].into(), "faster is green, slower is red");
    let mut same = product_page().effect(|_, _| 0.0).rounds(3, 30).build();
    analyse(&mut same, Profile::Quick);
    assert_eq!(colours(&run_of(Profile::Quick, vec![same])), [].into(), "nothing is decided, nothing is coloured");
}

#[test]
fn the_first_lines_name_the_product_and_what_it_is_not() {
    let first = |run: &RunRecord| terminal(run, &wide()).lines().take(2).map(str::to_owned).collect::<Vec<_>>();
    let on_mongod = run_of(Profile::Quick, Vec::new());
    assert!(first(&on_mongod)[0].contains("mongod 8.2.1 · replica set"));
    assert!(!terminal(&on_mongod, &wide()).contains("not mongod's"));

    let embedded = first(&on_secantusd(on_mongod.clone()));
    assert!(embedded[0].contains("secantusd-rs 0.5.3-beta.193 · replica set"));
    assert!(embedded[1].contains("not mongod's"));

    let mut simulated = on_mongod;
    simulated.server.source = ServerSource::Simulated;
    simulated.server.product = Product::Simulated;
    simulated.server.topology = Topology::Simulated;
    assert!(first(&simulated)[1].starts_with("SIMULATED"));
}

#[test]
fn a_pooled_p95_that_contradicts_the_rounds_is_explained() {
    assert!(!terminal(&typical(), &wide()).contains("outside the interval"), "rounds that agree need no explanation");
    // In every eighth round everything takes five times as long in the pattern. These rounds hold 12.5 % of the
    // operations, so they alone make the pooled p95; the mean of the logs moves by an eighth of ln 5.
    let often = |round: u32, model: &str| if round % 8 == 4 && model == "page" { 5.0_f64.ln() } else { 0.0 };
    let mut scenario = product_page().effect(often).rounds(40, 2_000).build();
    analyse(&mut scenario, Profile::Quick);
    let text = terminal(&run_of(Profile::Quick, vec![scenario]), &wide());
    assert!(text.contains("outside the interval: rounds differ much"), "{text}");
}

#[test]
fn text_of_others_cannot_steer_the_terminal() {
    let mut run = typical();
    run.label = Some("\u{1b}]0;owned\u{7}".to_owned());
    run.scenarios[0].title = "\u{1b}[2Jgone\nsecond line".to_owned();
    run.scenarios[0].models[0].title = Some("\r\u{202E}".to_owned());
    let text = terminal(&run, &wide());
    assert_eq!(text.chars().find(|c| c.is_control() && *c != '\n'), None);
    assert!(text.contains("\u{FFFD}[2Jgone second line"));
}

#[test]
fn two_workloads_of_a_scenario_are_told_apart() {
    let mut read = Maker::new("likes", &[]).rounds(0, 0).build();
    let mut write = read.clone();
    (read.workload, write.workload) = ("read_heavy".to_owned(), "write_heavy".to_owned());
    let text = terminal(&run_of(Profile::Quick, vec![read, write]), &wide());
    assert!(text.contains("likes · read_heavy") && text.contains("likes · write_heavy"));
}
