//! What a window's place in its round, and the model before it, did to latencies.
//!
//! The log p95 of the whole mix is fitted by least squares as round + model + place + model before; the effects of a factor
//! sum to zero, so each is read against the average place or predecessor. Where the order is balanced (a Williams design)
//! the effect of a place is the mean of what round and model leave over (two-way means); where rounds were lost it is still
//! not mixed up with the models that stood there. The first window of a round has no predecessor. What cannot be told from
//! the rest is left out: with two models the predecessor, without balance perhaps the place too.
//!
//! Source: B. Jones, M. G. Kenward, *Design and analysis of cross-over trials*, 3rd ed. 2014, chapter 5.

use std::collections::{BTreeMap, BTreeSet};

use hdrhistogram::Histogram;

use super::cast::Cast;
use super::estimate::ratio;
use super::least_squares::Fit;
use super::metric::{MIN_UNITS, figure};
use super::samples::Samples;
use super::windows::{Key, Windows, key};
use crate::record::{OrderEffect, ScenarioRecord};
use crate::words::{Metric, Phase};

/// The effects of order that the rounds can tell; `mix` is the whole mix, window by window.
pub(super) fn of(scenario: &ScenarioRecord, cast: &Cast<'_>, mix: &Samples<'_>) -> Vec<OrderEffect> {
    let observations = observe(scenario, cast, mix);
    let models = Factor::of(observations.iter().map(|seen| Some(seen.model)));
    let places = Factor::of(observations.iter().map(|seen| Some(seen.place)));
    let before = Factor::of(observations.iter().map(|seen| seen.after));
    let logs: Vec<f64> = observations.iter().map(|seen| seen.log).collect();
    let per_round = models.names.len();
    if per_round < 2 || places.names.len() < 2 {
        return Vec::new();
    }
    let with_predecessor = fit(&[&models.codes, &places.codes, &before.codes], &logs, per_round);
    let predecessor_told = with_predecessor.is_some();
    let Some(fit) = with_predecessor.or_else(|| fit(&[&models.codes, &places.codes], &logs, per_round)) else {
        return Vec::new();
    };
    let columns = models.columns() + places.columns() + if predecessor_told { before.columns() } else { 0 };
    let mut effects = Vec::new();
    for (level, place) in places.names.iter().enumerate() {
        let weights = places.weights(level, models.columns(), columns);
        effects.extend(record(&fit, &weights, (Some(*place), None), places.windows(level)));
    }
    for (level, model) in before.names.iter().enumerate().filter(|_| predecessor_told) {
        let weights = before.weights(level, models.columns() + places.columns(), columns);
        effects.extend(record(&fit, &weights, (None, Some((*model).to_owned())), before.windows(level)));
    }
    effects
}

/// A window of a round in which every model has one that counts.
struct Seen<'a> {
    model: &'a str,
    place: u32,
    after: Option<&'a str>,
    /// Logarithm of the p95 of the whole mix.
    log: f64,
}

/// The windows of complete rounds, round by round. A model that has windows in less than half as many rounds as another
/// would take too many rounds with it, and is left aside.
fn observe<'a>(scenario: &'a ScenarioRecord, cast: &Cast<'a>, mix: &Samples<'_>) -> Vec<Seen<'a>> {
    let windows = Windows::of(&scenario.rounds, Phase::Measured);
    let standing: BTreeMap<(Key, u32), &str> = cast
        .shown()
        .flat_map(|model| windows.of_model(&model.name))
        .map(|window| ((key(window), window.position), window.model.as_str()))
        .collect();
    let names: BTreeSet<&str> = cast.shown().map(|model| model.name.as_str()).collect();
    let mut by_model: Vec<BTreeMap<Key, Seen<'a>>> = Vec::new();
    for name in names {
        let p95s: BTreeMap<Key, f64> =
            mix.rounds_of(name).filter_map(|(round, mix)| Some((round, p95(mix)?))).collect();
        let seen = windows.usable(name).filter_map(|window| {
            let after = window.position.checked_sub(1).and_then(|place| standing.get(&(key(window), place)));
            let log = p95s.get(&key(window))?.ln();
            Some((key(window), Seen { model: name, place: window.position, after: after.copied(), log }))
        });
        by_model.push(seen.collect());
    }
    let most = by_model.iter().map(BTreeMap::len).max().unwrap_or(0);
    by_model.retain(|rounds| rounds.len() * 2 >= most && !rounds.is_empty());
    let Some(first) = by_model.first() else { return Vec::new() };
    let complete: Vec<Key> =
        first.keys().copied().filter(|round| by_model.iter().all(|rounds| rounds.contains_key(round))).collect();
    let of_round = |round: Key| by_model.iter_mut().filter_map(|rounds| rounds.remove(&round)).collect::<Vec<_>>();
    complete.into_iter().flat_map(of_round).collect()
}

