//! How each model bore the load, and what could not keep up.
//!
//! A rate that is not achieved can be the server's doing or the load generator's; only the first says something about a
//! model. They are told apart by where the workers were: waiting for the server, or idle (or busy with themselves) while
//! operations were due.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

use super::analyse::ALL;
use super::cast::Cast;
use super::contest::Contest;
use super::estimate::{Estimate, quotient};
use super::metric::{figure, merged};
use super::samples::Latency;
use super::throughput;
use super::windows::Windows;
use crate::record::{LoadAnalysis, OperationRound, RoundRecord, ScenarioRecord, histogram};
use crate::units::{Micros, Rate, Ratio, Share};
use crate::words::{ArrivalProcess, Bottleneck, Metric, Mode, Phase, RoundOutcome};

/// Shortage of the achieved rate that is none: the end of the last second, rounding.
const SHORTAGE: f64 = 0.01;

/// Share of the workers' time spent waiting for the server from which on it is the server that is too slow.
const OCCUPIED: f64 = 0.9;

/// Median lag as a share of the mean service time from which on workers that wait for the server may be waiting for the
/// load generator: it notices answers as late as it sends what is due.
const LATE: f64 = 0.10;

/// Limits of the pacer's lag as a share of the smaller response time: beyond them lag is no small part of what is compared.
const LAG_LIMITS: [(Metric, f64); 2] = [(Metric::P50, 0.10), (Metric::P95, 0.25)];

/// How each model that was measured bore its load.
pub(super) fn of(
    scenario: &ScenarioRecord,
    cast: &Cast<'_>,
    contests: &[Contest<'_>],
) -> BTreeMap<String, LoadAnalysis> {
    let windows = Windows::of(&scenario.rounds, Phase::Measured);
    let mut load = BTreeMap::new();
    for model in cast.shown() {
        let bearing = bearing(&windows, &model.name);
        if bearing.is_empty() {
            continue;
        }
        // Naive is read against the pattern.
        let contest = contests.iter().find(|contest| contest.models().any(|name| name == model.name));
        load.insert(model.name.clone(), of_model(scenario, &model.name, &bearing, contest));
    }
    load
}

/// Why a comparison of these models would say more of the load generator than of them, if that is so.
pub(super) fn generator_limit<'a>(
    load: &BTreeMap<String, LoadAnalysis>,
    mut models: impl Iterator<Item = &'a str>,
) -> Option<String> {
    models.find_map(|model| {
        let load = load.get(model).filter(|load| load.bottleneck == Some(Bottleneck::Generator))?;
        let why = load.reason.as_deref().unwrap_or("it was too slow");
        Some(format!("the load generator was the limit ({model}: {why})"))
    })
}

/// How the load generator was late for one of these models, if it was: so late that its lag is no small part of the response
/// times compared.
pub(super) fn lateness<'a>(
    load: &BTreeMap<String, LoadAnalysis>,
    mut models: impl Iterator<Item = &'a str>,
) -> Option<String> {
    models.find_map(|model| Some(format!("{model}: {}", load.get(model)?.late.as_deref()?)))
}

/// Why a comparison of these models under the offered rate says nothing of them, if one of them could not bear it or the load
/// generator was the limit.
pub(super) fn not_borne<'a>(
    load: &BTreeMap<String, LoadAnalysis>,
    models: impl Iterator<Item = &'a str> + Clone,
) -> Option<String> {
    generator_limit(load, models.clone()).or_else(|| {
        let mut saturated =
            models.filter(|model| load.get(*model).is_some_and(|load| load.bottleneck == Some(Bottleneck::Server)));
        Some(format!("{} could not bear the offered rate", saturated.next()?))
    })
}

/// The windows that say how a model bears its load: the undisturbed ones that ended by themselves or as saturated; where
/// there is none, those that its figures are made of.
fn bearing<'a>(windows: &Windows<'a>, model: &str) -> Vec<&'a RoundRecord> {
    let ended = |window: &&RoundRecord| {
        window.disturbed.is_empty() && matches!(window.outcome, RoundOutcome::Complete | RoundOutcome::Saturated)
    };
    let bearing: Vec<_> = windows.of_model(model).filter(ended).collect();
    if bearing.is_empty() { windows.telling(model).collect() } else { bearing }
}

