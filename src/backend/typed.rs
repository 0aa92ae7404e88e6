//! Reads the rendered values of a call as the types that the driver takes.
//!
//! The driver's own option structs would accept a misspelt or mistyped option silently; here each value has one type,
//! and a wrong one is named with its step, its field and what would be right.

use bson::{Bson, Document};
use mongodb::options::{Collation, Hint, ReturnDocument, UpdateModifications};

use super::{CallError, CallErrorKind};

/// The settings that a collation may have, as the server names them.
const COLLATION_KEYS: [&str; 9] = [
    "locale",
    "strength",
    "caseLevel",
    "caseFirst",
    "numericOrdering",
    "alternate",
    "maxVariable",
    "normalization",
    "backwards",
];

/// A field of a step whose value is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    step: &'static str,
    key: &'static str,
}

impl Field {
    /// The field `key` of the step called `step`.
    pub(super) const fn new(step: &'static str, key: &'static str) -> Self {
        Self { step, key }
    }

    /// A document.
    pub(super) fn document(self, value: Bson) -> Result<Document, CallError> {
        match value {
            Bson::Document(document) => Ok(document),
            other => Err(self.wrong("a document", &other)),
        }
    }

    /// A list of documents.
    pub(super) fn documents(self, value: Bson) -> Result<Vec<Document>, CallError> {
        let Bson::Array(elements) = value else {
            return Err(self.wrong("a list of documents", &value));
        };
        elements
            .into_iter()
            .enumerate()
            .map(|(index, element)| match element {
                Bson::Document(document) => Ok(document),
                other => Err(self.wrong(
                    "a list of documents",
                    &format_args!("a list whose element {} is {}", index + 1, describe(&other)),
                )),
            })
            .collect()
    }

    /// A whole number from `least` up to `most`; a number with a point counts where it is whole.
    pub(super) fn whole(self, value: Bson, least: i64, most: i64) -> Result<i64, CallError> {
        let number = match value {
            Bson::Int32(number) => Some(i64::from(number)),
            Bson::Int64(number) => Some(number),
            // Beyond 2^53 not every whole number is a double.
            Bson::Double(number) if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 => {
                Some(number as i64)
            }
            _ => None,
        };
        number
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| self.wrong(&format_args!("a whole number of at least {least}"), &value))
    }

    /// A number of documents to pass over.
    pub(super) fn skip(self, value: Bson) -> Result<u64, CallError> {
        self.whole(value, 0, i64::MAX).map(i64::unsigned_abs)
    }

    /// A number of documents per reply.
    pub(super) fn batch_size(self, value: Bson) -> Result<u32, CallError> {
        // One less than the largest, since the driver adds one where the batch size equals the limit.
        let number = self.whole(value, 1, i64::from(i32::MAX) - 1)?;
        Ok(u32::try_from(number).expect("the range was checked"))
    }

    /// True or false.
    pub(super) fn flag(self, value: Bson) -> Result<bool, CallError> {
        match value {
            Bson::Boolean(flag) => Ok(flag),
            other => Err(self.wrong("true or false", &other)),
        }
    }

    /// A string.
    pub(super) fn text(self, value: Bson) -> Result<String, CallError> {
        match value {
            Bson::String(text) => Ok(text),
            other => Err(self.wrong("a string", &other)),
        }
    }

    /// An index, by its name or its keys.
    pub(super) fn hint(self, value: Bson) -> Result<Hint, CallError> {
        match value {
            Bson::String(name) => Ok(Hint::Name(name)),
            Bson::Document(keys) => Ok(Hint::Keys(keys)),
            other => Err(self.wrong("the name or the key document of an index", &other)),
        }
    }

    /// How strings compare.
    pub(super) fn collation(self, value: Bson) -> Result<Collation, CallError> {
        let settings = self.document(value)?;
        if let Some(unknown) = settings.keys().find(|key| !COLLATION_KEYS.contains(&key.as_str())) {
            let expected = format!("a collation, whose settings are {}", COLLATION_KEYS.join(", "));
            return Err(self.wrong(&expected, &format_args!("a document with the setting `{unknown}`")));
        }
        bson::deserialize_from_document(settings)
            .map_err(|error| self.wrong("a collation", &format_args!("a document that is none: {error}")))
    }

    /// Update operators, or a pipeline.
    pub(super) fn update(self, value: Bson) -> Result<UpdateModifications, CallError> {
        let expected = "a document of update operators such as `$set`, or a pipeline";
        match value {
            Bson::Document(operators) => match operators.keys().next() {
                Some(first) if first.starts_with('$') => Ok(operators.into()),
                Some(first) => Err(self.wrong(expected, &format_args!("a document with the field `{first}`"))),
                None => Err(self.wrong(expected, "an empty document")),
            },
            Bson::Array(_) => self.documents(value).map(UpdateModifications::from),
            other => Err(self.wrong(expected, &other)),
        }
    }

    /// Which version of a document is returned.
    pub(super) fn return_document(self, value: Bson) -> Result<ReturnDocument, CallError> {
        match value.as_str() {
            Some("before") => Ok(ReturnDocument::Before),
            Some("after") => Ok(ReturnDocument::After),
            _ => Err(self.wrong("`before` or `after`", &value)),
        }
    }

    /// Says what the field must be and what it is.
    pub(super) fn wrong(
        self,
        expected: &(impl std::fmt::Display + ?Sized),
        found: &(impl Found + ?Sized),
    ) -> CallError {
        let Self { step, key } = self;
        CallError::new(
            CallErrorKind::Render,
            format!("`{key}` of {step} must be {expected}, but is {}", found.described()),
        )
    }
}

