//! `^date` and `^dateTrunc`.

use bson::Bson;

use super::generators::below;
use super::wanted;
use crate::value::date::{as_duration, date_or_error, truncate};
use crate::value::error::RenderError;
use crate::value::expression::{Call, Expression};
use crate::value::frame::Frame;
use crate::value::number::date;
use crate::value::operator::{DateForm, date_option as option};

impl Expression {
    fn date(&self, frame: &Frame<'_>) -> Result<i64, RenderError> {
        date_or_error(&*self.evaluate(frame)?)
    }

    fn duration(&self, frame: &Frame<'_>) -> Result<i64, RenderError> {
        let value = self.evaluate(frame)?;
        as_duration(&value).ok_or_else(|| wanted("a duration such as 10s", &value))
    }
}

impl Call {
    pub(super) fn date(&self, form: DateForm, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        match form {
            DateForm::Value => {
                let value = self.required(option::VALUE).evaluate(frame)?;
                if matches!(*value, Bson::Null) { Ok(Bson::Null) } else { date_or_error(&value).map(date) }
            }
            DateForm::Between => {
                let (from, to) = (self.required(option::FROM).date(frame)?, self.required(option::TO).date(frame)?);
                self.drawn(from, to, frame)
            }
            DateForm::Series => self.series(frame),
            DateForm::NearNow => match (self.argument(option::BEFORE_NOW), self.argument(option::AFTER_NOW)) {
                (Some(before), _) => {
                    let before = before.duration(frame)?;
                    self.drawn(moved(frame.now, -i128::from(before))?, frame.now, frame)
                }
                (None, after) => {
                    let after = after.map_or(Ok(0), |after| after.duration(frame))?;
                    self.drawn(frame.now, moved(frame.now, i128::from(after))?, frame)
                }
            },
        }
    }

    fn drawn(&self, from: i64, to: i64, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let span = i128::from(to) - i128::from(from);
        let span = u64::try_from(span).ok().filter(|span| *span > 0);
        let span = span.ok_or_else(|| RenderError::new("the end of the span must lie after its start"))?;
        Ok(date(from.wrapping_add(below(&mut frame.random(self.place), span) as i64)))
    }

    fn series(&self, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let start = self.required(option::START).date(frame)?;
        let every = self.required(option::EVERY).duration(frame)?;
        let number = match self.argument(option::BY) {
            Some(by) => by.whole(frame)?,
            None => i64::try_from(frame.index).unwrap_or(i64::MAX),
        };
        let jitter = match self.argument(option::JITTER) {
            Some(jitter) => u64::try_from(jitter.duration(frame)?).unwrap_or(0),
            None => 0,
        };
        let extra = if jitter == 0 { 0 } else { below(&mut frame.random(self.place), jitter) };
        moved(start, i128::from(every) * i128::from(number) + i128::from(extra)).map(date)
    }

    pub(super) fn truncated(&self, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let value = self.required(0).evaluate(frame)?;
        if matches!(*value, Bson::Null) {
            return Ok(Bson::Null);
        }
        let size = self.argument(2).map_or(Ok(1), |size| size.whole(frame))?;
        let unit = self.word(1).unwrap_or_default();
        if size < 1 {
            return Err(RenderError::new(format!("size must be at least 1, not {size}")));
        }
        truncate(date_or_error(&value)?, unit, size)
            .map(date)
            .ok_or_else(|| RenderError::new(format!("{size} {unit}s are too many")))
    }
}

/// A date and milliseconds.
pub(super) fn moved(start: i64, by: i128) -> Result<i64, RenderError> {
    i64::try_from(i128::from(start) + by).map_err(|_| RenderError::new("the date lies beyond what BSON can hold"))
}
