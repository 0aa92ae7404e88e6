//! A worker's own end of the recorder.

use std::sync::Arc;

use super::recorder::Recorder;
use super::tally::Times;
use super::work::Finished;
use crate::backend::CallError;

/// Operations noted before they are entered together: enough that taking the recorder's lock costs none of them
/// anything, and few enough that entering them (about a microsecond) holds nothing up.
const PAGE: usize = 32;

/// Notes the operations of one task and enters them into the recorder a page at a time, the last ones when it is dropped.
#[derive(Debug)]
pub struct Writer {
    recorder: Arc<Recorder>,
    page: Vec<Note>,
}

/// An operation that did what it says.
#[derive(Debug)]
pub(super) struct Note {
    /// Its place in the workload.
    pub(super) operation: usize,
    /// The slice of the window that it belongs to, where slices are kept.
    pub(super) slice: Option<usize>,
    pub(super) times: Times,
    pub(super) finished: Finished,
}

impl Writer {
    pub(super) fn new(recorder: Arc<Recorder>) -> Self {
        Self { recorder, page: Vec::with_capacity(PAGE) }
    }

    /// Records an operation that did what it says.
    pub fn finished(&mut self, operation: usize, times: Times, finished: Finished) {
        self.note(Note { operation, slice: None, times, finished });
    }

    /// The same, with the slice of the window that it belongs to.
    pub(super) fn note(&mut self, note: Note) {
        self.page.push(note);
        if self.page.len() == PAGE {
            self.enter();
        }
    }

    /// Counts an operation that failed.
    pub(super) fn failed(&self, operation: usize, error: CallError) {
        self.recorder.failed(operation, error);
    }

    fn enter(&mut self) {
        self.recorder.enter(&self.page);
        self.page.clear();
    }
}

/// A task that is aborted loses nothing that it did.
impl Drop for Writer {
    fn drop(&mut self) {
        self.enter();
    }
}