fn of_model(
    scenario: &ScenarioRecord,
    model: &str,
    windows: &[&RoundRecord],
    contest: Option<&Contest<'_>>,
) -> LoadAnalysis {
    let spans: Vec<Span> = windows.iter().map(|window| Span::of(window)).collect();
    let achieved = throughput::rate(windows.iter().copied());
    let busy: f64 = spans.iter().map(|span| span.busy).sum();
    let seconds: f64 = spans.iter().map(|span| span.seconds).sum();
    let closed = LoadAnalysis {
        achieved_rate: achieved.map(Rate::new),
        in_flight: quotient(busy, seconds).map(Ratio::new),
        ..LoadAnalysis::default()
    };
    if scenario.plan.mode == Mode::Closed {
        return closed;
    }
    let lag = lag(windows);
    let rate = scenario.plan.rate.map(Rate::get).filter(|rate| rate.is_finite() && *rate > 0.0);
    let capacity = scenario.calibration.get(model).map(|calibration| calibration.capacity.get());
    let lag_at = |metric| figure(metric, &lag).ok();
    // Lag is a part of response times alone.
    let contest = contest.filter(|_| Latency::of(scenario) == Latency::Response);
    let found = rate.and_then(|rate| too_slow(scenario.plan.arrivals, &spans, rate, achieved, lag_at(Metric::P50)));
    let late = contest.filter(|_| found.is_none()).and_then(|contest| too_late(contest, lag_at));
    let (bottleneck, reason) = found.map_or_else(
        || (None, contest.and_then(|contest| pull(contest, lag_at(Metric::P50)?))),
        |(bottleneck, reason)| (Some(bottleneck), Some(reason)),
    );
    LoadAnalysis {
        utilisation: rate.zip(capacity).and_then(|(rate, capacity)| quotient(rate, capacity)).map(Share::new),
        backlogged: backlogged(windows),
        lag_p50: lag_at(Metric::P50).map(Micros::new),
        lag_p95: lag_at(Metric::P95).map(Micros::new),
        bottleneck,
        reason,
        late,
        ..closed
    }
}

/// A window in seconds and operations.
#[derive(Debug, Clone, Copy)]
struct Span {
    seconds: f64,
    /// Operations that ended, failures included.
    done: f64,
    /// Of these, operations for which a worker stood ready.
    awaited: f64,
    /// Seconds that workers waited for the server, added up.
    busy: f64,
    /// The longest single wait, in seconds.
    longest: f64,
    workers: f64,
    saturated: bool,
}

impl Span {
    fn of(window: &RoundRecord) -> Self {
        let service = |figures: &OperationRound| histogram::decode(figures.service.as_deref()?).ok();
        let (mut busy, mut longest) = (0.0, 0.0_f64);
        for histogram in window.operations.values().filter_map(service) {
            busy += histogram.mean() * histogram.len() as f64 / 1e6;
            longest = longest.max(histogram.max() as f64 / 1e6);
        }
        let seconds = window.seconds.get();
        let workers = f64::from(window.workers);
        busy += workers * silent(window).max(under_way(window, busy));
        Self {
            seconds,
            done: window.achieved_rate.get() * seconds,
            awaited: window
                .operations
                .values()
                .map(|figures| figures.count.saturating_sub(figures.backlogged) as f64)
                .sum(),
            busy,
            longest,
            workers,
            saturated: window.outcome == RoundOutcome::Saturated,
        }
    }

    /// What the window took beyond the time its operations were due in and the longest single wait, after which the last
    /// of them may still have been under way; as a share of that time.
    fn excess(spans: &[Self], rate: f64) -> f64 {
        let sum = |of: fn(&Self) -> f64| spans.iter().map(of).sum::<f64>();
        let due = sum(|span| span.done) / rate;
        (sum(|span| span.seconds - span.longest) - due) / due
    }

    /// Mean time that an operation takes, in µs.
    fn mean(spans: &[Self]) -> f64 {
        let sum = |of: fn(&Self) -> f64| spans.iter().map(of).sum::<f64>();
        1e6 * sum(|span| span.busy) / sum(|span| span.done)
    }

    /// Share of the workers' time that they waited for the server, as long as operations were waiting for them: in the
    /// beginning many workers stand ready until a slow server has all of their operations.
    fn occupancy(spans: &[Self], rate: f64) -> f64 {
        let wanted = |span: &Self| span.workers * (span.seconds - span.awaited / rate).max(0.0);
        spans.iter().map(|span| span.busy).sum::<f64>() / spans.iter().map(wanted).sum::<f64>()
    }
}

