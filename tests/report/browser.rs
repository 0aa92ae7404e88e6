//! The report in a browser: axe-core finds nothing, nothing is asked of the network, no label is cut off or covered.
//!
//! These tests need Chromium, Node and axe-core. `scripts/test` fetches them where it can and then runs them; elsewhere
//! they are ignored, and `scripts/test` counts them as skipped.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use patternbench::record::RunRecord;
use patternbench::report::html;
use serde::Deserialize;

use crate::around::migrated;
use crate::known::run_of;
use crate::seconds::by_second;
use crate::terminal::{troubled, typical};

/// A page as it was looked at.
#[derive(Debug, Deserialize)]
struct View {
    file: String,
    width: u32,
    scheme: String,
    violations: Vec<serde_json::Value>,
    requests: Vec<String>,
    complaints: Vec<String>,
    wide: bool,
    labels: Vec<String>,
}

impl View {
    fn name(&self) -> String {
        format!("{} at {} px, {}", self.file, self.width, self.scheme)
    }
}

/// A run of two scenarios with everything that there is to draw, one of them with the longest names.
fn long_names() -> RunRecord {
    let mut run = typical();
    by_second(&mut run.scenarios[0]);
    let mut long = migrated().scenarios.remove(0);
    long.name = "a-scenario-with-a-name-that-goes-on-and-on".to_owned();
    long.title = "W".repeat(200);
    by_second(&mut long);
    run_of(run.profile, vec![run.scenarios.remove(0), long])
}

/// Every page in every look: made and looked at once for all tests.
fn views() -> &'static [View] {
    static VIEWS: OnceLock<Vec<View>> = OnceLock::new();
    VIEWS.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut typical = typical();
        by_second(&mut typical.scenarios[0]);
        let pages = [("typical", typical), ("troubled", troubled()), ("several", long_names())];
        let files = pages.map(|(name, run)| {
            let file = folder.path().join(format!("{name}.html"));
            std::fs::write(&file, html(&run)).expect("the page is written");
            file
        });
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/check.mjs");
        let output = Command::new("node").arg(script).args(&files).output().expect("node runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("the script answers with JSON")
    })
}

#[test]
#[ignore = "needs Chromium, Node and axe-core: scripts/test"]
fn no_rule_of_accessibility_is_violated() {
    assert!(views().len() >= 9, "three pages, narrow and wide, light and dark");
    for view in views() {
        assert!(view.violations.is_empty(), "{}: {:#?}", view.name(), view.violations);
    }
}

#[test]
#[ignore = "needs Chromium, Node and axe-core: scripts/test"]
fn the_browser_asks_nothing_of_the_network_and_complains_of_nothing() {
    for view in views() {
        assert!(view.requests.is_empty(), "{}: {:?}", view.name(), view.requests);
        assert!(view.complaints.is_empty(), "{}: {:?}", view.name(), view.complaints);
    }
}

#[test]
#[ignore = "needs Chromium, Node and axe-core: scripts/test"]
fn no_label_of_a_chart_is_cut_off_or_covered_and_no_page_is_wider_than_a_phone() {
    for view in views() {
        assert!(view.labels.is_empty(), "{}: {:#?}", view.name(), view.labels);
        assert!(!view.wide, "{} is wider than the screen", view.name());
    }
}
