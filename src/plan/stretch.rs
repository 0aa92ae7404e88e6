//! Longer windows for models that are slow.

use std::time::Duration;

use super::resolve::Plan;
use crate::analysis::{Prospect, prospect};
use crate::units::Rate;
use crate::words::Metric;

/// How much longer than planned a window at light load may take.
const LIGHT_LOAD_STRETCH: u32 = 3;

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

    /// How long a window at light load should take at this pace: as planned, or longer so that the p95 of as many operations
    /// as possible gets an interval.
    pub(super) fn light_load_window_at(&self, pace: Rate) -> Duration {
        let planned = self.light_load.window;
        let longest = (planned * LIGHT_LOAD_STRETCH).as_secs_f64();
        let seconds_each = self.mix.block_length() as f64 / pace.get().max(0.1);
        let affordable = (longest / seconds_each) as u64;
        let suffices = |per_round| {
            let prospect = prospect(Metric::P95, per_round, self.light_load.rounds as usize, 1);
            matches!(prospect, Prospect::Interval { .. })
        };
        let operations = self.workload().operations.iter().enumerate();
        let timed = operations.filter(|(_, operation)| !operation.counted_only);
        let needed = timed.filter_map(|(place, _)| {
            let per_block = self.mix.per_block(place);
            (1..=affordable).find(|blocks| suffices(per_block * blocks))
        });
        let blocks = needed.max().unwrap_or(0);
        planned.max(Duration::from_secs_f64(blocks as f64 * seconds_each))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::plan::{RunOptions, plan_scenario};
    use crate::scenario::{builtin, load_scenario};
    use crate::source::SourceText;
    use crate::words::Profile;

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

    #[test]
    fn light_load_lasts_as_long_as_the_p95_of_its_operations_needs_up_to_three_times_the_plan() {
        let text = builtin("product-list-page").expect("it is built in");
        let scenario = Arc::new(load_scenario(SourceText::new("product-list-page.yaml", text)).expect("it is valid"));
        let window = |profile, pace| {
            let options = RunOptions { profile, ..RunOptions::default() };
            let plan = plan_scenario(&scenario, &options).expect("it can be planned").remove(0);
            plan.light_load_window_at(Rate::new(pace))
        };
        let quick = |pace| window(Profile::Quick, pace);
        // A hundred of the nineteen pages among twenty operations: six whole blocks.
        assert_eq!(quick(100.0), Duration::from_millis(1_200));
        assert_eq!(quick(1_000.0), Duration::from_millis(500), "five hundred fit into the window");
        assert_eq!(quick(50.0), Duration::from_millis(500), "it would take more than three windows");
        // And a hundred of the one review among twenty.
        assert_eq!(quick(2_000.0), Duration::from_secs(1));
        assert_eq!(window(Profile::Smoke, 100.0), Duration::from_millis(200), "two rounds give no interval");
    }
}
