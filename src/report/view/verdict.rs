//! The verdict in words with its figures: what the pattern does to each operation, what it costs to keep, how sure that is.

use std::collections::BTreeSet;

use super::facts::operations_shown;
use super::{beside, control, load, plan};
use crate::analysis::{ALL, Cast, Headline, Latency, engine_limited, headline};
use crate::record::{ModelRecord, ScenarioRecord, StorageRecord};
use crate::report::format::{self, plural};
use crate::units::Ratio;
use crate::words::Verdict;

/// The verdict of a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::report) struct InWords {
    /// What changes for each operation, and the bill.
    pub(in crate::report) said: String,
    /// On what that rests.
    pub(in crate::report) rests_on: String,
}

/// Operations named with their figures, the heaviest first.
const MOST: usize = 4;

/// The verdict; `None` where there is nothing to compare, or a model could not bear the load: then the answer says so.
pub(super) fn in_words(scenario: &ScenarioRecord) -> Option<InWords> {
    let cast = Cast::of(&scenario.models);
    let (naive, pattern) = (cast.naive?, cast.pattern?);
    let other_answer = scenario.not_measurable.is_some()
        || load::answer(scenario, naive, pattern).is_some()
        || control::answer(scenario).is_some();
    if other_answer {
        return None;
    }
    let found = Found::of(scenario, naive, pattern);
    let mut said = format!("With {} instead of {}: ", pattern.name, naive.name);
    said.push_str(&found.in_words());
    if let Some(bill) = bill(naive.storage.as_ref(), pattern.storage.as_ref()) {
        said.push_str(&format!("; to keep: {bill}"));
    }
    Some(InWords { said, rests_on: rests_on(scenario, found.latency, !found.changed.is_empty()) })
}

/// The operations by what is found of them.
struct Found<'a> {
    latency: Latency,
    /// Faster or slower.
    changed: Vec<Changed<'a>>,
    equal: Vec<&'a str>,
    open: Vec<&'a str>,
    without: Vec<&'a str>,
    /// Why those without verdict have none, each reason once.
    why_without: BTreeSet<&'a str>,
    limited: Vec<&'a str>,
}

/// An operation that becomes faster or slower.
struct Changed<'a> {
    operation: &'a str,
    /// What speaks for it.
    headline: Headline<'a>,
    verdict: Verdict,
    /// The ratio at light load, where it is another.
    light_load: Option<Ratio>,
}

impl<'a> Found<'a> {
    fn of(scenario: &'a ScenarioRecord, naive: &ModelRecord, pattern: &ModelRecord) -> Self {
        let latency = Latency::of(scenario);
        let mut found = Self {
            latency,
            changed: Vec::new(),
            equal: Vec::new(),
            open: Vec::new(),
            without: Vec::new(),
            why_without: BTreeSet::new(),
            limited: Vec::new(),
        };
        for operation in operations_shown(scenario).into_iter().filter(|operation| *operation != ALL) {
            if [naive, pattern].into_iter().any(|model| engine_limited(scenario, model, operation).is_some()) {
                found.limited.push(operation);
                continue;
            }
            let metrics = scenario.analysis.operations.get(operation);
            let headline = metrics.and_then(headline);
            match headline.and_then(|headline| Some((headline, headline.verdict()?))) {
                Some((headline, verdict @ (Verdict::Faster | Verdict::Slower))) => {
                    let light_load = metrics.and_then(beside::differing_light_load).and_then(|light| light.speedup);
                    found.changed.push(Changed { operation, headline, verdict, light_load });
                }
                Some((_, Verdict::Equal)) => found.equal.push(operation),
                Some((_, Verdict::Inconclusive)) => found.open.push(operation),
                None => {
                    found.without.push(operation);
                    found.why_without.extend(headline.and_then(|headline| headline.comparison.reason.as_deref()));
                }
            }
        }
        found
    }

    fn in_words(&self) -> String {
        let mut parts: Vec<String> = self.changed.iter().take(MOST).map(Changed::in_words).collect();
        for word in [Verdict::Faster, Verdict::Slower] {
            let more = self.changed.iter().skip(MOST).filter(|changed| changed.verdict == word).count();
            if more > 0 {
                parts.push(format!("{} more {word}", plural(more as u64, "operation", "operations")));
            }
        }
        let without = match self.why_without.first() {
            Some(why) if self.why_without.len() == 1 => format!("without verdict ({why})"),
            _ => "without verdict".to_owned(),
        };
        for (names, said) in [
            (&self.equal, "equal within 5 %"),
            (&self.open, "not decided"),
            (&self.without, without.as_str()),
            (&self.limited, "left out (†: this server executes that unlike mongod)"),
        ] {
            match names.as_slice() {
                [] => {}
                [name] => parts.push(format!("{name} is {said}")),
                names if names.len() <= MOST => parts.push(format!("{} are {said}", names.join(", "))),
                names => parts.push(format!("{} operations are {said}", names.len())),
            }
        }
        if parts.is_empty() { "no operation was compared".to_owned() } else { parts.join("; ") }
    }
}

