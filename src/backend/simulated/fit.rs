//! Whether a simulation fits the scenarios that are to be measured on it.

use std::collections::BTreeSet;

use super::simulation::CONTROL;
use super::{Behaviour, Simulation};
use crate::scenario::Scenario;
use crate::source::{Problem, Problems, Span, nearest};

impl Simulation {
    /// Checks that it says of every operation of every model how it behaves, and names nothing that the scenarios lack.
    ///
    /// # Errors
    /// Everything that does not fit.
    pub fn fit(&self, scenarios: &[&Scenario]) -> Result<(), Problems> {
        let mut problems = Problems::default();
        let known = Known::of(scenarios);
        for model in &self.models {
            let of_control = model.name.strip_suffix(CONTROL).is_some_and(|name| known.models.contains(name));
            if !of_control && !known.models.contains(model.name.as_str()) {
                problems.push(unknown("model", &model.name, model.place, &known.models));
            }
            for operation in &model.operations {
                if !known.operations.contains(operation.name.as_str()) {
                    problems.push(unknown("operation", &operation.name, operation.place, &known.operations));
                }
            }
        }
        for behaviour in self.behaviours() {
            if let Some(grows) =
                behaviour.grows.as_ref().filter(|grows| !known.parameters.contains(grows.parameter.as_str()))
            {
                problems.push(unknown("parameter", &grows.parameter, grows.place, &known.parameters));
            }
        }
        for scenario in scenarios {
            self.missing(scenario, &mut problems);
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Everything that is declared.
    fn behaviours(&self) -> impl Iterator<Item = &Behaviour> {
        let of_models = self.models.iter().flat_map(|model| {
            model.default.iter().chain(model.operations.iter().map(|operation| &operation.behaviour))
        });
        self.default.iter().chain(of_models)
    }

    /// What a scenario needs and the file does not say.
    fn missing(&self, scenario: &Scenario, problems: &mut Problems) {
        let names: BTreeSet<&str> = operations(scenario).collect();
        for model in &scenario.models {
            let missing: Vec<&str> =
                names.iter().copied().filter(|operation| self.behaviour(&model.name, operation).is_none()).collect();
            if missing.is_empty() {
                continue;
            }
            let place = self.models.iter().find(|declared| declared.name == model.name).map(|declared| declared.place);
            let message = format!("model `{}` has no latency for {}", model.name, missing.join(", "));
            let help = format!(
                "name it under `models: {{{}: {{{}: {{latency: …}}}}}}`, or say how all that is not named behaves: \
                 `default: {{latency: {{constant: 5ms}}}}`",
                model.name, missing[0]
            );
            problems.push(Problem::new(place.unwrap_or(Span::default()), message).help(help));
        }
    }
}

/// The names that scenarios have.
struct Known<'a> {
    models: BTreeSet<&'a str>,
    operations: BTreeSet<&'a str>,
    parameters: BTreeSet<&'a str>,
}

impl<'a> Known<'a> {
    fn of(scenarios: &[&'a Scenario]) -> Self {
        let models = scenarios.iter().flat_map(|scenario| &scenario.models);
        Self {
            models: models.map(|model| model.name.as_str()).collect(),
            operations: scenarios.iter().flat_map(|scenario| operations(scenario)).collect(),
            parameters: scenarios
                .iter()
                .flat_map(|scenario| &scenario.parameters)
                .map(|parameter| parameter.name.as_str())
                .collect(),
        }
    }
}

fn operations(scenario: &Scenario) -> impl Iterator<Item = &str> {
    scenario.workloads.iter().flat_map(|workload| &workload.operations).map(|operation| operation.name.as_str())
}

fn unknown(what: &str, name: &str, place: Span, known: &BTreeSet<&str>) -> Problem {
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the scenario has {}", known.iter().copied().collect::<Vec<_>>().join(", ")),
    };
    Problem::new(place, format!("the scenario has no {what} `{name}`")).help(help)
}
