//! Where workers get the numbers of the operations they do.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// Hands out each number of a window once, in order.
#[derive(Debug)]
pub(super) struct Numbers {
    next: AtomicU64,
    /// The first number that is not simply handed out: the next milestone's, or the end. So milestones cost nothing where
    /// there are none, and nothing on the way to them.
    bound: AtomicU64,
    end: u64,
    /// Those that are left, the last one first.
    milestones: Mutex<Vec<Milestone>>,
}

/// A number that somebody waits for.
#[derive(Debug, Clone)]
pub(super) struct Milestone {
    /// The number.
    pub(super) number: u64,
    /// Told when it is handed out.
    pub(super) reached: Arc<Notify>,
}

impl Numbers {
    /// Hands out these numbers, and tells of the milestones among them.
    pub(super) fn new(numbers: Range<u64>, mut milestones: Vec<Milestone>) -> Self {
        milestones.sort_by_key(|milestone| std::cmp::Reverse(milestone.number));
        let bound = AtomicU64::new(next_bound(&milestones, numbers.end));
        let next = AtomicU64::new(numbers.start);
        Self { next, bound, end: numbers.end, milestones: Mutex::new(milestones) }
    }

    /// The next number; `None` when there are no more.
    pub(super) fn next(&self) -> Option<u64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number < self.bound.load(Ordering::Relaxed) { Some(number) } else { self.beyond(number) }
    }

    /// A number at a milestone, past one that is being told of, or past the end.
    #[cold]
    fn beyond(&self, number: u64) -> Option<u64> {
        if number >= self.end {
            return None;
        }
        let mut left = self.milestones.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(milestone) = left.pop_if(|milestone| milestone.number <= number) {
            milestone.reached.notify_one();
        }
        self.bound.store(next_bound(&left, self.end), Ordering::Relaxed);
        Some(number)
    }

    /// The number that is handed out next, or the end.
    pub(super) fn position(&self) -> u64 {
        self.next.load(Ordering::Relaxed).min(self.end)
    }

    /// Hands out nothing more.
    pub(super) fn halt(&self) {
        // Far from the end of the type, since workers go on adding to it.
        self.next.store(self.end.max(u64::MAX / 2), Ordering::Relaxed);
    }
}

fn next_bound(left: &[Milestone], end: u64) -> u64 {
    left.last().map_or(end, |milestone| milestone.number.min(end))
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn milestone(number: u64) -> Milestone {
        Milestone { number, reached: Arc::default() }
    }

    fn is_told(milestone: &Milestone) -> bool {
        milestone.reached.notified().now_or_never().is_some()
    }

    #[test]
    fn a_milestone_is_told_when_its_number_is_handed_out_and_every_number_comes_once() {
        let (early, late) = (milestone(3), milestone(7));
        let numbers = Numbers::new(0..10, vec![late.clone(), early.clone()]);
        let mut seen: Vec<u64> = (0..3).filter_map(|_| numbers.next()).collect();
        assert!(!is_told(&early), "the third number is 2");
        seen.extend(numbers.next());
        assert!(is_told(&early) && !is_told(&late));
        seen.extend(std::iter::from_fn(|| numbers.next()));
        assert!(is_told(&late));
        assert_eq!(seen, (0..10).collect::<Vec<_>>());
        assert_eq!(numbers.position(), 10);
    }

    #[test]
    fn nothing_is_handed_out_after_a_halt_and_no_milestone_is_told() {
        let never = milestone(5);
        let numbers = Numbers::new(0..10, vec![never.clone()]);
        assert_eq!(numbers.next(), Some(0));
        numbers.halt();
        assert_eq!((numbers.next(), is_told(&never)), (None, false));
    }

    #[test]
    fn threads_that_meet_at_a_milestone_lose_no_number() {
        const COUNT: u64 = 20_000;
        let milestones: Vec<_> = (0..100).map(|place| milestone(place * 200)).collect();
        let numbers = Numbers::new(0..COUNT, milestones.clone());
        let sums: Vec<u64> = std::thread::scope(|scope| {
            let one = || std::iter::from_fn(|| numbers.next()).sum::<u64>();
            let all: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
            all.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
        });
        assert_eq!(sums.iter().sum::<u64>(), COUNT * (COUNT - 1) / 2);
        assert!(milestones.iter().all(is_told));
    }
}
