//! A parsed file as a flat arena of nodes, each of which knows where it stands.

use super::{Problem, Span};

/// Names a node of an [`Arena`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

/// A node: what was written, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What was written.
    pub kind: NodeKind,
    /// Where it stands (for a value reached through an alias: where the alias stands).
    pub span: Span,
    /// For a value reached through an alias: where it was defined.
    pub defined: Option<Span>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number (anything past 64 bits is a problem found while parsing).
    Int(i64),
    /// A number with point or exponent; always finite.
    Float(f64),
    /// Text.
    Str(String),
    /// A list.
    Seq(Vec<NodeId>),
    /// A map in the order written; duplicate keys are problems found while parsing, and the first stands.
    Map(Vec<Entry>),
}

/// One entry of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key's text.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: NodeId,
}

impl NodeKind {
    /// What a person calls this kind of value, with its article.
    pub const fn describe(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::Str(_) => "a string",
            Self::Seq(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

/// The nodes of one file. The root is the file's top-level value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arena {
    nodes: Vec<Node>,
    root: Option<NodeId>,
}

impl Arena {
    /// Adds a node and names it.
    pub fn push(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("a file of 1 MiB has fewer than 2^32 nodes"));
        self.nodes.push(node);
        id
    }

    /// Declares the file's top-level value.
    pub fn set_root(&mut self, root: NodeId) {
        self.root = Some(root);
    }

    /// The file's top-level value, if the file holds any.
    pub fn root(&self) -> Option<NodeId> {
        self.root
    }

    /// The node of that name.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// What the node holds.
    pub fn kind(&self, id: NodeId) -> &NodeKind {
        &self.node(id).kind
    }

    /// Where the node stands.
    pub fn span(&self, id: NodeId) -> Span {
        self.node(id).span
    }

    /// The entries of a map in the order written; none for any other kind of node.
    pub fn entries(&self, map: NodeId) -> &[Entry] {
        match self.kind(map) {
            NodeKind::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The entry of a key, if the node is a map that has it.
    pub fn entry(&self, map: NodeId, key: &str) -> Option<&Entry> {
        self.entries(map).iter().find(|entry| entry.key == key)
    }

    /// The value of a key, if the node is a map that has it.
    pub fn get(&self, map: NodeId, key: &str) -> Option<NodeId> {
        self.entry(map, key).map(|entry| entry.value)
    }

    /// A problem at the node's place; one reached through an alias also shows where the value was defined.
    pub fn problem(&self, id: NodeId, message: impl Into<String>) -> Problem {
        self.show_definition(id, Problem::new(self.span(id), message))
    }

    /// A problem at an entry's key; one reached through an alias also shows where the entry was defined.
    pub fn key_problem(&self, entry: &Entry, message: impl Into<String>) -> Problem {
        self.show_definition(entry.value, Problem::new(entry.key_span, message))
    }

    fn show_definition(&self, id: NodeId, problem: Problem) -> Problem {
        match self.node(id).defined {
            Some(defined) if problem.span == self.span(id) => problem.note(defined, "defined here"),
            _ => problem,
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
