//! The highest rate that each model of a scenario sustains within an objective.
//!
//! The models take turns: each is offered the rate that its search asks for next, for as long as the objective says, after a
//! lead-in at the same rate. The record is written after every window, and a search follows from its windows alone, so that
//! a study that was interrupted goes on from its record.

mod course;
mod empty;

use std::path::Path;

use self::course::Course;
pub use self::course::hold;
pub use self::empty::{capacity_begun, capacity_refusal};
use crate::plan::{Plan, RunOptions};
use crate::record::{self, CapacityRecord, EventRecord};
use crate::run::{Interrupt, Listener, ProbesFinish, ProbesRequest, RunError, Target, offer_rates};

/// What is asked of a study of capacity.
#[derive(Debug)]
pub struct CapacityRequest<'a> {
    /// What to measure on.
    pub target: Target<'a>,
    /// The scenario under the workload.
    pub plan: Plan,
    /// What the user asked for, from which the plan was made.
    pub options: RunOptions,
    /// The record: as [`capacity_begun`] makes it, or as an earlier study left it.
    pub record: CapacityRecord,
    /// The folder to which it is written after every window.
    pub folder: &'a Path,
}

/// What came of it.
#[derive(Debug)]
pub struct CapacityFinish {
    /// What is known; `complete` says whether every search came to its end.
    pub record: CapacityRecord,
    /// What ended it early.
    pub error: Option<RunError>,
}

/// Searches for the capacity of every model of the plan. Never prints: the listener hears what happens.
pub async fn capacity(
    request: CapacityRequest<'_>,
    listener: &mut dyn Listener,
    interrupt: Interrupt,
) -> CapacityFinish {
    let CapacityRequest { target, plan, options, record, folder } = request;
    let mut course = Course::new(record, &plan, folder);
    let asked = ProbesRequest { target, plan: plan.clone(), options };
    let ProbesFinish { record: measured, error } = offer_rates(&asked, &mut course, listener, interrupt).await;
    let mut record = course.into_record();
    if let Some(measured) = measured {
        keep_events(&mut record, measured.events);
        if let Some(why) = measured.not_measurable {
            let at = record::now();
            record.events.push(EventRecord { at, model: None, what: format!("not measurable on this server: {why}") });
        }
    }
    record.complete = error.is_none();
    record.finished_at = Some(record::now());
    let written = record.write_atomically(folder).err().map(RunError::from);
    CapacityFinish { record, error: error.or(written) }
}

/// Adds what happened; a study that goes on tells the same things again.
fn keep_events(record: &mut CapacityRecord, events: Vec<EventRecord>) {
    for event in events {
        let known = record.events.iter().any(|known| known.model == event.model && known.what == event.what);
        if !known {
            record.events.push(event);
        }
    }
}
