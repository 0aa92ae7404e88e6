//! The plan as a person reads it before it is carried out (`run --dry-run`).

use super::resolve::Plan;
use crate::record::PlanRecord;

/// A line of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineRow {
    /// What it is about; empty where it goes on from the line before.
    pub what: &'static str,
    /// What is planned.
    pub value: String,
    /// When it is known.
    pub decided: Decided,
}

/// When a line of a plan is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    /// Now.
    Now,
    /// After calibration.
    ByCalibration,
}

impl Plan {
    /// What will be done, line by line.
    pub fn outline(&self) -> Vec<OutlineRow> {
        let record = self.record();
        let mut rows = vec![
            now("models", self.models().map(|model| model.name.as_str()).collect::<Vec<_>>().join(", ")),
            now("parameters", self.parameters_text()),
            now("dataset", self.dataset_text()),
            now("seed", self.seed.to_string()),
            now("mix", self.mix_text()),
            now("mode", mode_text(&record)),
            now("workers", self.concurrency.to_string()),
            now("rounds", format!("{} of about {:.1} s per model", self.rounds, self.window.as_secs_f64())),
            self.operations_row(),
        ];
        rows.extend((1..).zip(&record.order).map(|(number, round)| {
            now(if number == 1 { "order" } else { "" }, format!("round {number}: {}", round.join(", ")))
        }));
        let estimate = self.estimate();
        rows.push(now(
            "estimate",
            format!(
                "about {:.0} s: loading {:.0} s, comparing answers {:.0} s, measuring {:.0} s",
                estimate.total().as_secs_f64(),
                estimate.load.as_secs_f64(),
                estimate.parity.as_secs_f64(),
                estimate.measure.as_secs_f64()
            ),
        ));
        rows
    }

    fn operations_row(&self) -> OutlineRow {
        match self.operations {
            Some(operations) => now("operations", format!("{operations} per round and model")),
            None => OutlineRow {
                what: "operations",
                value: "as many per round as the slower of naive and pattern does in that time".to_owned(),
                decided: Decided::ByCalibration,
            },
        }
    }

    fn parameters_text(&self) -> String {
        let texts: Vec<String> = self.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
    }

    fn dataset_text(&self) -> String {
        let sizes = self.scenario.dataset.iter().map(|set| {
            let rows = self.world.count(&set.name).unwrap_or(0);
            format!("{rows} {}", set.name)
        });
        sizes.collect::<Vec<_>>().join(", ")
    }

    fn mix_text(&self) -> String {
        let operations = &self.workload().operations;
        let block = self.mix.block_length();
        let shares = operations.iter().enumerate().map(|(place, operation)| {
            format!("{} {:.1} %", operation.name, self.mix.per_block(place) as f64 / block as f64 * 100.0)
        });
        shares.collect::<Vec<_>>().join(", ")
    }
}

fn now(what: &'static str, value: String) -> OutlineRow {
    OutlineRow { what, value, decided: Decided::Now }
}

fn mode_text(record: &PlanRecord) -> String {
    match &record.mode_reason {
        Some(reason) => format!("{} ({reason})", record.mode),
        None => record.mode.to_string(),
    }
}
