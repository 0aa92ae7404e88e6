//! The answer in a line: how many operations the pattern makes faster, slower, neither.

use super::facts::operations_shown;
use super::results::{tone_in, word};
use super::table::Tone;
use super::{beside, control, load};
use crate::analysis::{ALL, Cast, engine_limited, headline, operations};
use crate::record::ScenarioRecord;
use crate::report::format::{self, plural};
use crate::words::Verdict;

/// Operations of the first pattern model by verdict; what is engine-limited is counted apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::report) struct Counts {
    pub(in crate::report) faster: u64,
    pub(in crate::report) slower: u64,
    pub(in crate::report) equal: u64,
    pub(in crate::report) inconclusive: u64,
    /// Operations without verdict.
    pub(in crate::report) without: u64,
    /// Engine-limited operations, in none of the above.
    pub(in crate::report) limited: u64,
}

impl Counts {
    pub(in crate::report) fn of(scenario: &ScenarioRecord) -> Self {
        let cast = Cast::of(&scenario.models);
        let mut counts = Self::default();
        for operation in operations(scenario) {
            let compared = [cast.naive, cast.pattern];
            if compared.iter().flatten().any(|model| engine_limited(scenario, model, operation).is_some()) {
                counts.limited += 1;
                continue;
            }
            let metrics = scenario.analysis.operations.get(operation);
            match metrics.and_then(headline).and_then(|headline| headline.verdict()) {
                Some(Verdict::Faster) => counts.faster += 1,
                Some(Verdict::Slower) => counts.slower += 1,
                Some(Verdict::Equal) => counts.equal += 1,
                Some(Verdict::Inconclusive) => counts.inconclusive += 1,
                None => counts.without += 1,
            }
        }
        counts
    }
}

/// The answer in a line: the counts in words, naming both models; where a model could not bear the load, that instead
/// of them; in a control run, whether the model was told apart from itself.
pub(in crate::report) fn answer(scenario: &ScenarioRecord) -> String {
    if let Some(why) = &scenario.not_measurable {
        return format!("not measurable on this server: {why}");
    }
    let cast = Cast::of(&scenario.models);
    let (Some(naive), Some(pattern)) = (cast.naive, cast.pattern) else {
        return "nothing to compare: the run has not both a naive and a pattern model".to_owned();
    };
    if let Some(said) = load::answer(scenario, naive, pattern).or_else(|| control::answer(scenario)) {
        return said;
    }
    let counts = Counts::of(scenario);
    let mut said = format!(
        "{} against {}: {} faster, {} slower, {} equal, {} inconclusive",
        pattern.name, naive.name, counts.faster, counts.slower, counts.equal, counts.inconclusive
    );
    if counts.without > 0 {
        said.push_str(&format!(", {} without verdict", counts.without));
    }
    if counts.limited > 0 {
        said.push_str(&format!("; {} engine-limited (†) left out", plural(counts.limited, "operation", "operations")));
    }
    if let Some(light) = beside::at_light_load(scenario) {
        said.push_str(&format!("; {light}"));
    }
    said
}

/// What is said of an operation in a line.
#[derive(Debug, Clone)]
pub(in crate::report) struct Answer {
    pub(in crate::report) operation: String,
    pub(in crate::report) verdict: &'static str,
    pub(in crate::report) tone: Tone,
    pub(in crate::report) figures: String,
}

/// A line for each operation that has a verdict: how the pattern does against naive. What is engine-limited says
/// nothing, and where a model could not bear the load no ratio is an answer.
pub(super) fn answers(scenario: &ScenarioRecord) -> Vec<Answer> {
    let cast = Cast::of(&scenario.models);
    let (Some(naive), Some(pattern)) = (cast.naive, cast.pattern) else { return Vec::new() };
    if load::answer(scenario, naive, pattern).is_some() {
        return Vec::new();
    }
    let mut said = Vec::new();
    for operation in operations_shown(scenario) {
        if [naive, pattern].into_iter().any(|model| engine_limited(scenario, model, operation).is_some()) {
            continue;
        }
        let Some(metrics) = scenario.analysis.operations.get(operation) else { continue };
        let Some(headline) = headline(metrics) else { continue };
        let comparison = headline.comparison;
        let interval = comparison.speedup.zip(comparison.low.zip(comparison.high));
        let (Some(verdict), Some((ratio, (low, high)))) = (headline.verdict(), interval) else { continue };
        let word = word(verdict);
        let name = if operation == ALL { "whole mix" } else { operation };
        let (metric, ratio) = (headline.metric, format::ratio_with_interval(ratio, low, high));
        let light = beside::differing_light_load(metrics).and_then(beside::ratio);
        let light = light.map(|ratio| format!("; at light load {ratio}")).unwrap_or_default();
        said.push(Answer {
            operation: name.to_owned(),
            verdict: word,
            tone: tone_in(scenario, verdict),
            figures: format!("{} {metric} ÷ {} {metric} = {ratio}{light}", naive.name, pattern.name),
        });
    }
    said
}
