//! Break-even: the read share of the mix from which on a model costs less than naive in total service time.
//!
//! A mix that reads with share ρ costs ρ·R + (1 − ρ)·W per operation, where R and W are the mean service times of a read
//! and of a write; the weights within reads and within writes stay those of the mix. The difference of two models is a line
//! in ρ. It is taken unit by unit, both models of a round together, so that what disturbs both falls out; where it passes
//! zero, and with which interval, is said by [`Crossing`].

use std::collections::BTreeMap;

use super::cast::Cast;
use super::fieller::{self, Crossing, Ends};
use super::jackknife;
use super::limited::engine_limited;
use super::metric::{MIN_UNITS, least_per_unit};
use super::units::{Joinable, join};
use super::windows::{WindowPair, Windows};
use crate::record::{BreakEvenRecord, KindCost, ModelRecord, RoundRecord, ScenarioRecord, ShareInterval, histogram};
use crate::units::{Micros, Share};
use crate::words::{BreakEvenAnswer, Metric, OperationKind, Phase};

/// Break-even of the pattern and of every further model; `None` where the scenario does not say which operations write, or
/// has no model to compare. `withheld` is why nothing of the run is judged.
pub(super) fn of(scenario: &ScenarioRecord, cast: &Cast<'_>, withheld: Option<&str>) -> Option<BreakEvenRecord> {
    let naive = cast.naive?;
    if scenario.declared.is_empty() {
        return None;
    }
    let windows = Windows::of(&scenario.rounds, Phase::Measured);
    let against = |model: &ModelRecord| {
        let mut record = against(scenario, &windows, naive, model);
        if let Some(why) = withheld {
            (record.low, record.high, record.jackknife) = (None, None, None);
            record = undecided(record, why);
        }
        record
    };
    let mut record = against(cast.pattern?);
    record.others = cast.others.iter().map(|model| (model.name.clone(), against(model))).collect();
    Some(record)
}

/// The share of a mix's weight that reads; `None` where nothing is known of its operations.
pub(super) fn read_share(scenario: &ScenarioRecord) -> Option<Share> {
    let weight = |kind| weights(scenario, kind).map(|(_, weight)| weight).sum::<f64>();
    let (reads, writes) = (weight(OperationKind::Read), weight(OperationKind::Write));
    let share = reads / (reads + writes);
    share.is_finite().then(|| Share::new(share))
}

/// The operations of a kind with the weights that they have in the mix.
fn weights(scenario: &ScenarioRecord, kind: OperationKind) -> impl Iterator<Item = (&str, f64)> {
    let of_kind = scenario.declared.iter().filter(move |(_, declared)| declared.kind == kind);
    let weighed = of_kind.filter_map(|(name, _)| Some((name.as_str(), *scenario.plan.mix.get(name)?)));
    weighed.filter(|(_, weight)| weight.is_finite() && *weight > 0.0)
}

fn empty(scenario: &ScenarioRecord) -> BreakEvenRecord {
    BreakEvenRecord {
        answer: BreakEvenAnswer::Undecided,
        read_share: None,
        low: None,
        high: None,
        pays: None,
        mix: read_share(scenario),
        reads: None,
        writes: None,
        units: 0,
        jackknife: None,
        limited: Vec::new(),
        reason: None,
        others: BTreeMap::new(),
    }
}

fn undecided(record: BreakEvenRecord, why: &str) -> BreakEvenRecord {
    BreakEvenRecord { answer: BreakEvenAnswer::Undecided, reason: Some(why.to_owned()), ..record }
}

