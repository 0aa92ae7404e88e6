//! Puts the plan of a scenario's workload together.

use std::sync::Arc;
use std::time::Duration;

use super::choice::LoadChoice;
use super::control::control;
use super::error::PlanError;
use super::estimate::Estimate;
use super::mix::Mix;
use super::options::{MAX_CONCURRENCY, RunOptions};
use super::order::balanced_order;
use super::parameters::{hint, parity_parameters, resolve_parameters};
use super::profile::{LightLoadTimes, ProfileTimes};
use super::ranges::Ranges;
use super::stretch::Stretch;
use super::worlds::{check_layouts, world};
use crate::record::PlanRecord;
use crate::scenario::{Model, Scenario, Workload};
use crate::server::DEFAULT_CACHE_BYTES;
use crate::units::Rate;
use crate::value::{Parameters, World};
use crate::words::{ArrivalProcess, DataState, Isolation, Mode, Profile, Role};

const MAX_ROUNDS: u32 = 1_000;
const MIN_RATE: f64 = 0.1;
/// The highest rate that is offered.
pub(super) const MAX_RATE: f64 = 1_000_000.0;
const MAX_OPERATIONS: u64 = 1_000_000_000;
const MAX_RESTARTS: u32 = 100;

/// What will be measured of a scenario under one of its workloads, fixed before the first request.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// The workload's place in the scenario.
    pub workload_index: usize,
    /// How much to measure.
    pub profile: Profile,
    /// Parameters of the measured data.
    pub parameters: Parameters,
    /// Parameters of the small data on which answers are compared.
    pub parity_parameters: Parameters,
    /// The measured data.
    pub world: Arc<World>,
    /// The small data.
    pub parity_world: Arc<World>,
    /// Places in the scenario of the models that run, in the file's order.
    pub models: Vec<usize>,
    /// Which load is asked for.
    pub load: LoadChoice,
    /// How operations come due under open load.
    pub arrivals: ArrivalProcess,
    /// Workers under closed load.
    pub concurrency: u32,
    /// Rounds, over all restarts.
    pub rounds: u32,
    /// Fresh loads that the rounds are spread over.
    pub restarts: u32,
    /// The rounds at light load, in each restart.
    pub light_load: LightLoadTimes,
    /// Whether models share a server.
    pub isolation: Isolation,
    /// Bytes of cache to ask of servers that patternbench starts, where a certain one is wanted.
    pub cache_bytes: Option<u64>,
    /// The model that is compared with itself, in a control run.
    pub control: Option<String>,
    /// How long the slower of naive and pattern should take for a window.
    pub window: Duration,
    /// How far that time may be stretched for figures that need more operations; `None` leaves it as it is.
    pub stretch: Option<Stretch>,
    /// The shortest lead-in.
    pub lead_in: Duration,
    /// Operations per round, where they were asked for by number.
    pub operations: Option<u64>,
    /// For each round, the models (places in the scenario) in the order in which they run.
    pub order: Vec<Vec<usize>>,
    /// The same for the rounds at light load.
    pub light_load_order: Vec<Vec<usize>>,
    /// Which operation a number is.
    pub mix: Mix,
    /// What all randomness follows from.
    pub seed: u64,
    /// What the workload says of its data over the run.
    pub state: Option<DataState>,
}

