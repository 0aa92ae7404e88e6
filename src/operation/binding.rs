//! What a step's replies come to, and the value that its name stands for afterwards.

use bson::{Bson, Document, RawDocumentBuf, doc};

use super::answer::{Answer, holds_nothing};
use super::call_program::Yields;
use crate::backend::{CallError, CallErrorKind, Reply, WriteOutcome};
use crate::words::ErrorName;

/// The replies of a step's calls, taken together: documents follow one another, counts add up.
#[derive(Debug, Default)]
pub(super) struct StepReply {
    documents: Vec<RawDocumentBuf>,
    returned: u64,
    value: Option<Bson>,
    write: WriteOutcome,
    error: Option<ErrorName>,
}

impl StepReply {
    /// Takes in the reply of one call.
    pub(super) fn add(&mut self, reply: Reply) {
        if self.documents.is_empty() {
            self.documents = reply.documents;
        } else {
            self.documents.extend(reply.documents);
        }
        self.returned += reply.returned;
        self.value = match (self.value.take(), reply.value) {
            (Some(so_far), Some(more)) => Some(joined(so_far, more)),
            (so_far, more) => so_far.or(more),
        };
        if let Some(write) = reply.write {
            self.add_write(write);
        }
    }

    /// Takes in an error that is an answer.
    pub(super) fn add_expected(&mut self, name: ErrorName, written: Option<Box<WriteOutcome>>) {
        self.error.get_or_insert(name);
        if let Some(written) = written {
            self.add_write(*written);
        }
    }

    fn add_write(&mut self, write: WriteOutcome) {
        self.write.matched += write.matched;
        self.write.modified += write.modified;
        self.write.inserted += write.inserted;
        self.write.deleted += write.deleted;
        self.write.upserted_id = write.upserted_id.or(self.write.upserted_id.take());
    }

    /// The value that the step's name stands for.
    pub(super) fn bound(&self, yields: Yields, for_each: bool) -> Result<Bson, CallError> {
        if self.error.is_some() {
            return Ok(self.written());
        }
        Ok(match yields {
            Yields::Written => self.written(),
            Yields::Value => self.value.clone().unwrap_or(Bson::Null),
            Yields::Document if !for_each => match self.documents.first() {
                Some(document) => to_bson(document)?,
                None => Bson::Null,
            },
            Yields::Documents | Yields::Document => {
                Bson::Array(self.documents.iter().map(to_bson).collect::<Result<_, _>>()?)
            }
        })
    }

    fn written(&self) -> Bson {
        let write = &self.write;
        Bson::Document(doc! {
            "matched": number(write.matched),
            "modified": number(write.modified),
            "inserted": number(write.inserted),
            "deleted": number(write.deleted),
            "upsertedId": write.upserted_id.clone(),
            "error": self.error.map(ErrorName::word),
        })
    }

    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        match &self.value {
            Some(value) => holds_nothing(value),
            None => self.returned == 0,
        }
    }

    /// What it answers, if the operation's answer is this step's.
    pub(super) fn into_answer(self) -> Answer {
        match self.value {
            Some(value) => Answer::Value(value),
            None => Answer::Documents(self.documents),
        }
    }
}

/// Two counts added up, or two lists of distinct values as one.
fn joined(so_far: Bson, more: Bson) -> Bson {
    match (so_far, more) {
        (Bson::Array(mut values), Bson::Array(more)) => {
            for value in more {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            Bson::Array(values)
        }
        (Bson::Int64(count), Bson::Int64(more)) => Bson::Int64(count.saturating_add(more)),
        (so_far, _) => so_far,
    }
}

/// A count as numbers stand in scenarios: Int32 if it fits, else Int64.
fn number(count: u64) -> Bson {
    match i32::try_from(count) {
        Ok(count) => Bson::Int32(count),
        Err(_) => Bson::Int64(i64::try_from(count).unwrap_or(i64::MAX)),
    }
}

fn to_bson(document: &RawDocumentBuf) -> Result<Bson, CallError> {
    Document::try_from(document)
        .map(Bson::Document)
        .map_err(|error| CallError::new(CallErrorKind::Driver, format!("a reply holds no valid BSON: {error}")))
}

#[cfg(test)]
mod tests {
    use bson::{bson, rawdoc};

    use super::*;

    fn found(documents: Vec<RawDocumentBuf>) -> Reply {
        Reply { returned: documents.len() as u64, documents, ..Reply::default() }
    }

    fn of(replies: impl IntoIterator<Item = Reply>) -> StepReply {
        replies.into_iter().fold(StepReply::default(), |mut step, reply| {
            step.add(reply);
            step
        })
    }

    #[test]
    fn a_single_document_binds_as_itself_and_under_for_each_as_a_list() {
        let one = || found(vec![rawdoc! { "_id": 1 }]);
        let bound = |step: StepReply, for_each| step.bound(Yields::Document, for_each).expect("valid");
        assert_eq!(bound(of([one()]), false), bson!({ "_id": 1 }));
        assert_eq!(bound(of([found(vec![])]), false), Bson::Null);
        assert_eq!(bound(of([one(), found(vec![]), one()]), true), bson!([{ "_id": 1 }, { "_id": 1 }]));
    }

    #[test]
    fn writes_of_several_elements_add_up() {
        let wrote = |matched, upserted_id| Reply {
            write: Some(WriteOutcome { matched, modified: 1, upserted_id, ..WriteOutcome::default() }),
            ..Reply::default()
        };
        let mut step = of([wrote(1, None), wrote(2, Some(bson!("x"))), wrote(0, None)]);
        step.add_expected(ErrorName::DuplicateKey, None);
        let expected = bson!({
            "matched": 3, "modified": 3, "inserted": 0, "deleted": 0, "upsertedId": "x", "error": "DuplicateKey",
        });
        assert_eq!(step.bound(Yields::Written, true).expect("valid"), expected);
    }

    #[test]
    fn counts_add_up_and_distinct_values_stay_distinct() {
        let of_value = |value| Reply { value: Some(value), ..Reply::default() };
        let counted = of([of_value(bson!(2_i64)), of_value(bson!(0_i64)), of_value(bson!(3_i64))]);
        assert_eq!(counted.bound(Yields::Value, true).expect("valid"), bson!(5_i64));
        let distinct = of([of_value(bson!(["a", "b"])), of_value(bson!(["b", "c"]))]);
        assert_eq!(distinct.bound(Yields::Value, true).expect("valid"), bson!(["a", "b", "c"]));
    }

    #[test]
    fn what_was_not_kept_was_still_found() {
        let counted = of([Reply { returned: 3, ..Reply::default() }]);
        assert!(!counted.is_empty());
        assert!(of([Reply { value: Some(bson!(0_i64)), ..Reply::default() }]).is_empty());
        assert!(of([]).is_empty());
    }
}
