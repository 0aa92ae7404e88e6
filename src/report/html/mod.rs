//! A run as one self-contained HTML file: no scripts, nothing fetched, readable in light and dark, on paper as well.

mod charts;
mod evidence;
mod literature;
mod method;
mod models;
mod page;
mod scenario;
mod statistics;
mod table;

pub(super) use models::index;
pub use page::html;
