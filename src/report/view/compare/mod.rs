//! A comparison of runs as shown.

mod evidence;
mod figures;
mod said;
mod whole;

pub(in crate::report) use whole::{CompareView, ComparedView};
