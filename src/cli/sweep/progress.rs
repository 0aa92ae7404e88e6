//! Shows how far a sweep is: a line when a value begins, the usual progress within it.

use super::super::output;
use super::super::progress::{Progress, duration};
use crate::record::PointRecord;
use crate::run::{Event, Listener};
use crate::study::{AxisValue, SweepListener};
use crate::words::SweepAxis;

/// Listens to a sweep.
pub(super) struct SweepProgress {
    inner: Progress,
    kind: SweepAxis,
    quiet: bool,
}

impl SweepProgress {
    /// Shows the runs of a sweep along such an axis by way of `inner`.
    pub(super) const fn new(inner: Progress, kind: SweepAxis, quiet: bool) -> Self {
        Self { inner, kind, quiet }
    }

    fn line(&self, text: &str) {
        if !self.quiet {
            output::tell(text);
        }
    }
}

impl Listener for SweepProgress {
    fn hear(&mut self, event: &Event) {
        match event {
            // A sweep has no room for the plan of every value.
            Event::Planned { .. } => {}
            Event::PhaseFinished { phase, .. } => {
                self.inner.hear(&Event::PhaseFinished { phase: *phase, summary: None });
            }
            other => self.inner.hear(other),
        }
    }
}

impl SweepListener for SweepProgress {
    fn begins(&mut self, value: &AxisValue, done: usize, planned: usize) {
        self.line(&format!("value {} of {planned}: {}", done + 1, value.said(self.kind)));
    }

    fn done(&mut self, point: &PointRecord) {
        self.line(&format!("  done in {}", duration(point.seconds.get())));
        for failed in &point.failed {
            let model = failed.model.as_ref().map(|model| format!("{model}: ")).unwrap_or_default();
            self.line(&format!("  failed here: {model}{}", failed.why));
        }
    }
}
