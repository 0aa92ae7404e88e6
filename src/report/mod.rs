//! Records for people and other programs: tables on a terminal, a self-contained HTML report, a line per scenario;
//! Markdown, CSV, HdrHistogram's texts and JUnit XML (see [`Export`]).
//!
//! Everything here is a pure function of a record. What is said is put together once (`view`); how it looks is decided
//! by each renderer. A figure without a sample reads `n/a` and points to its reason.

mod axis;
mod capacity;
mod chart;
mod compare;
mod csv;
mod curves;
mod digest;
mod export;
mod flags;
mod format;
mod growth;
mod hgrm;
mod hlog;
mod html;
mod json;
mod junit;
mod layout;
mod lines;
mod markdown;
mod mix;
mod palette;
mod pictures;
mod reproduce;
mod screen;
mod slug;
mod style;
mod summary;
mod sweep;
mod terminal;
mod text;
mod trend;
mod view;

pub use capacity::{capacity, capacity_answer};
pub use chart::{Chart, chart, charts};
pub use compare::{comparison, comparison_markdown};
pub use csv::CSV_COLUMNS;
pub use digest::digest;
pub use export::{Export, Exported, ExportedFile, Wish};
pub use flags::flags;
pub use growth::growth;
pub use html::{capacity_html, comparison_html, html, mix_html, side_by_side_html, sweep_html, trend_html};
pub use mix::mix;
pub use style::Style;
pub use summary::summary;
pub use sweep::{sweep_summary, sweep_terminal};
pub use terminal::terminal;
pub use trend::{OTAVA_CONFIG, bencher, github, otava, trend};
