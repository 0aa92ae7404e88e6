//! Whether the cost of operations grows as the scenario's author says.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::analysis::grown;
use crate::guard::Consent;
use crate::plan::{Growable, PlanError, RunOptions, Sizes, plan_sizes};
use crate::record::{
    self, GROWTH_SCHEMA, GrownModelRecord, GrownOperationRecord, GrownScenarioRecord, GrowthStudyRecord,
    ScenarioRecord, Tool,
};
use crate::run::{
    Interrupt, Listener, RunError, SizedModel, SizedOutcome, SizesFinish, SizesRequest, run_sizes, this_machine,
};
use crate::scenario::Scenario;
use crate::server::RunningServer;

/// What is looked at.
#[derive(Debug)]
pub struct GrowthRequest<'a> {
    /// The server; it is stopped afterwards where patternbench started it.
    pub server: &'a RunningServer,
    /// What the user has agreed to.
    pub consent: Consent,
    /// What the user asked for: profile, parameters, models and seed count.
    pub options: RunOptions,
    /// The scenarios, in this order.
    pub scenarios: Vec<Arc<Scenario>>,
}

/// Measures each model of each scenario over its data and over ten times as many, in interleaved rounds, and marks
/// operations that are declared constant and are not. Answers with what was found and what went wrong.
///
/// # Errors
/// Options that do not fit a scenario, before anything is touched.
pub async fn verify_growth(
    request: &GrowthRequest<'_>,
    listener: &mut dyn Listener,
    interrupt: Interrupt,
) -> Result<(GrowthStudyRecord, Vec<RunError>), PlanError> {
    let mut study = empty(request);
    let mut sizes = Vec::new();
    for scenario in &request.scenarios {
        let Growable { sizes: of_scenario, refused } = plan_sizes(scenario, &request.options)?;
        study.scenarios.extend(of_scenario.iter().map(|sizes| entry(scenario, sizes)));
        study.scenarios.extend(refused.into_iter().map(|why| refusal(scenario, why)));
        sizes.extend(of_scenario);
    }
    let asked = SizesRequest {
        server: request.server,
        consent: request.consent.clone(),
        ends: true,
        options: request.options.clone(),
        sizes,
    };
    let SizesFinish { measured, error } = run_sizes(&asked, listener, interrupt).await;
    let mut errors = Vec::new();
    let entries = study.scenarios.iter_mut().filter(|scenario| scenario.reason.is_none());
    for ((entry, sizes), models) in entries.zip(&asked.sizes).zip(measured) {
        entry.models = models.into_iter().map(|model| of_model(sizes, model, &mut errors)).collect();
    }
    errors.extend(error);
    study.complete = errors.is_empty();
    Ok((study, errors))
}

fn empty(request: &GrowthRequest<'_>) -> GrowthStudyRecord {
    GrowthStudyRecord {
        schema: GROWTH_SCHEMA.to_owned(),
        tool: Tool { version: env!("CARGO_PKG_VERSION").to_owned() },
        complete: false,
        started_at: record::now(),
        profile: request.options.profile,
        seed: request.options.seed,
        server: request.server.facts().record(None),
        client: this_machine(),
        scenarios: Vec::new(),
    }
}

fn entry(scenario: &Scenario, sizes: &Sizes) -> GrownScenarioRecord {
    let [small, large] = sizes.values.clone().map(bson::Bson::into_relaxed_extjson);
    GrownScenarioRecord {
        name: scenario.name.clone(),
        workload: Some(sizes.small.workload().name.clone()),
        file_sha256: scenario.file_sha256.clone(),
        parameter: Some(sizes.parameter.clone()),
        small,
        large,
        bounded: sizes.bounded,
        reason: None,
        models: Vec::new(),
    }
}

/// An entry in place of one that could not be planned.
fn refusal(scenario: &Scenario, why: String) -> GrownScenarioRecord {
    GrownScenarioRecord {
        name: scenario.name.clone(),
        workload: None,
        file_sha256: scenario.file_sha256.clone(),
        parameter: None,
        small: serde_json::Value::Null,
        large: serde_json::Value::Null,
        bounded: false,
        reason: Some(why),
        models: Vec::new(),
    }
}

fn of_model(sizes: &Sizes, measured: SizedModel, errors: &mut Vec<RunError>) -> GrownModelRecord {
    let SizedModel { name, role, outcome } = measured;
    let (skipped, operations) = match outcome {
        SizedOutcome::Measured(record) => (None, operations(sizes, &name, &record)),
        SizedOutcome::Skipped(why) => (Some(why), BTreeMap::new()),
        SizedOutcome::Failed(error) => {
            let why = error.to_string();
            errors.push(error);
            (Some(why), BTreeMap::new())
        }
    };
    GrownModelRecord { name, role, skipped, operations }
}

/// What was found of each operation of the workload, counted ones aside.
fn operations(sizes: &Sizes, model: &str, record: &ScenarioRecord) -> BTreeMap<String, GrownOperationRecord> {
    let known = sizes.small.models().find(|known| known.name == model);
    let declared = |operation: &str| {
        let growth = known?.operations.get(operation)?.growth.as_ref()?;
        Some(growth.to_string())
    };
    let timed = sizes.small.workload().operations.iter().filter(|operation| !operation.counted_only);
    timed
        .map(|operation| {
            let name = operation.name.clone();
            let found = grown(record, &name, declared(&name).as_deref());
            (name, found)
        })
        .collect()
}
