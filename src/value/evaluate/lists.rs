//! Lists: `^array`, `^map`, `^filter`, `^first`, `^at`.

use std::borrow::Cow;
use std::collections::HashSet;

use bson::Bson;

use super::{NULL, wanted};
use crate::value::draw::mix;
use crate::value::error::RenderError;
use crate::value::expression::Call;
use crate::value::frame::Frame;
use crate::value::number::{identity, size};

/// How many draws an element of a list without duplicates gets before the list counts as impossible.
const TRIES: u64 = 100;

impl Call {
    /// The frame of an element of `^array`; `draw` tells its random values from those of its neighbours.
    pub(super) fn element_frame<'a>(&self, frame: &Frame<'a>, position: u64, draw: u64) -> Frame<'a> {
        Frame { position, salt: mix(frame.salt ^ mix(draw + 1)), ..*frame }
    }

    /// The frame of an element of `^map` or `^filter`.
    pub(super) fn body_frame<'b>(&self, frame: &Frame<'b>, it: &'b Bson, position: u64) -> Frame<'b> {
        Frame { it: Some(it), ..self.element_frame(frame, position, position) }
    }

    pub(super) fn array(&self, frame: &Frame<'_>) -> Result<Vec<Bson>, RenderError> {
        let count = self.required(1).count(frame)?;
        if self.distinct(frame)? {
            return self.distinct_array(frame, count);
        }
        let mut list = Vec::new();
        for position in 0..count {
            let element = self.required(0).evaluate(&self.element_frame(frame, position, position))?.into_owned();
            frame.spend(size(&element))?;
            list.push(element);
        }
        Ok(list)
    }

    fn distinct_array(&self, frame: &Frame<'_>, count: u64) -> Result<Vec<Bson>, RenderError> {
        let (mut list, mut seen, mut draw) = (Vec::new(), HashSet::new(), 0);
        while (list.len() as u64) < count {
            if draw > TRIES.saturating_mul(list.len() as u64 + 10) {
                return Err(RenderError::new(format!(
                    "{count} distinct elements were not found in {draw} draws; there may be too few different ones"
                )));
            }
            let element = self.required(0).evaluate(&self.element_frame(frame, list.len() as u64, draw))?.into_owned();
            draw += 1;
            if seen.insert(identity(&element)) {
                frame.spend(size(&element))?;
                list.push(element);
            }
        }
        Ok(list)
    }

    pub(super) fn map(&self, frame: &Frame<'_>) -> Result<Vec<Bson>, RenderError> {
        let list = self.required(0).items(frame)?;
        let mut mapped = Vec::with_capacity(list.len());
        for (it, position) in list.iter().zip(0..) {
            let element = self.required(1).evaluate(&self.body_frame(frame, it, position))?.into_owned();
            frame.spend(size(&element))?;
            mapped.push(element);
        }
        Ok(mapped)
    }

    pub(super) fn filter(&self, frame: &Frame<'_>) -> Result<Vec<Bson>, RenderError> {
        let list = self.required(0).items(frame)?;
        let mut kept = Vec::new();
        for (it, position) in list.iter().zip(0..) {
            if self.required(1).truth(&self.body_frame(frame, it, position))? {
                kept.push(it.clone());
            }
        }
        Ok(kept)
    }

    /// The element at a place, from the end if negative; null where there is none.
    pub(super) fn element<'a>(&'a self, frame: &Frame<'a>, place: i64) -> Result<Cow<'a, Bson>, RenderError> {
        let index = |length: usize| {
            let from_start = if place < 0 { length as i64 + place } else { place };
            usize::try_from(from_start).ok().filter(|index| *index < length)
        };
        match self.required(0).evaluate(frame)? {
            Cow::Borrowed(Bson::Array(list)) => {
                Ok(index(list.len()).map_or(Cow::Borrowed(&NULL), |index| Cow::Borrowed(&list[index])))
            }
            Cow::Owned(Bson::Array(mut list)) => {
                Ok(index(list.len()).map_or(Cow::Borrowed(&NULL), |index| Cow::Owned(list.swap_remove(index))))
            }
            value if matches!(*value, Bson::Null) => Ok(Cow::Borrowed(&NULL)),
            value => Err(wanted("a list", &value)),
        }
    }
}
