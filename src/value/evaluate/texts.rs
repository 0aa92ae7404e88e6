//! Texts: `^words`, `^text`, `^format`.

use bson::Bson;
use rand::Rng;

use super::generators::below;
use crate::value::date::show_date;
use crate::value::error::RenderError;
use crate::value::expression::Call;
use crate::value::frame::{Frame, MAX_DOCUMENT};
use crate::value::number::describe;
use crate::value::operator::{Operator, Piece};
use crate::value::vocabulary::{FREQUENT, SLOT, TABLE_BITS, WORDS, frequency_table, spaced_words};

impl Call {
    pub(super) fn text(&self, frame: &Frame<'_>) -> Result<String, RenderError> {
        let mut bytes = Vec::new();
        self.append_text(frame, &mut bytes)?;
        frame.spend(bytes.len() as u64)?;
        Ok(String::from_utf8(bytes).expect("texts are put together from whole texts"))
    }

    /// Appends the text's bytes.
    pub(super) fn append_text(&self, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<(), RenderError> {
        match &self.operator {
            Operator::Words => {
                append_words(self.bounded(0, frame)?, &mut frame.random(self.place), out);
                Ok(())
            }
            Operator::Text => {
                append_filler(self.bounded(0, frame)?, &mut frame.random(self.place), out);
                Ok(())
            }
            Operator::Format(pieces) => self.append_format(pieces, frame, out),
            other => unreachable!("^{} makes no text", other.name()),
        }
    }

    /// A count that a document can hold.
    fn bounded(&self, argument: usize, frame: &Frame<'_>) -> Result<usize, RenderError> {
        let count = self.required(argument).count(frame)?;
        usize::try_from(count).ok().filter(|count| *count <= MAX_DOCUMENT).ok_or_else(|| {
            RenderError::new(format!("{count} is too much: a document holds at most {MAX_DOCUMENT} bytes"))
        })
    }

    fn append_format(&self, pieces: &[Piece], frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<(), RenderError> {
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Value { argument, width } => {
                    let value = self.required(*argument).evaluate(frame)?;
                    append_value(&value, *width, out)?;
                }
            }
        }
        Ok(())
    }
}

fn append_value(value: &Bson, width: usize, out: &mut Vec<u8>) -> Result<(), RenderError> {
    use std::io::Write;
    let written = match value {
        Bson::Int32(number) => write!(out, "{number:0width$}"),
        Bson::Int64(number) => write!(out, "{number:0width$}"),
        Bson::Double(number) => write!(out, "{number:0width$}"),
        Bson::String(text) => write!(out, "{text}"),
        Bson::Boolean(truth) => write!(out, "{truth}"),
        Bson::ObjectId(id) => write!(out, "{id}"),
        Bson::Decimal128(decimal) => write!(out, "{decimal}"),
        Bson::DateTime(date) => write!(out, "{}", show_date(date.timestamp_millis())),
        Bson::Binary(binary) if binary.to_uuid().is_ok() => {
            write!(out, "{}", binary.to_uuid().expect("the arm is guarded by it"))
        }
        other => return Err(RenderError::new(format!("{} has no place in a text", describe(other)))),
    };
    written.expect("writing into memory does not fail");
    Ok(())
}

/// So many content words, each equally likely.
fn append_words(count: usize, random: &mut impl Rng, out: &mut Vec<u8>) {
    let content = (WORDS.len() - FREQUENT) as u64;
    for number in 0..count {
        if number > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(WORDS[FREQUENT + below(random, content) as usize].as_bytes());
    }
}

/// Sentences of exactly so many bytes.
fn append_filler(bytes: usize, random: &mut impl Rng, out: &mut Vec<u8>) {
    const GROUP: usize = (u64::BITS / TABLE_BITS) as usize;
    let (table, words) = (frequency_table(), spaced_words());
    let end = out.len() + bytes;
    let mut reached = out.len();
    let mut capital = true;
    while reached < end {
        // Room for a group of the longest words and for what ends a sentence.
        out.resize(reached + GROUP * SLOT + 1, 0);
        let mut bits = random.next_u64();
        for _ in 0..GROUP {
            let word = &words[usize::from(table[(bits & ((1 << TABLE_BITS) - 1)) as usize])];
            out[reached..reached + SLOT].copy_from_slice(&word.bytes);
            if capital {
                out[reached].make_ascii_uppercase();
                capital = false;
            }
            reached += usize::from(word.length);
            bits >>= TABLE_BITS;
        }
        // The bits left over end a sentence now and then: about every twelfth word.
        capital = bits % 5 < 2;
        if capital {
            out[reached - 1] = b'.';
            out[reached] = b' ';
            reached += 1;
        }
    }
    out.truncate(end);
    if let Some(last) = out.last_mut().filter(|_| bytes > 0) {
        *last = b'.';
    }
}