/// Plans every workload of a scenario, in the file's order.
///
/// # Errors
/// Whatever of the options does not fit the scenario.
pub fn plan_scenario(scenario: &Arc<Scenario>, options: &RunOptions) -> Result<Vec<Plan>, PlanError> {
    check_options(options)?;
    let (scenario, control) = match options.control {
        true => control(scenario, options.models.as_deref()).map(|(same, model)| (same, Some(model)))?,
        false => (Arc::clone(scenario), None),
    };
    let asked = if options.control { None } else { options.models.as_deref() };
    let models = chosen_models(&scenario, asked)?;
    let parameters = resolve_parameters(&scenario, options.profile, &options.set)?;
    let parity_parameters = parity_parameters(&scenario, &parameters)?;
    let world_of = |parameters: &Parameters| world(&scenario, parameters.clone(), options.seed);
    let (measured, small) = (world_of(&parameters)?, world_of(&parity_parameters)?);
    for world in [&measured, &small] {
        check_layouts(&scenario, &models, world)?;
    }
    let times = ProfileTimes::of(options.profile);
    let rounds = options.rounds.unwrap_or(times.rounds) * options.restarts;
    let light_load_rounds = times.light_load.rounds * options.restarts;
    let plan_workload = |workload_index: usize| {
        let workload = &scenario.workloads[workload_index];
        let weights: Vec<f64> = workload.operations.iter().map(|operation| operation.weight).collect();
        Plan {
            scenario: Arc::clone(&scenario),
            workload_index,
            profile: options.profile,
            parameters: parameters.clone(),
            parity_parameters: parity_parameters.clone(),
            world: Arc::clone(&measured),
            parity_world: Arc::clone(&small),
            load: load_choice(options),
            arrivals: options.arrivals,
            concurrency: options.workers(),
            rounds,
            restarts: options.restarts,
            light_load: times.light_load,
            isolation: isolation(&scenario, options),
            cache_bytes: options.cache_bytes.or(scenario.cache_bytes),
            control: control.clone(),
            window: options.round_time.unwrap_or(times.window),
            stretch: None,
            lead_in: times.lead_in,
            operations: options.operations,
            order: order_of(&models, rounds, options.seed),
            light_load_order: order_of(&models, light_load_rounds, !options.seed),
            models: models.clone(),
            mix: Mix::new(options.seed, &weights),
            seed: options.seed,
            state: workload.state,
        }
    };
    Ok((0..scenario.workloads.len()).map(plan_workload).collect())
}

impl Plan {
    /// The workload.
    pub fn workload(&self) -> &Workload {
        &self.scenario.workloads[self.workload_index]
    }

    /// The models that run, in the file's order.
    pub fn models(&self) -> impl Iterator<Item = &Model> {
        self.models.iter().map(|place| &self.scenario.models[*place])
    }

    /// The same plan for fewer models, named by their places in the scenario; their order in each round is drawn anew.
    #[must_use]
    pub fn of_models(&self, models: Vec<usize>) -> Self {
        Self {
            order: order_of(&models, self.rounds, self.seed),
            light_load_order: order_of(&models, self.light_load.rounds * self.restarts, !self.seed),
            models,
            ..self.clone()
        }
    }

    /// Whether anything happens at a point of the rounds, in any of its models; then latencies are kept by slice of a
    /// round, in all of them.
    pub fn has_events(&self) -> bool {
        self.models().any(|model| !model.events.is_empty())
    }

    /// Whether rounds are sized by this model: the naive one, and the patterns it is compared with; all of them where
    /// no pattern runs.
    pub fn sizes_rounds(&self, model: usize) -> bool {
        let role = |place: usize| self.scenario.models[place].role;
        role(model) != Role::Alternative || !self.models.iter().any(|place| role(*place) == Role::Pattern)
    }

    /// Rounds between two loads of the data.
    pub fn rounds_per_restart(&self) -> u32 {
        self.rounds / self.restarts.max(1)
    }

    /// The first number of the measured rounds.
    pub fn measured_from(&self) -> u64 {
        Ranges::measured_from(self.mix.block_length())
    }

    /// How long it will take, roughly.
    pub fn estimate(&self) -> Estimate {
        Estimate::of(self)
    }

    /// The plan as the record has it before calibration.
    pub fn record(&self) -> PlanRecord {
        let name = |place: &usize| self.scenario.models[*place].name.clone();
        PlanRecord {
            mode: if self.load == LoadChoice::Closed { Mode::Closed } else { Mode::Open },
            mode_reason: None,
            concurrency: self.concurrency,
            rate: self.load.rate(),
            arrivals: (self.load != LoadChoice::Closed).then_some(self.arrivals),
            open_workers: None,
            rounds: self.rounds,
            restarts: self.restarts,
            light_load_rounds: self.light_load.rounds * self.restarts,
            control: self.control.clone(),
            operations_per_round: self.operations,
            lead_in_operations: None,
            order: self.order.iter().map(|round| round.iter().map(name).collect()).collect(),
            state: self.state.unwrap_or(DataState::Steady),
            state_reason: None,
            growth: Vec::new(),
            isolation: self.isolation,
            without_transactions: None,
            cache: None,
            mix: self
                .workload()
                .operations
                .iter()
                .map(|operation| (operation.name.clone(), operation.weight))
                .collect(),
        }
    }
}

