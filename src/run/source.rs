//! Where workers get the numbers of the operations they do.

use std::future::Future;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// An operation to be done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ticket {
    /// Its number.
    pub(super) number: u64,
    /// When it is due, under open load.
    pub(super) intended: Option<Instant>,
}

/// Hands out each number of a window once.
pub(super) trait TicketSource: Send + Sync + 'static {
    /// The next operation, when it is due; `None` when there are no more.
    fn next(&self) -> impl Future<Output = Option<Ticket>> + Send;

    /// Hands out nothing more.
    fn halt(&self);
}

/// Closed load: every number is due as soon as a worker asks for it.
#[derive(Debug)]
pub(super) struct ClosedSource {
    next: AtomicU64,
    end: u64,
}

impl ClosedSource {
    /// Hands out these numbers in order.
    pub(super) fn new(numbers: Range<u64>) -> Self {
        Self { next: AtomicU64::new(numbers.start), end: numbers.end }
    }
}

impl TicketSource for ClosedSource {
    fn next(&self) -> impl Future<Output = Option<Ticket>> + Send {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        std::future::ready((number < self.end).then_some(Ticket { number, intended: None }))
    }

    fn halt(&self) {
        // Far from the end of the type, since workers go on adding to it.
        self.next.store(self.end.max(u64::MAX / 2), Ordering::Relaxed);
    }
}
