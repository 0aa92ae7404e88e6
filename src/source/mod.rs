//! The text of a file as an arena of nodes with positions, and the problems found in it, collected and shown.
//!
//! [`parse`] turns YAML into an [`Arena`]; [`decode`] turns a node into a type of one's own and records what is wrong;
//! [`show`] renders all problems at once. A file type is an ordinary `#[derive(Deserialize, JsonSchema)]` struct:
//!
//! - `#[serde(expecting = "a model", deny_unknown_fields)]` names it in messages (and closes its JSON Schema);
//! - `Option<Soft<T>>` with `#[serde(default)]` is a field that may be absent or broken without taking the struct with
//!   it; a bare `T` that is broken breaks the struct;
//! - [`List`] and [`Dict`] leave out their broken entries; [`At`] adds the place; [`NodeRef`] keeps the node itself;
//! - enums are externally tagged; internally tagged, untagged and flattened types lose places.

mod access;
mod arena;
mod choice;
mod decode;
mod fault;
mod file;
mod nearest;
mod not_yaml;
mod problem;
mod show;
mod text;
mod tree;
mod wrappers;
mod yaml;

pub use arena::{Arena, Entry, Node, NodeId, NodeKind};
pub use decode::decode;
pub use file::{SourceError, read_file, read_text};
pub use nearest::nearest;
pub use problem::{Note, Problem, Problems};
pub use show::show;
pub use text::{SourceText, Span};
pub use wrappers::{At, Dict, DictEntry, List, NodeRef, Soft};
pub use yaml::{Parsed, SourceFile, parse};
