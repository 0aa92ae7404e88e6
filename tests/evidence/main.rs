//! Evidence, against the embedded server: plans and what they examine, bytes on the wire, sizes, and whether the naive
//! models of the catalogue are fair.

#[path = "../support/mod.rs"]
mod support;

mod catalogue;
mod loaded;
mod plans;
mod recorded;
mod traffic;
