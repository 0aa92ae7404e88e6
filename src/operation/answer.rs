//! What an operation answers, and when an answer holds nothing.

use bson::{Bson, RawDocumentBuf};

/// What an operation answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The documents of its last reading step, as received.
    Documents(Vec<RawDocumentBuf>),
    /// The value of `result:`, a count, or a list of distinct values.
    Value(Bson),
}

/// Whether a value holds nothing: null, a count of 0, an empty list or document.
pub(super) fn holds_nothing(value: &Bson) -> bool {
    match value {
        Bson::Null | Bson::Undefined | Bson::Int32(0) | Bson::Int64(0) => true,
        Bson::Double(number) => *number == 0.0,
        Bson::Array(elements) => elements.is_empty(),
        Bson::Document(document) => document.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use bson::bson;

    use super::*;

    #[test]
    fn nothing_is_null_zero_or_an_empty_list_but_not_no() {
        for nothing in [bson!(null), bson!(0), bson!(0_i64), bson!(0.0), bson!([]), bson!({})] {
            assert!(holds_nothing(&nothing), "{nothing}");
        }
        for something in [bson!(false), bson!(""), bson!(-1), bson!([null]), bson!({ "a": null })] {
            assert!(!holds_nothing(&something), "{something}");
        }
    }
}
