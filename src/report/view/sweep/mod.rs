//! A sweep as shown.

mod answers;
mod axis;
mod tables;
mod whole;

pub(in crate::report) use axis::{AxisView, part_name};
pub(in crate::report) use tables::beside_cache;
pub(in crate::report) use whole::{OperationView, SweepView, WorkloadView};
