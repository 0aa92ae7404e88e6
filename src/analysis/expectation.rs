//! What was measured of an operation against what the scenario's author expects of it.

use super::cast::Cast;
use super::headline::headline;
use super::limited::engine_limited;
use crate::record::{ExpectationRecord, ScenarioRecord, SpeedupRecord};
use crate::units::Ratio;
use crate::words::Verdict;

/// How an operation agrees with its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accord {
    /// As expected.
    AsExpected,
    /// Against the expectation.
    Against {
        /// What was expected, in words.
        expected: String,
        /// What was found, in words.
        found: String,
    },
    /// The rounds do not decide.
    NotDecided,
    /// The author says that it depends.
    Depends,
    /// The server executes it unlike mongod (†), so it says nothing of the models.
    Limited,
    /// There is nothing to judge it by; the reason.
    NotJudged(String),
}

/// The operations of which the author expects something, by name, each with what became of that.
///
/// A model compared with itself agrees with nobody: a control run has none.
pub fn accords(scenario: &ScenarioRecord) -> Vec<(&str, Accord)> {
    if scenario.plan.control.is_some() {
        return Vec::new();
    }
    let declared = scenario.declared.iter();
    let expected = declared.filter_map(|(operation, declared)| Some((operation.as_str(), declared.expect?)));
    expected.map(|(operation, expectation)| (operation, accord(scenario, operation, expectation))).collect()
}

fn accord(scenario: &ScenarioRecord, operation: &str, expectation: ExpectationRecord) -> Accord {
    if expectation == ExpectationRecord::Depends {
        return Accord::Depends;
    }
    if let Some(why) = &scenario.not_measurable {
        return Accord::NotJudged(format!("not measurable on this server: {why}"));
    }
    if is_limited(scenario, operation) {
        return Accord::Limited;
    }
    match scenario.analysis.operations.get(operation).and_then(headline) {
        Some(headline) => judged(expectation, headline.comparison),
        None => Accord::NotJudged("it was not compared".to_owned()),
    }
}

/// Whether the server executes the operation unlike mongod in a model of the comparison.
pub(super) fn is_limited(scenario: &ScenarioRecord, operation: &str) -> bool {
    let cast = Cast::of(&scenario.models);
    let mut compared = cast.naive.into_iter().chain(cast.pattern);
    compared.any(|model| engine_limited(scenario, model, operation).is_some())
}

/// A verdict agrees or contradicts; of a range, the interval contradicts where it lies wholly outside, and the ratio agrees
/// where it lies inside.
fn judged(expectation: ExpectationRecord, found: &SpeedupRecord) -> Accord {
    let Some(verdict) = found.verdict else {
        return Accord::NotJudged(found.reason.clone().unwrap_or_else(|| "it has no verdict".to_owned()));
    };
    let expected = match expectation {
        ExpectationRecord::Depends => return Accord::Depends,
        ExpectationRecord::Faster => Verdict::Faster,
        ExpectationRecord::Slower => Verdict::Slower,
        ExpectationRecord::Equal => Verdict::Equal,
        ExpectationRecord::Ratio(least, most) => return in_range(found, least, most),
    };
    match verdict {
        Verdict::Inconclusive => Accord::NotDecided,
        verdict if verdict == expected => Accord::AsExpected,
        verdict => Accord::Against { expected: in_words(expectation), found: verdict.to_string() },
    }
}

fn in_range(found: &SpeedupRecord, least: Ratio, most: Ratio) -> Accord {
    let Some((ratio, (low, high))) = found.speedup.zip(found.low.zip(found.high)) else {
        return Accord::NotDecided;
    };
    if high < least || low > most {
        let expected = in_words(ExpectationRecord::Ratio(least, most));
        return Accord::Against { expected, found: format!("{:.2} to {:.2}", low.get(), high.get()) };
    }
    if ratio >= least && ratio <= most { Accord::AsExpected } else { Accord::NotDecided }
}

fn in_words(expectation: ExpectationRecord) -> String {
    match expectation {
        ExpectationRecord::Faster => Verdict::Faster.to_string(),
        ExpectationRecord::Slower => Verdict::Slower.to_string(),
        ExpectationRecord::Equal => Verdict::Equal.to_string(),
        ExpectationRecord::Ratio(least, most) => format!("{} to {} times as fast", least.get(), most.get()),
        ExpectationRecord::Depends => "as it may be".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(verdict: Verdict, speedup: f64, low: f64, high: f64) -> SpeedupRecord {
        SpeedupRecord {
            speedup: Some(Ratio::new(speedup)),
            low: Some(Ratio::new(low)),
            high: Some(Ratio::new(high)),
            verdict: Some(verdict),
            ..SpeedupRecord::default()
        }
    }

    fn against(expected: &str, found: &str) -> Accord {
        Accord::Against { expected: expected.to_owned(), found: found.to_owned() }
    }

    #[test]
    fn only_a_verdict_contradicts_and_only_another_one() {
        let faster = found(Verdict::Faster, 2.5, 2.0, 3.0);
        let says = |expectation| judged(expectation, &faster);
        assert_eq!(says(ExpectationRecord::Faster), Accord::AsExpected);
        assert_eq!(says(ExpectationRecord::Depends), Accord::Depends);
        assert_eq!(says(ExpectationRecord::Slower), against("slower", "faster"));
        assert_eq!(says(ExpectationRecord::Equal), against("equal", "faster"));
        let undecided = found(Verdict::Inconclusive, 1.2, 0.5, 3.0);
        assert_eq!(judged(ExpectationRecord::Slower, &undecided), Accord::NotDecided);
        let without = SpeedupRecord { reason: Some("smoke".to_owned()), ..SpeedupRecord::default() };
        assert_eq!(judged(ExpectationRecord::Slower, &without), Accord::NotJudged("smoke".to_owned()));
    }

    #[test]
    fn a_range_is_contradicted_by_an_interval_that_lies_wholly_outside() {
        let range = ExpectationRecord::Ratio(Ratio::new(0.4), Ratio::new(1.1));
        let between = |ratio, low, high| judged(range, &found(Verdict::Faster, ratio, low, high));
        assert_eq!(between(1.05, 1.0, 1.3), Accord::AsExpected);
        assert_eq!(between(1.2, 1.1, 1.3), Accord::NotDecided, "its end belongs to it");
        assert_eq!(between(1.25, 1.2, 1.3), against("0.4 to 1.1 times as fast", "1.20 to 1.30"));
        assert_eq!(between(0.2, 0.1, 0.3), against("0.4 to 1.1 times as fast", "0.10 to 0.30"));
    }
}
