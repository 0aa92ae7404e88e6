//! What figures are called in files for other tools.

use crate::record::ScenarioRecord;

/// `product-list-page`, or `chat-conversations/write_heavy` where the workload has a name.
pub(super) fn scenario(name: &str, workload: &str) -> String {
    if workload == "default" { name.to_owned() } else { format!("{name}/{workload}") }
}

/// `product-list-page/list_page/page`.
pub(super) fn benchmark(of: &ScenarioRecord, operation: &str, model: &str) -> String {
    format!("{}/{operation}/{model}", scenario(&of.name, &of.workload))
}
