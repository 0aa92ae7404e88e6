//! A sweep over mixes of reads and writes: where the pattern stops paying, as measured, beside what a single run predicts.

use super::analyse::ALL;
use super::break_even::read_share;
use crate::record::{BreakEvenRecord, MixComparison, MixPoint, ScenarioRecord, SpeedupRecord};
use crate::units::{Micros, Share};
use crate::words::{BreakEvenAnswer, Metric, OperationKind};

/// A service time that changes by more than this factor between the mixes is no constant of the prediction.
const STEADY_UP_TO: f64 = 1.1;

/// A mix as measured, with what its run predicts for other mixes.
pub type MeasuredMix<'a> = (MixPoint, Option<&'a BreakEvenRecord>);

/// Puts the runs of one scenario at several mixes together, in whatever order they come. The prediction is that of the run
/// whose mix is nearest to `usual`, a read share.
pub fn compare_mixes(runs: &[&ScenarioRecord], usual: Share) -> MixComparison {
    let measured = runs.iter().filter_map(|run| Some((point(run)?, run.analysis.break_even.as_ref())));
    compare_points(measured.collect(), usual)
}

/// The same of mixes of which no more is known than their ratio, and what their runs predict.
pub fn compare_points(mut measured: Vec<MeasuredMix<'_>>, usual: Share) -> MixComparison {
    measured.sort_by(|(left, _), (right, _)| left.read_share.get().total_cmp(&right.read_share.get()));
    let nearest = |(left, _): &&MeasuredMix<'_>, (right, _): &&MeasuredMix<'_>| {
        let distance = |point: &MixPoint| (point.read_share.get() - usual.get()).abs();
        distance(left).total_cmp(&distance(right))
    };
    let predicts = |(_, predicted): &&MeasuredMix<'_>| predicted.is_some_and(says_something);
    let predicted = measured.iter().filter(predicts).min_by(nearest).and_then(|(_, predicted)| *predicted).cloned();
    let points: Vec<MixPoint> = measured.into_iter().map(|(point, _)| point).collect();
    let found = found(&points);
    let mut comparison = MixComparison { predicted, points, ..found };
    (comparison.agree, comparison.reason) = agreement(&comparison);
    comparison
}

/// Whether a prediction is more than that nothing can be told.
fn says_something(predicted: &BreakEvenRecord) -> bool {
    predicted.answer != BreakEvenAnswer::Undecided || predicted.low.is_some() || predicted.high.is_some()
}

/// The pattern against naive at the mix of a run, by mean service time.
fn point(run: &ScenarioRecord) -> Option<MixPoint> {
    let read_share = read_share(run)?;
    let mean = run.analysis.operations.get(ALL).and_then(|metrics| metrics.get(&Metric::Mean));
    let by_service: Option<&SpeedupRecord> =
        mean.map(|mean| mean.service.as_ref().map_or(&mean.speedup, |service| &service.speedup));
    let naive =
        mean.and_then(|mean| mean.service.as_ref().map_or(mean.naive, |service| service.naive)).map(Micros::new);
    let break_even = run.analysis.break_even.as_ref();
    let costs = |of: fn(&BreakEvenRecord) -> Option<&crate::record::KindCost>| -> Option<(Micros, Micros)> {
        let cost = of(break_even?)?;
        Some((cost.naive, cost.pattern))
    };
    let high = by_service.and_then(|found| found.high);
    Some(MixPoint {
        read_share,
        ratio: by_service.and_then(|found| found.speedup),
        naive,
        low: by_service.and_then(|found| found.low),
        high,
        reads: costs(|found| found.reads.as_ref()),
        writes: costs(|found| found.writes.as_ref()),
        loses: high.is_some_and(|high| high.get() < 1.0),
    })
}

/// A line through points by share and by what the pattern saves, in order.
type Curve = Vec<(f64, f64)>;

/// What the points say by themselves.
fn found(points: &[MixPoint]) -> MixComparison {
    let whole: Vec<(f64, [f64; 3])> = points.iter().filter_map(savings).collect();
    let curve = |place: usize| -> Curve { whole.iter().map(|(share, saved)| (*share, saved[place])).collect() };
    let empty = MixComparison {
        points: Vec::new(),
        answer: BreakEvenAnswer::Undecided,
        read_share: None,
        low: None,
        high: None,
        pays: None,
        predicted: None,
        agree: None,
        reason: None,
    };
    if whole.len() < 2 {
        return empty;
    }
    let all = |sign: f64, place: usize| whole.iter().all(|(_, saved)| sign * saved[place] > 0.0);
    if all(1.0, 1) {
        return MixComparison { answer: BreakEvenAnswer::Always, ..empty };
    }
    if all(-1.0, 2) {
        return MixComparison { answer: BreakEvenAnswer::Never, ..empty };
    }
    let (saved, lower, upper) = (curve(0), curve(1), curve(2));
    let (Some((_, first)), Some((_, last))) = (saved.first(), saved.last()) else { return empty };
    let pays = match (*first > 0.0, *last > 0.0) {
        (false, true) => OperationKind::Read,
        (true, false) => OperationKind::Write,
        _ => return empty,
    };
    // Where reads pay, the upper end of the interval passes zero first.
    let (from, to) = if pays == OperationKind::Read { (&upper, &lower) } else { (&lower, &upper) };
    MixComparison {
        answer: BreakEvenAnswer::Share,
        read_share: crossings(&saved).first().copied().map(Share::new),
        low: crossings(from).first().copied().map(Share::new),
        high: crossings(to).last().copied().map(Share::new),
        pays: Some(pays),
        ..empty
    }
}

