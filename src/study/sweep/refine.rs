//! Values added in search of a crossover: bisection on the axis.

use super::axis::{Axis, AxisValue};
use crate::analysis::ALL;
use crate::record::{CrossoverRecord, SweepRecord};
use crate::words::{CrossoverOutcome, SweepAxis};

/// How far a crossover is narrowed down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Refinement {
    /// Until the upper end of its interval is less than this times the lower one, and so are the values on either side of
    /// it: a straight line over several decades is no measurement of what lies between.
    pub factor: f64,
    /// The most values that are tried in all.
    pub limit: usize,
}

/// What is to be done next.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Next {
    /// Try this value.
    Value(AxisValue),
    /// Nothing more, for this reason.
    Done(String),
}

impl Refinement {
    /// The value between the two on either side of the widest crossover that is still too wide.
    pub(super) fn next(&self, sweep: &SweepRecord, axis: &Axis) -> Next {
        let crossings: Vec<Place<'_>> = sweep.crossover.iter().filter_map(|found| Place::of(found, sweep)).collect();
        if crossings.is_empty() {
            return Next::Done("no speed-up passes 1 within the range".to_owned());
        }
        let mut wide: Vec<&Place<'_>> = crossings.iter().filter(|place| place.width() > self.factor).collect();
        if wide.is_empty() {
            return Next::Done(format!("every crossover lies within a factor of {}", self.factor));
        }
        if sweep.points.len() >= self.limit {
            return Next::Done(format!("{} values were tried, the most that are", sweep.points.len()));
        }
        wide.sort_by(|one, other| other.width().total_cmp(&one.width()));
        let between =
            wide.iter().filter(|place| place.gap() > self.factor).find_map(|place| place.between(axis, sweep));
        between.map_or_else(|| Next::Done(self.why_not(&wide)), Next::Value)
    }

    fn why_not(&self, wide: &[&Place<'_>]) -> String {
        if wide.iter().any(|place| place.gap() > self.factor) {
            return "there is no further value between those on either side".to_owned();
        }
        format!(
            "the values on either side lie within a factor of {}: what is left is noise, which more --rounds would lower",
            self.factor
        )
    }
}

/// A crossover and the values on either side of it.
struct Place<'a> {
    found: &'a CrossoverRecord,
    left: f64,
    right: f64,
}

impl<'a> Place<'a> {
    fn of(found: &'a CrossoverRecord, sweep: &SweepRecord) -> Option<Self> {
        // The mix of operations crosses somewhere between them; in a sweep of the mix it is what is looked for.
        let counts = found.operation != ALL || sweep.axis.kind == SweepAxis::Mix;
        let at = found.at.filter(|_| counts && found.outcome == CrossoverOutcome::Found)?;
        let places = || sweep.points.iter().map(|point| point.at);
        let left = places().filter(|place| *place <= at).max_by(f64::total_cmp)?;
        let right = places().filter(|place| *place >= at && *place > left).min_by(f64::total_cmp)?;
        Some(Self { found, left, right })
    }

    /// Right ÷ left of the values on either side.
    fn gap(&self) -> f64 {
        if self.left > 0.0 { self.right / self.left } else { f64::INFINITY }
    }

    /// The wider of the interval and the gap.
    fn width(&self) -> f64 {
        let interval = self.found.low.zip(self.found.high).filter(|(low, _)| *low > 0.0);
        interval.map_or(f64::INFINITY, |(low, high)| high / low).max(self.gap())
    }

    /// A value in the middle, if there is one that was not tried.
    fn between(&self, axis: &Axis, sweep: &SweepRecord) -> Option<AxisValue> {
        let middle =
            if self.left > 0.0 { (self.left * self.right).sqrt() } else { f64::midpoint(self.left, self.right) };
        let value = axis.nearest(middle);
        let inside = self.left < value.at && value.at < self.right;
        (inside && !sweep.points.iter().any(|point| point.at == value.at)).then_some(value)
    }
}
