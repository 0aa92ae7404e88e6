//! From what the user typed to the values of an axis.

use std::collections::BTreeMap;

use bson::Bson;

use super::axis::{Axis, AxisChoice, AxisError, AxisValue, parameter_value, usual_parameter};
use crate::plan::{RunOptions, resolve_parameters};
use crate::scenario::{Parameter, Scenario};
use crate::words::SweepAxis;

/// Values around one: so many to either side, evenly spread over a decade on the logarithmic axis.
const AROUND_EACH_SIDE: i32 = 3;
/// Shares of reads, in percent.
const SHARES: [u32; 7] = [1, 10, 30, 50, 70, 90, 99];

/// The axis that the user asks for.
///
/// # Errors
/// An unknown parameter, a value that does not fit it, or too few values.
pub fn values_of(scenario: &Scenario, options: &RunOptions, choice: &AxisChoice) -> Result<Axis, AxisError> {
    match choice {
        AxisChoice::Cache(sizes) => Axis::of_cache(sizes),
        AxisChoice::Mix(shares) if shares.is_empty() => Axis::of_mix(&SHARES),
        AxisChoice::Mix(shares) => Axis::of_mix(shares),
        AxisChoice::Around { parameter, middle } => around(scenario, options, parameter.as_deref(), *middle),
        AxisChoice::Parameters(named) if named.is_empty() => {
            let usual = vec![(usual_parameter(scenario)?, Vec::new())];
            of_parameters(scenario, options, &usual)
        }
        AxisChoice::Parameters(named) => of_parameters(scenario, options, named),
    }
}

fn around(scenario: &Scenario, options: &RunOptions, parameter: Option<&str>, middle: f64) -> Result<Axis, AxisError> {
    let name = parameter.map_or_else(|| usual_parameter(scenario), |name| Ok(name.to_owned()))?;
    let frame = Frame::of(scenario, options, &name)?;
    if !(middle.is_finite() && middle > 0.0) {
        return Err(AxisError::Unfit("--around takes a value above 0".to_owned()));
    }
    let (low, high) = frame.bounds();
    let steps = -AROUND_EACH_SIDE..=AROUND_EACH_SIDE;
    let values = steps.map(|step| {
        let at = middle * 10_f64.powf(f64::from(step) / f64::from(AROUND_EACH_SIDE));
        parameter_value(&name, at.clamp(low, high), frame.whole)
    });
    frame.axis(values.collect(), Vec::new())
}

/// Parameters in step: the first value of each together, then the second of each.
fn of_parameters(
    scenario: &Scenario,
    options: &RunOptions,
    named: &[(String, Vec<String>)],
) -> Result<Axis, AxisError> {
    let frames = named.iter().map(|(name, _)| Frame::of(scenario, options, name)).collect::<Result<Vec<_>, _>>()?;
    let texts = named.iter().zip(&frames).map(|((name, texts), frame)| frame.texts(scenario, name, texts));
    let texts = texts.collect::<Result<Vec<_>, _>>()?;
    let (first, others) = texts.split_first().expect("a parameter is named");
    if let Some(place) = others.iter().position(|other| other.len() != first.len()) {
        return Err(AxisError::Unfit(format!(
            "parameters change in step, value by value: {} has {} values and {} has {}",
            named[0].0,
            first.len(),
            named[place + 1].0,
            others[place].len()
        )));
    }
    let value = |place: usize| {
        let set: Vec<(String, String)> =
            named.iter().zip(&texts).map(|((name, _), texts)| (name.clone(), texts[place].clone())).collect();
        read(scenario, options, &set)
    };
    let values = (0..first.len()).map(value).collect::<Result<Vec<_>, _>>()?;
    frames[0].axis(values, named[1..].iter().map(|(name, _)| name.clone()).collect())
}

