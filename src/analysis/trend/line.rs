//! The history of a line: one server, profile, mode and set of parameters.

use std::collections::{BTreeMap, BTreeSet};

use super::context::{Measured, differences};
use super::detector::steps;
use crate::analysis::ALL;
use crate::record::{ComparisonDigest, ModelDigest, TrendChange, TrendOperation, TrendPoint, TrendSeries};
use crate::units::Ratio;
use crate::words::{Metric, Role, Tracked};

/// The runs of a line, in their order, each with its place among all runs.
pub(super) type Line<'a> = Vec<(usize, Measured<'a>)>;

/// A figure that is followed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    of: Tracked,
    /// Naive first, then patterns, then alternatives.
    role: Role,
    model: &'a str,
}

/// The operations of a line, the heaviest first, the whole mix last.
pub(super) fn operations(line: &Line<'_>) -> Vec<TrendOperation> {
    let names: BTreeSet<&str> = line
        .iter()
        .flat_map(|(_, measured)| measured.scenario.analysis.operations.keys().map(String::as_str))
        .collect();
    let weight = |name: &str| {
        let newest = line.last().and_then(|(_, measured)| measured.scenario.plan.mix.get(name));
        if name == ALL { f64::NEG_INFINITY } else { newest.copied().unwrap_or(0.0) }
    };
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by(|left, right| weight(right).total_cmp(&weight(left)));
    names.into_iter().map(|name| operation(line, name)).filter(|operation| !operation.series.is_empty()).collect()
}

fn operation(line: &Line<'_>, name: &str) -> TrendOperation {
    let mut found: BTreeMap<Key<'_>, Vec<TrendPoint>> = BTreeMap::new();
    for (run, measured) in line {
        for (key, point) in points(*run, *measured, name) {
            found.entry(key).or_default().push(point);
        }
    }
    let series = found.into_iter().map(|(key, points)| TrendSeries {
        changes: changes(line, key.of, &points),
        of: key.of,
        model: key.model.to_owned(),
        role: key.role,
        points,
    });
    let engine_limited = line.last().is_some_and(|(_, measured)| is_limited(&measured.scenario.models, name));
    TrendOperation { operation: name.to_owned(), engine_limited, series: series.collect() }
}

/// Whether an operation, or for the whole mix any, is engine-limited in naive or the first pattern.
fn is_limited(models: &[ModelDigest], operation: &str) -> bool {
    let first = |role| models.iter().find(|model| model.role == role);
    let judged = [first(Role::Naive), first(Role::Pattern)];
    judged
        .into_iter()
        .flatten()
        .flat_map(|model| &model.operations)
        .any(|(name, known)| known.engine_limited.is_some() && (operation == ALL || name == operation))
}

/// The figures of an operation in a run.
fn points<'a>(run: usize, measured: Measured<'a>, operation: &str) -> Vec<(Key<'a>, TrendPoint)> {
    let models = &measured.scenario.models;
    let metrics = measured.scenario.analysis.operations.get(operation);
    let Some(compared) = metrics.and_then(|metrics| metrics.get(&Metric::P95)) else { return Vec::new() };
    let first = |role| models.iter().find(|model| model.role == role);
    let naive = first(Role::Naive).and_then(|model| Some((key(Tracked::P95, model), figure(run, compared.naive)?)));
    let others = compared
        .others
        .iter()
        .filter_map(|(name, other)| Some((models.iter().find(|model| model.name == *name)?, other)));
    let beside = first(Role::Pattern).map(|model| (model, compared)).into_iter().chain(others);
    naive.into_iter().chain(beside.flat_map(|(model, compared)| of_model(run, model, compared))).collect()
}

fn of_model<'a>(run: usize, model: &'a ModelDigest, compared: &ComparisonDigest) -> Vec<(Key<'a>, TrendPoint)> {
    let p95 = figure(run, compared.pattern).map(|point| (key(Tracked::P95, model), point));
    let speedup = figure(run, compared.speedup.map(Ratio::get)).map(|point| {
        let point = TrendPoint { low: compared.low.map(Ratio::get), high: compared.high.map(Ratio::get), ..point };
        (key(Tracked::Speedup, model), point)
    });
    p95.into_iter().chain(speedup).collect()
}

fn key(of: Tracked, model: &ModelDigest) -> Key<'_> {
    Key { of, role: model.role, model: &model.name }
}

/// A figure that can stand on a logarithmic axis.
fn figure(run: usize, value: Option<f64>) -> Option<TrendPoint> {
    let value = value.filter(|value| value.is_finite() && *value > 0.0)?;
    Some(TrendPoint { run, value, low: None, high: None })
}

fn changes(line: &Line<'_>, of: Tracked, points: &[TrendPoint]) -> Vec<TrendChange> {
    let values: Vec<f64> = points.iter().map(|point| point.value).collect();
    let measured = |run: usize| line.iter().find(|(place, _)| *place == run).map(|(_, measured)| *measured);
    let change = |step: super::Step| {
        let (last, first) = (points[step.at - 1].run, points[step.at].run);
        let with = measured(last).zip(measured(first)).map(|(old, new)| differences(old, new));
        TrendChange {
            run: first,
            before: step.before,
            after: step.after,
            ratio: Ratio::new(step.after / step.before),
            worse: match of {
                Tracked::P95 => step.after > step.before,
                Tracked::Speedup => step.after < step.before,
            },
            with: with.unwrap_or_default(),
        }
    };
    steps(&values).into_iter().map(change).collect()
}
