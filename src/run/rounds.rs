//! The measured rounds: every model the same numbers in the same round, in the planned order, each after a lead-in.

use std::time::Duration;

use super::bench::Bench;
use super::error::RunError;
use super::event::Event;
use super::watchdog::Health;
use super::window::{Window, WindowEnd};
use super::work::Work;
use crate::plan::CalibratedPlan;
use crate::record::RoundRecord;
use crate::units::Rate;
use crate::words::{Phase, RoundOutcome};

/// A window's place in the run.
#[derive(Debug, Clone, Copy)]
struct Turn {
    round: u32,
    position: u32,
    contender: usize,
}

impl<W: Work, H: Health> Bench<'_, W, H> {
    /// Runs all rounds. A model that leaves the comparison runs no further; the others go on.
    ///
    /// # Errors
    /// Where the server was lost, the user wishes to end, or operations fail or find nothing too often. Windows that
    /// ended before are in the record.
    pub(super) async fn rounds(&mut self, calibrated: &CalibratedPlan) -> Result<(), RunError> {
        let windows = self.plan.order.iter().map(Vec::len).sum::<usize>() as u64;
        self.listener.hear(&Event::PhaseStarted { phase: Phase::Measured, length: windows });
        let mut slowest = Duration::ZERO;
        for turn in self.turns() {
            if self.contenders[turn.contender].stands {
                slowest = slowest.max(self.turn(turn, calibrated, slowest).await?);
            }
        }
        self.listener.hear(&Event::PhaseFinished { phase: Phase::Measured, summary: None });
        Ok(())
    }

    fn turns(&self) -> Vec<Turn> {
        let contender = |place: usize| {
            self.contenders.iter().position(|contender| contender.place == place).expect("every planned model runs")
        };
        let mut turns = Vec::new();
        for (round, order) in (0..).zip(&self.plan.order) {
            for (position, place) in (0..).zip(order) {
                turns.push(Turn { round, position, contender: contender(*place) });
            }
        }
        turns
    }

    /// Runs a lead-in and its window. Answers how long the window took if its model sizes the rounds, else nothing.
    async fn turn(&mut self, turn: Turn, calibrated: &CalibratedPlan, slowest: Duration) -> Result<Duration, RunError> {
        let sizes_rounds = self.plan.sizes_rounds(self.contenders[turn.contender].place);
        let limit = |operations| calibrated.limit(operations, sizes_rounds, slowest);
        let lead_in_limit = limit(calibrated.lead_in_operations);
        let lead_in = self.window(turn.contender, calibrated.lead_in(turn.round), lead_in_limit).await;
        self.check(turn.contender, &lead_in.end)?;
        if lead_in.end != WindowEnd::Complete {
            self.contenders[turn.contender].behind = true;
        }
        let model = self.model(turn.contender).name.clone();
        self.listener.hear(&Event::WindowStarted { round: turn.round, model });
        let window_limit = limit(calibrated.operations_per_round);
        let window = self.window(turn.contender, calibrated.window(turn.round), window_limit).await;
        self.keep(turn, &window, calibrated);
        self.check(turn.contender, &window.end)?;
        self.judge_standing(turn, &lead_in.end, &window, calibrated);
        Ok(if sizes_rounds { window.elapsed } else { Duration::ZERO })
    }

    /// Puts a window into the record. Of a window in which the server was lost nothing is kept: its last latencies are
    /// those of a dying server.
    fn keep(&mut self, turn: Turn, window: &Window, calibrated: &CalibratedPlan) {
        let outcome = match &window.end {
            WindowEnd::Complete if self.contenders[turn.contender].behind => RoundOutcome::Saturated,
            WindowEnd::Complete => RoundOutcome::Complete,
            WindowEnd::Saturated => RoundOutcome::Saturated,
            WindowEnd::Ended => RoundOutcome::Ended,
            WindowEnd::Interrupted => RoundOutcome::Interrupted,
            WindowEnd::Lost(_) => return,
        };
        let operations = self.plan.workload().operations.iter().zip(window.tally.operations());
        let record = RoundRecord {
            round: turn.round,
            phase: Phase::Measured,
            model: self.model(turn.contender).name.clone(),
            position: turn.position,
            started_at: window.started_at.rfc3339(),
            seconds: window.elapsed.into(),
            planned: calibrated.operations_per_round,
            achieved_rate: Rate::new(window.rate()),
            outcome,
            disturbed: Vec::new(),
            operations: operations
                .map(|(operation, tally)| (operation.name.clone(), tally.record(operation.counted_only)))
                .collect(),
        };
        self.record.rounds.push(record.clone());
        self.listener.hear(&Event::WindowFinished { record: Box::new(record), p95: window.tally.service_p95() });
    }

    /// Takes the model out of the comparison where it could not do all numbers that the others do.
    fn judge_standing(&mut self, turn: Turn, lead_in: &WindowEnd, window: &Window, calibrated: &CalibratedPlan) {
        let ended = [lead_in, &window.end].contains(&&WindowEnd::Ended);
        let done = window.tally.attempts();
        let planned = calibrated.operations_per_round;
        let seconds = window.elapsed.as_secs_f64();
        let round = turn.round + 1;
        if ended {
            let end = self.model(turn.contender).ends_when.map_or_else(String::new, |name| format!(" ({name})"));
            self.leave(turn.contender, format!("it came to its declared end{end} in round {round}"));
        } else if window.end == WindowEnd::Saturated {
            let wanted = calibrated.planned.as_secs_f64();
            let why = format!(
                "saturated in round {round}: {done} of {planned} operations in {seconds:.1} s, planned {wanted:.1} s"
            );
            self.leave(turn.contender, why);
        } else if self.contenders[turn.contender].behind {
            let why = "it could not finish calibration or a lead-in in a few times the others' time".to_owned();
            self.leave(turn.contender, why);
        }
    }
}
