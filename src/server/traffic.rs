//! Bytes that a client sends and receives, counted from the driver's command events.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bson::{Bson, Document};
use mongodb::event::EventHandler;
use mongodb::event::command::CommandEvent;

/// Header, flags and the mark of the body's section: what a message has beside its body.
const ENVELOPE: u64 = 16 + 4 + 1;
/// The list that the driver sends as a section of its own, by the command that has it.
const SECTION_OF: [(&str, &str); 1] = [("insert", "documents")];
/// Commands that nobody waits for.
const UNAWAITED: &str = "killCursors";

/// Messages of a client so far: round trips, and bytes as they cross the wire, headers included, before TLS. The driver is
/// built without compression.
#[derive(Debug, Default)]
pub struct Traffic {
    round_trips: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
}

/// What was counted of a client's messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrafficCount {
    /// Requests that were answered.
    pub round_trips: u64,
    /// Bytes of requests.
    pub sent: u64,
    /// Bytes of replies.
    pub received: u64,
}

impl TrafficCount {
    /// What was counted since.
    #[must_use]
    pub const fn since(self, before: Self) -> Self {
        Self {
            round_trips: self.round_trips.saturating_sub(before.round_trips),
            sent: self.sent.saturating_sub(before.sent),
            received: self.received.saturating_sub(before.received),
        }
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, more: Self) -> Self {
        Self {
            round_trips: self.round_trips.saturating_add(more.round_trips),
            sent: self.sent.saturating_add(more.sent),
            received: self.received.saturating_add(more.received),
        }
    }
}

impl Traffic {
    /// What was counted so far.
    pub fn so_far(&self) -> TrafficCount {
        TrafficCount {
            round_trips: self.round_trips.load(Ordering::Relaxed),
            sent: self.sent.load(Ordering::Relaxed),
            received: self.received.load(Ordering::Relaxed),
        }
    }

    fn request(&self, name: &str, command: &Document) {
        self.sent.fetch_add(request_bytes(name, command), Ordering::Relaxed);
    }

    fn reply(&self, name: &str, body: u64) {
        if name != UNAWAITED {
            self.round_trips.fetch_add(1, Ordering::Relaxed);
        }
        self.received.fetch_add(ENVELOPE + body, Ordering::Relaxed);
    }
}

/// Counts the messages of a client.
pub(super) fn counting_bytes(traffic: &Arc<Traffic>) -> EventHandler<CommandEvent> {
    let traffic = Arc::clone(traffic);
    EventHandler::callback(move |event| match event {
        CommandEvent::Started(event) => traffic.request(&event.command_name, &event.command),
        CommandEvent::Succeeded(event) => traffic.reply(&event.command_name, encoded(&event.reply)),
        CommandEvent::Failed(event) => {
            if let Some(reply) = event.failure.server_response() {
                traffic.reply(&event.command_name, reply.as_bytes().len() as u64);
            }
        }
        _ => {}
    })
}

/// Bytes of a request. Events show lists that are sent as sections of their own as if they stood in the body, where each
/// element has a type and its number as a name, and the list an end.
fn request_bytes(name: &str, command: &Document) -> u64 {
    let list = SECTION_OF.iter().find(|(of, _)| *of == name).and_then(|(_, list)| command.get_array(list).ok());
    let in_body = list.map_or(0, |list| 1 + (0..list.len()).map(|place| 2 + digits(place)).sum::<u64>());
    (ENVELOPE + encoded(command)).saturating_sub(in_body)
}

fn digits(number: usize) -> u64 {
    number.checked_ilog10().map_or(1, |log| u64::from(log) + 1)
}

/// The bytes of a document in BSON.
fn encoded(document: &Document) -> u64 {
    const LENGTH_AND_END: u64 = 4 + 1;
    LENGTH_AND_END + document.iter().map(|(name, value)| element(name.len() as u64, value)).sum::<u64>()
}

/// The bytes of an element: its type, its name with a 0 behind it, its value.
fn element(name: u64, value: &Bson) -> u64 {
    let text = |text: &str| 4 + text.len() as u64 + 1;
    let value = match value {
        Bson::Double(_) | Bson::Int64(_) | Bson::DateTime(_) | Bson::Timestamp(_) => 8,
        Bson::Int32(_) => 4,
        Bson::Boolean(_) => 1,
        Bson::Null | Bson::Undefined | Bson::MinKey | Bson::MaxKey => 0,
        Bson::ObjectId(_) => 12,
        Bson::Decimal128(_) => 16,
        Bson::String(value) | Bson::Symbol(value) | Bson::JavaScriptCode(value) => text(value),
        Bson::Document(document) => encoded(document),
        Bson::Array(values) => {
            4 + 1 + values.iter().enumerate().map(|(place, value)| element(digits(place), value)).sum::<u64>()
        }
        Bson::Binary(binary) => 4 + 1 + binary.bytes.len() as u64,
        Bson::RegularExpression(regex) => (regex.pattern.as_str().len() + 1 + regex.options.as_str().len() + 1) as u64,
        Bson::JavaScriptCodeWithScope(code) => 4 + text(&code.code) + encoded(&code.scope),
        // Deprecated since long before the servers that are supported, and of fields that cannot be seen.
        Bson::DbPointer(_) => 0,
    };
    1 + name + 1 + value
}

#[cfg(test)]
mod tests {
    use bson::{doc, oid::ObjectId, rawdoc};

    use super::*;

    #[test]
    fn a_document_has_as_many_bytes_as_its_encoding() {
        let document = doc! {
            "double": 1.5, "long": 1_i64, "int": 1, "yes": true, "none": Bson::Null, "id": ObjectId::new(),
            "text": "größer", "at": bson::DateTime::now(), "pattern": bson::Regex {
                pattern: "^a".try_into().expect("a pattern"), options: "i".try_into().expect("options"),
            },
            "bytes": bson::Binary { subtype: bson::spec::BinarySubtype::Generic, bytes: vec![1, 2, 3] },
            "decimal": "1.5".parse::<bson::Decimal128>().expect("a number"),
            "inner": { "list": (0..12).map(Bson::Int32).collect::<Vec<_>>(), "empty": [] },
        };
        assert_eq!(encoded(&document), document.to_vec().expect("valid").len() as u64);
    }

    #[test]
    fn inserted_documents_are_counted_as_the_section_that_they_are_sent_in() {
        let documents: Vec<_> = (0..12).map(|number| doc! { "_id": number, "text": "x" }).collect();
        let of_documents: u64 = documents.iter().map(encoded).sum();
        let body = rawdoc! { "insert": "products", "ordered": true };
        // The section's mark, its length, its name with a 0 behind it, and the documents as they are.
        let section = 1 + 4 + "documents\0".len() as u64 + of_documents;
        let shown = doc! { "insert": "products", "ordered": true, "documents": documents };
        assert_eq!(request_bytes("insert", &shown), ENVELOPE + body.as_bytes().len() as u64 + section);
    }

    #[test]
    fn what_nobody_waits_for_is_no_round_trip() {
        let traffic = Traffic::default();
        traffic.request("find", &doc! { "find": "a" });
        traffic.reply("find", 50);
        let before = traffic.so_far();
        traffic.request("killCursors", &doc! { "killCursors": "a" });
        traffic.reply("killCursors", 60);
        let since = traffic.so_far().since(before);
        assert_eq!((since.round_trips, since.received), (0, ENVELOPE + 60));
        assert_eq!(before.and(since), traffic.so_far());
    }
}
