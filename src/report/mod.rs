//! Records for people: tables on a terminal, a self-contained HTML report, a line per scenario.
//!
//! Everything here is a pure function of a record. What is said is put together once (`view`); how it looks is decided
//! by each renderer. A figure without a sample reads `n/a` and points to its reason.

mod axis;
mod chart;
mod flags;
mod format;
mod growth;
mod html;
mod json;
mod layout;
mod palette;
mod reproduce;
mod screen;
mod style;
mod summary;
mod terminal;
mod text;
mod view;

pub use chart::{Chart, chart, charts};
pub use flags::flags;
pub use growth::growth;
pub use html::html;
pub use style::Style;
pub use summary::summary;
pub use terminal::terminal;
