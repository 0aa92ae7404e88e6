//! Numbers of every BSON type as one kind of number.

use std::cmp::Ordering;
use std::fmt;

use bson::Decimal128;

/// A number as its decimal digits, whatever type it was stored in: 5, 5.0 and decimal 5.00 are the same, and so are
/// double 19.99 and decimal 19.99, since a double stands for the shortest decimal that reads back as it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Number {
    /// Not a number.
    Nan,
    /// Beyond every number.
    Infinity {
        /// Below every number instead.
        negative: bool,
    },
    /// `digits` × 10^`exponent`, without trailing zeros in `digits`.
    Finite {
        /// Whether it lies below zero.
        negative: bool,
        /// Its power of ten.
        exponent: i32,
        /// Its digits.
        digits: u128,
    },
}

impl Number {
    fn finite(negative: bool, mut digits: u128, mut exponent: i32) -> Self {
        if digits == 0 {
            return Self::Finite { negative: false, exponent: 0, digits: 0 };
        }
        while digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        Self::Finite { negative, exponent, digits }
    }

    /// Reads `-12.50E+3`, as the standard library and [`Decimal128`] write numbers.
    fn read(text: &str) -> Self {
        let (negative, magnitude) = match text.strip_prefix('-') {
            Some(magnitude) => (true, magnitude),
            None => (false, text),
        };
        if magnitude.eq_ignore_ascii_case("infinity") || magnitude.eq_ignore_ascii_case("inf") {
            return Self::Infinity { negative };
        }
        let (mantissa, exponent) = magnitude.split_once(['e', 'E']).unwrap_or((magnitude, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}").parse();
        match (digits, exponent.parse::<i32>(), i32::try_from(fraction.len())) {
            (Ok(digits), Ok(exponent), Ok(places)) => Self::finite(negative, digits, exponent - places),
            _ => Self::Nan,
        }
    }

    /// Its place among the kinds of numbers, from the lowest.
    fn class(self) -> u8 {
        match self {
            Self::Nan => 0,
            Self::Infinity { negative: true } => 1,
            Self::Finite { negative: true, .. } => 2,
            Self::Finite { digits: 0, .. } => 3,
            Self::Finite { .. } => 4,
            Self::Infinity { negative: false } => 5,
        }
    }

    /// The number as a double, for comparing within a tolerance.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Nan => f64::NAN,
            Self::Infinity { negative: false } => f64::INFINITY,
            Self::Infinity { negative: true } => f64::NEG_INFINITY,
            Self::Finite { negative, exponent, digits } => {
                let sign = if negative { "-" } else { "" };
                format!("{sign}{digits}e{exponent}").parse().unwrap_or(f64::NAN)
            }
        }
    }

    /// Whether two numbers differ by at most `tolerance` of the larger.
    pub fn is_near(self, other: Self, tolerance: f64) -> bool {
        let (left, right) = (self.to_f64(), other.to_f64());
        // Infinity is near to nothing but itself, and differs from everything else by what any tolerance of it covers.
        let both_finite = left.is_finite() && right.is_finite();
        self == other || both_finite && (left - right).abs() <= tolerance * left.abs().max(right.abs())
    }
}