fn check_options(options: &RunOptions) -> Result<(), PlanError> {
    if options.mode == Some(Mode::Closed) && options.rate.is_some() {
        return Err(PlanError::Contradiction {
            what: "--rate is the rate of open load; leave it or --mode closed out",
        });
    }
    if options.mode == Some(Mode::Closed) && options.arrivals != ArrivalProcess::Constant {
        return Err(PlanError::Contradiction { what: "--arrivals speaks of open load; leave it or --mode closed out" });
    }
    let between = |option, value: u64, high: u64| {
        if (1..=high).contains(&value) {
            return Ok(());
        }
        Err(PlanError::OutOfRange { option, value: value.to_string(), low: "1".to_owned(), high: high.to_string() })
    };
    between("--concurrency", u64::from(options.workers()), u64::from(MAX_CONCURRENCY))?;
    between("--rounds", u64::from(options.rounds.unwrap_or(1)), u64::from(MAX_ROUNDS))?;
    between("--restarts", u64::from(options.restarts), u64::from(MAX_RESTARTS))?;
    check_rate(options.rate)?;
    between("--operations", options.operations.unwrap_or(1), MAX_OPERATIONS)
}

fn check_rate(rate: Option<Rate>) -> Result<(), PlanError> {
    let Some(rate) = rate.map(Rate::get) else { return Ok(()) };
    if (MIN_RATE..=MAX_RATE).contains(&rate) {
        return Ok(());
    }
    let (low, high) = (MIN_RATE.to_string(), MAX_RATE.to_string());
    Err(PlanError::OutOfRange { option: "--rate", value: rate.to_string(), low, high })
}

fn load_choice(options: &RunOptions) -> LoadChoice {
    match (options.mode, options.rate) {
        (Some(Mode::Closed), _) => LoadChoice::Closed,
        (Some(Mode::Open), rate) | (None, rate @ Some(_)) => LoadChoice::Open { rate },
        (None, None) => LoadChoice::Auto,
    }
}

/// The models that run: those asked for and the naive one, or all.
fn chosen_models(scenario: &Scenario, asked: Option<&[String]>) -> Result<Vec<usize>, PlanError> {
    let Some(asked) = asked else {
        return Ok((0..scenario.models.len()).collect());
    };
    let names = || scenario.models.iter().map(|model| model.name.as_str());
    if let Some(unknown) = asked.iter().find(|asked| !names().any(|name| name == asked.as_str())) {
        return Err(PlanError::UnknownModel {
            scenario: scenario.name.clone(),
            name: unknown.clone(),
            hint: hint(unknown, names()),
        });
    }
    let runs = |model: &Model| model.role == Role::Naive || asked.contains(&model.name);
    let chosen: Vec<usize> = (0..scenario.models.len()).filter(|place| runs(&scenario.models[*place])).collect();
    if let [only] = chosen[..] {
        let model = scenario.models[only].name.clone();
        let others: Vec<&str> = names().filter(|name| *name != model).collect();
        return Err(PlanError::OneModel { scenario: scenario.name.clone(), others: others.join(", "), model });
    }
    Ok(chosen)
}

/// With a smaller cache than usual, one model's pages would push out another's: each then has a server of its own.
fn isolation(scenario: &Scenario, options: &RunOptions) -> Isolation {
    let cache = options.cache_bytes.or(scenario.cache_bytes);
    if cache.is_some_and(|bytes| bytes < DEFAULT_CACHE_BYTES) {
        return Isolation::Process;
    }
    options.isolation.unwrap_or(scenario.isolation)
}

fn order_of(models: &[usize], rounds: u32, seed: u64) -> Vec<Vec<usize>> {
    let of_places = balanced_order(models.len(), rounds, seed);
    of_places.into_iter().map(|round| round.into_iter().map(|place| models[place]).collect()).collect()
}