/// The value that these settings make.
fn read(scenario: &Scenario, options: &RunOptions, set: &[(String, String)]) -> Result<AxisValue, AxisError> {
    let all: Vec<(String, String)> = options.set.iter().chain(set).cloned().collect();
    let parameters = resolve_parameters(scenario, options.profile, &all)?;
    let of = |name: &String| parameters.get(name).cloned().unwrap_or(Bson::Null);
    let (first, others) = set.split_first().expect("a parameter is named");
    let in_step: BTreeMap<_, _> =
        others.iter().map(|(name, _)| (name.clone(), of(name).into_relaxed_extjson())).collect();
    let value = of(&first.0);
    let at = number(&value).ok_or_else(|| no_number(&first.0))?;
    if at < 0.0 {
        return Err(AxisError::Unfit(format!("{} = {at}: a sweep runs over values from 0 on", first.0)));
    }
    let (value, set) = (value.into_relaxed_extjson(), set.to_vec());
    Ok(AxisValue { value, at, set, in_step, cache: None, reads: None })
}

/// A parameter of the scenario that is a number.
struct Frame<'a> {
    parameter: &'a Parameter,
    whole: bool,
}

impl<'a> Frame<'a> {
    fn of(scenario: &'a Scenario, options: &RunOptions, name: &str) -> Result<Self, AxisError> {
        let find = || scenario.parameters.iter().find(|known| known.name == name);
        let Some(parameter) = find() else {
            // Planning knows the nearest name.
            let set = [(name.to_owned(), "1".to_owned())];
            let unknown = resolve_parameters(scenario, options.profile, &set).err();
            let unfit = || AxisError::Unfit(format!("scenario {} has no parameter `{name}`", scenario.name));
            return Err(unknown.map_or_else(unfit, AxisError::from));
        };
        let whole = !matches!(parameter.default, Bson::Double(_));
        if number(&parameter.default).is_none() {
            return Err(no_number(name));
        }
        Ok(Self { parameter, whole })
    }

    fn bounds(&self) -> (f64, f64) {
        let least = if self.whole { 1.0 } else { f64::MIN_POSITIVE };
        (self.parameter.min.unwrap_or(least).max(least), self.parameter.max.unwrap_or(1e15))
    }

    /// The values as typed; where none were, those of the scenario.
    fn texts(&self, scenario: &Scenario, name: &str, typed: &[String]) -> Result<Vec<String>, AxisError> {
        if !typed.is_empty() {
            return Ok(typed.to_vec());
        }
        let own = scenario.sweep.iter().find(|(known, _)| known == name);
        let own = own.map(|(_, values)| values.iter().map(ToString::to_string).collect());
        own.ok_or_else(|| {
            AxisError::Unfit(format!(
                "scenario {} has no values for {name} to sweep; write --param {name}=10,100",
                scenario.name
            ))
        })
    }

    fn axis(&self, values: Vec<AxisValue>, in_step: Vec<String>) -> Result<Axis, AxisError> {
        let (kind, name) = (SweepAxis::Parameter, self.parameter.name.clone());
        Axis { kind, name, in_step, values, bounds: self.bounds(), whole: self.whole }.ordered()
    }
}

fn number(value: &Bson) -> Option<f64> {
    match value {
        Bson::Int32(number) => Some(f64::from(*number)),
        Bson::Int64(number) => Some(*number as f64),
        Bson::Double(number) => Some(*number),
        _ => None,
    }
}

