//! What kind of value a field of a step takes, as far as it is written out rather than filled in.

use super::checker::Checker;
use crate::source::{NodeId, NodeKind};

/// The kind of value that a field of a step takes. Any of them may be filled in (`^name`, `{^function: …}`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::scenario) enum Shape {
    /// A map.
    Map,
    /// A list.
    List,
    /// A list of stages.
    Pipeline,
    /// A map or a list.
    MapOrList,
    /// A map or a string.
    MapOrText,
    /// A string.
    Text,
    /// A whole number of at least 0.
    Whole,
    /// `true` or `false`.
    Truth,
    /// `before` or `after`.
    BeforeOrAfter,
}

impl Shape {
    /// What the field of this name takes, in every step that has it.
    pub(in crate::scenario) fn of(field: &str) -> Self {
        match field {
            "pipeline" => Self::Pipeline,
            "arrayFilters" | "documents" | "models" => Self::List,
            "update" => Self::MapOrList,
            "hint" => Self::MapOrText,
            "key" => Self::Text,
            "skip" | "limit" | "batchSize" => Self::Whole,
            "upsert" | "ordered" | "allowDiskUse" => Self::Truth,
            "returnDocument" => Self::BeforeOrAfter,
            _ => Self::Map,
        }
    }

    const fn describe(self) -> &'static str {
        match self {
            Self::Map => "a map",
            Self::List => "a list",
            Self::Pipeline => "a list of stages",
            Self::MapOrList => "a map of operators or a list of stages",
            Self::MapOrText => "a map or a string",
            Self::Text => "a string",
            Self::Whole => "a whole number of at least 0",
            Self::Truth => "`true` or `false`",
            Self::BeforeOrAfter => "`before` or `after`",
        }
    }

    fn fits(self, kind: &NodeKind) -> bool {
        match self {
            Self::Map => matches!(kind, NodeKind::Map(_)),
            Self::List | Self::Pipeline => matches!(kind, NodeKind::Seq(_)),
            Self::MapOrList => matches!(kind, NodeKind::Map(_) | NodeKind::Seq(_)),
            Self::MapOrText => matches!(kind, NodeKind::Map(_) | NodeKind::Str(_)),
            Self::Text => matches!(kind, NodeKind::Str(_)),
            Self::Whole => matches!(kind, NodeKind::Int(0..)),
            Self::Truth => matches!(kind, NodeKind::Bool(_)),
            Self::BeforeOrAfter => matches!(kind, NodeKind::Str(word) if word == "before" || word == "after"),
        }
    }
}

impl Checker<'_> {
    /// Checks that what is written out in a field is of the kind that the field takes.
    pub(super) fn shape(&mut self, field: &str, node: NodeId) -> bool {
        let shape = Shape::of(field);
        let fits = self.is_filled_in(node) || shape.fits(self.arena.kind(node));
        if !fits {
            let found = self.arena.kind(node).describe();
            self.report_node(
                node,
                format!("`{field}` takes {}, found {found}", shape.describe()),
                "write it so, or fill it in with a reference such as `^name`",
            );
        }
        fits
    }
}
