//! The command line: one file per subcommand turns arguments into library calls and shows what they answer.

mod aftermath;
mod args;
mod capacity;
mod capacity_args;
mod check;
mod clean;
mod compare;
mod completions;
mod conditions;
mod connect;
mod doctor;
mod entry;
mod exit;
mod exports;
mod growth;
mod interrupts;
mod list;
mod named;
mod new;
mod output;
mod progress;
mod report;
mod results;
mod run;
mod runs;
mod schema;
mod select;
mod show;
mod side_by_side;
mod sweep;
mod trend;
mod trial;

pub use args::{Cli, Command};
pub use entry::main;
pub use exit::{Exit, Failure};
