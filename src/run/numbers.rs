//! Where workers get the numbers of the operations they do.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Hands out each number of a window once, in order.
#[derive(Debug)]
pub(super) struct Numbers {
    next: AtomicU64,
    end: u64,
}

impl Numbers {
    /// Hands out these numbers.
    pub(super) fn new(numbers: Range<u64>) -> Self {
        Self { next: AtomicU64::new(numbers.start), end: numbers.end }
    }

    /// The next number; `None` when there are no more.
    pub(super) fn next(&self) -> Option<u64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.end).then_some(number)
    }

    /// Hands out nothing more.
    pub(super) fn halt(&self) {
        // Far from the end of the type, since workers go on adding to it.
        self.next.store(self.end.max(u64::MAX / 2), Ordering::Relaxed);
    }
}
