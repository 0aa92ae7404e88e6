//! Rounds at light load: one worker, closed, all models interleaved. Nothing queues there, so service times are those of
//! the operations alone.

use std::time::Duration;

use super::bench::Bench;
use super::error::RunError;
use super::event::Event;
use super::rounds::Turn;
use super::stage::Stage;
use super::work::Work;
use crate::plan::CalibratedPlan;
use crate::words::Phase;

impl<W: Work, S: Stage> Bench<'_, W, S> {
    /// Runs the rounds at light load of one restart. A model that is behind the others runs in the first of them only, so
    /// that its figures can be shown.
    ///
    /// # Errors
    /// As for the measured rounds.
    pub(super) async fn light_load(&mut self, restart: u32, calibrated: &CalibratedPlan) -> Result<(), RunError> {
        let Some(rounds) = calibrated.light_load else { return Ok(()) };
        let turns = self.turns(&self.plan.light_load_order, self.plan.light_load.rounds, restart);
        self.listener.hear(&Event::PhaseStarted { phase: Phase::LightLoad, length: turns.len() as u64 });
        let mut slowest = Duration::ZERO;
        for turn in turns {
            let Turn { contender, local, .. } = turn;
            if !self.contenders[contender].stands || self.contenders[contender].behind && local > 0 {
                continue;
            }
            let ran = self.turn(turn, Phase::LightLoad, &rounds, slowest, false).await?;
            if !ran.is_complete() {
                self.contenders[contender].behind = true;
            }
            slowest = slowest.max(ran.counts_for(self.plan.sizes_rounds(self.contenders[contender].place)));
        }
        self.listener.hear(&Event::PhaseFinished { phase: Phase::LightLoad, summary: None });
        Ok(())
    }
}
