//! Stories of sweeps: at the command line on a simulated server, and measured on the embedded one.

#[path = "../support/mod.rs"]
mod support;

mod measured;
mod shown;
mod simulated;
mod typed;