/// An optional value as its type; null stands for an absent one, since a reference to something absent renders null.
pub(super) fn optional<T>(
    value: Option<Bson>,
    read: impl FnOnce(Bson) -> Result<T, CallError>,
) -> Result<Option<T>, CallError> {
    value.filter(|value| !matches!(value, Bson::Null)).map(read).transpose()
}

/// What was found in the place of something else.
pub(super) trait Found {
    /// It, as a person calls it.
    fn described(&self) -> String;
}

impl Found for Bson {
    fn described(&self) -> String {
        describe(self)
    }
}

impl Found for str {
    fn described(&self) -> String {
        self.to_owned()
    }
}

impl Found for std::fmt::Arguments<'_> {
    fn described(&self) -> String {
        self.to_string()
    }
}

/// A value as a person calls it, kept short.
fn describe(value: &Bson) -> String {
    match value {
        Bson::Null | Bson::Undefined => "null".to_owned(),
        Bson::Boolean(flag) => flag.to_string(),
        Bson::Int32(number) => number.to_string(),
        Bson::Int64(number) => number.to_string(),
        Bson::Double(number) => number.to_string(),
        Bson::String(text) if text.chars().count() > 40 => {
            format!("the string \"{}…\"", text.chars().take(40).collect::<String>())
        }
        Bson::String(text) => format!("the string {text:?}"),
        Bson::Array(elements) => format!("a list of {}", elements.len()),
        Bson::Document(_) => "a document".to_owned(),
        Bson::DateTime(_) => "a date".to_owned(),
        other => format!("a value of type {:?}", other.element_type()),
    }
}

#[cfg(test)]
mod tests {
    use bson::{bson, doc};
    use proptest::prelude::*;

    use super::*;

    const LIMIT: Field = Field::new("find", "limit");

    #[test]
    fn a_wrong_type_is_told_with_step_field_and_what_would_be_right() {
        let error = LIMIT.whole(bson!("ten"), 0, i64::MAX).expect_err("a string is no number");
        assert_eq!(error.kind, CallErrorKind::Render);
        assert_eq!(error.message, "`limit` of find must be a whole number of at least 0, but is the string \"ten\"");

        let error = Field::new("aggregate", "pipeline").documents(bson!([{ "$match": {} }, 3])).expect_err("3");
        assert_eq!(
            error.message,
            "`pipeline` of aggregate must be a list of documents, but is a list whose element 2 is 3"
        );
    }

    #[test]
    fn an_update_is_operators_or_a_pipeline_and_nothing_else() {
        let update = Field::new("updateOne", "update");
        assert!(matches!(update.update(bson!({ "$set": { "a": 1 } })), Ok(UpdateModifications::Document(_))));
        assert!(matches!(update.update(bson!([{ "$set": { "a": 1 } }])), Ok(UpdateModifications::Pipeline(_))));
        for refused in [bson!({ "a": 1 }), bson!({}), bson!(null), bson!("$set")] {
            assert!(update.update(refused.clone()).is_err(), "{refused}");
        }
    }

    #[test]
    fn a_collation_has_no_unknown_settings() {
        let collation = Field::new("find", "collation");
        let read = collation.collation(bson!({ "locale": "en", "strength": 2 })).expect("a collation");
        assert_eq!(bson::serialize_to_document(&read).expect("serialises"), doc! { "locale": "en", "strength": 2 });

        let error = collation.collation(bson!({ "locale": "en", "strenght": 2 })).expect_err("misspelt");
        assert!(error.message.contains("`strenght`") && error.message.contains("strength"), "{}", error.message);
        assert!(collation.collation(bson!({ "strength": 2 })).is_err(), "a locale is needed");
    }

    #[test]
    fn a_reference_to_something_absent_leaves_an_option_out() {
        assert_eq!(optional(Some(Bson::Null), |value| LIMIT.flag(value)).expect("absent"), None);
        assert_eq!(optional(None, |value| LIMIT.flag(value)).expect("absent"), None);
        assert!(optional(Some(bson!(1)), |value| LIMIT.flag(value)).is_err());
    }

    proptest! {
        #[test]
        fn whole_numbers_are_read_from_every_number_type(number in 0..=i32::MAX) {
            let wide = i64::from(number);
            for value in [Bson::Int32(number), Bson::Int64(wide), Bson::Double(f64::from(number))] {
                prop_assert_eq!(LIMIT.whole(value, 0, i64::MAX).expect("whole"), wide);
            }
            prop_assert!(LIMIT.whole(Bson::Double(f64::from(number) + 0.5), 0, i64::MAX).is_err());
            prop_assert!(LIMIT.whole(Bson::Int64(-1 - wide), 0, i64::MAX).is_err());
        }
    }
}