fn p95(mix: &Histogram<u64>) -> Option<f64> {
    figure(Metric::P95, mix).ok()
}

/// A factor of the fit, coded so that its effects sum to zero.
struct Factor<K> {
    /// Its levels.
    names: Vec<K>,
    /// The level of each window.
    levels: Vec<Option<usize>>,
    /// A row for each window: 1 in the column of its level, −1 in all columns for the last level, 0 for no level.
    codes: Vec<Vec<f64>>,
}

impl<K: Ord + Copy> Factor<K> {
    fn of(windows: impl Iterator<Item = Option<K>> + Clone) -> Self {
        let names: Vec<K> = windows.clone().flatten().collect::<BTreeSet<K>>().into_iter().collect();
        let levels: Vec<Option<usize>> = windows.map(|name| names.binary_search(&name?).ok()).collect();
        let code = |level: &Option<usize>| code(*level, names.len());
        let codes = levels.iter().map(code).collect();
        Self { names, levels, codes }
    }

    fn columns(&self) -> usize {
        self.names.len().saturating_sub(1)
    }

    fn windows(&self, level: usize) -> u64 {
        self.levels.iter().filter(|known| **known == Some(level)).count() as u64
    }

    /// The combination of all coefficients that is the effect of a level, whose factor's columns begin at `start`.
    fn weights(&self, level: usize, start: usize, columns: usize) -> Vec<f64> {
        let mut weights = vec![0.0; columns];
        weights[start..start + self.columns()].copy_from_slice(&code(Some(level), self.names.len()));
        weights
    }
}

fn code(level: Option<usize>, levels: usize) -> Vec<f64> {
    let last = levels.saturating_sub(1);
    (0..last)
        .map(|column| match level {
            Some(level) if level == column => 1.0,
            Some(level) if level == last => -1.0,
            _ => 0.0,
        })
        .collect()
}

/// Fits the columns of these factors to the logs, the means of rounds taken out of both.
fn fit(factors: &[&Vec<Vec<f64>>], logs: &[f64], per_round: usize) -> Option<Fit> {
    let rows: Vec<Vec<f64>> =
        (0..logs.len()).map(|row| factors.iter().flat_map(|codes| codes[row].iter().copied()).collect()).collect();
    let rounds = logs.len() / per_round;
    Fit::of(&centred(rows, per_round), &centred_values(logs, per_round), rounds, MIN_UNITS - 1)
}

fn centred(mut rows: Vec<Vec<f64>>, per_round: usize) -> Vec<Vec<f64>> {
    for round in rows.chunks_mut(per_round) {
        for column in 0..round[0].len() {
            let mean = round.iter().map(|row| row[column]).sum::<f64>() / round.len() as f64;
            round.iter_mut().for_each(|row| row[column] -= mean);
        }
    }
    rows
}

fn centred_values(values: &[f64], per_round: usize) -> Vec<f64> {
    let of_round = |round: &[f64]| {
        let mean = round.iter().sum::<f64>() / round.len() as f64;
        round.iter().map(move |value| value - mean).collect::<Vec<_>>()
    };
    values.chunks(per_round).flat_map(of_round).collect()
}

fn record(
    fit: &Fit,
    weights: &[f64],
    (position, after): (Option<u32>, Option<String>),
    windows: u64,
) -> Option<OrderEffect> {
    let effect = fit.effect(weights);
    let of_log = |log: f64| ratio(log.exp());
    let (factor, low, high) = (of_log(effect.estimate)?, of_log(effect.low)?, of_log(effect.high)?);
    Some(OrderEffect { position, after, windows, factor, low, high })
}