impl Changed<'_> {
    /// `list_page is 7.05× faster at p95 (6.90–7.20)`; slower is told by the inverse.
    fn in_words(&self) -> String {
        let Self { operation, headline, verdict, .. } = self;
        let metric = headline.metric;
        let comparison = headline.comparison;
        let told = |ratio: Ratio| if *verdict == Verdict::Slower { Ratio::new(1.0 / ratio.get()) } else { ratio };
        let Some(ratio) = comparison.speedup else { return format!("{operation} is {verdict} at {metric}") };
        let said = format!("{operation} is {} {verdict} at {metric}", format::ratio(told(ratio)));
        let interval = comparison.low.zip(comparison.high).map(|(low, high)| {
            let ends = (told(low), told(high));
            let (low, high) = if ends.0 <= ends.1 { ends } else { (ends.1, ends.0) };
            format!("{}–{}", format::significant(low.get()), format::significant(high.get()))
        });
        let brackets: Vec<String> = interval.into_iter().chain(self.light_load.map(at_light_load)).collect();
        if brackets.is_empty() { said } else { format!("{said} ({})", brackets.join("; ")) }
    }
}

fn at_light_load(ratio: Ratio) -> String {
    let (factor, word) = if ratio.get() < 1.0 { (1.0 / ratio.get(), "slower") } else { (ratio.get(), "faster") };
    format!("at light load {} {word}", format::ratio(Ratio::new(factor)))
}

/// `12 % more data, 35 % less index`.
fn bill(naive: Option<&StorageRecord>, pattern: Option<&StorageRecord>) -> Option<String> {
    let (naive, pattern) = (naive?, pattern?);
    let data = change(naive.data_bytes.get(), pattern.data_bytes.get(), "data");
    let indexes = change(naive.index_bytes.get(), pattern.index_bytes.get(), "index");
    let disk = naive.storage_bytes.zip(pattern.storage_bytes);
    let disk = disk.and_then(|(naive, pattern)| change(naive.get(), pattern.get(), "on disk"));
    let said: Vec<String> = [data, disk, indexes].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// How much more or less of something the pattern keeps; from twice on as a factor.
fn change(naive: u64, pattern: u64, what: &str) -> Option<String> {
    if naive == 0 {
        return (pattern > 0).then(|| format!("{what} where naive has none"));
    }
    let factor = pattern as f64 / naive as f64;
    let percent = ((factor - 1.0) * 100.0).round();
    Some(match percent {
        0.0 => format!("just as much {what}"),
        percent if percent >= 100.0 => format!("{} as much {what}", format::ratio(Ratio::new(factor))),
        percent if percent > 0.0 => format!("{percent:.0} % more {what}"),
        percent => format!("{:.0} % less {what}", -percent),
    })
}

/// Rounds, load, and whether the models answered alike; `explained` are the words that figures need.
fn rests_on(scenario: &ScenarioRecord, latency: Latency, explained: bool) -> String {
    let rounds = plural(u64::from(scenario.plan.rounds), "round", "rounds");
    let load = match plan::offered(scenario) {
        Some(offered) => format!("{} at {offered}", latency.name()),
        None => format!("{} under closed load", latency.name()),
    };
    let before = scenario.parity.as_ref().map_or((0, 0), |parity| (parity.operations, parity.mismatches));
    let after = scenario.closing_parity.as_ref().map_or((0, 0), |parity| (parity.operations, parity.mismatches));
    let (compared, different) = (before.0.saturating_add(after.0), before.1.saturating_add(after.1));
    let answers = match (compared, different) {
        (0, _) => "the models' answers were not compared".to_owned(),
        (compared, 0) => format!("the models gave the same answers to all {} compared", format::count(compared)),
        (compared, different) => format!(
            "the models ANSWERED DIFFERENTLY to {} of {} compared, so they do not do the same work",
            format::count(different),
            format::count(compared)
        ),
    };
    let words = "p95 is the time within which 95 of 100 operations are done; 2× faster means half the time. In brackets stands \
                 the 95 % interval. ";
    let words = if explained { words } else { "" };
    format!("{words}Measured over {rounds} in which the models took turns; {load}; {answers}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bill_is_told_in_per_cent_and_from_twice_on_as_a_factor() {
        assert_eq!(change(100, 112, "data").as_deref(), Some("12 % more data"));
        assert_eq!(change(100, 65, "index").as_deref(), Some("35 % less index"));
        assert_eq!(change(1_000, 1_001, "data").as_deref(), Some("just as much data"));
        assert_eq!(change(100, 340, "data").as_deref(), Some("3.40× as much data"));
        assert_eq!(change(0, 0, "data"), None);
        assert_eq!(change(0, 5, "data").as_deref(), Some("data where naive has none"));
    }
}
