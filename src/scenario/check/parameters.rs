//! Parameters, and what refers to them by name: `sweep`, a claim's `at`.

use bson::Bson;

use super::checker::{Checker, given};
use crate::scenario::file::{ParameterFile, SweepFile};
use crate::scenario::types::Parameter;
use crate::source::{At, Dict, NodeId, NodeRef, Problem, Soft, Span};

impl Checker<'_> {
    /// Checks the parameters. A broken one is left out; its name is known all the same.
    pub(super) fn parameters(&mut self, file: Option<&Dict<Soft<ParameterFile>>>) -> Parameters {
        let mut parameters = Parameters::default();
        for entry in file.iter().flat_map(|dict| &dict.0) {
            self.reference_name(entry.key_span, "a parameter", &entry.key, []);
            parameters.names.push(entry.key.clone());
            let Some(written) = &entry.value.0 else { continue };
            parameters.known.extend(self.parameter(&entry.key, entry.key_span, written));
        }
        parameters
    }

    fn parameter(&mut self, name: &str, place: Span, file: &ParameterFile) -> Option<Parameter> {
        let mut min = given(&file.min).copied();
        let max = given(&file.max).copied();
        if let (Some(low), Some(max)) = (min, max)
            && low.value > max.value
        {
            self.report(
                Problem::new(max.span, format!("`max` is below `min` ({} < {})", max.value, low.value))
                    .help("exchange the two"),
            );
            min = None;
        }
        let Some(default) = file.default else {
            self.missing(place, "default", &format!("parameter `{name}`"), "such as `{default: 1000, smoke: 50}`");
            return None;
        };
        let mut bounded = |node: Option<NodeRef>| node.map(|node| self.bounded(node.0, name, min, max));
        let (default, smoke, nightly) = (bounded(Some(default)), bounded(file.smoke), bounded(file.nightly));
        Some(Parameter {
            name: name.to_owned(),
            default: default??,
            smoke: smoke.flatten(),
            nightly: nightly.flatten(),
            min: min.map(|min| min.value),
            max: max.map(|max| max.value),
            help: given(&file.help).map(|help| help.value.clone()),
        })
    }

    fn bounded(&mut self, node: NodeId, name: &str, min: Option<At<f64>>, max: Option<At<f64>>) -> Option<Bson> {
        let value = self.constant(node, &format!("a value of the parameter `{name}`"))?;
        let fault = match (number(&value), min, max) {
            (None, Some(_), _) | (None, _, Some(_)) => Some("is no number, but the parameter has bounds".to_owned()),
            (Some(number), Some(min), _) if number < min.value => Some(format!("is below `min` ({})", min.value)),
            (Some(number), _, Some(max)) if number > max.value => Some(format!("is above `max` ({})", max.value)),
            _ => None,
        };
        match fault {
            Some(fault) => {
                self.report_node(node, format!("{value} {fault}"), "change the value, or the parameter's bounds");
                None
            }
            None => Some(value),
        }
    }

    /// Checks values for parameters, by name: those to sweep over.
    pub(super) fn sweep(&mut self, file: Option<&SweepFile>, parameters: &Parameters) -> Vec<(String, Vec<Bson>)> {
        let mut sweep = Vec::new();
        for entry in file.iter().flat_map(|dict| &dict.0) {
            self.parameter_named(&entry.key, entry.key_span, parameters);
            let Some(values) = &entry.value.0 else { continue };
            if values.value.0.len() < 2 {
                self.report(
                    Problem::new(values.span, "a sweep needs at least two values").help("such as `[1, 10, 100]`"),
                );
            }
            let mut tried: Vec<Bson> = Vec::new();
            for node in &values.value.0 {
                let Some(value) = self.value_for(&entry.key, node.0, parameters) else { continue };
                if tried.contains(&value) {
                    self.report_node(node.0, format!("{value} stands here twice"), "leave one of them out");
                }
                tried.push(value);
            }
            sweep.push((entry.key.clone(), tried));
        }
        sweep
    }

    /// Checks a value that a parameter is to have somewhere.
    pub(super) fn value_for(&mut self, name: &str, node: NodeId, parameters: &Parameters) -> Option<Bson> {
        let known = parameters.known.iter().find(|parameter| parameter.name == name);
        let bound = |value: Option<f64>| value.map(|value| At { value, span: Span::default() });
        let (min, max) = known.map_or((None, None), |known| (bound(known.min), bound(known.max)));
        let value = self.bounded(node, name, min, max)?;
        let default = known.map(|known| &known.default);
        if default.is_some_and(|default| number(default).is_some() != number(&value).is_some()) {
            self.report_node(
                node,
                format!("{value} is of another kind than the default of `{name}`"),
                "use the same kind",
            );
            return None;
        }
        Some(value)
    }

    /// Records it if there is no parameter of that name.
    pub(super) fn parameter_named(&mut self, name: &str, place: Span, parameters: &Parameters) {
        if !parameters.names.iter().any(|known| known == name) {
            self.unknown(place, "parameter", name, parameters.names.iter().map(String::as_str));
        }
    }
}

/// The parameters of a file.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    /// All names, also those of broken parameters.
    pub(super) names: Vec<String>,
    /// Those that are fine.
    pub(super) known: Vec<Parameter>,
}

fn number(value: &Bson) -> Option<f64> {
    match value {
        Bson::Int32(value) => Some(f64::from(*value)),
        Bson::Int64(value) => Some(*value as f64),
        Bson::Double(value) => Some(*value),
        _ => None,
    }
}
