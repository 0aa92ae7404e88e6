//! Classes of parents: which rows have many children and which few.

use crate::value::error::RenderError;
use crate::value::permutation::Permutation;

/// Rows dealt out to classes: how many is exact, which ones is scattered by a keyed permutation.
#[derive(Debug)]
pub(super) struct Classes {
    permutation: Permutation,
    /// Name, first place and place behind the last, in the order of places.
    ranges: Vec<(Option<String>, u64, u64)>,
}

impl Classes {
    /// Deals out `rows` by shares, which must add up to 1: the nearest whole numbers (largest remainders first), and at
    /// least one for each positive share where there are as many rows as classes.
    pub(super) fn new(key: u64, rows: u64, shares: &[(f64, Option<String>)]) -> Result<Self, RenderError> {
        let sum: f64 = shares.iter().map(|(share, _)| *share).sum();
        if !shares.iter().all(|(share, _)| (0.0..=1.0).contains(share)) || (sum - 1.0).abs() > 1e-6 {
            return Err(RenderError::new(format!("the shares of the classes must add up to 1; they add up to {sum}")));
        }
        let mut start = 0;
        let mut ranges = Vec::with_capacity(shares.len());
        for (size, (_, name)) in sizes(rows, shares).into_iter().zip(shares) {
            ranges.push((name.clone(), start, start + size));
            start += size;
        }
        Ok(Self { permutation: Permutation::new(key, rows.max(1)), ranges })
    }

    /// The number of the class in which a row falls.
    pub(super) fn class_of(&self, row: u64) -> usize {
        let place = self.permutation.backward(row);
        self.ranges.iter().position(|(_, _, end)| place < *end).unwrap_or(self.ranges.len() - 1)
    }

    /// The places of the class of that name.
    pub(super) fn places(&self, class: &str) -> Option<std::ops::Range<u64>> {
        let found = self.ranges.iter().find(|(name, _, _)| name.as_deref() == Some(class));
        found.map(|(_, start, end)| *start..*end)
    }

    /// The row at a place.
    pub(super) fn row(&self, place: u64) -> u64 {
        self.permutation.forward(place)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.ranges.iter().filter_map(|(name, _, _)| name.as_deref())
    }
}

fn sizes(rows: u64, shares: &[(f64, Option<String>)]) -> Vec<u64> {
    let exact: Vec<f64> = shares.iter().map(|(share, _)| share * rows as f64).collect();
    let mut sizes: Vec<u64> = exact.iter().map(|size| size.floor() as u64).collect();
    let mut by_remainder: Vec<usize> = (0..shares.len()).collect();
    by_remainder.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()));
    for class in by_remainder.iter().cycle().take(shares.len() * 2) {
        if sizes.iter().sum::<u64>() < rows {
            sizes[*class] += 1;
        }
    }
    for class in 0..sizes.len() {
        let largest = (0..sizes.len()).max_by_key(|other| sizes[*other]).unwrap_or(class);
        if shares[class].0 > 0.0 && sizes[class] == 0 && sizes[largest] > 1 {
            sizes[largest] -= 1;
            sizes[class] = 1;
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(rare: f64) -> [(f64, Option<String>); 2] {
        [(1.0 - rare, Some("normal".to_owned())), (rare, Some("rare".to_owned()))]
    }

    #[test]
    fn shares_are_met_exactly_and_every_row_has_one_class() {
        let classes = Classes::new(3, 10_000, &two(0.001)).unwrap();
        let rare: Vec<u64> = (0..10_000).filter(|row| classes.class_of(*row) == 1).collect();
        assert_eq!(rare.len(), 10);
        let mut by_place: Vec<u64> = classes.places("rare").unwrap().map(|place| classes.row(place)).collect();
        by_place.sort_unstable();
        assert_eq!(by_place, rare);
    }

    #[test]
    fn a_rare_class_has_a_row_even_in_a_small_set() {
        assert_eq!(Classes::new(3, 100, &two(0.001)).unwrap().places("rare"), Some(99..100));
        assert_eq!(Classes::new(3, 0, &two(0.001)).unwrap().places("rare"), Some(0..0));
    }

    #[test]
    fn shares_that_do_not_add_up_are_refused() {
        assert!(Classes::new(3, 100, &[(0.5, None), (0.4, None)]).is_err());
        assert!(Classes::new(3, 100, &[(1.5, None), (-0.5, None)]).is_err());
    }
}
