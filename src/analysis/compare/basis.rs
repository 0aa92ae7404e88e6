//! Which times of two runs can be compared.

use super::super::bearing::{Bearing, bearing};
use super::super::samples::Latency;
use super::pair::Pair;
use super::sample::Ran;
use crate::record::ModelRecord;
use crate::words::{Basis, Metric, Mode};

/// Rates that differ by less are the same: at 60 % of the capacity, 1 % more of the rate makes response times 1.5 % longer.
const SAME_RATE: f64 = 0.01;

/// The runs in which a model is compared, and on what: those that bore the load, as long as each side has one; else all
/// of them at light load. At different rates light load is compared too, since more requests under way make each of them
/// take longer at the server as well.
pub(super) fn basis<'a>(pair: &Pair<'a>, model: &str, metric: Metric) -> (Pair<'a>, Basis) {
    if metric == Metric::Throughput {
        let closed = pair.runs().all(|ran| ran.scenario.plan.mode == Mode::Closed);
        return (pair.clone(), if closed { Basis::Rate } else { Basis::Capacity });
    }
    let Some(borne) = pair.only(|ran| is_borne(ran, model)) else { return (pair.clone(), Basis::LightLoad) };
    let timely = |ran: &Ran<'_>| ran.latency == Latency::Response && !is_late(ran, model);
    if !same_rate(&borne) && has_light_load(&borne) {
        return (borne, Basis::LightLoad);
    }
    let response = borne.runs().all(timely) && same_rate(&borne);
    (borne, if response { Basis::Response } else { Basis::Service })
}

fn has_light_load(pair: &Pair<'_>) -> bool {
    pair.runs().all(|ran| ran.scenario.plan.light_load_rounds > 0)
}

/// Whether naive and the model bore the load.
fn is_borne(ran: &Ran<'_>, model: &str) -> bool {
    both(ran, model).all(|name| bearing(ran.scenario, name) == Bearing::Holds)
}

/// Whether the load generator was so late for naive or the model that its lag is part of what response times say.
fn is_late(ran: &Ran<'_>, model: &str) -> bool {
    both(ran, model).any(|name| ran.scenario.analysis.load.get(name).is_some_and(|load| load.late.is_some()))
}

fn both<'r>(ran: &'r Ran<'_>, model: &'r str) -> impl Iterator<Item = &'r str> {
    let naive = ran.cast.naive.map(|naive| naive.name.as_str());
    naive.into_iter().chain([model])
}

fn same_rate(pair: &Pair<'_>) -> bool {
    rates(pair).is_none_or(|(low, high)| high <= low * (1.0 + SAME_RATE))
}

/// The lowest and the highest rate that a run was offered; `None` where one was offered none.
fn rates(pair: &Pair<'_>) -> Option<(f64, f64)> {
    let rates: Option<Vec<f64>> = pair
        .runs()
        .map(|ran| ran.scenario.plan.rate.filter(|_| ran.scenario.plan.mode == Mode::Open).map(|rate| rate.get()))
        .collect();
    let rates = rates?;
    Some((rates.iter().copied().fold(f64::INFINITY, f64::min), rates.iter().copied().fold(0.0, f64::max)))
}

/// What must be said of the basis, for people.
pub(super) fn remarks(pair: &Pair<'_>) -> Vec<String> {
    let mut said = Vec::new();
    if pair.runs().all(|ran| ran.latency == Latency::Response)
        && !same_rate(pair)
        && let Some((low, high)) = rates(pair)
    {
        let compared = if has_light_load(pair) { "light load is compared" } else { "service times are compared" };
        said.push(format!(
            "{compared}: the runs were offered different rates ({low:.0}/s to {high:.0}/s), on which response times depend \
             (run --rate {:.0} offers both the same)",
            low.floor()
        ));
    }
    let late = |model: &&ModelRecord| pair.runs().any(|ran| is_late(ran, &model.name));
    let late: Vec<&str> = pair.models().iter().filter(|model| late(model)).map(|model| model.name.as_str()).collect();
    if said.is_empty() && !late.is_empty() {
        said.push(format!(
            "service times are compared of {}: the load generator was late in a run, and its lag is part of response times",
            late.join(", ")
        ));
    }
    for model in pair.models() {
        let unborne =
            |side: &[Ran<'_>]| side.iter().filter(|ran| bearing(ran.scenario, &model.name) != Bearing::Holds).count();
        let sides = match (unborne(&pair.base), unborne(&pair.new)) {
            (0, 0) => continue,
            (base, 0) => format!("{base} of {} runs of the base", pair.base.len()),
            (0, new) => format!("{new} of {} new runs", pair.new.len()),
            (base, new) => {
                format!("{base} of {} runs of the base and {new} of {} new ones", pair.base.len(), pair.new.len())
            }
        };
        let so = match pair.only(|ran| bearing(ran.scenario, &model.name) == Bearing::Holds) {
            Some(_) => "they are left out",
            None => "so light load is compared",
        };
        said.push(format!(
            "{} was not measured under the load offered, which it or the load generator could not bear, in {sides}: {so}",
            model.name
        ));
    }
    said
}
