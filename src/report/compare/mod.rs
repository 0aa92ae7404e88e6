//! A comparison of runs on a terminal and in Markdown; its page is among the other pages.

mod markdown;
mod terminal;

pub use markdown::comparison_markdown;
pub use terminal::comparison;
