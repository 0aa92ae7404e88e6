//! Arrays that grow until their document can hold no more: the naive layouts of the built-in scenarios end there, which
//! is a result and no failure.

mod support;

use std::sync::Arc;
use std::time::Duration;

use patternbench::guard::Consent;
use patternbench::plan::{RunOptions, plan_scenario};
use patternbench::record::{EndRecord, ModelRecord, RunRecord, ScenarioRecord};
use patternbench::report::{Style, html, terminal};
use patternbench::run::{Event, Extent, Interrupt, Listener, RunFinish, RunRequest, Target, run};
use patternbench::scenario::{Scenario, builtin, load_scenario};
use patternbench::source::SourceText;
use patternbench::words::{ErrorName, Mode, Phase, Profile, RoundOutcome};

/// What MongoDB allows a document: 16 MiB.
const LIMIT: u64 = 16 << 20;
/// Characters of a log entry's or message's text.
const TEXT: u64 = 16_000;
/// More than anything else takes in an element of the arrays: ids, dates, the names of fields.
const BESIDE_TEXT: u64 = 200;
/// So many elements leave room for less than fifteen more.
const ELEMENTS: u64 = 16_500_000 / TEXT;

struct Deaf;

impl Listener for Deaf {
    fn hear(&mut self, _event: &Event) {}
}

/// Runs the naive model and another of a built-in scenario over one document of `ELEMENTS` elements: fifty operations in
/// each window, of which at least half add an element.
async fn run_full(name: &str, other: &str, sizes: &[(&str, u64)]) -> RunFinish {
    let text = builtin(name).expect("it is built in");
    let scenario: Arc<Scenario> =
        load_scenario(SourceText::new(format!("{name}.yaml"), text)).expect("it is valid").into();
    let options = RunOptions {
        profile: Profile::Smoke,
        mode: Some(Mode::Closed),
        operations: Some(50),
        concurrency: Some(2),
        models: Some(vec![other.to_owned()]),
        set: sizes.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect(),
        ..RunOptions::default()
    };
    let request = RunRequest {
        target: Target::Server { server: support::shared_server(), consent: Consent::default(), ends: false },
        plans: plan_scenario(&scenario, &options).unwrap_or_else(|error| panic!("{error}")),
        options,
        folder: None,
        extent: Extent::Everything,
    };
    let finish = tokio::time::timeout(Duration::from_secs(300), run(&request, &mut Deaf, Interrupt::new())).await;
    finish.expect("a small run takes a minute")
}

fn model<'a>(scenario: &'a ScenarioRecord, name: &str) -> &'a ModelRecord {
    scenario.models.iter().find(|model| model.name == name).expect("the scenario has it")
}

/// The end of the naive model, after a look at what every such run must hold.
fn end_of_naive(finish: &RunFinish) -> &EndRecord {
    assert!(finish.errors.is_empty(), "an end that was declared is no failure: {:?}", finish.errors);
    assert!(finish.record.complete);
    let scenario = &finish.record.scenarios[0];
    let naive = model(scenario, "naive");
    let loaded = naive.storage.expect("the server tells sizes");
    assert!((15_900_000..LIMIT).contains(&loaded.data_bytes.get()), "{loaded:?}");

    let end = naive.ended.as_ref().expect("how it ended is in the record");
    assert_eq!(end.error, ErrorName::DocumentTooLarge);
    assert!(!end.message.is_empty(), "the server said something");
    let held = end.held.expect("the server tells sizes");
    assert_eq!(held.documents, loaded.documents, "elements were added, and no document");
    let largest = held.largest_document_bytes.get();
    assert!(largest <= LIMIT, "{largest}");
    assert!(largest + TEXT + BESIDE_TEXT > LIMIT, "another element would have fitted beside {largest} bytes");
    assert!(largest > loaded.data_bytes.get().saturating_sub(BESIDE_TEXT * loaded.documents), "{held:?}");
    end
}

/// The other models did all their rounds.
fn others_went_on(scenario: &ScenarioRecord) {
    for other in scenario.models.iter().filter(|model| model.name != "naive") {
        assert_eq!((&other.ended, &other.skipped), (&None, &None), "{}", other.name);
        let outcomes: Vec<_> = scenario
            .rounds
            .iter()
            .filter(|window| window.phase == Phase::Measured && window.model == other.name)
            .map(|window| window.outcome)
            .collect();
        assert_eq!(outcomes, [RoundOutcome::Complete; 2], "{}", other.name);
    }
}

/// What a reader is told of the naive model's end, on the terminal and in the report, in words alone.
fn told(record: &RunRecord) -> [String; 2] {
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    [words(terminal(record, &Style::default())), words(html(record))]
}

fn is_told(finish: &RunFinish, end: &EndRecord) {
    let digits = end.held.expect("looked at before").largest_document_bytes.get().to_string();
    for text in told(&finish.record) {
        let said = text.split_once("naive came to its declared end").expect("it is told").1;
        let said: String = said.chars().take(500).collect();
        assert!(said.contains(&format!("{} met DocumentTooLarge", end.operation)), "{said}");
        assert!(said.contains("document"), "{said}");
        let figures: String = said.chars().filter(char::is_ascii_digit).collect();
        assert!(figures.contains(&digits), "{digits}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_log_has_filled_its_document_can_log_no_more() {
    let sizes = [("servers", 1), ("entries_per_server", ELEMENTS), ("message_bytes", TEXT)];
    let finish = run_full("one-to-squillions-logs", "entries", &sizes).await;
    let end = end_of_naive(&finish);
    assert_eq!(end.operation, "append");
    others_went_on(&finish.record.scenarios[0]);
    is_told(&finish, end);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_has_filled_its_document_takes_no_message() {
    let sizes = [("conversations", 1), ("messages_per_conversation", ELEMENTS), ("message_bytes", TEXT), ("users", 3)];
    let finish = run_full("chat-conversations", "messages", &sizes).await;
    let end = end_of_naive(&finish);
    assert_eq!(end.operation, "send");
    others_went_on(&finish.record.scenarios[0]);
    is_told(&finish, end);
}
