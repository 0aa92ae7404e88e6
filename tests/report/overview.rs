//! All scenarios of a run beside each other.

use patternbench::analysis::{Conduct, analyse, overview};
use patternbench::record::{DeclaredOperation, ExpectationRecord, RunRecord, ScenarioRecord};
use patternbench::report::{Style, html, terminal};
use patternbench::units::Ratio;
use patternbench::words::{OperationKind, Profile, Role};

use crate::known::{Maker, close, number, on_secantusd, product_page, run_of, wobble};

/// Says of an operation what the file would.
fn declare(scenario: &mut ScenarioRecord, operation: &str, kind: OperationKind, expect: ExpectationRecord) {
    scenario.declared.insert(operation.to_owned(), DeclaredOperation { kind, expect: Some(expect) });
}

/// The product list page as its author expects it.
fn expected_page() -> ScenarioRecord {
    let mut page = product_page().build();
    let range = ExpectationRecord::Ratio(Ratio::new(4.0), Ratio::new(50.0));
    declare(&mut page, "list_page", OperationKind::Read, range);
    declare(&mut page, "add_review", OperationKind::Write, ExpectationRecord::Slower);
    page
}

/// A scenario whose pattern takes `pattern` µs for a read that naive does in a millisecond.
fn reads(name: &str, pattern: f64, expect: ExpectationRecord) -> ScenarioRecord {
    let mut scenario = Maker::new(name, &[("read", 3.0), ("rare", 1.0), ("write", 2.0)])
        .model("naive", Role::Naive, &[("read", 1_000.0), ("rare", 500.0), ("write", 700.0)])
        .model("pattern", Role::Pattern, &[("read", pattern), ("rare", 500.0), ("write", 700.0)])
        .effect(wobble)
        .build();
    declare(&mut scenario, "read", OperationKind::Read, expect);
    declare(&mut scenario, "rare", OperationKind::Read, ExpectationRecord::Depends);
    declare(&mut scenario, "write", OperationKind::Write, ExpectationRecord::Depends);
    scenario
}

/// A run in which one scenario is as expected, one is not, one is engine-limited, and one cannot be measured.
fn suite() -> RunRecord {
    let limited = {
        let mut limited = reads("limited-here", 200.0, ExpectationRecord::Slower);
        let read = limited.models[1].operations.get_mut("read").expect("every model reads");
        read.engine_limited = Some("`$elemMatch` on `attrs` scans products".to_owned());
        limited
    };
    let nowhere = {
        let mut nowhere = reads("needs-words", 500.0, ExpectationRecord::Faster);
        nowhere.rounds.clear();
        let why = "it needs a text index: this server has none".to_owned();
        nowhere.models[0].skipped = Some(why.clone());
        nowhere.not_measurable = Some(format!("model naive: {why}"));
        nowhere.models.iter_mut().for_each(|model| model.storage = None);
        nowhere
    };
    let against = reads("slower-after-all", 2_000.0, ExpectationRecord::Faster);
    let mut scenarios = vec![expected_page(), against, limited, nowhere];
    scenarios.iter_mut().for_each(|scenario| analyse(scenario, Profile::Quick));
    on_secantusd(run_of(Profile::Quick, scenarios))
}

#[test]
fn the_heaviest_read_and_write_speak_for_a_scenario() {
    let run = suite();
    let overview = overview(&run);
    let page = &overview.rows[0];
    let (read, write) = (page.read.as_ref().expect("it reads"), page.write.as_ref().expect("it writes"));
    assert_eq!((read.name, write.name), ("list_page", "add_review"));
    // Medians of 4,200 and 600 µs with the same spread: the quantiles have the medians' ratio.
    close(number(read.speedup.expect("compared").speedup), 7.0, 0.03);
    // By query and index alone 4,200 ÷ 1,600.
    let share = page.tuning.expect("there is a model `tuned`").get();
    close(share, (4_200.0_f64 / 1_600.0).ln() / 7.0_f64.ln(), 0.03);
    // 8 MB of data and 1.5 MB of indexes against 16 MB and 1.5 MB.
    close(number(page.bytes), 17.5 / 9.5, 1e-9);

    let other = &overview.rows[1];
    assert_eq!(other.read.as_ref().expect("it reads").name, "read", "three times as heavy as the other read");
    assert_eq!(other.tuning, None, "nothing is gained");
}

#[test]
fn scenarios_are_counted_once_and_what_is_limited_is_counted_apart() {
    let mut run = suite();
    let conduct = |run: &RunRecord| overview(run).rows.iter().map(|row| row.conduct).collect::<Vec<_>>();
    assert_eq!(
        conduct(&run),
        [Conduct::AsExpected, Conduct::Against, Conduct::Limited, Conduct::NotMeasurable],
        "a limited row contradicts nobody"
    );
    // The same scenario under another workload, in which it does what nobody expected.
    let mut again = run.scenarios[1].clone();
    again.name = "product-list-page".to_owned();
    again.workload = "write_heavy".to_owned();
    run.scenarios.push(again);
    let counts = overview(&run).counts;
    let number = |conduct| counts.get(&conduct).copied().unwrap_or(0);
    assert_eq!(number(Conduct::Against), 2);
    assert_eq!(number(Conduct::AsExpected), 0);
    assert_eq!(counts.values().sum::<u64>(), 4, "four scenarios, whatever their workloads");
}

#[test]
fn a_single_scenario_needs_no_table_of_all() {
    let run = run_of(Profile::Quick, vec![expected_page()]);
    assert!(!terminal(&run, &Style::default()).contains("all scenarios"));
    assert!(!html(&run).contains("All scenarios"));
}

#[test]
fn a_smoke_run_judges_nothing() {
    let mut scenarios = vec![expected_page(), reads("another", 200.0, ExpectationRecord::Faster)];
    scenarios.iter_mut().for_each(|scenario| analyse(scenario, Profile::Smoke));
    let text = terminal(&run_of(Profile::Smoke, scenarios), &Style { width: 160, ..Style::default() });
    assert!(text.contains("0 of 2 scenarios behave as expected, 2 not judged"), "{text}");
    assert!(text.contains("not judged: smoke"), "{text}");
}

#[test]
fn all_scenarios_on_a_terminal() {
    let text = terminal(&suite(), &Style { width: 160, ..Style::default() });
    let (_, all) = text.split_once("all scenarios\n").expect("there are several");
    insta::assert_snapshot!(all);
}

#[test]
fn all_scenarios_stand_at_the_top_of_the_report() {
    let page = html(&suite());
    let (_, rest) = page.split_once("<section class=\"overview\" id=\"all\">").expect("there are several");
    let (all, after) = rest.split_once("</section>").expect("it ends");
    assert!(after.contains("id=\"s1\""), "it comes before the first scenario");
    insta::assert_snapshot!(all.replace("</tr>", "</tr>\n"));
}