impl Ord for Number {
    /// By value; what is not a number comes first.
    fn cmp(&self, other: &Self) -> Ordering {
        self.class().cmp(&other.class()).then_with(|| match (*self, *other) {
            (
                Self::Finite { negative, exponent, digits },
                Self::Finite { exponent: other_exponent, digits: other_digits, .. },
            ) => {
                let order = compare_magnitudes((digits, exponent), (other_digits, other_exponent));
                if negative { order.reverse() } else { order }
            }
            _ => Ordering::Equal,
        })
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares `digits` × 10^`exponent`, both above zero and without trailing zeros.
fn compare_magnitudes(left: (u128, i32), right: (u128, i32)) -> Ordering {
    let parts = |(digits, exponent): (u128, i32)| {
        let digits = digits.to_string();
        let length = i32::try_from(digits.len()).expect("at most 39 digits");
        (length + exponent, digits)
    };
    // Where the first digits stand at the same place, digits compare like letters.
    parts(left).cmp(&parts(right))
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self::finite(number < 0, u128::from(number.unsigned_abs()), 0)
    }
}

impl From<f64> for Number {
    fn from(number: f64) -> Self {
        Self::read(&format!("{number:e}"))
    }
}

impl From<Decimal128> for Number {
    fn from(number: Decimal128) -> Self {
        Self::read(&number.to_string())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Finite { negative, exponent, digits } = *self else {
            return match self {
                Self::Infinity { negative: true } => f.write_str("-Infinity"),
                Self::Infinity { negative: false } => f.write_str("Infinity"),
                _ => f.write_str("NaN"),
            };
        };
        if negative {
            f.write_str("-")?;
        }
        let digits = digits.to_string();
        let length = i32::try_from(digits.len()).expect("at most 39 digits");
        match (exponent, length + exponent) {
            (0.., ..=21) => write!(f, "{digits}{}", "0".repeat(exponent.unsigned_abs() as usize)),
            (..0, 1..) => {
                let (whole, fraction) = digits.split_at((length + exponent).unsigned_abs() as usize);
                write!(f, "{whole}.{fraction}")
            }
            (..0, -6..=0) => write!(f, "0.{}{digits}", "0".repeat((length + exponent).unsigned_abs() as usize)),
            _ => write!(f, "{digits}e{exponent}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Number {
        Number::from(text.parse::<Decimal128>().expect("a decimal"))
    }

    #[test]
    fn one_number_is_one_number_in_every_type() {
        for same in [Number::from(1500.0), decimal("1500"), decimal("1.500E+3"), decimal("1500.00")] {
            assert_eq!(same, Number::from(1500));
        }
        assert_eq!(Number::from(19.99), decimal("19.99"));
        assert_eq!(Number::from(-0.0), Number::from(0));
        assert_eq!(Number::from(f64::NAN), decimal("NaN"));
        assert_eq!(Number::from(f64::NEG_INFINITY), decimal("-Infinity"));
        // The double nearest to 2^53 + 1 is 2^53: another number.
        assert_ne!(Number::from(9_007_199_254_740_993), Number::from(9_007_199_254_740_992.0));
    }

    #[test]
    fn numbers_read_as_people_write_them() {
        for (number, text) in [
            (Number::from(0), "0"),
            (Number::from(-1200), "-1200"),
            (Number::from(3.25), "3.25"),
            (Number::from(-0.004), "-0.004"),
            (Number::from(1e30), "1e30"),
            (Number::from(2.5e-9), "25e-10"),
            (Number::from(f64::NAN), "NaN"),
        ] {
            assert_eq!(number.to_string(), text);
        }
    }

    #[test]
    fn nearness_is_relative_to_the_larger() {
        let near = |left: f64, right: f64| Number::from(left).is_near(Number::from(right), 1e-9);
        assert!(near(1e6, 1e6 + 1e-4) && near(-2.0, -2.0) && near(0.0, 0.0));
        assert!(!near(1e6, 1e6 + 1e-2) && !near(1.0, -1.0) && !near(0.0, 1e-12));
        assert!(near(f64::NAN, f64::NAN) && !near(f64::NAN, 1.0), "NaN is the same answer as NaN alone");
        assert!(!near(f64::INFINITY, f64::NEG_INFINITY) && near(f64::INFINITY, f64::INFINITY));
        assert!(!near(f64::INFINITY, 1.0));
    }

    proptest! {
        #[test]
        fn distinct_doubles_stay_distinct(left in any::<f64>(), right in any::<f64>()) {
            let same = left == right || left.is_nan() && right.is_nan();
            prop_assert_eq!(Number::from(left) == Number::from(right), same);
        }

        #[test]
        fn numbers_are_ordered_by_value(left in any::<f64>(), right in any::<f64>()) {
            prop_assume!(!left.is_nan() && !right.is_nan());
            prop_assert_eq!(Some(Number::from(left).cmp(&Number::from(right))), left.partial_cmp(&right));
        }

        #[test]
        fn a_double_survives(number in any::<f64>().prop_filter("a number", |number| number.is_finite())) {
            prop_assert_eq!(Number::from(number).to_f64(), number);
        }

        #[test]
        fn whole_numbers_agree_with_doubles_where_those_are_exact(number in -(1_i64 << 53)..(1 << 53)) {
            prop_assert_eq!(Number::from(number), Number::from(number as f64));
        }
    }
}
