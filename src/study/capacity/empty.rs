//! The record of a study before its first window, and whether one can go on from another's.

use std::collections::BTreeMap;

use bson::Bson;

use crate::plan::Plan;
use crate::record::{self, CAPACITY_SCHEMA, CapacityRecord, Objective, Server, Tool};
use crate::run::this_machine;

/// The record of a study that has just begun.
pub fn capacity_begun(plan: &Plan, server: Server, objective: Objective, label: Option<String>) -> CapacityRecord {
    let value = |value: &Bson| value.clone().into_relaxed_extjson();
    let parameters: BTreeMap<_, _> =
        plan.parameters.iter().map(|(name, bson)| (name.to_owned(), value(bson))).collect();
    CapacityRecord {
        schema: CAPACITY_SCHEMA.to_owned(),
        tool: Tool { version: env!("CARGO_PKG_VERSION").to_owned() },
        complete: false,
        started_at: record::now(),
        finished_at: None,
        resumed_at: Vec::new(),
        label,
        profile: plan.profile,
        server,
        client: this_machine(),
        scenario: plan.scenario.name.clone(),
        title: plan.scenario.title.clone(),
        workload: plan.workload().name.clone(),
        file_sha256: plan.scenario.file_sha256.clone(),
        dataset_sha256: None,
        parameters,
        seed: plan.seed,
        objective,
        arrivals: plan.arrivals,
        workers: None,
        growing: plan.grows_along(),
        models: Vec::new(),
        events: Vec::new(),
    }
}

/// Why a study cannot go on from this record, given the one that it would begin with: the first difference.
pub fn capacity_refusal(earlier: &CapacityRecord, now: &CapacityRecord) -> Option<String> {
    let differ = |what: &str, then: String, now: String| {
        (then != now).then(|| format!("its {what} was {then}, and now is {now}"))
    };
    let product = |server: &Server| format!("{} {} ({})", server.product, server.version, server.source);
    let objective = |record: &CapacityRecord| {
        let Objective { latencies, errors, operation, hold, .. } = &record.objective;
        let bounds: Vec<String> =
            latencies.iter().map(|(metric, bound)| format!("{metric}={}ms", bound.get() / 1e3)).collect();
        let operation = operation.as_deref().unwrap_or("the whole mix");
        format!("{} of {operation}, errors {}, held {} s", bounds.join(","), errors.get(), hold.get())
    };
    let parameters = |record: &CapacityRecord| {
        let all: Vec<String> = record.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        all.join(" ")
    };
    differ("scenario", earlier.scenario.clone(), now.scenario.clone())
        .or_else(|| differ("scenario file", earlier.file_sha256.clone(), now.file_sha256.clone()))
        .or_else(|| differ("workload", earlier.workload.clone(), now.workload.clone()))
        .or_else(|| differ("parameters", parameters(earlier), parameters(now)))
        .or_else(|| differ("seed", earlier.seed.to_string(), now.seed.to_string()))
        .or_else(|| differ("profile", earlier.profile.to_string(), now.profile.to_string()))
        .or_else(|| differ("objective", objective(earlier), objective(now)))
        .or_else(|| differ("arrivals", earlier.arrivals.to_string(), now.arrivals.to_string()))
        .or_else(|| differ("server", product(&earlier.server), product(&now.server)))
}
