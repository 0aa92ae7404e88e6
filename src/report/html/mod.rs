//! A run as one self-contained HTML file: no scripts, nothing fetched, readable in light and dark, on paper as well.

mod break_even;
mod capacity;
mod charts;
mod compare;
mod evidence;
mod literature;
mod method;
mod mix;
mod models;
mod page;
mod scenario;
mod side_by_side;
mod statistics;
mod sweep;
mod table;
mod trend;
mod trend_chart;

pub use capacity::capacity_html;
pub use compare::comparison_html;
pub use mix::mix_html;
pub(super) use models::index;
pub use page::html;
pub use side_by_side::side_by_side_html;
pub use sweep::sweep_html;
pub use trend::trend_html;
