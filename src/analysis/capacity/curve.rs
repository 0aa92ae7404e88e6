//! Latency over rate, and its knee.

use crate::record::{Objective, ProbeRecord, RatePoint};
use crate::units::{Micros, Rate};
use crate::words::ProbeOutcome;

/// The knee is where the latency passes this many times that of the lowest rate.
pub const KNEE: f64 = 2.0;

/// The latency that is judged first, at each rate, by ascending rate. Windows in which the load generator was the limit say
/// nothing of the model and are left out.
pub fn rate_curve(probes: &[ProbeRecord], objective: &Objective) -> Vec<RatePoint> {
    let Some(metric) = objective.latencies.keys().next() else { return Vec::new() };
    let mut said: Vec<(f64, f64, bool)> = probes
        .iter()
        .filter(|probe| matches!(probe.outcome, ProbeOutcome::Held | ProbeOutcome::Missed))
        .filter_map(|probe| {
            let latency = probe.latencies.get(metric)?.get();
            (latency > 0.0).then_some((probe.rate.get(), latency, probe.outcome == ProbeOutcome::Held))
        })
        .collect();
    said.sort_by(|left, right| left.0.total_cmp(&right.0));
    said.chunk_by(|left, right| left.0 == right.0).map(point).collect()
}

fn point(windows: &[(f64, f64, bool)]) -> RatePoint {
    let latencies = || windows.iter().map(|(_, latency, _)| *latency);
    let mean = latencies().map(f64::ln).sum::<f64>() / windows.len() as f64;
    RatePoint {
        rate: Rate::new(windows[0].0),
        latency: Micros::new(mean.exp()),
        low: Micros::new(latencies().fold(f64::INFINITY, f64::min)),
        high: Micros::new(latencies().fold(0.0, f64::max)),
        windows: windows.len() as u64,
        held: windows.iter().filter(|(_, _, held)| *held).count() as u64,
    }
}

/// The rate at which the latency passes [`KNEE`] times that of the lowest rate: by straight lines between the points on
/// logarithmic axes, where a latency counts as no lower than those at lower rates.
pub fn knee(curve: &[RatePoint]) -> Option<Rate> {
    let first = curve.first()?;
    let wanted = (KNEE * first.latency.get()).ln();
    let (mut before, mut highest) = ((first.rate.get().ln(), first.latency.get().ln()), first.latency.get().ln());
    for point in &curve[1..] {
        highest = highest.max(point.latency.get().ln());
        let this = (point.rate.get().ln(), highest);
        if this.1 >= wanted {
            let share = (wanted - before.1) / (this.1 - before.1);
            return Some(Rate::new((before.0 + share * (this.0 - before.0)).exp()));
        }
        before = this;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(rate: f64, latency: f64) -> RatePoint {
        let micros = Micros::new(latency);
        RatePoint { rate: Rate::new(rate), latency: micros, low: micros, high: micros, windows: 1, held: 1 }
    }

    #[test]
    fn the_knee_lies_between_the_points_around_twice_the_lowest_latency() {
        // From 1.2 to 4.8 ms while the rate doubles: 2 ms is passed after ln(2 ÷ 1.2) ÷ ln 4 of the doubling.
        let curve = [at(100.0, 1_000.0), at(400.0, 1_200.0), at(800.0, 4_800.0)];
        let expected = 400.0 * 2.0_f64.powf((2.0_f64 / 1.2).ln() / 4.0_f64.ln());
        assert!((knee(&curve).expect("it is passed").get() - expected).abs() < 1e-6);
    }

    #[test]
    fn a_curve_that_stays_flat_has_no_knee_and_a_dip_makes_none() {
        assert_eq!(knee(&[at(100.0, 1_000.0), at(800.0, 1_900.0)]), None);
        assert_eq!(knee(&[]), None);
        let dipping = [at(100.0, 1_000.0), at(200.0, 1_500.0), at(300.0, 900.0), at(400.0, 2_500.0)];
        let knee = knee(&dipping).expect("it is passed").get();
        assert!((300.0..400.0).contains(&knee), "{knee}");
    }
}
