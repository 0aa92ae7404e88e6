//! Rows that this server executes unlike mongod.

use super::analyse::{ALL, operations};
use crate::record::{ModelRecord, ScenarioRecord};

/// Why the server executes an operation of a model unlike mongod, if it does; the whole mix is limited by any of its
/// operations, whose name then stands before the reason.
pub fn engine_limited(scenario: &ScenarioRecord, model: &ModelRecord, operation: &str) -> Option<String> {
    let reason = |operation: &str| model.operations.get(operation)?.engine_limited.clone();
    if operation != ALL {
        return reason(operation);
    }
    operations(scenario).into_iter().find_map(|operation| Some(format!("{operation}: {}", reason(operation)?)))
}
