//! Values as raw BSON bytes.

use bson::raw::RawDocumentBuf;
use bson::spec::ElementType;
use bson::{Bson, Document};

/// Type byte of a document.
pub(crate) const DOCUMENT: u8 = ElementType::EmbeddedDocument as u8;
/// Type byte of a list.
pub(crate) const LIST: u8 = ElementType::Array as u8;
/// Type byte of a string.
pub(crate) const STRING: u8 = ElementType::String as u8;

/// Appends the value (without type and key) and returns its type byte.
pub(crate) fn encode(value: &Bson, out: &mut Vec<u8>) -> u8 {
    match value {
        Bson::Double(number) => out.extend_from_slice(&number.to_le_bytes()),
        Bson::Int32(number) => out.extend_from_slice(&number.to_le_bytes()),
        Bson::Int64(number) => out.extend_from_slice(&number.to_le_bytes()),
        Bson::DateTime(date) => out.extend_from_slice(&date.timestamp_millis().to_le_bytes()),
        Bson::ObjectId(id) => out.extend_from_slice(&id.bytes()),
        Bson::Boolean(truth) => out.push(u8::from(*truth)),
        Bson::Decimal128(decimal) => out.extend_from_slice(&decimal.bytes()),
        Bson::Null => {}
        Bson::String(text) => encode_text(text, out),
        Bson::Document(document) => encode_document(document, out),
        Bson::Array(list) => encode_list(list, out),
        other => encode_rare(other, out),
    }
    value.element_type() as u8
}

/// Appends a whole number by the rule of the format: Int32 if it fits, else Int64.
pub(crate) fn encode_whole(number: i64, out: &mut Vec<u8>) -> u8 {
    match i32::try_from(number) {
        Ok(number) => {
            out.extend_from_slice(&number.to_le_bytes());
            ElementType::Int32 as u8
        }
        Err(_) => {
            out.extend_from_slice(&number.to_le_bytes());
            ElementType::Int64 as u8
        }
    }
}

/// Appends a string value.
pub(crate) fn encode_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&length(text.len() + 1));
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

/// Appends a whole document.
pub(crate) fn encode_document(document: &Document, out: &mut Vec<u8>) {
    framed(out, |out| {
        for (key, value) in document {
            element(out, key.as_bytes(), |out| encode(value, out));
        }
    });
}

fn encode_list(list: &[Bson], out: &mut Vec<u8>) {
    framed(out, |out| {
        let mut key = IndexKey::default();
        for value in list {
            element(out, key.next(), |out| encode(value, out));
        }
    });
}

/// Types that no generator makes go through the driver's own encoder.
fn encode_rare(value: &Bson, out: &mut Vec<u8>) {
    let mut holder = Document::new();
    holder.insert("v", value.clone());
    let holder = RawDocumentBuf::try_from(&holder).expect("a value that exists as Bson can be encoded").into_bytes();
    // Four bytes of length, the type, "v\0" … and the terminator.
    out.extend_from_slice(&holder[7..holder.len() - 1]);
}

/// Appends an element: type (known once the value is written), key, value.
fn element(out: &mut Vec<u8>, key: &[u8], write: impl FnOnce(&mut Vec<u8>) -> u8) {
    let kind = out.len();
    out.push(0);
    out.extend_from_slice(key);
    out.push(0);
    out[kind] = write(out);
}

/// Appends what `write` appends, between its length and a terminator.
fn framed(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = open(out);
    write(out);
    close(out, start);
}

/// Begins a document or list: leaves room for its length and says where it is.
pub(crate) fn open(out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    start
}

/// Ends the document or list that began at `start`.
pub(crate) fn close(out: &mut Vec<u8>, start: usize) {
    out.push(0);
    let bytes = length(out.len() - start);
    out[start..start + 4].copy_from_slice(&bytes);
}

/// A length as BSON writes it. Sizes are checked against the limit for documents, far below 2 GiB, after writing.
pub(crate) fn length(bytes: usize) -> [u8; 4] {
    i32::try_from(bytes).unwrap_or(i32::MAX).to_le_bytes()
}

/// The keys of a list: `0`, `1`, `2` …
#[derive(Debug, Default)]
pub(crate) struct IndexKey {
    next: u32,
    text: String,
}

impl IndexKey {
    /// The next key.
    pub(crate) fn next(&mut self) -> &[u8] {
        use std::fmt::Write;
        self.text.clear();
        write!(self.text, "{}", self.next).expect("writing to a String does not fail");
        self.next += 1;
        self.text.as_bytes()
    }
}
