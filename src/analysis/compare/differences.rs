//! What differs between two runs besides their figures, and whether that makes them incomparable.

use std::collections::BTreeSet;

use serde_json::Value;

use super::pair::{heading, key};
use crate::record::{Client, DifferenceRecord, PlanRecord, RunRecord, ScenarioRecord, Server};
use crate::units::Bytes;
use crate::words::{Sameness, ServerSource};

/// Characters of a hash that tell two apart.
const HASH: usize = 12;

/// Memory that differs by less is the same: what a system reserves for itself varies.
const SAME_MEMORY: f64 = 0.02;

/// Everything that differs between two runs besides their figures: of server and machines, and of each scenario that both
/// have. Without a word of [`Sameness`] it is but a warning.
pub fn differences(base: &RunRecord, new: &RunRecord) -> Vec<DifferenceRecord> {
    let mut found = Found { scenario: None, found: Vec::new() };
    server(&mut found, base, new);
    found.warn("patternbench", Some(base.tool.version.clone()), Some(new.tool.version.clone()));
    for scenario in &new.scenarios {
        if let Some(before) = base.scenarios.iter().find(|before| key(before) == key(scenario)) {
            found.scenario = Some(heading(new, scenario));
            of_scenario(&mut found, before, scenario);
        }
    }
    found.found
}

/// Collects what differs.
struct Found {
    scenario: Option<String>,
    found: Vec<DifferenceRecord>,
}

impl Found {
    fn tell(&mut self, sameness: Option<Sameness>, what: &str, base: Option<String>, new: Option<String>) {
        if base != new {
            self.found.push(DifferenceRecord {
                sameness,
                scenario: self.scenario.clone(),
                what: what.to_owned(),
                base,
                new,
            });
        }
    }

    /// Something that must be the same.
    fn must(&mut self, sameness: Sameness, what: &str, base: impl ToString, new: impl ToString) {
        self.tell(Some(sameness), what, Some(base.to_string()), Some(new.to_string()));
    }

    /// The same where it need not be set.
    fn may_be_set<T: ToString>(&mut self, sameness: Sameness, what: &str, base: Option<T>, new: Option<T>) {
        self.tell(Some(sameness), what, base.map(|it| it.to_string()), new.map(|it| it.to_string()));
    }

    fn warn(&mut self, what: &str, base: Option<String>, new: Option<String>) {
        self.tell(None, what, base, new);
    }
}

fn server(found: &mut Found, base: &RunRecord, new: &RunRecord) {
    let (before, now) = (&base.server, &new.server);
    found.must(Sameness::Server, "server product", before.product, now.product);
    found.must(Sameness::Version, "server version", &before.version, &now.version);
    hosts(found, base, new);
    found.must(Sameness::Settings, "topology", before.topology, now.topology);
    found.may_be_set(Sameness::Settings, "storage engine", before.storage_engine.as_ref(), now.storage_engine.as_ref());
    found.may_be_set(Sameness::Settings, "server's cache", bytes(before.cache_bytes), bytes(now.cache_bytes));
    found.must(Sameness::Settings, "server's flags", before.parameters.join(" "), now.parameters.join(" "));
    found.must(Sameness::Settings, "read concern", &before.read_concern, &now.read_concern);
    found.must(Sameness::Settings, "write concern", &before.write_concern, &now.write_concern);
    let retries = |server: &Server| format!("reads {}, writes {}", server.retries.reads, server.retries.writes);
    found.must(Sameness::Settings, "retries", retries(before), retries(now));
}

/// A server that patternbench starts runs on the machine of the load generator, on whatever port is free.
fn hosts(found: &mut Found, base: &RunRecord, new: &RunRecord) {
    let is_elsewhere = |run: &RunRecord| run.server.source == ServerSource::Uri;
    let host = |run: &RunRecord| match is_elsewhere(run) {
        true => run.server.host.clone(),
        false => format!("started by patternbench ({})", machine(&run.client)),
    };
    found.must(Sameness::Host, "server's host", host(base), host(new));
    let (before, now) = (&base.client, &new.client);
    if is_elsewhere(base) || is_elsewhere(new) {
        found.warn("load generator", Some(machine(before)), Some(machine(now)));
    }
    found.warn("load generator's system", Some(before.os.clone()), Some(now.os.clone()));
    let (least, most) = (
        before.memory_bytes.get().min(now.memory_bytes.get()) as f64,
        before.memory_bytes.get().max(now.memory_bytes.get()) as f64,
    );
    if most > least * (1.0 + SAME_MEMORY) {
        found.warn("load generator's memory", bytes(Some(before.memory_bytes)), bytes(Some(now.memory_bytes)));
    }
}

fn machine(client: &Client) -> String {
    format!("{}, {} cores", client.cpu, client.cores)
}

fn bytes(bytes: Option<Bytes>) -> Option<String> {
    bytes.map(|bytes| format!("{} MiB", bytes.get() >> 20))
}

fn of_scenario(found: &mut Found, base: &ScenarioRecord, new: &ScenarioRecord) {
    let before = found.found.len();
    found.must(Sameness::Scenario, "scenario file", hash(&base.file_sha256), hash(&new.file_sha256));
    let names: BTreeSet<&String> = base.parameters.keys().chain(new.parameters.keys()).collect();
    for name in names {
        let value = |scenario: &ScenarioRecord| scenario.parameters.get(name).map(Value::to_string);
        found.tell(Some(Sameness::Parameters), &format!("parameter {name}"), value(base), value(new));
    }
    found.must(Sameness::Seed, "seed", base.seed, new.seed);
    if found.found.len() == before {
        // What the three above decide is told by them; only documents of one's own can differ besides.
        found.must(Sameness::Dataset, "dataset", hash(&base.dataset_sha256), hash(&new.dataset_sha256));
    }
    load(found, &base.plan, &new.plan);
}

fn hash(hash: &str) -> String {
    hash.chars().take(HASH).collect()
}

fn load(found: &mut Found, base: &PlanRecord, new: &PlanRecord) {
    found.must(Sameness::Load, "load", base.mode, new.mode);
    found.must(Sameness::Load, "workers under closed load", base.concurrency, new.concurrency);
    found.may_be_set(Sameness::Load, "arrivals", base.arrivals, new.arrivals);
    found.must(Sameness::Load, "isolation", base.isolation, new.isolation);
    let cache = |plan: &PlanRecord| plan.cache.and_then(|cache| bytes(Some(cache.asked)));
    found.tell(Some(Sameness::Load), "cache asked for", cache(base), cache(new));
    found.may_be_set(Sameness::Load, "control of", base.control.as_ref(), new.control.as_ref());
    let without = |plan: &PlanRecord| plan.without_transactions.clone();
    found.tell(Some(Sameness::Load), "transactions made without being such", without(base), without(new));
}
