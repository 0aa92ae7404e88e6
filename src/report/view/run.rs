//! Everything that is said of a run.

use super::facts;
use super::overview::OverviewView;
use super::scenario::ScenarioView;
use super::table::Tone;
use crate::record::{RoundRecord, RunRecord};
use crate::report::format::{self, plural};
use crate::words::Phase;

/// A run as shown.
#[derive(Debug, Clone)]
pub(in crate::report) struct RunView<'a> {
    pub(in crate::report) record: &'a RunRecord,
    /// Program, server, and round trip.
    pub(in crate::report) server: String,
    pub(in crate::report) round_trip: Option<String>,
    pub(in crate::report) client: String,
    /// What must be said before any figure.
    pub(in crate::report) stamps: Vec<(String, Tone)>,
    /// What must be said of a run during which something else took part of the machine.
    pub(in crate::report) disturbed: Option<String>,
    /// All scenarios beside each other, where there are several.
    pub(in crate::report) overview: Option<OverviewView>,
    pub(in crate::report) scenarios: Vec<ScenarioView<'a>>,
}

impl<'a> RunView<'a> {
    pub(in crate::report) fn of(record: &'a RunRecord) -> Self {
        let mut stamps: Vec<(String, Tone)> = Vec::new();
        stamps.extend(facts::stamp(record.server.product).map(|said| (said, Tone::Warning)));
        if !record.complete {
            let said = "INCOMPLETE: the run ended before everything that was planned was measured.";
            stamps.push((said.to_owned(), Tone::Warning));
        }
        let round_trip = record
            .server
            .rtt
            .map(|rtt| format!("round trip p50 {}, p95 {}", format::time(rtt.p50), format::time(rtt.p95)));
        let client = &record.client;
        let client = format!(
            "{} · {} · {} · {} of memory",
            client.os,
            client.cpu,
            format::plural(u64::from(client.cores), "core", "cores"),
            format::bytes(client.memory_bytes)
        );
        let scenarios: Vec<_> = record.scenarios.iter().map(|scenario| ScenarioView::of(record, scenario)).collect();
        Self {
            record,
            server: facts::server(&record.server),
            round_trip,
            client,
            stamps,
            disturbed: disturbed(record),
            overview: OverviewView::of(record, &scenarios),
            scenarios,
        }
    }
}

/// How many windows were disturbed, and in which scenarios.
fn disturbed(record: &RunRecord) -> Option<String> {
    let measured = |window: &&RoundRecord| window.phase == Phase::Measured;
    let (mut windows, mut of, mut names) = (0_u64, 0_u64, Vec::new());
    for scenario in &record.scenarios {
        let all = scenario.rounds.iter().filter(measured);
        let hit = all.clone().filter(|window| !window.disturbed.is_empty()).count() as u64;
        of += all.count() as u64;
        windows += hit;
        if hit > 0 && !names.contains(&scenario.name.as_str()) {
            names.push(&scenario.name);
        }
    }
    let scenarios = match names.as_slice() {
        [] => return None,
        _ if record.scenarios.len() == 1 => String::new(),
        few if few.len() <= 3 => format!(" ({})", few.join(", ")),
        many => format!(" (in {} scenarios)", many.len()),
    };
    Some(format!(
        "DISTURBED: while {} of {} ran{scenarios}, something else took part of the machine. These windows are left out of the \
         comparison, as whole pairs.",
        format::count(windows),
        plural(of, "measured window", "measured windows"),
    ))
}
