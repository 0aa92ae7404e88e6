//! What a scenario says of itself, in lines and sentences.

use bson::Bson;

use crate::scenario::types::{Bound, Claim, Expectation, Parameter, Scenario};
use crate::units::Ratio;
use crate::words::ClaimMetric;

/// A line for each fact, with what it is.
pub(super) fn lines(scenario: &Scenario) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    let lists = [("patterns", &scenario.patterns), ("anti-patterns", &scenario.antipatterns), ("tags", &scenario.tags)];
    facts
        .extend(lists.into_iter().filter(|(_, words)| !words.is_empty()).map(|(what, words)| (what, words.join(", "))));
    for parameter in &scenario.parameters {
        let mut line = format!("{} = {}", parameter.name, parameter.default);
        let others = [("smoke", &parameter.smoke), ("nightly", &parameter.nightly)];
        for (profile, value) in others {
            line.extend(value.as_ref().map(|value| format!(", {profile} {value}")));
        }
        line.extend(parameter.help.as_ref().map(|help| format!(": {help}")));
        facts.push(("parameter", line));
    }
    facts.extend(scenario.claims.iter().map(|claim| ("claim", claim_line(claim))));
    facts.extend(
        scenario
            .expect
            .iter()
            .map(|(operation, expectation)| ("expected", format!("{operation} {}", expectation_line(*expectation)))),
    );
    facts
}

fn claim_line(claim: &Claim) -> String {
    let ratio = match claim.metric {
        ClaimMetric::Throughput => "pattern ÷ naive",
        _ => "naive ÷ pattern",
    };
    let (bound, at) = (bound(claim.bound), at(claim));
    format!("{} {}, {ratio} {bound}{at} ({})", claim.operation, claim.metric, claim.source)
}

fn bound(bound: Bound) -> String {
    match bound {
        Bound::AtLeast(ratio) => format!("at least {}", ratio.get()),
        Bound::AtMost(ratio) => format!("at most {}", ratio.get()),
        Bound::Between(low, high) => format!("{} to {}", low.get(), high.get()),
    }
}

fn at(claim: &Claim) -> String {
    let at: Vec<String> = claim.at.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if at.is_empty() { String::new() } else { format!(" at {}", at.join(", ")) }
}

fn expectation_line(expectation: Expectation) -> String {
    match expectation {
        Expectation::Faster => "faster".to_owned(),
        Expectation::Slower => "slower".to_owned(),
        Expectation::Equal => "equal".to_owned(),
        Expectation::Depends => "depends".to_owned(),
        Expectation::Between(low, high) => format!("{} to {} times as fast", low.get(), high.get()),
    }
}

/// What a source says, as a sentence in Markdown.
pub(super) fn claim_sentence(claim: &Claim) -> String {
    let (bound, at, source) = (bound(claim.bound), at(claim), &claim.source);
    let what = match claim.operation.as_str() {
        "all" => "Over the whole mix".to_owned(),
        operation => format!("`{operation}`"),
    };
    match claim.metric {
        ClaimMetric::Throughput => {
            format!("{what}: the pattern's throughput is {bound} × naive's{at}. Source: {source}")
        }
        ClaimMetric::Documents => format!("Naive has {bound} × the pattern's documents{at}. Source: {source}"),
        ClaimMetric::DataBytes => format!("Naive's documents take {bound} × the pattern's bytes{at}. Source: {source}"),
        ClaimMetric::IndexBytes => format!("Naive's indexes take {bound} × the pattern's bytes{at}. Source: {source}"),
        latency => format!("{what}: naive's {latency} latency is {bound} × the pattern's{at}. Source: {source}"),
    }
}

/// What the author expects of the pattern, in words.
pub(super) fn expectation_words(expectation: Expectation) -> String {
    match expectation {
        Expectation::Faster => "faster".to_owned(),
        Expectation::Slower => "slower".to_owned(),
        Expectation::Equal => "no difference".to_owned(),
        Expectation::Depends => "it depends".to_owned(),
        Expectation::Between(low, high) if low.get() >= 1.0 => {
            format!("{} to {} times as fast", short(low.get()), short(high.get()))
        }
        Expectation::Between(low, high) if high.get() <= 1.0 => {
            format!("takes {} to {} times as long", inverse(high), inverse(low))
        }
        Expectation::Between(low, high) => {
            format!("from {} times as long to {} times as fast", inverse(low), short(high.get()))
        }
    }
}

fn inverse(ratio: Ratio) -> String {
    short(1.0 / ratio.get())
}

/// A number with two significant digits at least, without zeros behind the point.
fn short(number: f64) -> String {
    let text = if number < 10.0 { format!("{number:.1}") } else { format!("{number:.0}") };
    let bare = text.trim_end_matches('0').trim_end_matches('.');
    if text.contains('.') { bare.to_owned() } else { text }
}

/// What `--set` can change.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterSheet {
    /// Its name.
    pub name: String,
    /// Its value in the profiles quick and standard.
    pub default: String,
    /// Its value in the profile smoke.
    pub smoke: String,
    /// Its value in the profile nightly.
    pub nightly: String,
    /// A line for people.
    pub help: String,
}

impl ParameterSheet {
    pub(super) fn of(parameter: &Parameter) -> Self {
        let or_default = |value: &Option<Bson>| value.as_ref().unwrap_or(&parameter.default).to_string();
        Self {
            name: parameter.name.clone(),
            default: parameter.default.to_string(),
            smoke: or_default(&parameter.smoke),
            nightly: or_default(&parameter.nightly),
            help: parameter.help.clone().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_ratios_are_told_as_times_as_fast_or_as_long() {
        let words = |low, high| expectation_words(Expectation::Between(Ratio::new(low), Ratio::new(high)));
        assert_eq!(words(4.0, 50.0), "4 to 50 times as fast");
        assert_eq!(words(1.25, 2.0), "1.2 to 2 times as fast");
        assert_eq!(words(0.25, 0.5), "takes 2 to 4 times as long");
        assert_eq!(words(0.5, 1.5), "from 2 times as long to 1.5 times as fast");
        assert_eq!(words(100.0, 2000.0), "100 to 2000 times as fast");
    }
}
