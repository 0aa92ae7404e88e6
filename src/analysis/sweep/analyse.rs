//! The whole of a sweep: curves and crossovers from the figures of its points.

use std::collections::{BTreeMap, BTreeSet};

use super::super::analyse::{ALL, analyse};
use super::super::metric::MIN_UNITS;
use super::super::mix::compare_points;
use super::super::paired::t_quantile;
use super::super::windows::key;
use super::crossing::{Crossing, RatioPoint, crossing};
use super::curve::{Observation, curve};
use super::figures::figures;
use super::slopes::{growth_word, slopes};
use crate::record::{
    BreakEvenRecord, CrossoverRecord, FigureInterval, FigureRecord, FitRecord, IntervalEstimate, KindCost,
    MixComparison, MixPoint, PointRecord, RunRecord, ScenarioRecord, SlopeRecord, StorageRecord, SweepRecord,
};
use crate::units::{Micros, Share};
use crate::words::{CrossoverOutcome, Metric, Phase, SweepAxis};

/// Takes what a point says from the record of its run. Where too few rounds for an interval ran undisturbed, all of them are
/// used: what disturbs a window moves a latency by percents, and a sweep looks for factors.
pub fn renew_point(point: &mut PointRecord, run: &RunRecord) {
    point.disturbed = None;
    point.figures = Vec::new();
    point.break_even = BTreeMap::new();
    let mut predicts = |scenario: &ScenarioRecord| {
        if let Some(found) = scenario.analysis.break_even.clone() {
            point.break_even.insert(scenario.workload.clone(), found);
        }
    };
    for scenario in &run.scenarios {
        let Some(said) = too_few_undisturbed(scenario) else {
            point.figures.extend(figures(scenario));
            predicts(scenario);
            continue;
        };
        point.disturbed = Some(said);
        let mut all = scenario.clone();
        all.rounds.iter_mut().for_each(|window| window.disturbed.clear());
        analyse(&mut all, run.profile);
        point.figures.extend(figures(&all));
        predicts(&all);
    }
    point.storage = run
        .scenarios
        .iter()
        .map(|scenario| {
            let bill = scenario.models.iter().filter_map(|model| Some((model.name.clone(), model.storage?)));
            (scenario.workload.clone(), bill.collect::<BTreeMap<String, StorageRecord>>())
        })
        .filter(|(_, bills)| !bills.is_empty())
        .collect();
    let granted = run.scenarios.iter().find_map(|scenario| {
        let cache = scenario.plan.cache?;
        cache.granted.or(Some(cache.asked).filter(|_| cache.set))
    });
    point.cache_bytes = granted.or(run.server.cache_bytes);
}

/// How many rounds ran undisturbed, where that is too few for an interval that all of them together would have.
fn too_few_undisturbed(scenario: &ScenarioRecord) -> Option<String> {
    let measured = || scenario.rounds.iter().filter(|window| window.phase == Phase::Measured);
    let all: BTreeSet<_> = measured().map(key).collect();
    let disturbed: BTreeSet<_> = measured().filter(|window| !window.disturbed.is_empty()).map(key).collect();
    let left = all.len() - disturbed.len();
    (!disturbed.is_empty() && left < MIN_UNITS)
        .then(|| format!("{left} of {} rounds ran undisturbed; all are used", all.len()))
}

/// Puts the points in order and fills in curves and crossovers. Depends on the points alone, so it can be made again.
pub fn analyse_sweep(sweep: &mut SweepRecord) {
    sweep.points.sort_by(|one, other| one.at.total_cmp(&other.at));
    let series = all_series(&sweep.points);
    sweep.fits = match sweep.axis.kind {
        // Each operation of a mix grows in its own way, and no curve tells the whole of it.
        SweepAxis::Parameter => series.iter().filter(|series| series.operation != ALL).map(Series::fit).collect(),
        SweepAxis::Cache | SweepAxis::Mix => Vec::new(),
    };
    sweep.mixes = match sweep.axis.kind {
        SweepAxis::Mix => mixes(sweep),
        SweepAxis::Parameter | SweepAxis::Cache => BTreeMap::new(),
    };
    let compared = series.iter().filter(|series| series.is_compared());
    sweep.crossover = match sweep.axis.kind {
        SweepAxis::Parameter | SweepAxis::Cache => compared.map(Series::crossover).collect(),
        // In a mix the whole counts: an operation by itself does not change with the share of others.
        SweepAxis::Mix => compared.filter(|series| series.operation == ALL).map(Series::break_even).collect(),
    };
}

