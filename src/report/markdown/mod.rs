//! A run as Markdown, in GitHub's flavour: for a pull request or a design document. The answer comes first, details are
//! folded, charts are SVG files that the report links to.
//!
//! Whatever the record holds is shown and never obeyed: no text of it becomes a link, an emphasis, a mention, a formula
//! or markup.

mod document;
mod escape;
mod models;
mod scenario;
mod table;

pub(super) use document::markdown;