fn against(
    scenario: &ScenarioRecord,
    windows: &Windows<'_>,
    naive: &ModelRecord,
    model: &ModelRecord,
) -> BreakEvenRecord {
    let mut record = empty(scenario);
    let pairs: Vec<RoundCosts<'_>> =
        windows.pairs(&naive.name, &model.name).iter().map(|pair| RoundCosts::of(scenario, pair)).collect();
    if pairs.is_empty() {
        return undecided(record, "no round in which both models have a complete and undisturbed window");
    }
    let timed = |kind| -> Vec<(&str, f64)> {
        let is_timed = |name: &str| pairs.iter().any(|pair| pair.count(name) > 0);
        weights(scenario, kind).filter(|(name, _)| is_timed(name)).collect()
    };
    let (reads, writes) = (timed(OperationKind::Read), timed(OperationKind::Write));
    if reads.is_empty() {
        return undecided(record, "no operation of the mix that only reads was timed");
    }
    if writes.is_empty() {
        return undecided(record, "no operation of the mix that writes was timed");
    }
    let all = || reads.iter().chain(&writes).map(|(name, _)| *name);
    let is_limited = |name: &&str| [naive, model].iter().any(|one| engine_limited(scenario, one, name).is_some());
    record.limited = all().filter(is_limited).map(str::to_owned).collect();
    let fewest = |pair: &RoundCosts<'_>| all().map(|name| pair.count(name)).min().unwrap_or(0);
    let joinable: Vec<Joinable> =
        pairs.iter().map(|pair| Joinable { restart: pair.restart, operations: fewest(pair) }).collect();
    let units = join(&joinable, least_per_unit(Metric::Mean));
    let whole = 0..pairs.len();
    let ranges = units.as_deref().unwrap_or(std::slice::from_ref(&whole));
    let costs: Option<Vec<UnitCosts>> =
        ranges.iter().map(|unit| UnitCosts::of(&pairs[unit.clone()], &reads, &writes)).collect();
    let Some(costs) = costs else { return undecided(record, "an operation was not timed in both models") };
    let blocks = by_restart(&costs);
    record.reads = kind_cost(&reads, &blocks, |costs| costs.reads);
    record.writes = kind_cost(&writes, &blocks, |costs| costs.writes);
    let gains: Vec<Ends> = blocks.iter().map(UnitCosts::gains).collect();
    place(&mut record, fieller::mean(&gains));
    if units.is_none() {
        let why =
            format!("an interval needs {MIN_UNITS} units with {} operations of each", least_per_unit(Metric::Mean));
        return undecided(record, &why);
    }
    record.units = gains.len() as u64;
    match Crossing::of(&gains) {
        Some(crossing) => judged(record, &gains, &crossing),
        None => undecided(record, "the units do not make an interval"),
    }
}

/// Where the mean costs are equal, and who pays.
fn place(record: &mut BreakEvenRecord, gain: Ends) {
    record.pays = match (gain.at_zero > 0.0, gain.at_one > 0.0) {
        (false, true) => Some(OperationKind::Read),
        (true, false) => Some(OperationKind::Write),
        _ => None,
    };
    let inside = |place: &f64| (0.0..=1.0).contains(place);
    record.read_share = record.pays.and_then(|_| fieller::beyond(gain)).filter(inside).map(Share::new);
}

/// The answer that the units give.
fn judged(mut record: BreakEvenRecord, gains: &[Ends], crossing: &Crossing) -> BreakEvenRecord {
    record.low = crossing.low.map(Share::new);
    record.high = crossing.high.map(Share::new);
    let (no_reads, no_writes) = crossing.sure;
    record.answer = match (no_reads, no_writes, record.read_share) {
        (true, true, None) if crossing.mean.at_one > 0.0 => BreakEvenAnswer::Always,
        (true, true, None) => BreakEvenAnswer::Never,
        (true, true, Some(_)) | (true, false, Some(_)) | (false, true, Some(_)) => BreakEvenAnswer::Share,
        _ => BreakEvenAnswer::Undecided,
    };
    if record.answer == BreakEvenAnswer::Undecided {
        record.reason = Some("the difference of the models is too small for these rounds".to_owned());
    }
    if record.answer == BreakEvenAnswer::Share {
        record.jackknife = record.read_share.and_then(|share| checked(share, gains));
    }
    record
}

/// The share by the jackknife.
fn checked(share: Share, gains: &[Ends]) -> Option<ShareInterval> {
    let without = |left_out: usize| {
        let rest: Vec<Ends> =
            gains.iter().enumerate().filter(|(place, _)| *place != left_out).map(|(_, gain)| *gain).collect();
        fieller::beyond(fieller::mean(&rest))
    };
    let deletions: Vec<f64> = (0..gains.len()).map(without).collect::<Option<_>>()?;
    let (low, high) = jackknife::interval(share.get(), &deletions)?;
    Some(ShareInterval { share, low: Share::new(low), high: Share::new(high) })
}

/// Sum of service times in µs, and the number of operations.
#[derive(Debug, Clone, Copy, Default)]
struct Total {
    micros: f64,
    count: u64,
}

