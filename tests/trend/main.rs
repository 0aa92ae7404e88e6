//! The history of a results folder: what is kept in it, what it says, what other tools read of it, and the nights that
//! make it.

#[path = "../report/known.rs"]
#[allow(dead_code, reason = "shared with the tests of reports, which use the rest of it")]
mod known;
#[path = "../report/markup.rs"]
#[allow(dead_code, reason = "shared with the tests of reports, which use the rest of it")]
mod markup;

mod exports;
mod folder;
mod history;
#[cfg(unix)]
mod nightly;
mod results;
