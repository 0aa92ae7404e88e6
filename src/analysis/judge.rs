//! Gives operations their verdicts.

use super::analyse::ALL;
use super::contest::Contest;
use super::estimate::Estimates;
use super::headline::CARRIERS;
use super::paired::Paired;
use super::settle::{self, Repeat};
use super::verdict::{Decision, THRESHOLD, decide};
use super::witness::Witness;
use crate::words::{Metric, Verdict};

/// Gives each operation its verdict: the operations are one family, the whole mix is a question of its own. Where verdicts
/// are `withheld`, its reason stands in their place; where there is a `witness`, it must confirm them.
pub(super) fn judge(contest: &mut Contest<'_>, withheld: Option<&str>, witness: Option<&Witness<'_>>) {
    let carriers: Vec<(&str, Metric, Paired)> = contest
        .operations
        .iter()
        .filter_map(|(operation, estimates)| {
            let carrier = |metric| Some((*operation, metric, estimates.get(&metric)?.paired?));
            CARRIERS.into_iter().find_map(carrier)
        })
        .collect();
    let (mix, family): (Vec<_>, Vec<_>) = carriers.into_iter().partition(|(operation, ..)| *operation == ALL);
    for questions in [family, mix] {
        let paired: Vec<Paired> = questions.iter().map(|(.., paired)| *paired).collect();
        let confirmed = confirmed(&questions, decide(&paired, THRESHOLD), witness);
        for ((operation, metric, paired), (decision, objection)) in questions.iter().zip(confirmed) {
            let estimates = contest.operations.get_mut(operation).expect("the operation was just listed");
            let estimate = estimates.get_mut(metric).expect("the metric was just listed");
            if let Some(why) = withheld {
                estimate.reason = Some(why.to_owned());
            } else if let Some(objection) = objection {
                estimate.verdict = Some(Verdict::Inconclusive);
                estimate.reason = Some(objection);
            } else {
                estimate.verdict = Some(decision.verdict);
                if decision.verdict == Verdict::Inconclusive {
                    let doubt = doubt(paired, decision.held_back, questions.len(), estimate.repeat());
                    estimate.reason = Some(doubt);
                }
            }
            if *metric != Metric::P95 {
                say_who_carries(estimates, *metric);
            }
        }
    }
}

/// The decisions, each with what the witness objects to it.
fn confirmed(
    questions: &[(&str, Metric, Paired)],
    decisions: Vec<Decision>,
    witness: Option<&Witness<'_>>,
) -> Vec<(Decision, Option<String>)> {
    let Some(witness) = witness else { return decisions.into_iter().map(|decision| (decision, None)).collect() };
    let service = witness.decisions(questions.iter().map(|(operation, metric, _)| (*operation, *metric)));
    let pairs = decisions.into_iter().zip(service);
    pairs.map(|(decision, service)| (decision, witness.objection(decision.verdict, service))).collect()
}

fn doubt(paired: &Paired, held_back: bool, family: usize, repeat: Repeat) -> String {
    let advice = settle::advice(paired, THRESHOLD.ln_1p(), family, repeat);
    if held_back {
        return format!(
            "the interval lies beyond ±5 %, but not after Holm's adjustment for {family} operations; {advice}"
        );
    }
    let undecided = match repeat {
        Repeat::Rounds { .. } => "the rounds".to_owned(),
        Repeat::Restarts => format!("{} restarts", paired.units),
    };
    format!("{undecided} do not decide whether the ratio lies beyond ±5 %; {advice}")
}

fn say_who_carries(estimates: &mut Estimates, metric: Metric) {
    if let Some(p95) = estimates.get_mut(&Metric::P95) {
        p95.add_reason(&format!("{metric} carries the verdict"));
    }
}
