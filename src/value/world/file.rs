//! One's own documents: Extended JSON lines.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use bson::raw::RawDocumentBuf;
use bson::{Bson, Document};

use crate::value::evaluate::row_object_id;
use crate::value::frame::MAX_DOCUMENT;
use crate::value::template::encoded;

/// The most bytes of documents that are held in memory.
const MAX_BYTES: usize = 1 << 30;
/// What some editors put at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// The longest line: text takes more room than BSON.
const MAX_LINE: u64 = 4 * MAX_DOCUMENT as u64;

/// Reads the first documents of a file (all without `first`); documents without `_id` get one.
pub(super) fn read(path: &Path, first: Option<u64>, key: u64) -> Result<Vec<RawDocumentBuf>, String> {
    let failed = |error: std::io::Error| format!("failed to read {}: {error}", path.display());
    let mut reader = BufReader::new(File::open(path).map_err(failed)?);
    let mut documents = Vec::new();
    let (mut bytes, mut number) = (0, 0);
    while first.is_none_or(|first| (documents.len() as u64) < first) {
        let mut line = Vec::new();
        if reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).map_err(failed)? == 0 {
            break;
        }
        number += 1;
        if number == 1 && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if line.len() as u64 == MAX_LINE {
            return Err(format!("{}:{number}: the line is longer than {} MiB", path.display(), MAX_LINE >> 20));
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let document = document(&line, key, documents.len() as u64);
        let document = document.map_err(|message| format!("{}:{number}: {message}", path.display()))?;
        bytes += document.as_bytes().len();
        if bytes > MAX_BYTES {
            return Err(format!("{} holds more than 1 GiB of documents; take the first n of them", path.display()));
        }
        documents.push(document);
    }
    Ok(documents)
}

fn document(line: &[u8], key: u64, number: u64) -> Result<RawDocumentBuf, String> {
    let json: serde_json::Value = serde_json::from_slice(line).map_err(|error| format!("this is no JSON: {error}"))?;
    let value = Bson::try_from(json).map_err(|error| format!("this is no Extended JSON: {error}"))?;
    let Bson::Document(mut document) = value else { return Err("a line must hold one document".to_owned()) };
    if !document.contains_key("_id") {
        let mut with_id = Document::new();
        with_id.insert("_id", row_object_id(key, number));
        with_id.extend(document);
        document = with_id;
    }
    encoded(&document).map_err(|error| error.message)
}
