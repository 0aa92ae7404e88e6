//! `^key`, `^row` and `^pairs`: existing rows.

use bson::Bson;

use super::generators::rank;
use crate::value::draw::mix;
use crate::value::error::RenderError;
use crate::value::expression::{Call, Expression};
use crate::value::frame::Frame;
use crate::value::path::Path;
use crate::value::permutation::Permutation;
use crate::value::world::SetId;

impl Call {
    pub(super) fn key(&self, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let (set, number) = self.pick(frame)?;
        frame.world.key(set, number, frame.budget)
    }

    /// Appends the key and returns its type byte.
    pub(super) fn write_key(&self, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<u8, RenderError> {
        let (set, number) = self.pick(frame)?;
        frame.world.write_key(set, number, frame.budget, out)
    }

    pub(super) fn row(&self, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let (set, number) = self.pick(frame)?;
        frame.world.field(set, number, &Path::default(), frame.budget)
    }

    fn set(&self, argument: usize, frame: &Frame<'_>) -> Result<SetId, RenderError> {
        let name = self.word(argument).unwrap_or_default();
        frame.world.set_id(name).ok_or_else(|| RenderError::new(format!("the dataset has no set `{name}`")))
    }

    fn pick(&self, frame: &Frame<'_>) -> Result<(SetId, u64), RenderError> {
        let world = frame.world;
        let set = self.set(0, frame)?;
        let count = world.rows(set);
        if count == 0 {
            return Err(RenderError::new(format!("the set `{}` has no rows", world.name(set))));
        }
        if let Some(at) = self.argument(3) {
            return Ok((set, at.count(frame)? % count));
        }
        let mut random = frame.random(self.place);
        let exponent = self.exponent(1, frame)?;
        let number = match self.word(2) {
            Some(class) => world.pick_of_class(set, class, &mut random, exponent)?,
            None => {
                let rank = rank(&mut random, count, exponent)?;
                if exponent.is_some() { world.by_popularity(set, rank) } else { rank }
            }
        };
        Ok((set, number))
    }

    pub(super) fn pairs(&self, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let world = frame.world;
        let (left, right) = (self.set(0, frame)?, self.set(1, frame)?);
        let all = world.rows(left).checked_mul(world.rows(right)).filter(|all| *all > 0).ok_or_else(|| {
            RenderError::new(format!("`{}` × `{}` has no pairs, or too many", world.name(left), world.name(right)))
        })?;
        let taken = if self.argument(3).is_some() { world.rows(self.set(3, frame)?) % all } else { 0 };
        let position = (frame.index % all + taken) % all;
        let key = mix(world.permutation_key(left) ^ mix(world.permutation_key(right)));
        let pair = Permutation::new(key, all).forward(position);
        let (left_row, right_row) = (pair / world.rows(right), pair % world.rows(right));
        match self.word(2) {
            Some("left") => world.key(left, left_row, frame.budget),
            Some(_) => world.key(right, right_row, frame.budget),
            None => Ok(Bson::Document(bson::doc! {
                "left": world.key(left, left_row, frame.budget)?,
                "right": world.key(right, right_row, frame.budget)?,
            })),
        }
    }

    pub(super) fn distinct(&self, frame: &Frame<'_>) -> Result<bool, RenderError> {
        self.argument(2).map_or(Ok(false), |distinct| Expression::truth(distinct, frame))
    }
}
