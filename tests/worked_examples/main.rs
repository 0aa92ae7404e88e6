//! The worked examples of the patterns, small enough to be reckoned by hand, run as scenarios on a real server.

#[path = "../support/mod.rs"]
mod support;

mod bucket;
mod example;
mod migration;
mod polymorphic;
mod subset;
