//! Which figures each operation will get from as many operations as are planned.

use super::calibrated::CalibratedPlan;
use super::resolve::Plan;
use crate::analysis::{ALL, Prospect, latency_metrics, prospect};
use crate::words::Metric;

impl CalibratedPlan {
    /// For each operation of the mix, and for the mix as a whole, which figures it will get: those with an interval, those
    /// of all operations together, and those that it will not get.
    pub fn figures(&self, plan: &Plan) -> Vec<(String, String)> {
        let blocks = self.rounds.operations_per_round / plan.mix.block_length().max(1);
        let operations = plan.workload().operations.iter().enumerate();
        let timed = operations.filter(|(_, operation)| !operation.counted_only);
        let each = timed.map(|(place, operation)| (operation.name.clone(), plan.mix.per_block(place) * blocks));
        let whole = (ALL.to_owned(), self.rounds.operations_per_round);
        each.chain([whole]).map(|(name, per_round)| (name, in_words(plan, per_round))).collect()
    }
}

fn in_words(plan: &Plan, per_round: u64) -> String {
    let mut grouped: Vec<(Prospect, Vec<Metric>)> = Vec::new();
    for metric in latency_metrics() {
        let found = prospect(metric, per_round, plan.rounds as usize, plan.restarts as usize);
        match grouped.iter_mut().find(|(known, _)| *known == found) {
            Some((_, metrics)) => metrics.push(metric),
            None => grouped.push((found, vec![metric])),
        }
    }
    let told = grouped.into_iter().map(|(found, metrics)| {
        let metrics = listed(&metrics);
        match found {
            Prospect::Interval { units } => format!("{metrics} with interval ({units} units)"),
            Prospect::Pooled => format!("{metrics} pooled, without interval or verdict"),
            Prospect::Nothing => format!("no {metrics}"),
        }
    });
    told.collect::<Vec<_>>().join("; ")
}

fn listed(metrics: &[Metric]) -> String {
    let words: Vec<&str> = metrics.iter().map(|metric| metric.word()).collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
        None => String::new(),
    }
}
