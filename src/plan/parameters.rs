//! Which values a scenario's parameters have: the profile's, changed by `--set`.

use bson::Bson;

use super::error::PlanError;
use crate::scenario::{Parameter, Scenario};
use crate::source::nearest;
use crate::value::Parameters;
use crate::words::Profile;

/// The parameters of the measured data: the profile's values, changed by `--set`.
///
/// # Errors
/// An unknown name (with the nearest), a value of the wrong kind, or one out of bounds.
pub fn resolve_parameters(
    scenario: &Scenario,
    profile: Profile,
    set: &[(String, String)],
) -> Result<Parameters, PlanError> {
    let mut parameters = profile_parameters(scenario, profile);
    for (name, text) in set {
        let parameter = find(scenario, name)?;
        parameters.insert(name.clone(), parse(scenario, parameter, text)?);
    }
    check_bounds(scenario, &parameters)?;
    Ok(parameters)
}

/// The parameters that a scenario has in a profile when nothing is changed.
pub fn profile_parameters(scenario: &Scenario, profile: Profile) -> Parameters {
    let parameters = scenario.parameters.iter();
    parameters.map(|parameter| (parameter.name.clone(), profile_value(parameter, profile).clone())).collect()
}

/// The parameters of the small databases on which answers are compared: smoke values. A parameter that has none keeps
/// its measured value, since it shapes the data rather than sizing them; one set below its smoke value keeps that.
///
/// # Errors
/// A smoke value out of bounds.
pub fn parity_parameters(scenario: &Scenario, measured: &Parameters) -> Result<Parameters, PlanError> {
    let small: Parameters = scenario
        .parameters
        .iter()
        .filter_map(|parameter| {
            let measured = measured.get(&parameter.name)?;
            let value = match &parameter.smoke {
                Some(smoke) if is_less(smoke, measured) => smoke,
                _ => measured,
            };
            Some((parameter.name.clone(), value.clone()))
        })
        .collect();
    check_bounds(scenario, &small)?;
    Ok(small)
}

fn profile_value(parameter: &Parameter, profile: Profile) -> &Bson {
    match profile {
        Profile::Smoke => parameter.smoke.as_ref(),
        Profile::Nightly => parameter.nightly.as_ref(),
        Profile::Quick | Profile::Standard => None,
    }
    .unwrap_or(&parameter.default)
}

fn find<'a>(scenario: &'a Scenario, name: &str) -> Result<&'a Parameter, PlanError> {
    scenario.parameters.iter().find(|parameter| parameter.name == name).ok_or_else(|| PlanError::UnknownParameter {
        scenario: scenario.name.clone(),
        name: name.to_owned(),
        hint: hint(name, scenario.parameters.iter().map(|parameter| parameter.name.as_str())),
    })
}

/// `did you mean …?`, or the whole list where nothing is near.
pub(super) fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => match known.collect::<Vec<_>>() {
            names if names.is_empty() => "it has none".to_owned(),
            names => format!("it has {}", names.join(", ")),
        },
    }
}

/// Reads a value of the same kind as the parameter's default.
fn parse(scenario: &Scenario, parameter: &Parameter, text: &str) -> Result<Bson, PlanError> {
    let bad = |wanted| PlanError::BadValue {
        scenario: scenario.name.clone(),
        name: parameter.name.clone(),
        text: text.to_owned(),
        wanted,
    };
    match &parameter.default {
        Bson::Int32(_) | Bson::Int64(_) => whole(text).ok_or_else(|| bad("a whole number")),
        Bson::Double(_) => {
            let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
            number.map(Bson::Double).ok_or_else(|| bad("a number"))
        }
        Bson::Boolean(_) => text.parse().map(Bson::Boolean).map_err(|_| bad("`true` or `false`")),
        Bson::String(_) => Ok(Bson::String(text.to_owned())),
        Bson::Array(_) => list(text).ok_or_else(|| bad("a list, written as JSON: [1, 2]")),
        _ => Err(bad("not one that --set can change")),
    }
}

/// A whole number, in the smallest BSON type that holds it, as a scenario file's numbers are.
fn whole(text: &str) -> Option<Bson> {
    let number = text.replace('_', "").parse::<i64>().ok()?;
    Some(i32::try_from(number).map_or(Bson::Int64(number), Bson::Int32))
}

fn list(text: &str) -> Option<Bson> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    value.is_array().then(|| Bson::try_from(value).ok()).flatten()
}

fn check_bounds(scenario: &Scenario, parameters: &Parameters) -> Result<(), PlanError> {
    for parameter in &scenario.parameters {
        let Some(value) = parameters.get(&parameter.name).and_then(number) else { continue };
        let bound = match (parameter.min, parameter.max) {
            (Some(min), _) if value < min => format!("and must be at least {min}"),
            (_, Some(max)) if value > max => format!("and must be at most {max}"),
            _ => continue,
        };
        return Err(PlanError::OutOfBounds {
            scenario: scenario.name.clone(),
            name: parameter.name.clone(),
            value: value.to_string(),
            bound,
        });
    }
    Ok(())
}

pub(super) fn number(value: &Bson) -> Option<f64> {
    match value {
        Bson::Int32(number) => Some(f64::from(*number)),
        Bson::Int64(number) => Some(*number as f64),
        Bson::Double(number) => Some(*number),
        _ => None,
    }
}

fn is_less(left: &Bson, right: &Bson) -> bool {
    match (number(left), number(right)) {
        (Some(left), Some(right)) => left < right,
        // What is no number has no size: the smoke value stands.
        _ => true,
    }
}
