//! Whatever names, titles and values hold, every output stays well-formed, and nothing of them is obeyed.

use patternbench::analysis::analyse;
use patternbench::record::{
    DeclaredOperation, EventRecord, EvidenceRecord, ExpectationRecord, RunRecord, ScenarioRecord,
};
use patternbench::report::{Export, Exported, Style, Wish, digest, html, summary, terminal};
use patternbench::words::{ClaimMetric, OperationKind, Profile, Role};
use serde_json::{Value, json};

use crate::hdr::{distributions, log};
use crate::junit::{checked, results};
use crate::known::{Maker, claim, on_secantusd, run_of, wobble};
use crate::markup::elements;
use crate::{csv, markdown};

/// Syntax of HTML, XML, Markdown, spreadsheets and terminals, in right-to-left text with what turns its direction.
const HOSTILE: &str = "=1+1 <script>alert(1)</script> **b** _i_ [l](http://x.example) ![p](http://x.example/p.png) `c` ~~s~~ \
                       | \"q\", 'a' ]]> & &amp; @ann #1 :tada: $x$ https://www.x.example www.x.example a@b.example \\ \
                       \u{202E}\u{2066}\u{1b}[31m\u{0}\u{85}\u{2028} שלום 🙂\r\n# heading\r\n- item\n\n<!-- <details> ```";

/// What a cell must not begin with.
const FORMULA: &str = "@SUM(1+1)*cmd|' /C calc'!A0";

fn long() -> String {
    format!("-{}", "n".repeat(9_999))
}

/// A step's evidence of which every text is hostile.
fn evidence() -> EvidenceRecord {
    let told = json!({"step": 0, "call": HOSTILE, "collection": long(), "data": "parity", "stage": HOSTILE, "above": [HOSTILE],
        "index": HOSTILE, "keys_examined": 5_000, "docs_examined": 5_000, "matched": 2, "returned": 2, "flags": ["many_examined"],
        "joined": [{"by": HOSTILE, "collection": HOSTILE, "strategy": HOSTILE}]});
    serde_json::from_value(told).expect("evidence as records keep it")
}

/// A scenario of which every text is hostile.
fn scenario() -> ScenarioRecord {
    let long = long();
    let mix = [(HOSTILE, 3.0), (FORMULA, 2.0), (long.as_str(), 1.0)];
    let medians = |factor: f64| mix.map(|(name, _)| (name, 1_000.0 * factor));
    let mut scenario = Maker::new(HOSTILE, &mix)
        .model("=naive", Role::Naive, &medians(4.0))
        .model(HOSTILE, Role::Pattern, &medians(1.0))
        .model(&long, Role::Alternative, &medians(2.0))
        .effect(wobble)
        .build();
    for text in [&mut scenario.title, &mut scenario.summary, &mut scenario.workload, &mut scenario.file_sha256] {
        *text = HOSTILE.to_owned();
    }
    (scenario.dataset_sha256, scenario.stream_sha256) = (HOSTILE.to_owned(), HOSTILE.to_owned());
    (scenario.plan.mode_reason, scenario.plan.state_reason) = (Some(HOSTILE.to_owned()), Some(HOSTILE.to_owned()));
    scenario.parameters.insert(HOSTILE.to_owned(), json!(HOSTILE));
    scenario.parameters.insert(long.clone(), json!({HOSTILE: [HOSTILE]}));
    scenario.claims = vec![claim(HOSTILE, ClaimMetric::P95, 2.0), claim(FORMULA, ClaimMetric::P50, 50.0)];
    for claim in &mut scenario.claims {
        (claim.source, claim.wanted) = (HOSTILE.to_owned(), format!("{} {HOSTILE}", claim.wanted));
    }
    let declared = DeclaredOperation { kind: OperationKind::Read, expect: Some(ExpectationRecord::Slower) };
    scenario.declared.insert(FORMULA.to_owned(), declared);
    for model in &mut scenario.models {
        model.title = Some(HOSTILE.to_owned());
        let collection = &mut model.collections[0];
        (collection.name, collection.sample) = (HOSTILE.to_owned(), json!({HOSTILE: HOSTILE, "long": long}));
        collection.options = json!({"validator": {HOSTILE: "```\n</details>"}});
        collection.indexes = vec![json!({"key": {HOSTILE: 1}, HOSTILE: HOSTILE})];
        for operation in model.operations.values_mut() {
            operation.steps = vec![json!({"find": {"collection": HOSTILE, "filter": {HOSTILE: "````\n# heading"}}})];
            operation.growth = Some(HOSTILE.to_owned());
            operation.evidence = vec![evidence()];
        }
    }
    let limited = scenario.models[2].operations.get_mut(FORMULA).expect("every model does it");
    limited.engine_limited = Some(HOSTILE.to_owned());
    scenario.models[2].skipped = Some(HOSTILE.to_owned());
    scenario.rounds[0].disturbed = vec![HOSTILE.to_owned()];
    let figures = scenario.rounds[3].operations.get_mut(FORMULA).expect("every window has it");
    figures.errors.insert(HOSTILE.to_owned(), 3);
    scenario.events =
        vec![EventRecord { at: HOSTILE.to_owned(), model: Some(HOSTILE.to_owned()), what: HOSTILE.to_owned() }];
    analyse(&mut scenario, Profile::Quick);
    scenario
}

