//! What is varied, and the values it takes.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::plan::PlanError;
use crate::record::{AxisRecord, PointRecord};
use crate::scenario::Scenario;
use crate::units::{Bytes, Ratio};
use crate::words::SweepAxis;

/// What the user wants varied, as typed.
#[derive(Debug, Clone, PartialEq)]
pub enum AxisChoice {
    /// Parameters, each with its values, in step; one without values takes those of the scenario's `sweep`. None at all is
    /// the first parameter of that `sweep`.
    Parameters(Vec<(String, Vec<String>)>),
    /// Values around one, of a parameter or of the first of the scenario's `sweep`.
    Around {
        /// The parameter, if one was named.
        parameter: Option<String>,
        /// The value in the middle.
        middle: f64,
    },
    /// The servers' cache.
    Cache(Vec<Bytes>),
    /// The share of reads, in percent; none at all takes the usual ones.
    Mix(Vec<u32>),
}

/// What is varied.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What kind of thing.
    pub kind: SweepAxis,
    /// The parameter; `cache`; or `reads:writes`.
    pub name: String,
    /// Parameters that change with it.
    pub in_step: Vec<String>,
    /// The values, in ascending order, each once.
    pub values: Vec<AxisValue>,
    /// The values that may be tried besides.
    pub bounds: (f64, f64),
    /// Whether only whole values make sense.
    pub whole: bool,
}

/// A value of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisValue {
    /// As a record keeps it.
    pub value: Value,
    /// Where it stands.
    pub at: f64,
    /// Parameters to be set, as typed.
    pub set: Vec<(String, String)>,
    /// Values of the parameters that change with it, as a record keeps them.
    pub in_step: BTreeMap<String, Value>,
    /// Cache to be asked for.
    pub cache: Option<Bytes>,
    /// Share of reads, in percent.
    pub reads: Option<u32>,
}

/// Why there is no such axis.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AxisError {
    /// A parameter or value that the scenario does not have or take.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Anything else, with what to do.
    #[error("{0}")]
    Unfit(String),
}

impl Axis {
    /// The cache as an axis.
    ///
    /// # Errors
    /// For fewer than two sizes.
    pub(super) fn of_cache(sizes: &[Bytes]) -> Result<Self, AxisError> {
        let value = |size: &Bytes| AxisValue {
            value: Value::from(size.get()),
            at: size.get() as f64,
            set: Vec::new(),
            in_step: BTreeMap::new(),
            cache: Some(*size),
            reads: None,
        };
        let values = sizes.iter().map(value).collect();
        let bounds = ((1_u64 << 20) as f64, (1_u64 << 50) as f64);
        Self { kind: SweepAxis::Cache, name: "cache".to_owned(), in_step: Vec::new(), values, bounds, whole: true }
            .ordered()
    }

    /// The share of reads as an axis: reads ÷ writes.
    ///
    /// # Errors
    /// For fewer than two shares, and for one that leaves no reads or no writes.
    pub(super) fn of_mix(shares: &[u32]) -> Result<Self, AxisError> {
        if let Some(share) = shares.iter().find(|share| !(1..=99).contains(*share)) {
            let said = format!("a mix of {share} % reads leaves nothing to vary; shares lie between 1 and 99");
            return Err(AxisError::Unfit(said));
        }
        let values = shares.iter().map(|share| Self::mix_value(*share)).collect();
        let (name, bounds) = ("reads:writes".to_owned(), (1.0 / 99.0, 99.0));
        Self { kind: SweepAxis::Mix, name, in_step: Vec::new(), values, bounds, whole: true }.ordered()
    }

    fn mix_value(reads: u32) -> AxisValue {
        AxisValue {
            value: Value::from(reads),
            at: f64::from(reads) / f64::from(100 - reads),
            set: Vec::new(),
            in_step: BTreeMap::new(),
            cache: None,
            reads: Some(reads),
        }
    }

