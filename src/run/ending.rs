//! Models that come to their declared end (`ends_when`): a result, of which the record keeps what the server said and
//! what the model held then.

use super::bench::Bench;
use super::stage::Stage;
use super::tally::Tally;
use super::window::{Window, WindowEnd};
use super::work::Work;
use crate::backend::CallErrorKind;
use crate::record::EndRecord;
use crate::words::{ErrorName, Phase};

/// Where in the run a window is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) phase: Phase,
    /// The round, counted over all restarts.
    pub(super) round: Option<u32>,
}

impl<W: Work, S: Stage> Bench<'_, W, S> {
    /// Takes a model whose window met its declared end out of the comparison, and keeps how it ended.
    pub(super) async fn end_if_declared(&mut self, contender: usize, moment: Moment, window: &Window) {
        let ends = window.end == WindowEnd::Ended && self.contenders[contender].stands;
        let Some(error) = self.model(contender).ends_when.filter(|_| ends) else { return };
        let (operation, message) = self.what_met(error, &window.tally).unwrap_or_default();
        let held = self.stage.holds(contender).await;
        let end = EndRecord { error, operation, message, phase: moment.phase, round: moment.round, held };
        let why = format!("it came to its declared end ({error}) {}", end.when());
        let name = &self.model(contender).name;
        if let Some(model) = self.record.models.iter_mut().find(|model| model.name == *name) {
            model.ended = Some(end);
        }
        self.leave(contender, why);
    }

    /// The operation that met this error, and what the server said.
    fn what_met(&self, error: ErrorName, tally: &Tally) -> Option<(String, String)> {
        let operations = self.plan.workload().operations.iter().zip(tally.operations());
        let mut met = operations.filter_map(|(operation, tally)| {
            let failures = tally.failures().get(&CallErrorKind::Named(error))?;
            Some((operation.name.clone(), failures.first.clone()))
        });
        met.next()
    }
}
