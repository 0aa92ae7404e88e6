//! Claims, expectations and conditions as test results.

use patternbench::analysis::{Accord, accords, analyse};
use patternbench::record::{DeclaredOperation, ExpectationRecord, RunRecord};
use patternbench::report::{Export, Wish};
use patternbench::words::{ClaimMetric, ClaimOutcome, OperationKind, Profile, RoundOutcome};

use crate::known::{claim, on_secantusd, product_page, run_of};
use crate::markup::{Element, elements};
use crate::terminal::{troubled, typical};

/// The results of a record.
pub(crate) fn results(run: &RunRecord) -> String {
    Export::Junit.of(run, &Wish::default()).main.expect("results are a file")
}

/// The elements of the results, which have the shape that the published schemas allow: Ant's, as Windy Road wrote it down
/// (`JUnit.xsd`), and that of Jenkins' xUnit plug-in (`junit-10.xsd`), which allows more.
pub(crate) fn checked(xml: &str) -> Vec<Element> {
    let found = elements(xml);
    let (root, rest) = found.split_first().expect("there is a root");
    assert_eq!((root.name.as_str(), root.attributes.len()), ("testsuites", 0));
    let starts: Vec<usize> =
        rest.iter().enumerate().filter(|(_, element)| element.name == "testsuite").map(|(place, _)| place).collect();
    assert_eq!(starts.first().copied().unwrap_or(rest.len()), 0, "only suites stand below the root");
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(rest.len());
        check_suite(&rest[*start..end], number);
    }
    found
}

fn names(element: &Element) -> Vec<&str> {
    element.attributes.keys().map(String::as_str).collect()
}

fn whole(element: &Element, attribute: &str) -> usize {
    element.attributes[attribute].parse().expect("a whole number")
}

fn check_suite(elements: &[Element], number: usize) {
    let (suite, inside) = elements.split_first().expect("the suite itself");
    let wanted = ["errors", "failures", "hostname", "id", "name", "package", "skipped", "tests", "time", "timestamp"];
    assert_eq!(names(suite), wanted);
    assert_eq!(whole(suite, "id"), number);
    for token in ["hostname", "name"] {
        assert!(!suite.attributes[token].trim().is_empty(), "{token} has at least a character");
    }
    check_timestamp(&suite.attributes["timestamp"]);
    check_decimal(&suite.attributes["time"]);

    let children: Vec<&Element> = inside.iter().filter(|element| element.inside.len() == 2).collect();
    let order: Vec<&str> = children.iter().map(|element| element.name.as_str()).collect();
    let cases = order.iter().filter(|name| **name == "testcase").count();
    let wanted = std::iter::once("properties").chain(std::iter::repeat_n("testcase", cases));
    assert_eq!(order, wanted.chain(["system-out", "system-err"]).collect::<Vec<_>>());
    assert_eq!(whole(suite, "tests"), cases);
    for (attribute, element) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")] {
        let told = inside.iter().filter(|inside| inside.name == element).count();
        assert_eq!(whole(suite, attribute), told, "{attribute}");
    }

    let mut outcomes = 0;
    for element in inside.iter().filter(|element| element.inside.len() > 2) {
        match (element.name.as_str(), element.inside.last().expect("it is inside").as_str()) {
            ("property", "properties") => {
                assert_eq!(names(element), ["name", "value"]);
                assert!(!element.attributes["name"].trim().is_empty());
            }
            ("failure" | "error" | "skipped", "testcase") => {
                assert_eq!(names(element), ["message", "type"]);
                outcomes += 1;
            }
            (name, around) => panic!("{name} in {around}"),
        }
    }
    for case in children.iter().filter(|element| element.name == "testcase") {
        assert_eq!(names(case), ["classname", "name", "time"]);
        check_decimal(&case.attributes["time"]);
    }
    assert!(outcomes <= cases, "a case has one outcome");
    for pair in inside.windows(2) {
        let is_outcome = |element: &Element| element.inside.last().is_some_and(|around| around == "testcase");
        assert!(!(is_outcome(&pair[0]) && is_outcome(&pair[1])), "two outcomes in a row are two of one case");
    }
}

/// `ISO8601_DATETIME_PATTERN`: to the second, without a zone.
fn check_timestamp(text: &str) {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "0000-00-00T00:00:00", "{text}");
}

/// `xs:decimal` without a sign.
fn check_decimal(text: &str) {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    assert!(text.split('.').count() <= 2 && text.split('.').all(digits), "{text}");
}

/// The outcome of each case: `pass`, or the element in it with its message.
fn outcomes(run: &RunRecord) -> Vec<(String, String, String)> {
    let found = checked(&results(run));
    let cases = found.iter().enumerate().filter(|(_, element)| element.name == "testcase");
    let outcome = |(place, case): (usize, &Element)| {
        let inside = found.get(place + 1).filter(|next| next.inside.last().is_some_and(|around| around == "testcase"));
        let (word, why) =
            inside.map_or(("pass", ""), |inside| (inside.name.as_str(), inside.attributes["message"].as_str()));
        (case.attributes["name"].clone(), word.to_owned(), why.to_owned())
    };
    cases.map(outcome).collect()
}

fn outcome<'a>(outcomes: &'a [(String, String, String)], name: &str) -> (&'a str, &'a str) {
    let found = outcomes.iter().find(|(known, _, _)| known.starts_with(name));
    let (_, word, why) = found.unwrap_or_else(|| panic!("{name} in {outcomes:?}"));
    (word, why)
}