/// Seconds at the end of a window that was cut short in which nothing was answered: the operations under way then are in no
/// histogram, but their workers waited for the server.
fn silent(window: &RoundRecord) -> f64 {
    let last = window.intervals.iter().map(|interval| f64::from(interval.second) + 1.0).reduce(f64::max);
    match last {
        Some(last) if window.outcome == RoundOutcome::Saturated => (window.seconds.get() - last).max(0.0),
        _ => 0.0,
    }
}

/// Seconds that each worker's last operation had been under way when a window was cut short: half of the mean service time,
/// as at a moment that has nothing to do with it. Such an operation is in no histogram.
fn under_way(window: &RoundRecord, busy: f64) -> f64 {
    let ended: f64 = window.operations.values().map(|figures| figures.count as f64).sum();
    let cut_short = window.outcome == RoundOutcome::Saturated && ended < window.planned as f64;
    if cut_short && ended > 0.0 { (busy / ended / 2.0).min(window.seconds.get()) } else { 0.0 }
}

/// What could not keep up with the rate, if it was not achieved.
///
/// A load generator that has no time left delays the answers that it should notice as well as the operations that it
/// should send, so that service times grow and workers seem to wait for the server. Its own delay shows where a worker
/// stood ready: in the lag, which a slow server leaves as it is.
fn too_slow(
    arrivals: Option<ArrivalProcess>,
    spans: &[Span],
    rate: f64,
    achieved: Option<f64>,
    lag: Option<f64>,
) -> Option<(Bottleneck, String)> {
    let done: f64 = spans.iter().map(|span| span.done).sum();
    // The time in which n Poisson arrivals come varies by one part in √n.
    let chance = if arrivals == Some(ArrivalProcess::Poisson) { 3.0 / done.max(1.0).sqrt() } else { 0.0 };
    let short = |spans: &[Span]| Span::excess(spans, rate) > SHORTAGE + chance;
    if !short(spans) && !spans.iter().any(|span| span.saturated) {
        return None;
    }
    let own = |span: &&Span| span.saturated || short(&[**span]);
    let short_ones: Vec<Span> = spans.iter().filter(own).copied().collect();
    let judged = if short_ones.is_empty() { spans } else { &short_ones };
    if judged.iter().all(|span| span.done <= 0.0) {
        return Some((Bottleneck::Server, "no operation was answered".to_owned()));
    }
    let occupancy = Span::occupancy(judged, rate);
    let workers = judged.iter().map(|span| span.workers).fold(0.0, f64::max);
    let rates = format!("{}/s of {}/s achieved", whole(achieved.unwrap_or(0.0)), whole(rate));
    let mean = Span::mean(judged);
    if let Some(lag) = lag.filter(|lag| *lag > LATE * mean) {
        let late = format!("operations for which a worker stood ready were sent {} µs late in the median", whole(lag));
        let reason = format!("{rates}; {late}, and answers seen as late (service time {} µs in the mean)", whole(mean));
        return Some((Bottleneck::Generator, reason));
    }
    if occupancy >= OCCUPIED {
        let waited = format!("all {} workers were waiting for the server", whole(workers));
        return Some((Bottleneck::Server, format!("{rates}; {waited}")));
    }
    let idle = if occupancy.is_finite() {
        let share = 100.0 * occupancy;
        format!(
            "the {} workers waited for the server only {share:.0} % of the time that they were wanted",
            whole(workers)
        )
    } else {
        "nothing shows that workers waited for the server".to_owned()
    };
    Some((Bottleneck::Generator, format!("{rates}, although {idle}")))
}

/// What a single window says of the rate that was offered in it.
#[derive(Debug, Clone)]
pub(super) struct WindowLoad {
    /// What could not keep up with the rate, if it was not achieved, and how that shows.
    pub(super) limit: Option<(Bottleneck, String)>,
    /// The pacer's lag, in µs.
    pub(super) lag: Histogram<u64>,
}

impl WindowLoad {
    /// Looks at a window under open load.
    pub(super) fn of(window: &RoundRecord, rate: Rate, arrivals: ArrivalProcess) -> Self {
        let lag = lag(&[window]);
        let median = figure(Metric::P50, &lag).ok();
        let achieved = Some(window.achieved_rate.get());
        let limit = too_slow(Some(arrivals), &[Span::of(window)], rate.get(), achieved, median);
        Self { limit, lag }
    }

