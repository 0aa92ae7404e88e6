//! Control runs: a model compared with itself, where any difference is a fault.

use crate::analysis::{ALL, headline, operations};
use crate::record::ScenarioRecord;
use crate::words::Verdict;

/// What must be said of a control run before any figure.
pub(super) fn banner(scenario: &ScenarioRecord) -> Option<String> {
    let model = scenario.plan.control.as_ref()?;
    Some(format!(
        "CONTROL: {model} against itself: two loads of the same model under two names. A difference is a fault of \
         harness or machine, not of a model"
    ))
}

/// The answer of a control run: whether the model was told apart from itself.
pub(super) fn answer(scenario: &ScenarioRecord) -> Option<String> {
    let model = scenario.plan.control.as_ref()?;
    let verdicts: Vec<(&str, Verdict)> = operations(scenario)
        .into_iter()
        .chain([ALL])
        .filter_map(|operation| Some((operation, headline(scenario.analysis.operations.get(operation)?)?.verdict()?)))
        .collect();
    if verdicts.is_empty() {
        return Some(format!("control of {model}: no verdict, so nothing is said of harness and machine"));
    }
    let apart: Vec<&str> = verdicts
        .iter()
        .filter(|(_, verdict)| matches!(verdict, Verdict::Faster | Verdict::Slower))
        .map(|(operation, _)| *operation)
        .collect();
    if !apart.is_empty() {
        return Some(format!(
            "{model} is told apart from itself ({}): a fault of harness or machine",
            apart.join(", ")
        ));
    }
    let equal = verdicts.iter().filter(|(_, verdict)| *verdict == Verdict::Equal).count();
    Some(format!(
        "{model} is not told apart from itself: {equal} equal within 5 %, {} inconclusive (the whole mix counted too)",
        verdicts.len() - equal
    ))
}
