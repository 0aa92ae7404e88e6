//! Truth 3: a server that stands still for 100 ms each second, at 1,000 operations a second. Response times, counted from
//! when operations were due, have the quantiles of the closed form; service times hide the stall, since what waits for a
//! worker has not been sent.

use std::sync::OnceLock;

use patternbench::plan::RunOptions;
use patternbench::record::{RunRecord, histogram};
use patternbench::units::Rate;
use patternbench::words::{Mode, Phase, Profile, RoundOutcome};

use crate::support::{measured, options, response, service};

/// Operations due per second.
const RATE: f64 = 1_000.0;
/// Workers, and so operations that the server has at a time.
const WORKERS: u32 = 4;
/// Seconds from one stall to the next.
const EVERY: f64 = 1.0;
/// Seconds that a stall lasts.
const LASTS: f64 = 0.1;
/// Seconds in service, by model.
const SERVICE: [(&str, f64); 2] = [("naive", 0.002), ("pattern", 0.001)];
const TOLERANCE: f64 = 0.02;

const DECLARED: &str = "
stalls: [{every: 1s, lasts: 100ms}]
models:
  naive: {read: {latency: {constant: 2ms}}}
  pattern: {read: {latency: {constant: 1ms}}}";

/// Three windows of ten whole periods each, so that operations come due at every phase of the stall alike.
fn stalled() -> &'static RunRecord {
    static RUN: OnceLock<RunRecord> = OnceLock::new();
    RUN.get_or_init(run)
}

fn run() -> RunRecord {
    let open = RunOptions {
        mode: Some(Mode::Open),
        rate: Some(Rate::new(RATE)),
        concurrency: Some(WORKERS),
        operations: Some(10_000),
        rounds: Some(3),
        ..options(Profile::Quick)
    };
    measured(DECLARED, open)
}

/// The response time, in µs, that a share of operations does not exceed.
///
/// Count time from the beginning of a stall of length D, one each T. What comes due at u < D waits until D; by then λD
/// operations are due and none is done. From D on the workers do c = workers ÷ service a second, in the order in which
/// operations were due: the one due at u, behind λu others, is done at D + λu/c + s. So it takes
///
///   R(u) = D + s − u (1 − λ/c),
///
/// which falls in a straight line until it is the plain s again, at u* = D ÷ (1 − λ/c), when the backlog is worked off. Every
/// phase is as likely as any other, so a share (D + s − r) ÷ (1 − λ/c) ÷ T of operations takes longer than r, for r between
/// s and D + s; solved for r at the share 1 − q:
fn closed_form(quantile: f64, service: f64) -> f64 {
    let utilisation = RATE * service / f64::from(WORKERS);
    1e6 * (LASTS + service - (1.0 - quantile) * EVERY * (1.0 - utilisation)).max(service)
}

fn assert_close(histogram: &histogram::LatencyHistogram, quantile: f64, expected: f64, what: &str) {
    let found = histogram.value_at_quantile(quantile) as f64;
    assert!((found / expected - 1.0).abs() <= TOLERANCE, "{what}, {quantile}: {found} µs is not {expected} µs");
}

#[test]
fn response_times_have_the_quantiles_of_the_closed_form() {
    let record = stalled();
    for (model, seconds) in SERVICE {
        let responses = response(&record.scenarios[0], model);
        for quantile in [0.5, 0.9, 0.95, 0.99, 0.999] {
            assert_close(&responses, quantile, closed_form(quantile, seconds), model);
        }
    }
}

#[test]
fn service_times_do_not_show_the_stall() {
    let record = stalled();
    let scenario = &record.scenarios[0];
    for (model, seconds) in SERVICE {
        let services = service(scenario, model);
        for quantile in [0.5, 0.95, 0.99] {
            assert_close(&services, quantile, 1e6 * seconds, model);
        }
        // Of a thousand operations a second the few that the workers had sent saw it, and no more.
        let saw_it = services.iter_recorded().filter(|value| value.value_iterated_to() as f64 > 2e6 * seconds);
        let saw_it: u64 = saw_it.map(|value| value.count_at_value()).sum();
        let stalls = services.len() as f64 / RATE / EVERY;
        assert!(saw_it as f64 <= (stalls + 3.0) * f64::from(WORKERS), "{saw_it} of {}", services.len());
        assert!(saw_it > 0);
    }
}

#[test]
fn what_came_due_meanwhile_is_done_all_the_same() {
    let record = stalled();
    let measured = record.scenarios[0].rounds.iter().filter(|round| round.phase == Phase::Measured);
    for round in measured {
        let figures = &round.operations["read"];
        assert_eq!((round.outcome, figures.count), (RoundOutcome::Complete, 10_000));
        // Ten stalls of a tenth of a second, and the time in which their backlog is worked off.
        let least = 10.0 * LASTS * RATE - 20.0 * f64::from(WORKERS);
        assert!(figures.backlogged as f64 > least, "{} came due while nobody was free", figures.backlogged);
    }
}
