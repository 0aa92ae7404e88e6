//! The charts of a sweep: what an operation costs in each model along the axis, and the speed-up with its crossover.

mod draw;
mod growth;
mod plot;
mod speedup;

pub(super) use growth::growth_chart;
pub(super) use speedup::speedup_chart;
