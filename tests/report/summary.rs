//! The line per scenario.

use patternbench::report::{Style, summary};

use crate::known::run_of;
use crate::terminal::{troubled, typical};

#[test]
fn a_typical_run_in_a_line() {
    assert_eq!(
        summary(&typical(), &Style::default()),
        "product-list-page: page against naive: 1 faster, 1 slower, 0 equal, 0 inconclusive · claims: 1 confirmed, \
         1 refuted · not mongod's figures\n"
    );
}

#[test]
fn engine_limited_operations_are_left_out_of_the_counts_and_told() {
    let mut run = typical();
    let reads = run.scenarios[0].models[1].operations.get_mut("list_page").expect("every model lists pages");
    reads.engine_limited = Some("top-N over a large match set".to_owned());
    let line = summary(&run, &Style { unicode: false, ..Style::default() });
    assert!(
        line.contains("0 faster, 1 slower, 0 equal, 0 inconclusive; 1 operation engine-limited (+) left out"),
        "{line}"
    );
}

#[test]
fn a_troubled_run_says_so_in_its_line() {
    let line = summary(&troubled(), &Style::default());
    assert!(line.contains("2 without verdict") && line.contains("ANSWERED DIFFERENTLY") && line.contains("INCOMPLETE"));
    assert_eq!(line.lines().count(), 1);
}

#[test]
fn no_scenario_no_line() {
    assert_eq!(summary(&run_of(patternbench::words::Profile::Quick, Vec::new()), &Style::default()), "");
}