/// Two scenarios on a server that says hostile things of itself.
fn run() -> RunRecord {
    let mut other = scenario();
    other.name = long();
    let mut run = on_secantusd(run_of(Profile::Quick, vec![scenario(), other]));
    run.label = Some(HOSTILE.to_owned());
    run.finished_at = Some(HOSTILE.to_owned());
    run.tool.version = HOSTILE.to_owned();
    (run.server.version, run.server.host) = (HOSTILE.to_owned(), HOSTILE.to_owned());
    run.server.storage_engine = Some(HOSTILE.to_owned());
    (run.server.read_concern, run.server.write_concern) = (HOSTILE.to_owned(), HOSTILE.to_owned());
    (run.client.os, run.client.cpu) = (HOSTILE.to_owned(), long());
    run
}

/// Nothing that steers a terminal, turns the direction of text or ends a line unseen.
fn assert_harmless(text: &str) {
    let steers = |c: &char| {
        (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
            || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
    };
    assert_eq!(text.chars().find(steers), None);
}

fn single(export: Export, run: &RunRecord) -> String {
    export.of(run, &Wish::default()).main.expect("a file")
}

#[test]
fn tables_on_a_terminal_obey_nothing() {
    let run = run();
    for style in [Style::default(), Style { width: 60, unicode: false, ..Style::default() }] {
        assert_harmless(&terminal(&run, &style));
        let lines = summary(&run, &style);
        assert_harmless(&lines);
        assert_eq!(lines.lines().count(), 2);
    }
}

#[test]
fn the_page_stays_a_page() {
    let page = html(&run());
    assert_harmless(&page);
    let found = elements(&page);
    for foreign in ["script", "b", "i", "img", "s", "em"] {
        assert!(found.iter().all(|element| element.name != foreign), "{foreign}");
    }
    let links = found.iter().filter_map(|element| element.attributes.get("href"));
    assert!(links.into_iter().all(|target| target.starts_with('#')));
}

/// Markdown as GitHub shows it, with everything on that could make something of a text.
fn shown(text: &str) -> String {
    let mut options = comrak::Options::default();
    let extension = &mut options.extension;
    (extension.table, extension.strikethrough, extension.autolink, extension.tasklist) = (true, true, true, true);
    (extension.footnotes, extension.alerts, extension.math_dollars, extension.math_code) = (true, true, true, true);
    // The report's own elements are shown; whatever a text would add is found among them.
    options.render.r#unsafe = true;
    comrak::markdown_to_html(text, &options)
}

#[test]
fn markdown_shows_every_text_and_obeys_none() {
    let Exported { main, beside } = markdown::report(&run());
    let text = main.expect("a report is a file");
    assert_harmless(&text);
    let page = shown(&text);
    let found = elements(&page);
    let own = [
        "h1",
        "h2",
        "h3",
        "p",
        "strong",
        "ul",
        "ol",
        "li",
        "blockquote",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "pre",
        "code",
        "details",
        "summary",
        "sup",
        "span",
        "img",
    ];
    let foreign: Vec<&str> =
        found.iter().map(|element| element.name.as_str()).filter(|name| !own.contains(name)).collect();
    assert_eq!(foreign, Vec::<&str>::new());
    let images = found.iter().filter(|element| element.name == "img");
    assert!(images.into_iter().all(|image| image.attributes["src"].starts_with("report-charts/")));
    assert_eq!(found.iter().filter(|element| element.name == "img").count(), beside.len());
    assert_eq!(found.iter().filter(|element| element.name == "h1").count(), 1, "no text becomes a heading");
    assert_eq!(found.iter().filter(|element| element.name == "h2").count(), 3, "all scenarios, and each of them");
    let heading = found.iter().find(|element| element.name == "h2" && element.text.contains("script"));
    let heading = &heading.expect("the name of the scenario").text;
    for shown in
        ["=1+1 &lt;script&gt;alert(1)&lt;/script&gt;", "**b** _i_ [l](http://x.example)", "`c` ~~s~~ |", "@\u{2060}ann"]
    {
        assert!(heading.contains(shown), "{shown} in {heading}");
    }
    // Hosts look for these in the text of the page.
    for word in ["@ann", "#1 ", ":tada:"] {
        let outside = found.iter().filter(|element| !["code", "pre"].contains(&element.name.as_str()));
        let outside = outside.filter(|element| !element.inside.iter().any(|around| around == "pre"));
        assert!(outside.into_iter().all(|element| !element.text.contains(word)), "{word}");
    }
    for chart in &beside {
        assert_harmless(&chart.text);
        assert_eq!(elements(&chart.text)[0].name, "svg");
    }
}

#[test]
fn the_table_of_figures_calculates_nothing() {
    let text = single(Export::Csv, &run());
    assert_harmless(&text);
    let rows = csv::loaded(&text);
    assert!(rows.iter().any(|row| row["operation"].len() >= 10_000), "no name is cut");
    for cell in rows.iter().flat_map(|row| row.values()) {
        let calculates = cell.trim_start().starts_with(['=', '+', '-', '@']);
        assert!(!calculates || cell.parse::<f64>().is_ok(), "{cell}");
        assert!(!cell.contains(['\n', '\r']), "a row is a line");
    }
}

#[test]
fn distributions_and_logs_keep_their_lines_and_names_fit_for_files() {
    let run = run();
    let found = distributions(&run, &Wish::default());
    // Two scenarios, three models, three operations and the whole mix.
    assert_eq!(found.len(), 2 * 3 * 4);
    for path in found.keys() {
        assert!(path.len() < 255 && path.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)), "{path}");
        assert!(!path.starts_with(['.', '-']), "{path}");
    }
    for file in Export::Hgrm.of(&run, &Wish::default()).beside {
        assert_harmless(&file.text);
    }
    let (text, intervals) = log(&run);
    assert_harmless(&text);
    assert_eq!(intervals.len(), 2 * run.scenarios[0].rounds.len() * 3);
    let tags: std::collections::BTreeSet<&str> = intervals.iter().map(|interval| interval.tag.as_str()).collect();
    assert_eq!(tags.len(), 2 * 3 * 3, "each thing has a tag of its own");
}

#[test]
fn test_results_keep_their_shape() {
    let xml = results(&run());
    assert_harmless(&xml);
    assert!(!xml.contains("]]>"));
    let found = checked(&xml);
    let failures = found.iter().filter(|element| element.name == "failure").count();
    assert!(failures >= 2, "a claim and an expectation of each scenario are contradicted");
}

#[test]
fn json_holds_every_text_as_it_is() {
    let value = digest(run());
    let read: Value = serde_json::from_str(&value.to_string()).expect("it is JSON");
    assert_eq!(read["scenarios"][0]["title"], HOSTILE);
    assert_eq!(read["scenarios"][0].get("rounds"), None);
}
