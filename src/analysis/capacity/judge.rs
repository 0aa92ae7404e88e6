//! What one window says of the objective.

use std::collections::BTreeMap;

use super::super::load::WindowLoad;
use super::super::metric::{LATENCIES, figure, least_per_unit, merged};
use crate::record::{Objective, OperationRound, ProbeRecord, RoundRecord, histogram};
use crate::units::{Micros, Rate, Share};
use crate::words::{ArrivalProcess, Bottleneck, Metric, ProbeOutcome, RoundOutcome};

/// What was asked of a window.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The window's number in the study.
    pub number: u32,
    /// The rate offered.
    pub rate: Rate,
    /// How operations came due.
    pub arrivals: ArrivalProcess,
    /// The objective.
    pub objective: &'a Objective,
    /// Whether the data were loaded anew before it.
    pub fresh: bool,
}

/// Operations that a window must time so that the objective's quantiles mean something.
pub fn least_operations(objective: &Objective) -> u64 {
    objective.latencies.keys().map(|metric| least_per_unit(*metric)).max().unwrap_or(1)
}

/// A window as the study keeps it, judged.
pub fn probed(window: &RoundRecord, asked: &Asked<'_>) -> ProbeRecord {
    let judged = |name: &str| asked.objective.operation.as_deref().is_none_or(|only| only == name);
    let operations: Vec<&OperationRound> =
        window.operations.iter().filter(|(name, _)| judged(name)).map(|(_, figures)| figures).collect();
    let whole = |text: fn(&OperationRound) -> Option<&str>| {
        let decoded: Vec<_> = operations.iter().filter_map(|figures| histogram::decode(text(figures)?).ok()).collect();
        merged(&decoded)
    };
    let response = whole(|figures| figures.response.as_deref());
    let service = whole(|figures| figures.service.as_deref());
    let failed: u64 = operations.iter().flat_map(|figures| figures.errors.values()).sum();
    let timed: u64 = operations.iter().map(|figures| figures.count).sum();
    let tried = failed.saturating_add(timed);
    let errors = Share::new(if tried > 0 { failed as f64 / tried as f64 } else { 0.0 });
    let latencies: BTreeMap<Metric, Micros> = LATENCIES
        .into_iter()
        .filter_map(|metric| Some((metric, Micros::new(figure(metric, &response).ok()?))))
        .collect();
    let load = WindowLoad::of(window, asked.rate, asked.arrivals);
    let lag = |metric| figure(metric, &load.lag).ok().map(Micros::new);
    let (outcome, why) = outcome(window, asked.objective, &latencies, errors, &load);
    ProbeRecord {
        number: asked.number,
        rate: asked.rate,
        started_at: window.started_at.clone(),
        seconds: window.seconds,
        planned: window.planned,
        achieved_rate: window.achieved_rate,
        count: response.len(),
        errors,
        latencies,
        service_p95: figure(Metric::P95, &service).ok().map(Micros::new),
        lag_p50: lag(Metric::P50),
        lag_p95: lag(Metric::P95),
        outcome,
        why,
        disturbed: window.disturbed.clone(),
        fresh: asked.fresh,
        response: histogram::encode(&response),
    }
}

/// Whether the rate was held, and why not.
///
/// A rate that is not achieved is missed, whatever the latencies, unless the load generator was the limit. A latency that is
/// too long although lag is a good part of it is the load generator's too; one that is short enough with all its lag holds.
fn outcome(
    window: &RoundRecord,
    objective: &Objective,
    latencies: &BTreeMap<Metric, Micros>,
    errors: Share,
    load: &WindowLoad,
) -> (ProbeOutcome, Option<String>) {
    if window.outcome == RoundOutcome::Ended {
        return (ProbeOutcome::Ended, Some("the model came to its declared end".to_owned()));
    }
    match &load.limit {
        Some((Bottleneck::Generator, why)) => return (ProbeOutcome::Generator, Some(why.clone())),
        Some((Bottleneck::Server, why)) => return (ProbeOutcome::Missed, Some(why.clone())),
        None => {}
    }
    if errors.get() > objective.errors.get() {
        let share = |share: Share| format!("{:.3} %", 100.0 * share.get());
        let why = format!("{} of operations failed, at most {} may", share(errors), share(objective.errors));
        return (ProbeOutcome::Missed, Some(why));
    }
    for (metric, bound) in &objective.latencies {
        let Some(latency) = latencies.get(metric) else {
            let why = format!("too few operations were answered for {metric}");
            return (ProbeOutcome::Missed, Some(why));
        };
        if latency.get() <= bound.get() {
            continue;
        }
        let ms = |micros: &Micros| format!("{:.2} ms", micros.get() / 1e3);
        let why = format!("{metric} {} is above {}", ms(latency), ms(bound));
        return match load.too_late(*metric, latency.get()) {
            Some(late) => (ProbeOutcome::Generator, Some(format!("{why}, and {late}"))),
            None => (ProbeOutcome::Missed, Some(why)),
        };
    }
    (ProbeOutcome::Held, None)
}
