//! The axis of a sweep: how its values read.

use crate::analysis::ALL;
use crate::record::{AxisRecord, PointRecord};
use crate::report::format;
use crate::units::Bytes;
use crate::words::SweepAxis;

/// How the values of an axis read.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct AxisView<'a> {
    record: &'a AxisRecord,
}

impl<'a> AxisView<'a> {
    pub(in crate::report) const fn of(record: &'a AxisRecord) -> Self {
        Self { record }
    }

    /// What it is called.
    pub(in crate::report) fn name(&self) -> String {
        let in_step = self.record.in_step.join(", ");
        match self.record.kind {
            SweepAxis::Parameter if in_step.is_empty() => self.record.name.clone(),
            SweepAxis::Parameter => format!("{} (with {in_step} in step)", self.record.name),
            SweepAxis::Cache => "cache of the server".to_owned(),
            SweepAxis::Mix => "reads : writes".to_owned(),
        }
    }

    /// A value that was tried.
    pub(in crate::report) fn value(&self, point: &PointRecord) -> String {
        let in_step = point.in_step.iter().map(|(name, value)| format!(", {name} {value}"));
        format!("{}{}", self.place(point.at), in_step.collect::<String>())
    }

    /// A place on the axis.
    pub(in crate::report) fn place(&self, at: f64) -> String {
        match self.record.kind {
            SweepAxis::Parameter if at.fract() == 0.0 && at.abs() < 1e15 => format::count(at as u64),
            SweepAxis::Parameter => format::significant(at),
            SweepAxis::Cache => format::bytes(Bytes::new(at.round() as u64)),
            SweepAxis::Mix => {
                let reads = 100.0 * at / (1.0 + at);
                format!("{}:{}", shortly(reads), shortly(100.0 - reads))
            }
        }
    }

    /// A place between values that were tried.
    pub(in crate::report) fn between(&self, at: f64) -> String {
        match self.record.kind {
            SweepAxis::Parameter => format::significant(at),
            SweepAxis::Mix => format!("{} % reads", shortly(100.0 * at / (1.0 + at))),
            SweepAxis::Cache => self.place(at),
        }
    }
}

/// A percentage in whole numbers where it is one, else with one decimal.
fn shortly(percent: f64) -> String {
    if (percent - percent.round()).abs() < 1e-6 { format!("{percent:.0}") } else { format!("{percent:.1}") }
}

/// An operation as people call it.
pub(in crate::report) fn part_name(operation: &str) -> &str {
    if operation == ALL { "whole mix" } else { operation }
}
