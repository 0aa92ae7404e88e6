//! Longer windows for models that are slow.

use std::time::Duration;

use super::resolve::Plan;
use crate::units::Rate;

/// Operations that each round should hold of every timed operation, and the longest window that is borne for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Operations.
    pub each: u64,
    /// The longest window.
    pub longest: Duration,
}

impl Plan {
    /// How long a window should take at this pace: as planned, or as much longer as every timed operation needs to be done
    /// often enough, within what is borne.
    pub(super) fn window_at(&self, pace: Rate) -> Duration {
        let Some(stretch) = self.stretch else { return self.window };
        let timed = self.workload().operations.iter().enumerate().filter(|(_, operation)| !operation.counted_only);
        let rarest = timed.map(|(place, _)| self.mix.per_block(place)).filter(|count| *count > 0).min();
        let Some(rarest) = rarest else { return self.window };
        let numbers = stretch.each.div_ceil(rarest) * self.mix.block_length();
        let needed = Duration::from_secs_f64((numbers as f64 / pace.get().max(0.1)).min(86_400.0));
        self.window.max(needed.min(stretch.longest))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::plan::{RunOptions, plan_scenario};
    use crate::scenario::{builtin, load_scenario};
    use crate::source::SourceText;

    #[test]
    fn a_slow_model_gets_the_time_that_its_rarest_operation_needs_within_what_is_borne() {
        let text = builtin("product-list-page").expect("it is built in");
        let scenario = load_scenario(SourceText::new("product-list-page.yaml", text)).expect("it is valid");
        let options = RunOptions { round_time: Some(Duration::from_secs(1)), ..RunOptions::default() };
        let plan = plan_scenario(&Arc::new(scenario), &options).expect("it can be planned").remove(0);
        let window = |each, pace| {
            let stretch = Some(Stretch { each, longest: Duration::from_secs(10) });
            Plan { stretch, ..plan.clone() }.window_at(Rate::new(pace))
        };
        // One of twenty operations is a review: a hundred of them are two thousand numbers.
        assert_eq!(window(100, 5_000.0), Duration::from_secs(1), "they fit into the window");
        assert_eq!(window(100, 500.0), Duration::from_secs(4));
        assert_eq!(window(100, 20.0), Duration::from_secs(10));
        assert_eq!(plan.window_at(Rate::new(20.0)), Duration::from_secs(1), "nobody asked");
    }
}