#[test]
fn a_claim_passes_fails_or_is_skipped_as_it_was_judged() {
    let mut scenario = product_page().build();
    scenario.claims = vec![
        claim("list_page", ClaimMetric::P95, 5.0),
        claim("list_page", ClaimMetric::P50, 50.0),
        claim("list_page", ClaimMetric::Mean, 7.0),
    ];
    scenario.claims[2].at.insert("products".to_owned(), serde_json::json!(5));
    analyse(&mut scenario, Profile::Quick);
    let judged = [ClaimOutcome::Confirmed, ClaimOutcome::Refuted, ClaimOutcome::NotTestedHere];
    assert_eq!(scenario.claims.iter().map(|claim| claim.outcome).collect::<Vec<_>>(), judged.map(Some));
    let found = outcomes(&run_of(Profile::Quick, vec![scenario]));
    assert_eq!(outcome(&found, "list_page p95 ≥ 5").0, "pass");
    let (word, why) = outcome(&found, "list_page p50 ≥ 50");
    assert!(word == "failure" && why.starts_with("measured 7."), "{word}: {why}");
    assert_eq!(outcome(&found, "list_page mean ≥ 7 at products = 5").0, "skipped");
    let condition = |name| outcome(&found, name).0;
    for name in ["measured to the end", "models answer alike before", "model tuned measured", "enough rounds"] {
        assert_eq!(condition(name), "pass", "{name}");
    }
}

#[test]
fn what_an_author_expects_is_a_test_of_each_operation() {
    let mut scenario = product_page().build();
    for (operation, kind, expect) in [
        ("list_page", OperationKind::Read, ExpectationRecord::Slower),
        ("add_review", OperationKind::Write, ExpectationRecord::Slower),
    ] {
        scenario.declared.insert(operation.to_owned(), DeclaredOperation { kind, expect: Some(expect) });
    }
    analyse(&mut scenario, Profile::Quick);
    let against = accords(&scenario).into_iter().filter(|(_, accord)| matches!(accord, Accord::Against { .. })).count();
    assert_eq!(against, 1, "reads are faster, against what is expected; writes are slower, as expected");
    let found = outcomes(&run_of(Profile::Quick, vec![scenario]));
    assert_eq!(outcome(&found, "list_page as expected"), ("failure", "expected to be slower, but is faster"));
    assert_eq!(outcome(&found, "add_review as expected"), ("pass", ""));
}

#[test]
fn what_was_not_measured_as_planned_is_no_pass() {
    let found = outcomes(&troubled());
    let (word, why) = outcome(&found, "measured to the end");
    assert!(word == "error" && why.contains("incomplete") && why.contains("left"), "{word}: {why}");
    let differ = outcome(&found, "models answer alike after");
    assert_eq!(differ, ("failure", "2 of 400 answers differ between the models"));
    assert_eq!(outcome(&found, "model tuned measured"), ("skipped", "saturated in round 6"));
    assert_eq!(outcome(&found, "model naive measured").0, "pass");
}

#[test]
fn a_scenario_that_this_server_cannot_do_is_skipped() {
    let mut run = typical();
    let scenario = &mut run.scenarios[0];
    scenario.not_measurable = Some("model naive: it needs a text index".to_owned());
    scenario.rounds.clear();
    scenario.claims.clear();
    let found = outcomes(&run);
    assert_eq!(outcome(&found, "measurable on this server"), ("skipped", "model naive: it needs a text index"));
    assert!(found.iter().all(|(_, word, _)| word == "skipped" || word == "pass"), "{found:?}");
}

#[test]
fn a_run_whose_rounds_were_disturbed_is_not_trusted() {
    let mut scenario = product_page().build();
    for window in scenario.rounds.iter_mut().filter(|window| window.round < 6) {
        assert_eq!(window.outcome, RoundOutcome::Complete);
        window.disturbed = vec!["steal 12 %".to_owned()];
    }
    analyse(&mut scenario, Profile::Quick);
    let (quick, smoke) = (run_of(Profile::Quick, vec![scenario.clone()]), run_of(Profile::Smoke, vec![scenario]));
    let (word, why) = (outcomes(&quick), outcomes(&smoke));
    let (quick, smoke) = (outcome(&word, "enough rounds"), outcome(&why, "enough rounds"));
    assert_eq!(quick, ("error", "4 of 10 rounds are left to compare page with naive"));
    assert_eq!(smoke.0, "skipped");
}

#[test]
fn every_suite_says_what_was_measured() {
    let mut run = on_secantusd(typical());
    run.scenarios.push(run.scenarios[0].clone());
    run.scenarios[1].workload = "write_heavy".to_owned();
    let found = checked(&results(&run));
    let suites: Vec<_> = found.iter().filter(|element| element.name == "testsuite").collect();
    let named: Vec<&str> = suites.iter().map(|suite| suite.attributes["name"].as_str()).collect();
    assert_eq!(named, ["product-list-page · default", "product-list-page · write_heavy"]);
    let told = found.iter().filter(|element| element.name == "system-out");
    assert!(told.into_iter().all(|out| out.text.contains("These figures are not mongod's")));
    let servers = found.iter().filter(|element| element.attributes.get("name").is_some_and(|name| name == "server"));
    assert!(servers.into_iter().all(|server| server.attributes["value"].contains("secantusd-rs")));
    assert_eq!(results(&run_of(Profile::Quick, Vec::new())).lines().count(), 3, "no scenario is no suite");
}
