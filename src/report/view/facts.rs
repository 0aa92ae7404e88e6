//! Facts of a run and a scenario in a line each.

use crate::analysis::{ALL, Cast, operations};
use crate::record::{
    CacheRecord, ClosingParityRecord, EndRecord, ModelRecord, ParityRecord, PlanRecord, ScenarioRecord, Server,
};
use crate::report::format::{self, plural};
use crate::words::{Phase, Product, Topology};

/// The operations of a scenario as shown: the heaviest first, the whole mix last.
pub(in crate::report) fn operations_shown(scenario: &ScenarioRecord) -> Vec<&str> {
    let weight = |name: &str| scenario.plan.mix.get(name).copied().unwrap_or(0.0);
    let mut shown: Vec<&str> = operations(scenario).into_iter().collect();
    shown.sort_by(|left, right| weight(right).total_cmp(&weight(left)));
    shown.push(ALL);
    shown
}

/// The place of a model among those shown: its colour.
pub(in crate::report) fn series_of(scenario: &ScenarioRecord, model: &str) -> usize {
    Cast::of(&scenario.models).shown().position(|known| known.name == model).unwrap_or(0)
}

/// Whether a model has a measured window.
pub(super) fn is_measured(scenario: &ScenarioRecord, model: &ModelRecord) -> bool {
    scenario.rounds.iter().any(|round| round.phase == Phase::Measured && round.model == model.name)
}

/// The product as people call it.
pub(super) fn product(product: Product) -> &'static str {
    match product {
        Product::Mongod => "mongod",
        Product::Mongos => "mongos",
        Product::Secantusd => "secantusd-rs",
        Product::Other => "an unknown product",
        Product::Simulated => "simulated",
    }
}

/// Product, version, topology and where it is.
pub(super) fn server(server: &Server) -> String {
    let topology = match server.topology {
        Topology::Standalone => "standalone",
        Topology::ReplicaSet => "replica set",
        Topology::Sharded => "sharded cluster",
        Topology::Simulated => "no server",
    };
    let mut parts = vec![format!("{} {}", product(server.product), server.version), topology.to_owned()];
    parts.extend(server.storage_engine.clone());
    parts.push(server.host.clone());
    parts.join(" · ")
}

/// What must be said of the server before any figure, if something must.
pub(super) fn stamp(product: Product) -> Option<String> {
    match product {
        Product::Mongod | Product::Mongos => None,
        Product::Simulated => Some("SIMULATED: declared latencies; no server was measured.".to_owned()),
        Product::Secantusd => Some(
            "These figures are not mongod's: measured on secantusd-rs, which speaks MongoDB's protocol but executes \
             some operations unlike mongod (marked †)."
                .to_owned(),
        ),
        Product::Other => Some(
            "These figures are not mongod's: measured on another product that speaks MongoDB's protocol.".to_owned(),
        ),
    }
}

/// What parity said before measuring.
pub(super) fn parity(parity: Option<&ParityRecord>) -> (String, bool) {
    match parity {
        None => ("parity: answers were not compared before measuring".to_owned(), false),
        Some(parity) => compared("parity", "operation", "operations", parity.operations, parity.mismatches),
    }
}

/// What parity said after the last round.
pub(super) fn closing_parity(parity: Option<&ClosingParityRecord>) -> (String, bool) {
    let Some(parity) = parity else {
        return ("closing parity: answers were not compared after the last round".to_owned(), false);
    };
    let (mut said, fault) = compared("closing parity", "read", "reads", parity.operations, parity.mismatches);
    if parity.last_write_differences > 0 {
        let differences = format::count(parity.last_write_differences);
        said.push_str(&format!("; {differences} differ only in fields declared last_write"));
    }
    if !parity.not_compared.is_empty() {
        said.push_str(&format!("; not compared: {}", parity.not_compared.join(", ")));
    }
    (said, fault)
}

/// Which cache the models were measured with, where a certain one was asked for, and whether that is a fault.
pub(super) fn cache(plan: &PlanRecord) -> Option<(String, bool)> {
    let CacheRecord { asked, granted, set } = plan.cache?;
    let asked_for = format::bytes(asked);
    Some(match (set, granted) {
        (true, Some(granted)) if granted == asked => (format!("cache: {asked_for}, as the server confirms"), false),
        (true, Some(granted)) => {
            (format!("cache: {asked_for} was asked for, and the server has {}", format::bytes(granted)), true)
        }
        (true, None) => {
            (format!("cache: the servers were started with {asked_for}; they do not tell what they have"), false)
        }
        (false, granted) => {
            let has = granted.map(|granted| format!(", which has {}", format::bytes(granted))).unwrap_or_default();
            (format!("cache: {asked_for} was asked for, but patternbench did not start the server{has}"), true)
        }
    })
}

fn compared(what: &str, one: &str, many: &str, number: u64, mismatches: u64) -> (String, bool) {
    let number = plural(number, one, many);
    match mismatches {
        0 => (format!("{what}: {number} compared, every answer the same in all models"), false),
        _ => (format!("{what}: {number} compared, {} ANSWERED DIFFERENTLY", format::count(mismatches)), true),
    }
}

/// How models came to their declared ends, in a line each.
pub(super) fn ends(scenario: &ScenarioRecord) -> Vec<String> {
    scenario.models.iter().filter_map(|model| Some(end(&model.name, model.ended.as_ref()?))).collect()
}

fn end(model: &str, end: &EndRecord) -> String {
    let (when, EndRecord { error, operation, message, .. }) = (end.when(), end);
    let mut said = format!("{model} came to its declared end {when}: {operation} met {error} ({message})");
    if let Some(held) = end.held {
        let documents = plural(held.documents, "document", "documents");
        let (bytes, largest) = (format::bytes(held.data_bytes), format::count(held.largest_document_bytes.get()));
        said.push_str(&format!("; it held {documents} of {bytes} then, the largest of {largest} bytes"));
    }
    said
}

/// What query and index alone bring, an entry per operation for which that is known.
pub(super) fn tuning(scenario: &ScenarioRecord) -> Vec<String> {
    let Some(pattern) = Cast::of(&scenario.models).pattern else { return Vec::new() };
    let mut said = Vec::new();
    for operation in operations_shown(scenario) {
        let metrics = scenario.analysis.operations.get(operation).into_iter().flatten();
        for (metric, share) in metrics.filter_map(|(metric, comparison)| Some((metric, comparison.tuning_share?))) {
            said.push(format!(
                "{operation}: {} of {}'s {metric} speed-up (on the log scale) comes from query and index alone (tuned)",
                format::share(share),
                pattern.name
            ));
        }
    }
    said
}
