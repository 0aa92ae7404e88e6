//! All scenarios of a run beside each other: what the pattern does to the main read and the main write, how much of that is
//! tuning, what it costs to keep, and whether that is what the authors expect.

use std::collections::BTreeMap;

use super::bearing::{Bearing, bearing};
use super::cast::Cast;
use super::estimate::{quotient, ratio};
use super::expectation::{Accord, accords, is_limited};
use crate::record::{ModelRecord, RunRecord, ScenarioRecord, SpeedupRecord};
use crate::units::{Ratio, Share};
use crate::words::{Metric, OperationKind};

/// All scenarios of a run.
#[derive(Debug, Clone)]
pub struct Overview<'a> {
    /// One row per scenario and workload, in the order measured.
    pub rows: Vec<OverviewRow<'a>>,
    /// The scenarios, all workloads of each taken together, by how they agree with their authors.
    pub counts: BTreeMap<Conduct, u64>,
}

impl Overview<'_> {
    /// How many scenarios there are.
    pub fn scenarios(&self) -> u64 {
        self.counts.values().sum()
    }
}

/// A scenario under a workload.
#[derive(Debug, Clone)]
pub struct OverviewRow<'a> {
    /// The scenario.
    pub scenario: &'a ScenarioRecord,
    /// Its heaviest operation that only reads.
    pub read: Option<MainOperation<'a>>,
    /// Its heaviest operation that writes.
    pub write: Option<MainOperation<'a>>,
    /// Share of the pattern's gain that query and index alone bring, of the first of these two that has one.
    pub tuning: Option<Share>,
    /// Bytes of data and indexes, pattern ÷ naive.
    pub bytes: Option<Ratio>,
    /// How its operations agree with their author, by name.
    pub accords: Vec<(&'a str, Accord)>,
    /// The same of the whole.
    pub conduct: Conduct,
}

/// The p95 speed-up of an operation.
#[derive(Debug, Clone)]
pub struct MainOperation<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its speed-up; without figure where `why_not` says why.
    pub speedup: Option<&'a SpeedupRecord>,
    /// Why there is no figure.
    pub why_not: Option<String>,
    /// Whether this server executes it unlike mongod (†).
    pub limited: bool,
}

/// How a scenario agrees with its author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conduct {
    /// Every operation that is judged behaves as expected.
    AsExpected,
    /// One operation at least behaves against the expectation.
    Against,
    /// None behaves against the expectation, and one at least is not decided.
    NotDecided,
    /// Its author expects nothing that could be judged.
    Depends,
    /// All that could be judged is engine-limited (†).
    Limited,
    /// No operation has a verdict.
    NotJudged,
    /// It cannot be measured on this server.
    NotMeasurable,
}

/// Puts all scenarios of a run beside each other.
pub fn overview(run: &RunRecord) -> Overview<'_> {
    let rows: Vec<OverviewRow<'_>> = run.scenarios.iter().map(row).collect();
    let mut by_name: BTreeMap<&str, Vec<&OverviewRow<'_>>> = BTreeMap::new();
    for row in &rows {
        by_name.entry(&row.scenario.name).or_default().push(row);
    }
    let mut counts = BTreeMap::new();
    for rows in by_name.values() {
        let accords = rows.iter().flat_map(|row| row.accords.iter().map(|(_, accord)| accord));
        let measurable = rows.iter().any(|row| row.scenario.not_measurable.is_none());
        *counts.entry(conduct(measurable, accords)).or_default() += 1;
    }
    Overview { rows, counts }
}

fn row(scenario: &ScenarioRecord) -> OverviewRow<'_> {
    let cast = Cast::of(&scenario.models);
    let main = |kind| main(scenario, &cast, kind);
    let (read, write) = (main(OperationKind::Read), main(OperationKind::Write));
    let tuning = [&read, &write]
        .into_iter()
        .flatten()
        .find_map(|operation| scenario.analysis.operations.get(operation.name)?.get(&Metric::P95)?.tuning_share);
    let accords = accords(scenario);
    let conduct = conduct(scenario.not_measurable.is_none(), accords.iter().map(|(_, accord)| accord));
    OverviewRow { scenario, read, write, tuning, bytes: bytes(&cast), accords, conduct }
}

