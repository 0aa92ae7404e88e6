//! What the record says of a scenario before anything was measured.

use std::collections::BTreeMap;

use bson::Bson;
use serde_json::Value;

use crate::plan::{Plan, profile_parameters};
use crate::record::{
    AnalysisRecord, ClaimRecord, DeclaredOperation, ExpectationRecord, ModelOperationRecord, ModelRecord,
    ScenarioRecord,
};
use crate::scenario::{Bound, Claim, Expectation, Model, Operation};

/// The record of a plan that has not been carried out yet.
pub(super) fn scenario(plan: &Plan, dataset_sha256: String, stream_sha256: String) -> ScenarioRecord {
    let scenario = &plan.scenario;
    ScenarioRecord {
        name: scenario.name.clone(),
        title: scenario.title.clone(),
        summary: scenario.summary.clone(),
        workload: plan.workload().name.clone(),
        complete: false,
        not_measurable: None,
        file_sha256: scenario.file_sha256.clone(),
        parameters: relaxed(&plan.parameters),
        seed: plan.seed,
        dataset_sha256,
        stream_sha256,
        plan: plan.record(),
        declared: declared(plan),
        parity: None,
        closing_parity: None,
        calibration: BTreeMap::new(),
        models: plan.models().map(|model| of_model(plan, model)).collect(),
        rounds: Vec::new(),
        events: Vec::new(),
        analysis: AnalysisRecord::default(),
        claims: claims(plan),
    }
}

/// What the file says of the workload's operations.
fn declared(plan: &Plan) -> BTreeMap<String, DeclaredOperation> {
    let expected = |name: &str| plan.scenario.expect.iter().find(|(known, _)| known == name);
    let declared = |operation: &Operation| DeclaredOperation {
        kind: plan.scenario.kind_of(&operation.name),
        expect: expected(&operation.name).map(|(_, expectation)| of_expectation(*expectation)),
    };
    let operations = plan.workload().operations.iter();
    operations.map(|operation| (operation.name.clone(), declared(operation))).collect()
}

fn of_expectation(expectation: Expectation) -> ExpectationRecord {
    match expectation {
        Expectation::Faster => ExpectationRecord::Faster,
        Expectation::Slower => ExpectationRecord::Slower,
        Expectation::Equal => ExpectationRecord::Equal,
        Expectation::Depends => ExpectationRecord::Depends,
        Expectation::Between(least, most) => ExpectationRecord::Ratio(least, most),
    }
}

fn of_model(plan: &Plan, model: &Model) -> ModelRecord {
    let operation = |name: &str| ModelOperationRecord {
        growth: model.operations.get(name).and_then(|operation| operation.growth.as_ref()).map(ToString::to_string),
        ..ModelOperationRecord::default()
    };
    let operations = &plan.workload().operations;
    ModelRecord {
        name: model.name.clone(),
        role: model.role,
        title: model.title.clone(),
        skipped: None,
        ended: None,
        load: None,
        storage: None,
        collections: Vec::new(),
        sizes: Vec::new(),
        index_use: None,
        operations: operations.iter().map(|known| (known.name.clone(), operation(&known.name))).collect(),
    }
}

/// The claims that speak of this workload's operations. One that names no parameters speaks of the defaults.
fn claims(plan: &Plan) -> Vec<ClaimRecord> {
    let speaks_of_it = |claim: &&Claim| {
        claim.operation == "all" || plan.workload().operations.iter().any(|op| op.name == claim.operation)
    };
    plan.scenario.claims.iter().filter(speaks_of_it).map(|claim| of_claim(plan, claim)).collect()
}

fn of_claim(plan: &Plan, claim: &Claim) -> ClaimRecord {
    let (wanted, at_least, at_most) = match claim.bound {
        Bound::AtLeast(low) => (format!("≥ {}", low.get()), Some(low), None),
        Bound::AtMost(high) => (format!("≤ {}", high.get()), None, Some(high)),
        Bound::Between(low, high) => (format!("{} … {}", low.get(), high.get()), Some(low), Some(high)),
    };
    ClaimRecord {
        operation: claim.operation.clone(),
        metric: claim.metric,
        wanted,
        at_least,
        at_most,
        at: relaxed(&claimed_at(plan, claim)),
        measured: None,
        light_load: None,
        low: None,
        high: None,
        outcome: None,
        reason: None,
        source: claim.source.clone(),
    }
}

/// The parameters under which a claim is made: those it names; else the profile's values of those that `--set` changed.
fn claimed_at(plan: &Plan, claim: &Claim) -> BTreeMap<String, Bson> {
    if !claim.at.is_empty() {
        return claim.at.clone();
    }
    let usual = profile_parameters(&plan.scenario, plan.profile).into_iter();
    usual.filter(|(name, usual)| plan.parameters.get(name).is_some_and(|here| here != usual)).collect()
}

fn relaxed(values: &BTreeMap<String, Bson>) -> BTreeMap<String, Value> {
    values.iter().map(|(name, value)| (name.clone(), value.clone().into_relaxed_extjson())).collect()
}