    /// Values in ascending order, each once.
    pub(super) fn ordered(mut self) -> Result<Self, AxisError> {
        self.values.sort_by(|one, other| one.at.total_cmp(&other.at));
        self.values.dedup_by(|one, other| one.at == other.at);
        if self.values.len() < 2 {
            return Err(AxisError::Unfit(format!("a sweep needs at least two different values of {}", self.name)));
        }
        Ok(self)
    }

    /// The possible value nearest to a place on the axis.
    pub(super) fn nearest(&self, at: f64) -> AxisValue {
        let at = at.clamp(self.bounds.0, self.bounds.1);
        match self.kind {
            SweepAxis::Mix => Self::mix_value(((100.0 * at / (1.0 + at)).round() as u32).clamp(1, 99)),
            SweepAxis::Cache => {
                let size = Bytes::new(((at / (1_u64 << 20) as f64).round().max(1.0) as u64) << 20);
                AxisValue {
                    value: Value::from(size.get()),
                    at: size.get() as f64,
                    set: Vec::new(),
                    in_step: BTreeMap::new(),
                    cache: Some(size),
                    reads: None,
                }
            }
            SweepAxis::Parameter => parameter_value(&self.name, at, self.whole),
        }
    }

    /// As the record has it.
    pub(super) fn record(&self, refined_to: Option<f64>) -> AxisRecord {
        AxisRecord {
            kind: self.kind,
            name: self.name.clone(),
            in_step: self.in_step.clone(),
            values: self.values.iter().map(|value| value.value.clone()).collect(),
            refined_to: refined_to.map(Ratio::new),
            refinement: None,
        }
    }
}

/// A value of a parameter that is no one's but calculated: a whole one, or one of four digits.
pub(super) fn parameter_value(name: &str, at: f64, whole: bool) -> AxisValue {
    let (text, value) = if whole {
        let number = at.round() as i64;
        (number.to_string(), Value::from(number))
    } else {
        let text = format!("{at:.3e}");
        let number: f64 = text.parse().unwrap_or(at);
        (number.to_string(), Value::from(number))
    };
    let at = value.as_f64().unwrap_or(at);
    let set = vec![(name.to_owned(), text)];
    AxisValue { value, at, set, in_step: BTreeMap::new(), cache: None, reads: None }
}

impl AxisValue {
    /// Whether a point was measured at this value.
    pub(super) fn is_at(&self, point: &PointRecord) -> bool {
        self.at == point.at && self.in_step == point.in_step
    }

    /// The value as people read it on this kind of axis.
    pub fn said(&self, kind: SweepAxis) -> String {
        match (kind, self.cache, self.reads) {
            (SweepAxis::Cache, Some(cache), _) => format!("{} MiB", cache.get() >> 20),
            (SweepAxis::Mix, _, Some(reads)) => format!("{reads}:{}", 100 - reads),
            _ => self.set.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", "),
        }
    }

    /// The folder of its run.
    pub(super) fn folder(&self) -> String {
        if let Some(cache) = self.cache {
            return format!("cache-{}MiB", cache.get() >> 20);
        }
        if let Some(reads) = self.reads {
            return format!("reads-{reads}");
        }
        let named = self.set.iter().map(|(name, value)| format!("{name}-{value}")).collect::<Vec<_>>().join("-");
        named.chars().map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '-' }).collect()
    }
}

/// The parameters of a scenario that stay as they are, whatever the axis.
pub(super) fn staying(axis: &Axis, parameters: &BTreeMap<String, bson::Bson>) -> BTreeMap<String, Value> {
    let varies =
        |name: &String| axis.kind == SweepAxis::Parameter && (*name == axis.name || axis.in_step.contains(name));
    let stay = parameters.iter().filter(|(name, _)| !varies(name));
    stay.map(|(name, value)| (name.clone(), value.clone().into_relaxed_extjson())).collect()
}

/// The parameter that a sweep varies when none is named.
pub(super) fn usual_parameter(scenario: &Scenario) -> Result<String, AxisError> {
    let first = scenario.sweep.first().map(|(name, _)| name.clone());
    first.ok_or_else(|| {
        let said =
            format!("scenario {} names nothing to sweep; name a parameter: --param NAME=10,100,1000", scenario.name);
        AxisError::Unfit(said)
    })
}
