//! What of a run's evidence a reader should look at, a line for each flag.

use super::text::clean;
use super::view::RunView;
use crate::record::RunRecord;

/// The flags of each scenario's evidence with their places; workloads that show the same say it once.
pub fn flags(record: &RunRecord) -> Vec<String> {
    let view = RunView::of(record);
    let flagged = view.scenarios.iter().filter_map(|scenario| scenario.evidence.as_ref());
    let mut lines: Vec<String> = Vec::new();
    for line in flagged.flat_map(|evidence| &evidence.flags).map(|flagged| clean(&flagged.line())) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}
