//! Rounds: every model the same numbers in the same round, in the planned order, each after a lead-in.

use std::time::Duration;

use super::bench::Bench;
use super::ending::Moment;
use super::error::RunError;
use super::event::Event;
use super::stage::{Observed, Stage};
use super::window::{Window, WindowEnd};
use super::work::Work;
use crate::plan::{CalibratedPlan, Load, RoundPlan};
use crate::record::{CpuRecord, OperationRound, RoundRecord};
use crate::units::Rate;
use crate::words::{DataState, Phase, RoundOutcome};

/// A window's place in the run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    restart: u32,
    /// The round, counted over all restarts.
    round: u32,
    /// The round, counted from the last fresh load: it decides the operation numbers.
    pub(super) local: u32,
    position: u32,
    pub(super) contender: usize,
}

/// How a lead-in and its window ended.
#[derive(Debug)]
pub(super) struct Ran {
    lead_in: WindowEnd,
    window: Window,
}

impl Turn {
    /// The turn of a window that stands alone: `number` counts such windows over all models.
    pub(super) const fn alone(contender: usize, number: u32) -> Self {
        Self { restart: 0, round: number, local: number, position: 0, contender }
    }
}

impl Ran {
    /// Whether all numbers were done.
    pub(super) fn is_complete(&self) -> bool {
        self.lead_in == WindowEnd::Complete && self.window.end == WindowEnd::Complete
    }

    /// How long the window took, if its model sizes the rounds.
    pub(super) fn counts_for(&self, sizes_rounds: bool) -> Duration {
        if sizes_rounds { self.window.elapsed } else { Duration::ZERO }
    }
}