/// The read share whose run predicts: where reads and writes are known equally well.
const PREDICTING: f64 = 0.5;

/// Break-even of the first pattern at the mixes of each workload.
fn mixes(sweep: &SweepRecord) -> BTreeMap<String, MixComparison> {
    let [naive, pattern, ..] = sweep.scenario.models.as_slice() else { return BTreeMap::new() };
    let workloads: BTreeSet<&str> =
        sweep.points.iter().flat_map(|point| &point.figures).map(|figure| figure.workload.as_str()).collect();
    let of_workload = |workload: &str| {
        let measured = sweep.points.iter().filter_map(|point| {
            let predicted = point.break_even.get(workload);
            Some((mix_point(point, workload, [&naive.name, &pattern.name], predicted)?, predicted))
        });
        compare_points(measured.collect(), Share::new(PREDICTING))
    };
    workloads.into_iter().map(|workload| (workload.to_owned(), of_workload(workload))).collect()
}

/// The whole mix at a point; its value is the share of reads in percent.
fn mix_point(
    point: &PointRecord,
    workload: &str,
    [naive, pattern]: [&str; 2],
    found: Option<&BreakEvenRecord>,
) -> Option<MixPoint> {
    let figure = |model: &str| {
        let is_it =
            |figure: &&FigureRecord| figure.workload == workload && figure.operation == ALL && figure.model == model;
        point.figures.iter().find(is_it)
    };
    let ratio = figure(pattern).and_then(|figure| figure.mean_service_speedup);
    let high = ratio.and_then(|ratio| ratio.high);
    let costs = |cost: Option<&KindCost>| cost.map(|cost| (cost.naive, cost.pattern));
    Some(MixPoint {
        read_share: Share::new(point.value.as_f64()? / 100.0),
        ratio: ratio.map(|ratio| ratio.ratio),
        naive: figure(naive).and_then(|figure| figure.mean_service),
        low: ratio.and_then(|ratio| ratio.low),
        high,
        reads: costs(found.and_then(|found| found.reads.as_ref())),
        writes: costs(found.and_then(|found| found.writes.as_ref())),
        loses: high.is_some_and(|high| high.get() < 1.0),
    })
}

/// An operation of a model along the axis.
struct Series<'a> {
    workload: &'a str,
    operation: &'a str,
    model: &'a str,
    /// In ascending order of values.
    points: Vec<(f64, &'a FigureRecord)>,
}

fn all_series(points: &[PointRecord]) -> Vec<Series<'_>> {
    let mut all: Vec<Series<'_>> = Vec::new();
    for point in points {
        for figure in &point.figures {
            let is_of = |series: &&mut Series<'_>| {
                series.workload == figure.workload
                    && series.operation == figure.operation
                    && series.model == figure.model
            };
            match all.iter_mut().find(is_of) {
                Some(series) => series.points.push((point.at, figure)),
                None => all.push(Series {
                    workload: &figure.workload,
                    operation: &figure.operation,
                    model: &figure.model,
                    points: vec![(point.at, figure)],
                }),
            }
        }
    }
    all
}

