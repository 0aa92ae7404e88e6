//! A scenario at two sizes of its data, to see how the cost of its operations grows.

use std::sync::Arc;

use bson::Bson;

use super::error::PlanError;
use super::options::RunOptions;
use super::parameters::{number, resolve_parameters};
use super::profile::LightLoadTimes;
use super::resolve::{Plan, plan_scenario};
use crate::scenario::{Growth, Model, Scenario};
use crate::words::{DataState, Mode, Role};

/// How much larger the larger data are.
pub const GROWN_BY: f64 = 10.0;
/// A parameter that its bounds keep below this factor does not grow enough to show anything.
const GROWN_AT_LEAST: f64 = 2.0;
/// Rounds of each size.
const ROUNDS: u32 = 5;
/// Times that each operation is done per round: what a median needs, and some more.
const EACH: u64 = 32;

/// A workload of a scenario at two sizes: closed load of one worker, every operation as often as every other.
#[derive(Debug, Clone)]
pub struct Sizes {
    /// The parameter that is grown.
    pub parameter: String,
    /// Its values, the smaller first.
    pub values: [Bson; 2],
    /// Whether its upper bound, not the factor, decides the larger value.
    pub bounded: bool,
    /// The plan over the smaller data.
    pub small: Plan,
    /// The plan over the larger data.
    pub large: Plan,
}

/// What there is to grow of a scenario.
#[derive(Debug, Clone)]
pub struct Growable {
    /// Each parameter under each workload that has operations of its own.
    pub sizes: Vec<Sizes>,
    /// Why a parameter cannot be grown, and why none can.
    pub refused: Vec<String>,
}

/// Plans a scenario at two sizes: of each parameter that a model's operation is linear in, else of the first that the
/// scenario sweeps.
///
/// # Errors
/// Whatever of the options does not fit the scenario.
pub fn plan_sizes(scenario: &Arc<Scenario>, options: &RunOptions) -> Result<Growable, PlanError> {
    let mut growable = Growable { sizes: Vec::new(), refused: Vec::new() };
    let parameters = grown(scenario);
    if parameters.is_empty() {
        let why = "no operation is linear in a parameter, and no parameter is swept: there is nothing to grow";
        growable.refused.push(why.to_owned());
    }
    let now = resolve_parameters(scenario, options.profile, &options.set)?;
    for parameter in parameters {
        let value = now.get(&parameter).cloned().unwrap_or(Bson::Null);
        match larger(scenario, &parameter, &value) {
            Err(why) => growable.refused.push(why),
            Ok((large, bounded)) => {
                let values = [value, large];
                growable.sizes.extend(at_sizes(scenario, options, &parameter, &values, bounded)?);
            }
        }
    }
    Ok(growable)
}

/// The parameters that are grown, in the order met.
fn grown(scenario: &Scenario) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    for operation in scenario.models.iter().flat_map(|model| model.operations.values()) {
        if let Some(Growth::Linear { parameter }) = &operation.growth
            && !named.contains(parameter)
        {
            named.push(parameter.clone());
        }
    }
    if named.is_empty() {
        named.extend(scenario.sweep.first().map(|(parameter, _)| parameter.clone()));
    }
    named
}

/// The larger value of a parameter, and whether its bound decides it.
fn larger(scenario: &Scenario, parameter: &str, value: &Bson) -> Result<(Bson, bool), String> {
    let most = scenario.parameters.iter().find(|known| known.name == parameter).and_then(|known| known.max);
    let Some(now) = number(value).filter(|now| *now > 0.0) else {
        return Err(format!("parameter {parameter} is {value}, which cannot be multiplied"));
    };
    let wanted = now * GROWN_BY;
    let (large, bounded) = most.filter(|most| *most < wanted).map_or((wanted, false), |most| (most, true));
    if large < now * GROWN_AT_LEAST {
        return Err(format!("parameter {parameter} is {value} and at most {large}: it cannot be grown"));
    }
    Ok((like(value, large), bounded))
}

/// A number of the same kind as another.
fn like(value: &Bson, number: f64) -> Bson {
    match value {
        Bson::Double(_) => Bson::Double(number),
        _ => {
            let whole = number as i64;
            i32::try_from(whole).map_or(Bson::Int64(whole), Bson::Int32)
        }
    }
}

/// The workloads at both sizes, those left out whose operations an earlier one has.
fn at_sizes(
    scenario: &Arc<Scenario>,
    options: &RunOptions,
    parameter: &str,
    values: &[Bson; 2],
    bounded: bool,
) -> Result<Vec<Sizes>, PlanError> {
    let [small, large] = [("1x", &values[0]), ("10x", &values[1])]
        .map(|(suffix, value)| plan_scenario(&evened(scenario, suffix), &study_options(options, parameter, value)));
    let mut seen: Vec<String> = Vec::new();
    let mut sizes = Vec::new();
    for (small, large) in small?.into_iter().zip(large?) {
        let names: Vec<String> = small.workload().operations.iter().map(|known| known.name.clone()).collect();
        if names.iter().all(|name| seen.contains(name)) {
            continue;
        }
        let operations = EACH * names.len() as u64;
        let sized = |plan: Plan| Plan { operations: Some(operations), light_load: none(&plan), ..plan };
        let (small, large) = (sized(small), sized(large));
        seen.extend(names);
        let (parameter, values) = (parameter.to_owned(), values.clone());
        sizes.push(Sizes { parameter, values, bounded, small, large });
    }
    Ok(sizes)
}

/// No rounds at light load: one worker is light load.
fn none(plan: &Plan) -> LightLoadTimes {
    LightLoadTimes { rounds: 0, ..plan.light_load }
}

/// The scenario under another name, so that both sizes have databases of their own, with every operation as often as every
/// other and data that are not loaded anew.
fn evened(scenario: &Scenario, suffix: &str) -> Arc<Scenario> {
    let mut evened = scenario.clone();
    evened.name = format!("{}-{suffix}", scenario.name);
    evened.claims.clear();
    for workload in &mut evened.workloads {
        workload.state = Some(DataState::Growing);
        workload.operations.iter_mut().for_each(|operation| operation.weight = 1.0);
    }
    Arc::new(evened)
}

fn study_options(options: &RunOptions, parameter: &str, value: &Bson) -> RunOptions {
    let mut set = options.set.clone();
    set.push((parameter.to_owned(), value.to_string()));
    RunOptions {
        set,
        mode: Some(Mode::Closed),
        rate: None,
        concurrency: Some(1),
        rounds: Some(ROUNDS),
        restarts: 1,
        control: false,
        ..options.clone()
    }
}

impl Sizes {
    /// The plan of one model over the smaller data and over the larger.
    pub fn of_model(&self, place: usize) -> [Plan; 2] {
        [&self.small, &self.large].map(|plan| plan.of_models(vec![place]))
    }

    /// The plan in which a model over the larger data (in the role of naive) is compared with itself over the smaller.
    pub fn pair(&self, place: usize) -> Plan {
        let mut scenario = (*self.small.scenario).clone();
        let model = &self.small.scenario.models[place];
        let larger = Model { name: format!("{}-10x", model.name), role: Role::Naive, ..model.clone() };
        scenario.models = vec![larger, Model { role: Role::Pattern, ..model.clone() }];
        Plan { scenario: Arc::new(scenario), ..self.small.clone() }.of_models(vec![0, 1])
    }
}
