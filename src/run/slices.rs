//! Latencies by slice of a window's numbers, where models have events: what happened around an event, and what before.

use std::ops::Range;

use crate::record::SLICES;
use crate::record::histogram::{self, LatencyHistogram};

/// How a window's numbers are cut into slices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slicing {
    first: u64,
    count: u64,
}

impl Slicing {
    /// Cuts these numbers.
    pub(super) fn new(numbers: &Range<u64>) -> Self {
        Self { first: numbers.start, count: numbers.end.saturating_sub(numbers.start).max(1) }
    }

    /// The slice of a number: those of open load are due in the order of numbers, so it is one of intended time too.
    pub(super) fn of(self, number: u64) -> usize {
        let place = number.saturating_sub(self.first).min(self.count - 1);
        usize::try_from(u128::from(place) * SLICES as u128 / u128::from(self.count)).unwrap_or(0)
    }
}

/// The latencies of each operation in each slice.
#[derive(Debug)]
pub(super) struct Slices {
    /// By operation, then by slice. Memory that is never written to is never taken.
    operations: Vec<Vec<LatencyHistogram>>,
}

impl Slices {
    /// Room for so many operations.
    pub(super) fn new(operations: usize) -> Self {
        let of_operation = || (0..SLICES).map(|_| histogram::empty()).collect();
        Self { operations: (0..operations).map(|_| of_operation()).collect() }
    }

    /// Forgets everything, to be used for another window.
    pub(super) fn reset(&mut self) {
        let used = self.operations.iter_mut().flatten().filter(|slice| !slice.is_empty());
        used.for_each(LatencyHistogram::reset);
    }

    /// Records a latency in µs.
    pub(super) fn record(&mut self, operation: usize, slice: usize, micros: u64) {
        histogram::record(&mut self.operations[operation][slice], micros);
    }
}

/// What parts recorded together, by operation and slice, as a record keeps it; nothing of an operation without samples.
pub(super) fn encoded(parts: &[&Slices]) -> Vec<Vec<String>> {
    let operations = parts.first().map_or(0, |part| part.operations.len());
    (0..operations).map(|operation| of_operation(parts, operation)).collect()
}

fn of_operation(parts: &[&Slices], operation: usize) -> Vec<String> {
    let slice = |slice: usize| {
        let mut whole = histogram::empty();
        for part in parts.iter().map(|part| &part.operations[operation][slice]).filter(|part| !part.is_empty()) {
            whole.add(part).expect("histograms of a record have the same range");
        }
        histogram::encode(&whole).unwrap_or_default()
    };
    let all: Vec<String> = (0..SLICES).map(slice).collect();
    if all.iter().all(String::is_empty) { Vec::new() } else { all }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_of_equal_size_and_in_the_order_of_numbers() {
        let slicing = Slicing::new(&(1_000..1_200));
        let slices: Vec<usize> = (1_000..1_200).map(|number| slicing.of(number)).collect();
        assert!(slices.is_sorted());
        for slice in 0..SLICES {
            assert_eq!(slices.iter().filter(|of| **of == slice).count(), 200 / SLICES, "slice {slice}");
        }
        assert_eq!(Slicing::new(&(0..3)).of(2), 2 * SLICES / 3, "few numbers leave slices empty");
    }

    #[test]
    fn what_parts_recorded_adds_up_by_slice() {
        let mut parts = [Slices::new(2), Slices::new(2)];
        parts[0].record(0, 3, 100);
        parts[1].record(0, 3, 300);
        parts[1].record(0, 19, 7);
        let [read, write] = encoded(&[&parts[0], &parts[1]]).try_into().expect("two operations");
        let of = |slice: usize| {
            let decoded = histogram::decode(&read[slice]).expect("it was just encoded");
            (decoded.len(), decoded.min(), decoded.max())
        };
        assert_eq!((of(3), of(19)), ((2, 100, 300), (1, 7, 7)));
        assert!(read[0].is_empty() && write.is_empty());
        parts[1].reset();
        assert_eq!(encoded(&[&parts[1]]), [Vec::<String>::new(), Vec::new()]);
    }
}
