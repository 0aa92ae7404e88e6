//! What happened besides, for the record and for whoever listens.

use super::event::{Event, Listener};
use crate::record::{self, EventRecord, ScenarioRecord};

/// Keeps something that happened in the record, and tells it.
pub(super) fn note(listener: &mut dyn Listener, record: &mut ScenarioRecord, model: Option<&str>, what: String) {
    let told = model.map_or_else(|| what.clone(), |model| format!("{model}: {what}"));
    listener.hear(&Event::Warning(told));
    keep(record, model, what);
}

/// Keeps something that happened in the record, where it is nothing to warn of.
pub(super) fn keep(record: &mut ScenarioRecord, model: Option<&str>, what: String) {
    record.events.push(EventRecord { at: record::now(), model: model.map(str::to_owned), what });
}
