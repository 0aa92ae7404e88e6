//! The search where the edge is known.

use std::collections::BTreeMap;

use rand::{RngExt as _, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::units::{Seconds, Share};

fn probe(rate: Rate, outcome: ProbeOutcome) -> ProbeRecord {
    ProbeRecord {
        number: 0,
        rate,
        started_at: String::new(),
        seconds: Seconds::new(3.0),
        planned: 1_000,
        achieved_rate: rate,
        count: 1_000,
        errors: Share::new(0.0),
        latencies: BTreeMap::new(),
        service_p95: None,
        lag_p50: None,
        lag_p95: None,
        outcome,
        why: None,
        disturbed: Vec::new(),
        fresh: false,
        response: None,
    }
}

fn limits(calibrated: f64) -> SearchLimits {
    SearchLimits {
        calibrated: Rate::new(calibrated),
        floor: Rate::new(1.0),
        ceiling: Rate::new(1_000_000.0),
        windows: 30,
    }
}

/// Searches until the end; `window` says what comes of a rate.
fn searched(limits: &SearchLimits, mut window: impl FnMut(f64) -> ProbeOutcome) -> Vec<ProbeRecord> {
    let mut probes = Vec::new();
    while let Some(rate) = next_rate(&probes, limits) {
        probes.push(probe(rate, window(rate.get())));
    }
    probes
}

fn up_to(edge: f64) -> impl FnMut(f64) -> ProbeOutcome {
    move |rate| if rate <= edge { ProbeOutcome::Held } else { ProbeOutcome::Missed }
}

#[test]
fn a_sharp_edge_is_found_within_three_percent_wherever_calibration_puts_it() {
    for calibrated in [100.0, 900.0, 1_000.0, 5_000.0] {
        let probes = searched(&limits(calibrated), up_to(1_000.0));
        let answer = capacity(&probes).expect("there are windows");
        let rate = answer.rate.expect("an edge").get();
        assert!((rate / 1_000.0 - 1.0).abs() < 0.03, "{rate} from {calibrated}");
        let (low, high) = (answer.low.expect("an end").get(), answer.high.expect("an end").get());
        assert!(low <= 1_000.0 && 1_000.0 <= high && high / low < 1.13, "{low}–{high}");
        assert!(probes.len() < 30, "{} windows", probes.len());
    }
}

#[test]
fn what_never_holds_falls_to_the_floor_and_ends() {
    let probes = searched(&limits(100.0), |_| ProbeOutcome::Missed);
    assert_eq!(probes.last().map(|probe| probe.rate.get()), Some(1.0));
    let answer = capacity(&probes).expect("there are windows");
    assert_eq!((answer.found, answer.rate, answer.high), (CapacityFound::Below, None, Some(Rate::new(1.0))));
}

#[test]
fn where_the_load_generator_is_the_limit_no_capacity_is_named() {
    let probes =
        searched(&limits(1_000.0), |rate| if rate <= 2_000.0 { ProbeOutcome::Held } else { ProbeOutcome::Generator });
    let answer = capacity(&probes).expect("there are windows");
    assert_eq!(answer.found, CapacityFound::AtLeast);
    let rate = answer.rate.expect("a rate that held").get();
    assert!((1_900.0..=2_000.0).contains(&rate), "{rate}");
    assert_eq!(answer.high, None);
}

#[test]
fn a_search_goes_on_where_it_was_interrupted() {
    let whole = searched(&limits(900.0), up_to(1_000.0));
    for kept in 0..whole.len() {
        assert_eq!(next_rate(&whole[..kept], &limits(900.0)), Some(whole[kept].rate), "after {kept} windows");
    }
    assert_eq!(next_rate(&whole, &limits(900.0)), None);
}

#[test]
fn a_model_that_came_to_its_end_is_asked_no_more() {
    let probes = [probe(Rate::new(100.0), ProbeOutcome::Held), probe(Rate::new(140.0), ProbeOutcome::Ended)];
    assert_eq!(next_rate(&probes, &limits(400.0)), None);
    assert_eq!(capacity(&probes).expect("windows").found, CapacityFound::Unsettled);
}

#[test]
fn of_the_intervals_of_a_noisy_edge_nine_in_ten_or_more_hold_it() {
    // Around the edge a window holds by chance, over some 4 % of the rate. Rates are chosen by what came before and windows
    // are few, so that the nominal 95 % is not exact; another implementation of the same search finds 0.98 here, and 0.93 where
    // the edge is two and a half times as soft. The bound is three standard errors of 120 searches below 0.95.
    let mut generator = Pcg64Mcg::seed_from_u64(1);
    let (mut held, mut open, mut off) = (0, 0, 0.0_f64);
    for _ in 0..120 {
        let probes = searched(&limits(900.0), |rate| {
            let share = 1.0 / (1.0 + ((rate / 1_000.0).ln() / 0.02).exp());
            if generator.random::<f64>() < share { ProbeOutcome::Held } else { ProbeOutcome::Missed }
        });
        let answer = capacity(&probes).expect("there are windows");
        let below = answer.low.is_none_or(|low| low.get() <= 1_000.0);
        let above = answer.high.is_none_or(|high| high.get() >= 1_000.0);
        held += u32::from(below && above);
        open += u32::from(answer.low.is_none() || answer.high.is_none());
        off += (answer.rate.expect("an edge").get() / 1_000.0).ln().abs() / 120.0;
    }
    assert!((107..=120).contains(&held), "{held} of 120 hold it");
    assert!(open < 12, "{open} of 120 have an open end");
    assert!(off < 0.03, "off by {off} in the mean");
}