/// What the pattern saves on an operation of the mix, by the ratio and by both ends of its interval, where it has one. While
/// service times are the same at every mix this is a straight line over the share of reads.
fn savings(point: &MixPoint) -> Option<(f64, [f64; 3])> {
    let naive = point.naive.map_or(1.0, Micros::get);
    let saved = [point.ratio?, point.low?, point.high?].map(|ratio| naive * (1.0 - 1.0 / ratio.get()));
    saved.iter().all(|saved| saved.is_finite()).then_some((point.read_share.get(), saved))
}

/// The places at which a line between points passes zero.
fn crossings(curve: &Curve) -> Vec<f64> {
    let between = |pair: &[(f64, f64)]| {
        let [(left, below), (right, above)] = pair else { return None };
        let changes = (*below > 0.0) != (*above > 0.0);
        changes.then(|| left + (right - left) * below / (below - above))
    };
    curve.windows(2).filter_map(between).collect()
}

/// Whether prediction and measurement agree within their intervals, and if not, why that can be.
fn agreement(comparison: &MixComparison) -> (Option<bool>, Option<String>) {
    let Some(predicted) = &comparison.predicted else {
        return (None, Some("no run predicts a break-even".to_owned()));
    };
    let sure = |answer| matches!(answer, BreakEvenAnswer::Always | BreakEvenAnswer::Never);
    let agree = match (predicted.answer, comparison.answer) {
        (BreakEvenAnswer::Undecided, _) => {
            return (None, Some("the run that predicts does not decide".to_owned()));
        }
        (_, BreakEvenAnswer::Undecided) => {
            return (None, Some("the mixes measured do not decide".to_owned()));
        }
        (one, other) if sure(one) && sure(other) => one == other,
        // A share outside of the mixes measured looks like always or never.
        (BreakEvenAnswer::Share, measured) if sure(measured) => outside(predicted, measured, &comparison.points),
        (one, _) if sure(one) => comparison.low.is_none() || comparison.high.is_none(),
        _ => predicted.pays == comparison.pays && overlap(predicted, comparison),
    };
    (Some(agree), if agree { None } else { Some(why_not(&comparison.points)) })
}

fn ends(low: Option<Share>, high: Option<Share>) -> (f64, f64) {
    (low.map_or(0.0, Share::get), high.map_or(1.0, Share::get))
}

fn overlap(predicted: &BreakEvenRecord, comparison: &MixComparison) -> bool {
    let (low, high) = ends(predicted.low, predicted.high);
    let (from, to) = ends(comparison.low, comparison.high);
    low <= to && from <= high
}

/// Whether a predicted share can lie outside of the mixes measured, on the side that lets them all be alike.
fn outside(predicted: &BreakEvenRecord, measured: BreakEvenAnswer, points: &[MixPoint]) -> bool {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return false };
    let (low, high) = ends(predicted.low, predicted.high);
    let below = (predicted.pays == Some(OperationKind::Read)) == (measured == BreakEvenAnswer::Always);
    if below { low <= first.read_share.get() } else { high >= last.read_share.get() }
}

