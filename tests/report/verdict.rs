//! The verdict in words: what a reader who reads nothing else takes away.

use patternbench::analysis::analyse;
use patternbench::record::RunRecord;
use patternbench::report::html;
use patternbench::units::Bytes;
use patternbench::words::{Metric, Profile};

use crate::known::{analysed, number, of, on_naive, product_page, run_of};
use crate::markup::elements;
use crate::terminal::{troubled, typical};

/// The text of the verdict and of what it rests on.
fn verdict(run: &RunRecord) -> (String, String) {
    let page = html(run);
    let (_, rest) = page.split_once("<p class=\"verdict\">").expect("there is a verdict");
    let (said, rest) = rest.split_once("</p>").expect("it ends");
    let rests_on = rest.trim_start().strip_prefix("<p class=\"quiet\">").and_then(|rest| rest.split_once("</p>"));
    (said.to_owned(), rests_on.map(|(rests_on, _)| rests_on.to_owned()).unwrap_or_default())
}

#[test]
fn it_says_what_becomes_faster_and_slower_by_how_much_and_what_it_costs() {
    let mut scenario = product_page().build();
    for (model, (data, index)) in scenario.models.iter_mut().zip([(100, 100), (112, 65), (100, 100)]) {
        let storage = model.storage.as_mut().expect("made with one");
        (storage.data_bytes, storage.index_bytes) = (Bytes::new(data << 20), Bytes::new(index << 20));
    }
    analyse(&mut scenario, Profile::Quick);
    let reads = &of(&scenario, "list_page", Metric::P95).speedup;
    let writes = &of(&scenario, "add_review", Metric::P95).speedup;
    // Slower by 1.6 is a speed-up of 0.625, and the ends of the interval change places.
    let slower = [writes.speedup, writes.high, writes.low].map(|ratio| 1.0 / number(ratio));
    let expected = format!(
        "With page instead of naive: list_page is {:.2}× faster at p95 ({:.2}–{:.2}); add_review is {:.2}× slower at p95 \
         ({:.2}–{:.2}); to keep: 12 % more data, 35 % less index.",
        number(reads.speedup),
        number(reads.low),
        number(reads.high),
        slower[0],
        slower[1],
        slower[2]
    );
    let (said, rests_on) = verdict(&run_of(Profile::Quick, vec![scenario]));
    assert_eq!(said, expected);
    assert!(rests_on.contains("95 % interval") && rests_on.contains("over 10 rounds"), "{rests_on}");
    assert!(rests_on.contains("the same answers to all 600 compared"), "200 before and 400 after: {rests_on}");
}

#[test]
fn a_ratio_that_is_made_by_queues_is_told_with_that_at_light_load() {
    // Under load naive's latencies are three times longer, as in a queue; one worker finds no such difference.
    let queued = |_: u32, model: &str| on_naive(model, 3.0);
    let scenario = analysed(&product_page().effect(queued).light_load(5, 3_000));
    let light = of(&scenario, "list_page", Metric::P95).light_load.as_ref().expect("measured");
    let (said, _) = verdict(&run_of(Profile::Quick, vec![scenario.clone()]));
    let expected = format!("; at light load {:.2}× faster)", number(light.speedup.speedup));
    assert!(said.contains("list_page is 21.") || said.contains("list_page is 20."), "{said}");
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn it_stands_before_every_other_figure() {
    let page = html(&typical());
    let place = |what: &str| page.find(what).unwrap_or_else(|| panic!("{what} is there"));
    assert!(place("Measured on") < place("not mongod's"));
    assert!(place("not mongod's") < place("class=\"verdict\""));
    assert!(place("class=\"verdict\"") < place("Load generator"));
}

#[test]
fn answers_that_differ_are_told_beside_it() {
    let (_, rests_on) = verdict(&troubled());
    assert!(rests_on.contains("ANSWERED DIFFERENTLY to 2 of 600"), "{rests_on}");
}

#[test]
fn what_this_server_distorts_is_no_verdict() {
    let mut run = typical();
    let reads = run.scenarios[0].models[1].operations.get_mut("list_page").expect("every model lists pages");
    reads.engine_limited = Some("top-N over a large match set".to_owned());
    let (said, _) = verdict(&run);
    assert!(said.contains("list_page is left out (†: this server executes that unlike mongod)"), "{said}");
    assert!(!said.contains("faster"), "{said}");
}

#[test]
fn where_a_model_could_not_hold_the_rate_that_is_the_verdict() {
    let mut scenario = product_page().open().build();
    for window in scenario.rounds.iter_mut().filter(|window| window.model == "naive") {
        window.outcome = patternbench::words::RoundOutcome::Saturated;
    }
    analyse(&mut scenario, Profile::Quick);
    let (said, _) = verdict(&run_of(Profile::Quick, vec![scenario]));
    assert!(said.contains("naive cannot hold 600/s"), "{said}");
}

#[test]
fn a_run_of_several_scenarios_has_a_verdict_in_each_section() {
    let mut other = analysed(&product_page());
    other.name = "another".to_owned();
    let run = run_of(Profile::Quick, vec![analysed(&product_page()), other]);
    let page = html(&run);
    let verdicts = elements(&page).into_iter().filter(|element| {
        element.attributes.get("class").is_some_and(|class| class == "verdict")
            && element.inside.iter().any(|around| around == "section")
    });
    assert_eq!(verdicts.count(), 2);
}

#[test]
fn a_disturbed_run_says_so_before_its_verdict() {
    let page = html(&troubled());
    let (banner, _) = page.split_once("class=\"verdict\"").expect("there is a verdict");
    assert!(banner.contains("DISTURBED: while 1 of 27 measured windows ran"), "{banner}");
}
