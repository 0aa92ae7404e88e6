//! Everything that is said of a scenario.

use super::answer::{Answer, answer, answers};
use super::break_even::BreakEvenView;
use super::evidence::EvidenceView;
use super::notes::Notes;
use super::statistics::{Statistic, statistics};
use super::table::{Table, Tone};
use super::verdict::{InWords, in_words};
use super::{around, bill, claims, facts, latencies, load, machine, order, plan, results, warnings};
use crate::record::{RunRecord, ScenarioRecord};

/// A scenario as shown.
#[derive(Debug, Clone)]
pub(in crate::report) struct ScenarioView<'a> {
    pub(in crate::report) record: &'a ScenarioRecord,
    /// Name and, if it is not the only one of its scenario, workload.
    pub(in crate::report) heading: String,
    pub(in crate::report) warnings: Vec<String>,
    pub(in crate::report) answer: String,
    /// The verdict in words with its figures; `None` where the answer is another.
    pub(in crate::report) verdict: Option<InWords>,
    /// What is said of each operation, with the tone of its verdict.
    pub(in crate::report) answers: Vec<Answer>,
    pub(in crate::report) plan: String,
    /// What the plan decided and why.
    pub(in crate::report) decisions: Vec<(&'static str, String)>,
    pub(in crate::report) growth: Option<Table>,
    /// Which figures each operation gets.
    pub(in crate::report) figures: Option<Table>,
    /// How each model bore the load.
    pub(in crate::report) load: Option<Table>,
    pub(in crate::report) load_remarks: Vec<String>,
    /// Response and service time side by side.
    pub(in crate::report) latencies: Option<Table>,
    /// Processor time and memory.
    pub(in crate::report) machine: Option<Table>,
    /// The server's own counters.
    pub(in crate::report) counters: Option<Table>,
    /// Everything that an interval is made of.
    pub(in crate::report) statistics: Vec<Statistic<'a>>,
    pub(in crate::report) order_effects: Option<Table>,
    /// Lines on parity and calibration, each in its tone.
    pub(in crate::report) facts: Vec<(String, Tone)>,
    /// `None` where nothing was measured.
    pub(in crate::report) results: Option<Table>,
    /// How models came to their declared ends.
    pub(in crate::report) ends: Vec<String>,
    pub(in crate::report) tuning: Vec<String>,
    pub(in crate::report) claims: Option<Table>,
    pub(in crate::report) bill: Option<Table>,
    /// From which read share on the pattern pays off.
    pub(in crate::report) break_even: Option<BreakEvenView>,
    /// What explains the latencies; `None` where nothing was gathered.
    pub(in crate::report) evidence: Option<EvidenceView>,
    /// Operations around the events of the models.
    pub(in crate::report) around: Option<Table>,
    /// What became of events, and what background actors did.
    pub(in crate::report) beside: Vec<String>,
    pub(in crate::report) notes: Notes,
    pub(in crate::report) events: Vec<String>,
}

impl<'a> ScenarioView<'a> {
    pub(super) fn of(run: &RunRecord, record: &'a ScenarioRecord) -> Self {
        let mut notes = Notes::default();
        let results = results::results(record, &mut notes);
        let claims = claims::claims(record, &mut notes);
        let bill = bill::bill(record, &mut notes);
        let siblings = run.scenarios.iter().filter(|other| other.name == record.name).count();
        let heading =
            if siblings > 1 { format!("{} · {}", record.name, record.workload) } else { record.name.clone() };
        let toned = |(said, fault): (String, bool)| (said, if fault { Tone::Warning } else { Tone::Plain });
        let mut facts = vec![
            toned(facts::parity(record.parity.as_ref())),
            toned(facts::closing_parity(record.closing_parity.as_ref())),
        ];
        facts.extend(facts::cache(&record.plan).map(toned));
        facts.extend(around::staleness(record).into_iter().map(|said| (said, Tone::Plain)));
        facts.extend(record.plan.mode_reason.iter().map(|why| (format!("load: {why}"), Tone::Plain)));
        Self {
            record,
            heading,
            warnings: warnings::warnings(record, run.profile),
            answer: answer(record),
            verdict: in_words(record),
            answers: answers(record),
            plan: plan::line(run, record),
            decisions: plan::decisions(record),
            growth: plan::growth(record),
            figures: plan::figures(record),
            load: load::table(record),
            load_remarks: load::remarks(record),
            latencies: latencies::side_by_side(record),
            machine: machine::table(record),
            counters: machine::counters(record),
            statistics: statistics(record),
            order_effects: order::effects(record),
            facts,
            results,
            ends: facts::ends(record),
            tuning: facts::tuning(record),
            claims,
            bill,
            break_even: BreakEvenView::of(record),
            evidence: EvidenceView::of(run, record),
            around: around::table(record),
            beside: around::remarks(record),
            notes,
            events: warnings::events(&record.events),
        }
    }
}