/// The heaviest operation of a kind; of two equally heavy ones the first by name.
fn main<'a>(scenario: &'a ScenarioRecord, cast: &Cast<'a>, wanted: OperationKind) -> Option<MainOperation<'a>> {
    let weight = |name: &str| scenario.plan.mix.get(name).copied().unwrap_or(0.0);
    let of_kind =
        scenario.declared.iter().filter(|(_, declared)| declared.kind == wanted).map(|(name, _)| name.as_str());
    let name = of_kind.reduce(|best, name| if weight(name) > weight(best) { name } else { best })?;
    let found = scenario.analysis.operations.get(name).and_then(|metrics| metrics.get(&Metric::P95));
    let found = found.map(|comparison| &comparison.speedup);
    let why_not = why_not(scenario, cast, found);
    let speedup = if why_not.is_none() { found } else { None };
    Some(MainOperation { name, speedup, why_not, limited: is_limited(scenario, name) })
}

/// Why there is no ratio to show.
fn why_not(scenario: &ScenarioRecord, cast: &Cast<'_>, found: Option<&SpeedupRecord>) -> Option<String> {
    if let Some(why) = &scenario.not_measurable {
        return Some(format!("not measurable on this server: {why}"));
    }
    let mut compared = cast.naive.into_iter().chain(cast.pattern);
    if let Some(model) = compared.find(|model| bearing(scenario, &model.name) != Bearing::Holds) {
        return Some(match bearing(scenario, &model.name) {
            Bearing::Generator => format!("the load generator was the limit for {}", model.name),
            _ => format!("{} is saturated at the rate offered", model.name),
        });
    }
    match found {
        Some(SpeedupRecord { speedup: Some(_), .. }) => None,
        Some(SpeedupRecord { reason, .. }) => Some(reason.clone().unwrap_or_else(|| "not compared".to_owned())),
        None => Some("not compared".to_owned()),
    }
}

fn bytes(cast: &Cast<'_>) -> Option<Ratio> {
    let of = |model: &ModelRecord| {
        let bill = model.storage?;
        Some(bill.data_bytes.get() as f64 + bill.index_bytes.get() as f64)
    };
    quotient(of(cast.pattern?)?, of(cast.naive?)?).and_then(ratio)
}

fn conduct<'a>(measurable: bool, accords: impl Iterator<Item = &'a Accord>) -> Conduct {
    if !measurable {
        return Conduct::NotMeasurable;
    }
    let accords: Vec<&Accord> = accords.collect();
    let any = |wanted: fn(&Accord) -> bool| accords.iter().any(|accord| wanted(accord));
    if any(|accord| matches!(accord, Accord::Against { .. })) {
        Conduct::Against
    } else if any(|accord| matches!(accord, Accord::NotDecided)) {
        Conduct::NotDecided
    } else if any(|accord| matches!(accord, Accord::AsExpected)) {
        Conduct::AsExpected
    } else if any(|accord| matches!(accord, Accord::NotJudged(_))) {
        Conduct::NotJudged
    } else if any(|accord| matches!(accord, Accord::Limited)) {
        Conduct::Limited
    } else {
        Conduct::Depends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_judged_by_its_gravest_operation() {
        let against = Accord::Against { expected: "faster".to_owned(), found: "slower".to_owned() };
        let not_judged = Accord::NotJudged("smoke".to_owned());
        let of = |accords: &[&Accord]| conduct(true, accords.iter().copied());
        assert_eq!(of(&[&Accord::AsExpected, &against, &Accord::NotDecided]), Conduct::Against);
        assert_eq!(of(&[&Accord::AsExpected, &Accord::NotDecided]), Conduct::NotDecided);
        assert_eq!(of(&[&Accord::AsExpected, &Accord::Limited, &not_judged]), Conduct::AsExpected);
        assert_eq!(of(&[&Accord::Limited, &not_judged]), Conduct::NotJudged);
        assert_eq!(of(&[&Accord::Limited, &Accord::Depends]), Conduct::Limited);
        assert_eq!(of(&[&Accord::Depends]), Conduct::Depends);
        assert_eq!(of(&[]), Conduct::Depends);
        assert_eq!(conduct(false, [&against].into_iter()), Conduct::NotMeasurable);
    }
}
