//! Generators of scalars.

use std::borrow::Cow;

use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, Decimal128};
use rand::Rng;
use rand_distr::{Distribution, Zipf};

use super::Chosen;
use crate::value::date::NOW_START;
use crate::value::draw::mix;
use crate::value::error::RenderError;
use crate::value::expression::{Call, Expression, Found};
use crate::value::frame::Frame;
use crate::value::number::as_double;

/// A whole number from 0 up to `bound` (at least 1), each equally likely (Lemire's method).
pub(super) fn below(random: &mut impl Rng, bound: u64) -> u64 {
    let mut product = u128::from(random.next_u64()) * u128::from(bound);
    if (product as u64) < bound {
        let unfair = bound.wrapping_neg() % bound;
        while (product as u64) < unfair {
            product = u128::from(random.next_u64()) * u128::from(bound);
        }
    }
    (product >> 64) as u64
}

/// A number from 0 up to 1, itself left out, with 53 random bits.
pub(super) fn unit(random: &mut impl Rng) -> f64 {
    (random.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A rank from 0 up to `count`: uniform, or by Zipf's law (P(rank) in proportion to 1 / (rank + 1)^exponent).
pub(crate) fn rank(random: &mut impl Rng, count: u64, exponent: Option<f64>) -> Result<u64, RenderError> {
    let Some(exponent) = exponent else { return Ok(below(random, count)) };
    let zipf = Zipf::new(count as f64, exponent)
        .ok()
        .filter(|_| exponent.is_finite())
        .ok_or_else(|| RenderError::new(format!("the exponent of Zipf's law must be at least 0, not {exponent}")))?;
    Ok((zipf.sample(random) as u64 - 1).min(count - 1))
}

impl Call {
    pub(super) fn exponent(&self, number: usize, frame: &Frame<'_>) -> Result<Option<f64>, RenderError> {
        self.argument(number).map(|exponent| Expression::double(exponent, frame)).transpose()
    }

    pub(super) fn int(&self, frame: &Frame<'_>) -> Result<i64, RenderError> {
        let (min, max) = (self.required(0).whole(frame)?, self.required(1).whole(frame)?);
        if min > max {
            return Err(RenderError::new(format!("min {min} is larger than max {max}")));
        }
        let mut random = frame.random(self.place);
        let span = max.wrapping_sub(min) as u64;
        let offset = match span.checked_add(1) {
            Some(count) => rank(&mut random, count, self.exponent(2, frame)?)?,
            None => random.next_u64(),
        };
        Ok(min.wrapping_add(offset as i64))
    }

    pub(super) fn double(&self, frame: &Frame<'_>) -> Result<f64, RenderError> {
        let min = self.argument(0).map_or(Ok(0.0), |min| Expression::double(min, frame))?;
        let max = self.argument(1).map_or(Ok(1.0), |max| Expression::double(max, frame))?;
        if min.is_nan() || max.is_nan() || min > max {
            return Err(RenderError::new(format!("min {min} is larger than max {max}")));
        }
        let value = min + unit(&mut frame.random(self.place)) * (max - min);
        Ok(match self.argument(2) {
            Some(decimals) => {
                let factor = power_of_ten(decimals.count(frame)?)?;
                // Adding 0 turns -0 into 0.
                (value * factor).round() / factor + 0.0
            }
            // Rounding of the product could reach the upper bound.
            None if value >= max && min < max => max.next_down(),
            None => value,
        })
    }

    pub(super) fn decimal(&self, frame: &Frame<'_>) -> Result<Bson, RenderError> {
        let (min, max) = (Expression::double(self.required(0), frame)?, Expression::double(self.required(1), frame)?);
        let scale = self.argument(2).map_or(Ok(2), |scale| scale.count(frame))?;
        let factor = power_of_ten(scale)?;
        // A bound such as 0.29 × 100 lies a little beside the whole number that is meant.
        let (low, high) = ((min * factor - 1e-6).ceil(), (max * factor + 1e-6).floor());
        if !(low <= high && low.abs() < 9.0e15 && high.abs() < 9.0e15) {
            return Err(RenderError::new(format!("no decimal with {scale} digits lies between {min} and {max}")));
        }
        let drawn = low as i64 + below(&mut frame.random(self.place), (high - low) as u64 + 1) as i64;
        Ok(Bson::Decimal128(decimal128(drawn, scale)))
    }

    pub(super) fn bool(&self, frame: &Frame<'_>) -> Result<bool, RenderError> {
        let share = self.argument(0).map_or(Ok(0.5), |share| Expression::double(share, frame))?;
        Ok(unit(&mut frame.random(self.place)) < share)
    }

    pub(super) fn choose<'a>(&'a self, frame: &Frame<'a>) -> Result<Chosen<'a>, RenderError> {
        let list = self.required(0);
        if let Expression::List(fields) = list {
            let chosen = self.choice(fields.len(), frame)?;
            return Ok(match fields.nth(chosen).expect("a list has as many elements as it has") {
                Found::Constant(value) => Chosen::Value(Cow::Borrowed(value)),
                Found::Dynamic(expression) => Chosen::Written(expression),
            });
        }
        Ok(Chosen::Value(match list.items(frame)? {
            Cow::Borrowed(items) => Cow::Borrowed(&items[self.choice(items.len(), frame)?]),
            Cow::Owned(mut items) => {
                let chosen = self.choice(items.len(), frame)?;
                Cow::Owned(items.swap_remove(chosen))
            }
        }))
    }

    fn choice(&self, count: usize, frame: &Frame<'_>) -> Result<usize, RenderError> {
        if count == 0 {
            return Err(RenderError::new("there is nothing to choose from: the list is empty"));
        }
        let mut random = frame.random(self.place);
        match self.argument(1) {
            Some(weights) => weighted(&weights.items(frame)?, count, unit(&mut random)),
            None => Ok(rank(&mut random, count as u64, self.exponent(2, frame)?)? as usize),
        }
    }

    pub(super) fn object_id(&self, frame: &Frame<'_>) -> ObjectId {
        object_id(mix(frame.key ^ self.place) ^ frame.salt, frame.number)
    }

    pub(super) fn uuid(&self, frame: &Frame<'_>) -> Bson {
        let mut bytes = [0; 16];
        frame.random(self.place).fill_bytes(&mut bytes);
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Bson::Binary(Binary { subtype: BinarySubtype::Uuid, bytes: bytes.to_vec() })
    }
}

fn power_of_ten(digits: u64) -> Result<f64, RenderError> {
    i32::try_from(digits)
        .ok()
        .filter(|digits| *digits <= 15)
        .map(|digits| 10f64.powi(digits))
        .ok_or_else(|| RenderError::new(format!("at most 15 digits stand after the point, not {digits}")))
}

fn weighted(weights: &[Bson], count: usize, share: f64) -> Result<usize, RenderError> {
    let numbers: Option<Vec<f64>> =
        weights.iter().map(|weight| as_double(weight).filter(|weight| *weight >= 0.0)).collect();
    let numbers =
        numbers.filter(|numbers| numbers.len() == count && numbers.iter().sum::<f64>() > 0.0).ok_or_else(|| {
            RenderError::new(format!(
                "{count} weights of at least 0, one for each element and not all 0, were expected"
            ))
        })?;
    let mut left = share * numbers.iter().sum::<f64>();
    for (index, weight) in numbers.iter().enumerate() {
        if left < *weight {
            return Ok(index);
        }
        left -= weight;
    }
    // Rounding can leave a crumb; it belongs to the last that can be chosen.
    Ok(numbers.iter().rposition(|weight| *weight > 0.0).expect("not all weights are 0"))
}

/// `coefficient × 10^-scale` in the binary integer encoding of IEEE 754.
fn decimal128(coefficient: i64, scale: u64) -> Decimal128 {
    let sign = u128::from(coefficient < 0) << 127;
    let exponent = (6176 - u128::from(scale)) << 113;
    Decimal128::from_bytes((sign | exponent | u128::from(coefficient.unsigned_abs())).to_le_bytes())
}

/// An ObjectId whose time and counter grow with the number and whose middle is drawn. Numbers of one origin that share
/// a second differ in the counter.
fn object_id(origin: u64, number: u64) -> ObjectId {
    let seconds = (NOW_START / 1000) as u64 + number / 1000;
    let origin = mix(origin).to_be_bytes();
    let counter = number.to_be_bytes();
    ObjectId::from_parts(
        seconds as u32,
        [origin[0], origin[1], origin[2], origin[3], origin[4]],
        [counter[5], counter[6], counter[7]],
    )
}

/// The ObjectId of a row that names no `_id` of its own.
pub(crate) fn row_object_id(key: u64, number: u64) -> ObjectId {
    object_id(mix(key), number)
}
