//! `patternbench schema`.

use super::args::SchemaArgs;
use super::exit::{Exit, Failure};
use super::output;
use crate::record::{CapacityRecord, CompareRecord, RunRecord, SweepRecord, TrendRecord};
use crate::scenario;

/// Prints a JSON Schema.
///
/// # Errors
/// Where the output cannot be written.
pub(super) fn run(args: &SchemaArgs) -> Result<Exit, Failure> {
    let schema = match args.of.as_str() {
        "scenario" => scenario::scenario_schema(),
        "compare" => schemars::schema_for!(CompareRecord).to_value(),
        "trend" => schemars::schema_for!(TrendRecord).to_value(),
        "sweep" => schemars::schema_for!(SweepRecord).to_value(),
        "capacity" => schemars::schema_for!(CapacityRecord).to_value(),
        _ => schemars::schema_for!(RunRecord).to_value(),
    };
    output::print(&format!("{schema:#}\n"))?;
    Ok(Exit::Done)
}