impl<W: Work, S: Stage> Bench<'_, W, S> {
    /// Runs the measured rounds of one restart. A model that leaves the comparison runs no further, unless its data are
    /// loaded anew for every round; the others go on.
    ///
    /// # Errors
    /// Where the server was lost, the user wishes to end, or operations fail or find nothing too often. Windows that
    /// ended before are in the record.
    pub(super) async fn rounds(&mut self, restart: u32, calibrated: &CalibratedPlan) -> Result<(), RunError> {
        let turns = self.turns(&self.plan.order, self.plan.rounds_per_restart(), restart);
        self.listener.hear(&Event::PhaseStarted { phase: Phase::Measured, length: turns.len() as u64 });
        let fresh = self.record.plan.state == DataState::Reload;
        let mut slowest = Duration::ZERO;
        for turn in turns {
            let contender = turn.contender;
            if !self.contenders[contender].stands {
                continue;
            }
            if fresh {
                self.contenders[contender].behind = false;
            }
            let ran = self.turn(turn, Phase::Measured, &calibrated.rounds, slowest, fresh).await?;
            self.judge_standing(turn, &ran, &calibrated.rounds, fresh);
            slowest = slowest.max(ran.counts_for(self.plan.sizes_rounds(self.contenders[contender].place)));
        }
        self.listener.hear(&Event::PhaseFinished { phase: Phase::Measured, summary: None });
        Ok(())
    }

    /// The turns of a restart, whose rounds follow those of the restarts before it.
    pub(super) fn turns(&self, order: &[Vec<usize>], rounds: u32, restart: u32) -> Vec<Turn> {
        let contender = |place: usize| {
            self.contenders.iter().position(|contender| contender.place == place).expect("every planned model runs")
        };
        let first = restart * rounds;
        let of_restart = (first..).zip(order.iter().skip(first as usize).take(rounds as usize));
        let turns_of = |(round, order): (u32, &Vec<usize>)| {
            let turns = (0..).zip(order).map(|(position, place)| Turn {
                restart,
                round,
                local: round - first,
                position,
                contender: contender(*place),
            });
            turns.collect::<Vec<_>>()
        };
        of_restart.flat_map(turns_of).collect()
    }

    /// Runs a lead-in and its window.
    ///
    /// # Errors
    /// Where the run cannot go on.
    pub(super) async fn turn(
        &mut self,
        turn: Turn,
        phase: Phase,
        rounds: &RoundPlan,
        slowest: Duration,
        fresh: bool,
    ) -> Result<Ran, RunError> {
        let sizes_rounds = self.plan.sizes_rounds(self.contenders[turn.contender].place);
        let limit = |operations| rounds.limit(operations, sizes_rounds, slowest);
        let load = |part: u64| rounds.load.of_window(2 * u64::from(turn.round) + part);
        let lead_in_limit = limit(rounds.lead_in_operations);
        self.stage.enter(turn.contender, fresh).await?;
        if fresh && let Some(company) = self.contenders[turn.contender].work.company() {
            company.renewed();
        }
        let lead_in = self.window(turn.contender, rounds.lead_in(turn.local), load(0), lead_in_limit, false).await;
        self.check(turn.contender, &lead_in.end)?;
        let moment = Moment { phase, round: Some(turn.round) };
        self.end_if_declared(turn.contender, moment, &lead_in).await;
        if lead_in.end != WindowEnd::Complete {
            self.contenders[turn.contender].behind = true;
        }
        let model = self.model(turn.contender).name.clone();
        self.listener.hear(&Event::WindowStarted { phase, round: turn.round, model });
        let window_limit = limit(rounds.operations_per_round);
        self.stage.begin(turn.contender).await;
        let eventful = phase == Phase::Measured && self.plan.has_events();
        let window = self.window(turn.contender, rounds.window(turn.local), load(1), window_limit, eventful).await;
        let observed = self.stage.end(turn.contender).await;
        self.keep(turn, phase, &window, observed, rounds);
        self.check(turn.contender, &window.end)?;
        self.end_if_declared(turn.contender, moment, &window).await;
        self.stage.leave(turn.contender).await;
        Ok(Ran { lead_in: lead_in.end, window })
    }

    /// Puts a window into the record.
    fn keep(&mut self, turn: Turn, phase: Phase, window: &Window, observed: Observed, rounds: &RoundPlan) {
        let Some(record) = self.recorded(turn, phase, window, observed, rounds.operations_per_round) else { return };
        self.record.rounds.push(record.clone());
        self.listener.hear(&Event::WindowFinished { record: Box::new(record), p95: window.tally.service_p95() });
    }

    /// A window as records keep it. Of a window in which the server was lost nothing is kept: its last latencies are those of
    /// a dying server.
    pub(super) fn recorded(
        &self,
        turn: Turn,
        phase: Phase,
        window: &Window,
        observed: Observed,
        planned: u64,
    ) -> Option<RoundRecord> {
        let outcome = match &window.end {
            WindowEnd::Complete if self.contenders[turn.contender].behind => RoundOutcome::Saturated,
            WindowEnd::Complete => RoundOutcome::Complete,
            WindowEnd::Saturated => RoundOutcome::Saturated,
            WindowEnd::Ended => RoundOutcome::Ended,
            WindowEnd::Interrupted => RoundOutcome::Interrupted,
            WindowEnd::Lost(_) => return None,
        };
        let operations = self.plan.workload().operations.iter().zip(window.tally.operations()).enumerate();
        let slices = |place: usize, counted_only: bool| match window.slices.get(place) {
            Some(slices) if !counted_only => slices.clone(),
            _ => Vec::new(),
        };
        Some(RoundRecord {
            round: turn.round,
            restart: turn.restart,
            phase,
            model: self.model(turn.contender).name.clone(),
            position: turn.position,
            started_at: window.started_at.rfc3339(),
            seconds: window.elapsed.into(),
            workers: window.workers,
            planned,
            achieved_rate: Rate::new(window.rate()),
            outcome,
            disturbed: observed.disturbed,
            pool_wait: observed.pool_wait,
            cpu: CpuRecord { pacer: window.pacer_cpu.map(Into::into), ..observed.cpu },
            memory: observed.memory,
            server_counters: observed.server_counters,
            intervals: window.intervals.clone(),
            background: window.background.clone(),
            events: window.events.clone(),
            operations: operations
                .map(|(place, (operation, tally))| {
                    let slices = slices(place, operation.counted_only);
                    (operation.name.clone(), OperationRound { slices, ..tally.record(operation.counted_only) })
                })
                .collect(),
        })
    }

    /// Takes the model out of the comparison where it could not do all numbers that the others do. Where every round
    /// has fresh data, it may come back in the next one.
    fn judge_standing(&mut self, turn: Turn, ran: &Ran, rounds: &RoundPlan, fresh: bool) {
        let round = turn.round + 1;
        if !self.contenders[turn.contender].stands {
            // It came to its declared end.
        } else if fresh {
            // It starts again from the data that all others start from.
        } else if ran.window.end == WindowEnd::Saturated {
            self.leave(turn.contender, saturated(&ran.window, rounds, round));
        } else if self.contenders[turn.contender].behind {
            let why = format!(
                "it did not finish the operations before the window of round {round} (calibration, light load or lead-in) in \
                 time, so its data are behind the others'"
            );
            self.leave(turn.contender, why);
        }
    }
}

/// How a model showed that it could not keep up.
fn saturated(window: &Window, rounds: &RoundPlan, round: u32) -> String {
    let done = window.tally.attempts();
    let (planned, wanted) = (rounds.operations_per_round, rounds.planned.as_secs_f64());
    let seconds = window.elapsed.as_secs_f64();
    let counts = format!("{done} of {planned} operations in {seconds:.1} s, planned {wanted:.1} s");
    match rounds.load {
        Load::Closed { .. } => format!("saturated in round {round}: {counts}"),
        Load::Open { rate, .. } => {
            let (achieved, offered) = (window.rate(), rate.get());
            format!("saturated in round {round}: {achieved:.0}/s achieved of {offered:.0}/s offered ({counts})")
        }
    }
}
