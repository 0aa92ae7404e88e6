//! Generators and functions as a closed list.

use std::sync::Arc;

/// What a call does. Its arguments stand in the order of the catalogue's options.
#[derive(Debug, Clone)]
pub(crate) enum Operator {
    Key,
    Row,
    Pairs,
    Int,
    Double,
    Decimal,
    Bool,
    Choose,
    Words,
    Text,
    Format(Arc<[Piece]>),
    Date(DateForm),
    ObjectId,
    Uuid,
    Array,
    Repeat,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Floor,
    Min,
    Max,
    Len,
    At,
    First,
    Sum,
    Map,
    Filter,
    Join,
    Range,
    Object,
    Concat,
    Split,
    Lower,
    EscapeRegex,
    DateTrunc,
    Eq,
    Lt,
    And,
    Or,
    Not,
    If,
}

/// A piece of a format text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// As it stands.
    Text(String),
    /// The call's argument of that number, filled up with zeros to the width.
    Value { argument: usize, width: usize },
}

/// The four ways to make a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateForm {
    /// A value turned into a date.
    Value,
    /// Drawn between two dates.
    Between,
    /// Counted off.
    Series,
    /// Drawn near the clock.
    NearNow,
}

/// Places of the options of `^date` among its arguments.
pub(crate) mod date_option {
    pub(crate) const VALUE: usize = 0;
    pub(crate) const FROM: usize = 1;
    pub(crate) const TO: usize = 2;
    pub(crate) const START: usize = 3;
    pub(crate) const EVERY: usize = 4;
    pub(crate) const BY: usize = 5;
    pub(crate) const JITTER: usize = 6;
    pub(crate) const BEFORE_NOW: usize = 7;
    pub(crate) const AFTER_NOW: usize = 8;
}

impl Operator {
    /// The operator of that name; `^format` and `^date` still lack their particulars.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "key" => Self::Key,
            "row" => Self::Row,
            "pairs" => Self::Pairs,
            "int" => Self::Int,
            "double" => Self::Double,
            "decimal" => Self::Decimal,
            "bool" => Self::Bool,
            "choose" => Self::Choose,
            "words" => Self::Words,
            "text" => Self::Text,
            "format" => Self::Format(Arc::from([])),
            "date" => Self::Date(DateForm::Value),
            "objectId" => Self::ObjectId,
            "uuid" => Self::Uuid,
            "array" => Self::Array,
            "repeat" => Self::Repeat,
            "add" => Self::Add,
            "sub" => Self::Sub,
            "mul" => Self::Mul,
            "div" => Self::Div,
            "mod" => Self::Mod,
            "floor" => Self::Floor,
            "min" => Self::Min,
            "max" => Self::Max,
            "len" => Self::Len,
            "at" => Self::At,
            "first" => Self::First,
            "sum" => Self::Sum,
            "map" => Self::Map,
            "filter" => Self::Filter,
            "join" => Self::Join,
            "range" => Self::Range,
            "object" => Self::Object,
            "concat" => Self::Concat,
            "split" => Self::Split,
            "lower" => Self::Lower,
            "escapeRegex" => Self::EscapeRegex,
            "dateTrunc" => Self::DateTrunc,
            "eq" => Self::Eq,
            "lt" => Self::Lt,
            "and" => Self::And,
            "or" => Self::Or,
            "not" => Self::Not,
            "if" => Self::If,
            _ => return None,
        })
    }

    /// Its name, without the `^`.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Row => "row",
            Self::Pairs => "pairs",
            Self::Int => "int",
            Self::Double => "double",
            Self::Decimal => "decimal",
            Self::Bool => "bool",
            Self::Choose => "choose",
            Self::Words => "words",
            Self::Text => "text",
            Self::Format(_) => "format",
            Self::Date(_) => "date",
            Self::ObjectId => "objectId",
            Self::Uuid => "uuid",
            Self::Array => "array",
            Self::Repeat => "repeat",
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Mod => "mod",
            Self::Floor => "floor",
            Self::Min => "min",
            Self::Max => "max",
            Self::Len => "len",
            Self::At => "at",
            Self::First => "first",
            Self::Sum => "sum",
            Self::Map => "map",
            Self::Filter => "filter",
            Self::Join => "join",
            Self::Range => "range",
            Self::Object => "object",
            Self::Concat => "concat",
            Self::Split => "split",
            Self::Lower => "lower",
            Self::EscapeRegex => "escapeRegex",
            Self::DateTrunc => "dateTrunc",
            Self::Eq => "eq",
            Self::Lt => "lt",
            Self::And => "and",
            Self::Or => "or",
            Self::Not => "not",
            Self::If => "if",
        }
    }

    /// Whether some of the arguments may never be looked at.
    pub(crate) const fn is_lazy(&self) -> bool {
        matches!(self, Self::If | Self::And | Self::Or | Self::Map | Self::Filter)
    }

    /// Whether the value follows from the arguments alone.
    pub(crate) const fn is_function(&self) -> bool {
        match self {
            Self::Key | Self::Row | Self::Pairs | Self::Int | Self::Double | Self::Decimal | Self::Bool => false,
            Self::Choose | Self::Words | Self::Text | Self::ObjectId | Self::Uuid | Self::Array | Self::Repeat => false,
            Self::Date(form) => matches!(form, DateForm::Value),
            _ => true,
        }
    }
}