/// What the prediction takes for constant and is not.
fn why_not(points: &[MixPoint]) -> String {
    let naive = |cost: Option<(Micros, Micros)>| cost.map(|(naive, _)| naive.get());
    let pattern = |cost: Option<(Micros, Micros)>| cost.map(|(_, pattern)| pattern.get());
    let costs: [(&str, Vec<f64>); 4] = [
        ("a read in naive", points.iter().filter_map(|point| naive(point.reads)).collect()),
        ("a read in the pattern", points.iter().filter_map(|point| pattern(point.reads)).collect()),
        ("a write in naive", points.iter().filter_map(|point| naive(point.writes)).collect()),
        ("a write in the pattern", points.iter().filter_map(|point| pattern(point.writes)).collect()),
    ];
    let moved = costs.iter().filter_map(|(what, means)| {
        let (least, most) = (means.iter().copied().reduce(f64::min)?, means.iter().copied().reduce(f64::max)?);
        (most > STEADY_UP_TO * least).then_some((what, least, most))
    });
    let most_moved = moved.max_by(|left, right| (left.2 / left.1).total_cmp(&(right.2 / right.1)));
    match most_moved {
        Some((what, least, most)) => format!(
            "the prediction takes service times as the same at every mix, and they are not: {what} takes {:.2} ms at one mix \
             and {:.2} ms at another (load, cache and data differ with the mix)",
            least / 1e3,
            most / 1e3
        ),
        None => {
            "the mean service times of reads and writes are the same at every mix to a tenth, so that chance is left: \
                 more rounds would tell"
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Ratio;

    fn measured(share: f64, ratio: f64, spread: f64) -> MixPoint {
        MixPoint {
            read_share: Share::new(share),
            ratio: Some(Ratio::new(ratio)),
            naive: Some(Micros::new(4.0 * share + 1.0 - share)),
            low: Some(Ratio::new(ratio / spread)),
            high: Some(Ratio::new(ratio * spread)),
            reads: None,
            writes: None,
            loses: ratio * spread < 1.0,
        }
    }

    /// A read takes 4 in naive and 1 in the pattern, a write 1 and 3: both cost the same where 3 ρ = 2 (1 − ρ), at 0.4.
    fn line(spread: f64) -> Vec<MixPoint> {
        let ratio = |share: f64| (4.0 * share + 1.0 - share) / (share + 3.0 * (1.0 - share));
        [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99].map(|share| measured(share, ratio(share), spread)).to_vec()
    }

    fn predicted(share: f64, low: f64, high: f64) -> BreakEvenRecord {
        BreakEvenRecord {
            answer: BreakEvenAnswer::Share,
            read_share: Some(Share::new(share)),
            low: Some(Share::new(low)),
            high: Some(Share::new(high)),
            pays: Some(OperationKind::Read),
            mix: None,
            reads: None,
            writes: None,
            units: 10,
            jackknife: None,
            limited: Vec::new(),
            reason: None,
            others: std::collections::BTreeMap::new(),
        }
    }

    #[test]
    fn the_measured_share_lies_where_the_ratio_passes_one() {
        let found = found(&line(1.1));
        let share = found.read_share.expect("it passes 1").get();
        assert!((share - 0.4).abs() < 1e-12, "{share}");
        let (low, high) = (found.low.expect("an end").get(), found.high.expect("an end").get());
        assert!(low < 0.4 && 0.4 < high && high - low < 0.15, "{low}–{high}");
        assert_eq!((found.answer, found.pays), (BreakEvenAnswer::Share, Some(OperationKind::Read)));
    }

    #[test]
    fn the_same_mirrored_pays_below_the_share() {
        let mirrored: Vec<MixPoint> = line(1.1)
            .iter()
            .rev()
            .map(|point| MixPoint { read_share: Share::new(1.0 - point.read_share.get()), ..*point })
            .collect();
        let (found, plain) = (found(&mirrored), found(&line(1.1)));
        assert_eq!(found.pays, Some(OperationKind::Write));
        let sum = found.low.expect("an end").get() + plain.high.expect("an end").get();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    }

    #[test]
    fn a_pattern_that_wins_or_loses_at_every_mix_is_called_so() {
        let all = |ratio| [0.1, 0.5, 0.9].map(|share| measured(share, ratio, 1.1));
        assert_eq!(found(&all(2.0)).answer, BreakEvenAnswer::Always);
        assert_eq!(found(&all(0.5)).answer, BreakEvenAnswer::Never);
        assert_eq!(found(&all(1.02)).answer, BreakEvenAnswer::Undecided);
        assert!(all(0.5).iter().all(|point| point.loses));
    }

    #[test]
    fn prediction_and_measurement_agree_where_their_intervals_meet() {
        let judged = |predicted: BreakEvenRecord| {
            agreement(&MixComparison { points: line(1.1), predicted: Some(predicted), ..found(&line(1.1)) })
        };
        assert_eq!(judged(predicted(0.38, 0.33, 0.41)), (Some(true), None));
        let (agree, why) = judged(predicted(0.7, 0.65, 0.75));
        assert_eq!(agree, Some(false));
        assert!(why.expect("a reason").contains("chance"), "nothing moved, since nothing is known of reads and writes");
    }

    #[test]
    fn where_they_differ_what_moved_with_the_mix_is_named() {
        let mut points = line(1.1);
        for (place, point) in points.iter_mut().enumerate() {
            point.reads = Some((Micros::new(4_000.0), Micros::new(1_000.0)));
            point.writes = Some((Micros::new(1_000.0), Micros::new(3_000.0 * (1.0 + place as f64))));
        }
        let why = why_not(&points);
        assert!(why.contains("a write in the pattern takes 3.00 ms at one mix and 21.00 ms"), "{why}");
    }

    #[test]
    fn a_share_beyond_the_mixes_measured_may_look_like_always() {
        let points = [0.5, 0.9].map(|share| measured(share, 2.0, 1.1)).to_vec();
        let judged = |predicted: BreakEvenRecord| {
            agreement(&MixComparison { points: points.clone(), predicted: Some(predicted), ..found(&points) }).0
        };
        assert_eq!(judged(predicted(0.3, 0.2, 0.4)), Some(true));
        assert_eq!(judged(predicted(0.7, 0.65, 0.75)), Some(false));
    }
}
