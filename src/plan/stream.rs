//! The fingerprint of what the operations ask.

use bson::{Bson, Document};
use sha2::{Digest as _, Sha256};

use super::error::PlanError;
use super::resolve::Plan;
use crate::value::{Names, RenderError};

/// How many operation numbers of the measured range the fingerprint covers.
pub const STREAM_LENGTH: u64 = 10_000;

/// SHA-256 (hexadecimal) over operation and arguments of the first [`STREAM_LENGTH`] numbers of the measured range, in
/// canonical BSON. It depends on scenario, workload, parameters and seed, and on nothing else: not on rate, rounds or
/// workers. `arguments` renders the arguments of an operation (its place in the workload) at a number.
///
/// # Errors
/// The first argument that cannot be rendered.
pub fn stream_sha256(
    plan: &Plan,
    arguments: impl Fn(usize, u64) -> Result<Names, RenderError>,
) -> Result<String, PlanError> {
    let operations = &plan.workload().operations;
    let first = plan.measured_from();
    let mut digest = Sha256::new();
    for number in first..first + STREAM_LENGTH {
        let place = plan.mix.operation(number);
        let operation = &operations[place];
        let failed = |source| PlanError::Arguments {
            scenario: plan.scenario.name.clone(),
            operation: operation.name.clone(),
            number,
            source,
        };
        let names = arguments(place, number).map_err(failed)?;
        let mut rendered = Document::new();
        rendered.insert("operation", operation.name.as_str());
        for ((name, _), value) in operation.args.iter().zip(names.values) {
            rendered.insert(name.as_str(), value.unwrap_or(Bson::Null));
        }
        let bytes = rendered.to_vec().map_err(|error| failed(RenderError { message: error.to_string() }))?;
        digest.update(bytes);
    }
    Ok(hexadecimal(&digest.finalize()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
