//! Loading, against the embedded server: what arrives, whatever goes wrong.

#[path = "../support/mod.rs"]
mod support;

mod facts;
mod faults;
mod model;
mod sizes;
mod source;
