//! Claims that name a value of a swept parameter.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::claims::same;
use crate::record::{AxisRecord, ClaimRecord, RunRecord, SweptClaimRecord};
use crate::words::SweepAxis;

/// Keeps what a point's run says of the claims that name a value of the axis: of one that names this point's value, what
/// was found; of others, that no point has been at their value yet.
pub fn keep_claims(claims: &mut Vec<SweptClaimRecord>, axis: &AxisRecord, folder: &str, run: &RunRecord) {
    if axis.kind != SweepAxis::Parameter {
        return;
    }
    for scenario in &run.scenarios {
        for claim in scenario.claims.iter().filter(|claim| names_axis(claim, axis)) {
            let is_here = speaks_of(claim, &scenario.parameters);
            let swept = SweptClaimRecord {
                run: is_here.then(|| folder.to_owned()),
                workload: scenario.workload.clone(),
                claim: claim.clone(),
            };
            let known = claims.iter().position(|known| is_same(known, &swept));
            match known {
                Some(place) if is_here => claims[place] = swept,
                Some(_) => {}
                None => claims.push(swept),
            }
        }
    }
}

fn names_axis(claim: &ClaimRecord, axis: &AxisRecord) -> bool {
    claim.at.contains_key(&axis.name) || axis.in_step.iter().any(|name| claim.at.contains_key(name))
}

fn speaks_of(claim: &ClaimRecord, parameters: &BTreeMap<String, Value>) -> bool {
    claim.at.iter().all(|(name, wanted)| parameters.get(name).is_some_and(|here| same(here, wanted)))
}

/// Whether two are the same claim, whatever was found of it.
fn is_same(one: &SweptClaimRecord, other: &SweptClaimRecord) -> bool {
    let key = |swept: &SweptClaimRecord| {
        let claim = &swept.claim;
        (swept.workload.clone(), claim.operation.clone(), claim.metric, claim.wanted.clone(), claim.source.clone())
    };
    key(one) == key(other) && one.claim.at == other.claim.at
}