    /// Why a latency of this metric (in µs) says more of the load generator than of the server, if that is so.
    pub(super) fn too_late(&self, metric: Metric, latency: f64) -> Option<String> {
        let (metric, limit) = LAG_LIMITS.into_iter().find(|(limited, _)| *limited == metric).unwrap_or(LAG_LIMITS[1]);
        let lag = figure(metric, &self.lag).ok()?;
        (lag > limit * latency).then(|| {
            format!(
                "{metric} of lag {} µs is {:.0} % of it; {:.0} % is the limit",
                whole(lag),
                100.0 * lag / latency,
                100.0 * limit
            )
        })
    }
}

/// How lag is too large a part of the smaller response time of the two models compared, if it is.
fn too_late(contest: &Contest<'_>, lag_at: impl Fn(Metric) -> Option<f64>) -> Option<String> {
    let mix = contest.operations.get(ALL)?;
    LAG_LIMITS.into_iter().find_map(|(metric, limit)| {
        let lag = lag_at(metric)?;
        let smaller = smaller(mix.get(&metric)?)?;
        let share = lag / smaller;
        (share > limit).then(|| {
            format!(
                "{metric} of lag {} µs is {:.0} % of the smaller response {metric} ({} µs); {:.0} % is the limit",
                whole(lag),
                100.0 * share,
                whole(smaller),
                100.0 * limit
            )
        })
    })
}

fn smaller(estimate: &Estimate) -> Option<f64> {
    [estimate.naive, estimate.model].into_iter().flatten().min_by(f64::total_cmp)
}

/// By how much lag pulls a ratio towards 1, told of the operation with the smallest response p50: there it is most.
fn pull(contest: &Contest<'_>, lag: f64) -> Option<String> {
    let p50s =
        contest.operations.iter().filter(|(operation, _)| **operation != ALL).filter_map(|(operation, metrics)| {
            let p50 = metrics.get(&Metric::P50)?;
            Some((*operation, p50.naive?, p50.model?))
        });
    let (operation, naive, model) = p50s.min_by(|left, right| left.1.min(left.2).total_cmp(&right.1.min(right.2)))?;
    let (with, without) = (quotient(naive, model)?, quotient(naive - lag, model - lag).filter(|_| model > lag)?);
    Some(format!(
        "median lag {} µs: the ratio of p50 of {operation} is {with:.3} with it and would be {without:.3} without",
        whole(lag)
    ))
}

/// Lag of all operations of these windows.
fn lag(windows: &[&RoundRecord]) -> Histogram<u64> {
    let mut whole = merged([]);
    for figures in windows.iter().flat_map(|window| window.operations.values()) {
        if let Some(Ok(part)) = figures.pacer_lag.as_deref().map(histogram::decode) {
            whole.add(part).expect("a histogram that resizes itself takes every value");
        }
    }
    whole
}

/// Operations that came due while every worker was busy, of all that were tried.
fn backlogged(windows: &[&RoundRecord]) -> Option<Share> {
    let all = windows.iter().flat_map(|window| window.operations.values());
    let (waited, tried) = all.fold((0.0, 0.0), |(waited, tried), figures| {
        let failed: f64 = figures.errors.values().map(|count| *count as f64).sum();
        (waited + figures.backlogged as f64, tried + figures.count as f64 + failed)
    });
    (tried > 0.0).then(|| Share::new(waited / tried))
}

/// Between groups of three digits, as in the tables of a report: a narrow space that does not break.
const THIN: char = '\u{202F}';

/// A whole number with its thousands apart.
fn whole(number: f64) -> String {
    let digits = format!("{number:.0}");
    let group = |(place, digit): (usize, char)| {
        let rest = digits.len() - place;
        let apart = place > 0 && rest.is_multiple_of(3);
        apart.then_some(THIN).into_iter().chain([digit])
    };
    digits.chars().enumerate().flat_map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let shown = [0.0, 999.6, 12_345.0, 1_234_567.0].map(whole);
        assert_eq!(shown, ["0", "1\u{202F}000", "12\u{202F}345", "1\u{202F}234\u{202F}567"]);
    }
}