impl Series<'_> {
    /// Whether it is compared with naive somewhere.
    fn is_compared(&self) -> bool {
        self.points.iter().any(|(_, figure)| !figure.speedup.is_empty() || figure.mean_service_speedup.is_some())
    }

    /// The quantile that has an interval at every value: p95, else p50; without either, p95 where it is known.
    fn metric(&self) -> (Metric, Option<String>) {
        let everywhere = |metric: Metric| {
            let known = self.points.iter().map(|(_, figure)| figure.latency.get(&metric));
            let mut known = known.map(|interval| interval.is_some_and(|interval| interval.low.is_some()));
            known.all(|has_interval| has_interval)
        };
        if everywhere(Metric::P95) {
            return (Metric::P95, None);
        }
        if everywhere(Metric::P50) {
            let why = "p50 stands in for p95, which has too few operations for an interval at some value".to_owned();
            return (Metric::P50, Some(why));
        }
        (Metric::P95, None)
    }

    fn observations(&self, metric: Metric) -> Vec<Observation> {
        let one = |(at, figure): &(f64, &FigureRecord)| Some(observation(*at, figure.latency.get(&metric)?));
        self.points.iter().filter_map(one).collect()
    }

    fn fit(&self) -> FitRecord {
        let (metric, why) = self.metric();
        let observations = self.observations(metric);
        let slopes = slopes(&observations);
        let mut fit = FitRecord {
            workload: self.workload.to_owned(),
            operation: self.operation.to_owned(),
            model: self.model.to_owned(),
            metric: Some(metric),
            growth: slopes.last().map(|slope| growth_word(slope.slope)),
            slopes: slopes.iter().map(slope_record).collect(),
            ..FitRecord::default()
        };
        let mut reasons: Vec<String> = why.into_iter().collect();
        match curve(&observations) {
            Ok(found) => {
                fit.a = Some(Micros::new(found.a)).filter(|a| a.get().is_finite());
                if let Some(grows) = found.grows.filter(|grows| grows.b.is_finite()) {
                    (fit.b, fit.k, fit.k_low, fit.k_high) = (Some(grows.b), Some(grows.k), grows.low, grows.high);
                }
                if found.lacks_fit {
                    reasons.push("the points lie further off such a curve than repetition explains".to_owned());
                }
            }
            Err(why) => reasons.push(why),
        }
        fit.reason = (!reasons.is_empty()).then(|| reasons.join("; "));
        fit
    }

    fn crossover(&self) -> CrossoverRecord {
        let with_interval = |metric: Metric| {
            let known = self.points.iter().filter_map(|(_, figure)| figure.speedup.get(&metric));
            known.filter(|speedup| speedup.low.is_some()).count()
        };
        let metric = if with_interval(Metric::P95) >= with_interval(Metric::P50) { Metric::P95 } else { Metric::P50 };
        let points = self.points.iter();
        let points = points.filter_map(|(at, figure)| ratio_point(*at, figure.speedup.get(&metric)?)).collect();
        self.crossing(metric, points)
    }

    /// Where the whole mix costs the same in both models, by mean service time.
    fn break_even(&self) -> CrossoverRecord {
        let points = self.points.iter();
        let points =
            points.filter_map(|(at, figure)| ratio_point(*at, figure.mean_service_speedup.as_ref()?)).collect();
        self.crossing(Metric::Mean, points)
    }

    fn crossing(&self, metric: Metric, points: Vec<RatioPoint>) -> CrossoverRecord {
        let mut record = CrossoverRecord {
            workload: self.workload.to_owned(),
            operation: self.operation.to_owned(),
            model: self.model.to_owned(),
            metric: Some(metric),
            outcome: CrossoverOutcome::Unknown,
            at: None,
            low: None,
            high: None,
            further: Vec::new(),
            faster_above: None,
            reason: None,
        };
        match crossing(&points) {
            None => record.reason = Some("fewer than two values have a speed-up".to_owned()),
            Some(Crossing::None { above, doubtful }) => {
                (record.outcome, record.faster_above) = (CrossoverOutcome::NoneInRange, Some(above));
                record.reason = doubt(&doubtful);
            }
            Some(Crossing::Found { at, low, high, rises, further, has_intervals }) => {
                (record.outcome, record.faster_above) = (CrossoverOutcome::Found, Some(rises));
                (record.at, record.low, record.high, record.further) = (Some(at), low, high, further);
                record.reason = (!has_intervals)
                    .then(|| "some value has too few operations for an interval, so its place has none".to_owned());
            }
        }
        record
    }
}

/// Values at which the models cannot be told apart although nothing crosses.
fn doubt(values: &[f64]) -> Option<String> {
    let said: Vec<String> = values.iter().map(ToString::to_string).collect();
    (!said.is_empty()).then(|| format!("at {} the interval holds 1, so it may cross there", said.join(", ")))
}

fn observation(at: f64, latency: &FigureInterval) -> Observation {
    let units = latency.units.max(1);
    let width = latency.low.zip(latency.high).map(|(low, high)| high.get().ln() - low.get().ln());
    // The interval reaches t standard errors to either side.
    let error = width.filter(|_| units > 1).map(|width| width / 2.0 / t_quantile(0.975, units as usize - 1));
    Observation { at, log: latency.value.get().ln(), error, units }
}

fn ratio_point(at: f64, speedup: &IntervalEstimate) -> Option<RatioPoint> {
    let fit = |ratio: f64| ratio.is_finite() && ratio > 0.0;
    let interval = speedup.low.zip(speedup.high).filter(|(low, high)| fit(low.get()) && fit(high.get()));
    fit(speedup.ratio.get()).then_some(RatioPoint { at, ratio: speedup.ratio, interval })
}

fn slope_record(slope: &super::slopes::Slope) -> SlopeRecord {
    let (low, high) = slope.interval.unzip();
    SlopeRecord { from: slope.from, to: slope.to, slope: slope.slope, low, high }
}