impl Total {
    fn of(window: &RoundRecord, operation: &str) -> Self {
        let text = window.operations.get(operation).and_then(|figures| figures.service.as_deref());
        match text.map(histogram::decode) {
            Some(Ok(decoded)) => Self { micros: decoded.mean() * decoded.len() as f64, count: decoded.len() },
            _ => Self::default(),
        }
    }

    fn and(self, other: Self) -> Self {
        Self { micros: self.micros + other.micros, count: self.count.saturating_add(other.count) }
    }

    fn mean(self) -> Option<f64> {
        let mean = self.micros / self.count as f64;
        mean.is_finite().then_some(mean)
    }
}

/// What each operation took in naive and in the other model, in one round.
#[derive(Debug)]
struct RoundCosts<'a> {
    restart: u32,
    operations: BTreeMap<&'a str, (Total, Total)>,
}

impl<'a> RoundCosts<'a> {
    fn of(scenario: &'a ScenarioRecord, pair: &WindowPair<'_>) -> Self {
        let both = |name: &str| (Total::of(pair.naive, name), Total::of(pair.model, name));
        let operations = scenario.declared.keys().map(|name| (name.as_str(), both(name)));
        Self { restart: pair.naive.restart, operations: operations.collect() }
    }

    /// Operations timed, of the model that has fewer of them.
    fn count(&self, operation: &str) -> u64 {
        self.operations.get(operation).map_or(0, |(naive, model)| naive.count.min(model.count))
    }
}

/// What a read and a write take in naive and in the other model, in one unit.
#[derive(Debug, Clone, Copy)]
struct UnitCosts {
    restart: u32,
    reads: (f64, f64),
    writes: (f64, f64),
}

impl UnitCosts {
    fn of(rounds: &[RoundCosts<'_>], reads: &[(&str, f64)], writes: &[(&str, f64)]) -> Option<Self> {
        let restart = rounds.first()?.restart;
        Some(Self { restart, reads: weighed(rounds, reads)?, writes: weighed(rounds, writes)? })
    }

    /// What the model saves against naive: per write where nothing reads, per read where everything does.
    fn gains(&self) -> Ends {
        Ends { at_zero: self.writes.0 - self.writes.1, at_one: self.reads.0 - self.reads.1 }
    }
}

/// Mean service times of an operation of these, by their weights.
fn weighed(rounds: &[RoundCosts<'_>], operations: &[(&str, f64)]) -> Option<(f64, f64)> {
    let (mut naive, mut model, mut whole) = (0.0, 0.0, 0.0);
    for (name, weight) in operations {
        let none = (Total::default(), Total::default());
        let totals = rounds.iter().filter_map(|round| round.operations.get(name));
        let total = totals.fold(none, |sum, one| (sum.0.and(one.0), sum.1.and(one.1)));
        naive += weight * total.0.mean()?;
        model += weight * total.1.mean()?;
        whole += weight;
    }
    let (naive, model) = (naive / whole, model / whole);
    (naive.is_finite() && model.is_finite()).then_some((naive, model))
}

/// With several restarts the restart is the unit, by the mean of its rounds.
fn by_restart(units: &[UnitCosts]) -> Vec<UnitCosts> {
    let restarts: Vec<&[UnitCosts]> = units.chunk_by(|left, right| left.restart == right.restart).collect();
    if restarts.len() < 2 {
        return units.to_vec();
    }
    let mean = |units: &[UnitCosts], of: fn(&UnitCosts) -> f64| units.iter().map(of).sum::<f64>() / units.len() as f64;
    let of_restart = |units: &&[UnitCosts]| UnitCosts {
        restart: units[0].restart,
        reads: (mean(units, |unit| unit.reads.0), mean(units, |unit| unit.reads.1)),
        writes: (mean(units, |unit| unit.writes.0), mean(units, |unit| unit.writes.1)),
    };
    restarts.iter().map(of_restart).collect()
}

fn kind_cost(operations: &[(&str, f64)], units: &[UnitCosts], of: fn(&UnitCosts) -> (f64, f64)) -> Option<KindCost> {
    let mean = |model: fn((f64, f64)) -> f64| {
        let mean = units.iter().map(|unit| model(of(unit))).sum::<f64>() / units.len() as f64;
        mean.is_finite().then(|| Micros::new(mean))
    };
    Some(KindCost {
        operations: operations.iter().map(|(name, _)| (*name).to_owned()).collect(),
        naive: mean(|costs| costs.0)?,
        pattern: mean(|costs| costs.1)?,
    })
}