fn no_number(name: &str) -> AxisError {
    AxisError::Unfit(format!("parameter `{name}` is no number, and a sweep runs along numbers"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{builtin, load_scenario};
    use crate::source::SourceText;
    use crate::units::Bytes;

    fn scenario(name: &str) -> Scenario {
        let text = builtin(name).expect("it is built in");
        load_scenario(SourceText::new(format!("{name}.yaml"), text)).expect("it is valid")
    }

    fn axis(choice: &AxisChoice) -> Result<Axis, AxisError> {
        values_of(&scenario("one-to-squillions-logs"), &RunOptions::default(), choice)
    }

    fn places(axis: &Axis) -> Vec<f64> {
        axis.values.iter().map(|value| value.at).collect()
    }

    fn refused(choice: &AxisChoice) -> String {
        axis(choice).expect_err("it is refused").to_string()
    }

    fn parameters(named: &[(&str, &[&str])]) -> AxisChoice {
        let owned = |(name, values): &(&str, &[&str])| {
            ((*name).to_owned(), values.iter().map(|value| (*value).to_owned()).collect())
        };
        AxisChoice::Parameters(named.iter().map(owned).collect())
    }

    #[test]
    fn without_values_the_scenarios_own_are_taken() {
        let usual = axis(&parameters(&[])).expect("it has a sweep");
        assert_eq!(
            (usual.name.as_str(), places(&usual)),
            ("entries_per_server", vec![100.0, 1_000.0, 10_000.0, 50_000.0])
        );
        assert_eq!(axis(&parameters(&[("entries_per_server", &[])])).expect("it has values"), usual);
        assert!(refused(&parameters(&[("message_bytes", &[])])).contains("--param message_bytes=10,100"));
    }

    #[test]
    fn values_are_put_in_order_and_parameters_change_in_step() {
        let both =
            axis(&parameters(&[("entries_per_server", &["500", "20"]), ("servers", &["2", "50"])])).expect("two each");
        assert_eq!((places(&both), both.in_step.clone()), (vec![20.0, 500.0], vec!["servers".to_owned()]));
        assert_eq!(both.values[0].in_step["servers"], 50);
        assert_eq!(both.values[0].folder(), "entries_per_server-20-servers-50");
        let uneven = refused(&parameters(&[("entries_per_server", &["5", "20"]), ("servers", &["2"])]));
        assert!(uneven.contains("entries_per_server has 2 values and servers has 1"), "{uneven}");
    }

    #[test]
    fn values_around_one_are_spread_evenly_and_keep_to_the_bounds() {
        let around = AxisChoice::Around { parameter: None, middle: 1_000.0 };
        assert_eq!(
            places(&axis(&around).expect("it has a sweep")),
            [100.0, 215.0, 464.0, 1_000.0, 2_154.0, 4_642.0, 10_000.0]
        );
        let near_one = AxisChoice::Around { parameter: Some("servers".to_owned()), middle: 2.0 };
        assert_eq!(places(&axis(&near_one).expect("servers is a number")), [1.0, 2.0, 4.0, 9.0, 20.0]);
    }

    #[test]
    fn what_cannot_be_swept_is_refused_with_what_can() {
        assert!(
            refused(&parameters(&[("entries_per_sever", &["1", "2"])])).contains("did you mean `entries_per_server`?")
        );
        assert!(refused(&parameters(&[("servers", &["1", "x"])])).contains("is a whole number"));
        assert!(refused(&parameters(&[("servers", &["0", "3"])])).contains("must be at least 1"));
        assert!(refused(&parameters(&[("servers", &["3", "3"])])).contains("at least two different values"));
        assert!(refused(&AxisChoice::Mix(vec![0, 50])).contains("between 1 and 99"));
    }

    #[test]
    fn mixes_and_caches_have_places_of_their_own() {
        let mix = axis(&AxisChoice::Mix(Vec::new())).expect("the usual shares");
        assert_eq!(mix.values.iter().filter_map(|value| value.reads).collect::<Vec<_>>(), SHARES);
        assert_eq!(mix.values[3].at, 1.0, "50:50");
        assert_eq!(mix.nearest(3.0).reads, Some(75));
        let sizes = [512, 256].map(|mebibytes| Bytes::new(mebibytes << 20)).to_vec();
        let cache = axis(&AxisChoice::Cache(sizes)).expect("two sizes");
        assert_eq!(cache.values[0].folder(), "cache-256MiB");
        assert_eq!(cache.nearest(300.4 * 1_048_576.0).cache, Some(Bytes::new(300 << 20)));
    }
}
