//! The statistics of a scenario: every figure that an interval and a verdict are made of.

use maud::{Markup, html as markup};

use super::page::fact;
use super::table;
use crate::analysis::restarts;
use crate::record::{ChecksRecord, IntervalEstimate, SpeedupRecord, TestRecord, UnitRatio};
use crate::report::format;
use crate::report::view::{Inference, Part, ScenarioView, Side, Statistic};
use crate::words::Metric;

/// Up to so many operations their statistics stand open.
const OPEN_UP_TO: usize = 3;

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// The units of every ratio.
    Full,
    /// The units of those ratios that carry a verdict: a page of many scenarios stays small.
    Brief,
}

/// The statistics, an entry per operation.
pub(super) fn section(view: &ScenarioView<'_>, anchor: &str, detail: Detail) -> Markup {
    let operations: Vec<&[Statistic<'_>]> =
        view.statistics.chunk_by(|left, right| left.operation == right.operation).collect();
    if operations.is_empty() {
        return markup! {};
    }
    let open = operations.len() <= OPEN_UP_TO;
    markup! {
        h3 id=(format!("{anchor}-statistics")) { "Statistics" }
        p.quiet {
            "What every ratio and interval is made of. The method, its formulas and the keys of run.json stand in "
            a href="#statistics" { "How the figures are made" } "."
            @if detail == Detail::Brief {
                " Of so many scenarios only the units of ratios with a verdict stand here, the others in run.json; a report \
                 of fewer scenarios has all."
            }
        }
        @for statistics in &operations {
            details.statistics open[open] {
                summary { (statistics[0].operation_name()) (headline(statistics)) }
                (operation(statistics, detail))
            }
        }
        @if let Some(order) = &view.order_effects { h4 { "Order of windows" } (table::table(order, anchor)) }
    }
}

fn headline(statistics: &[Statistic<'_>]) -> Markup {
    let carrier = statistics.iter().find(|statistic| statistic.carries && statistic.part == Part::Pattern);
    markup! {
        @if let Some((statistic, interval)) = carrier.and_then(|found| Some((found, interval(found.speedup)?))) {
            " – " (statistic.metric) ", " (statistic.quotient()) ": " (interval)
        }
    }
}

fn operation(statistics: &[Statistic<'_>], detail: Detail) -> Markup {
    let (patterns, others): (Vec<&Statistic<'_>>, Vec<&Statistic<'_>>) =
        statistics.iter().partition(|statistic| statistic.part == Part::Pattern);
    let (carriers, rest): (Vec<_>, Vec<_>) = patterns.into_iter().partition(|statistic| statistic.carries);
    markup! {
        @for statistic in carriers { (in_full(statistic, detail)) }
        @if !rest.is_empty() {
            details {
                summary { "Other metrics (descriptive, without verdict)" }
                @for statistic in rest { (in_short(statistic, detail)) }
            }
        }
        @for models in others.chunk_by(|left, right| left.model == right.model) {
            details {
                summary { "Further model " (models[0].model) }
                @for statistic in models { (in_short(statistic, detail)) }
            }
        }
    }
}

/// Ratio and interval, where there are both.
fn interval(speedup: &SpeedupRecord) -> Option<String> {
    Some(format::ratio_with_interval(speedup.speedup?, speedup.low?, speedup.high?))
}

/// The statistic that carries the verdict.
fn in_full(statistic: &Statistic<'_>, detail: Detail) -> Markup {
    let title = title(statistic);
    markup! {
        h4 { (title) }
        (facts(statistic))
        (units(&title, statistic.metric, (statistic.naive, statistic.model), &statistic.speedup.units))
        @if let Some(checks) = &statistic.speedup.checks { (self::checks(&title, statistic.speedup, checks)) }
        @for side in &statistic.sides { (self::side(statistic, side, detail)) }
    }
}

fn title(statistic: &Statistic<'_>) -> String {
    format!("{}, {}: {}", statistic.operation_name(), statistic.metric_name(), statistic.quotient())
}

fn facts(statistic: &Statistic<'_>) -> Markup {
    let speedup = statistic.speedup;
    let figure = |value| figure(statistic.metric, value);
    let (naive, model) = statistic.figures;
    markup! {
        dl.facts {
            (fact(&format!("All rounds together, {}", statistic.naive), &figure(naive)))
            (fact(&format!("All rounds together, {}", statistic.model), &figure(model)))
            @match &statistic.inference {
                Some(inference) => (inferred(speedup, inference)),
                None => @if let Some(ratio) = speedup.speedup { (fact("Ratio of these", &format::ratio(ratio))) },
            }
            @if let Some(verdict) = speedup.verdict { (fact("Verdict", verdict.word())) }
            @if let Some(reason) = &speedup.reason { (fact("Because", reason)) }
        }
    }
}

/// A model's figure, or that there is none.
fn figure(metric: Metric, value: Option<f64>) -> String {
    value.map_or_else(|| format::NOT_AVAILABLE.to_owned(), |value| format::figure(metric, value))
}

fn inferred(speedup: &SpeedupRecord, inference: &Inference) -> Markup {
    let paired = &inference.paired;
    let (mean, error, t) = (format::exact(paired.mean), format::exact(paired.error()), format::exact(paired.t(0.95)));
    let over = if inference.over_restarts { "fresh loads of the data" } else { "units" };
    let ratio = |ratio: Option<crate::units::Ratio>| {
        ratio.map_or_else(|| format::NOT_AVAILABLE.to_owned(), |ratio| format::exact(ratio.get()))
    };
    markup! {
        (fact("Geometric mean of the ratios", &ratio(speedup.speedup)))
        (fact("95 % interval", &format!("{} to {}", ratio(speedup.low), ratio(speedup.high))))
        (fact("Mean log ratio ± standard error", &format!("{mean} ± {error}")))
        (fact("Inference over", &format!("{} {over}", paired.units)))
        (fact("t quantile (97.5 %)", &format!("{t} with {} degrees of freedom", inference.freedom())))
        (fact("Test of |log ratio| ≤ ln 1.05", &tested(inference)))
    }
}

fn tested(inference: &Inference) -> String {
    let plain = format::p_value(inference.p);
    match inference.adjusted {
        Some((adjusted, family)) if family > 1 => {
            format!("{plain}; by Holm's adjustment for {family} operations {}", format::p_value(adjusted))
        }
        Some(_) => format!("{plain}; a question of its own, nothing to adjust"),
        None => format!("{plain}, unadjusted: no verdict hangs on it"),
    }
}

/// A statistic with less around it.
fn in_short(statistic: &Statistic<'_>, detail: Detail) -> Markup {
    let title = title(statistic);
    let (naive, model) = statistic.figures;
    let figure = |value| figure(statistic.metric, value);
    let checks = statistic.speedup.checks.as_ref();
    markup! {
        h5 { (title) }
        p {
            "All rounds together " (figure(naive)) " and " (figure(model)) "; "
            @match (&statistic.inference, interval(statistic.speedup)) {
                (Some(inference), Some(interval)) => {
                    "ratio " (interval) ", mean log " (format::exact(inference.paired.mean)) " ± "
                    (format::exact(inference.paired.error()))
                    ", t(" (inference.freedom()) ") = " (format::exact(inference.paired.t(0.95)))
                },
                _ => @match statistic.speedup.speedup {
                    Some(ratio) => { "ratio " (format::ratio(ratio)) " without interval" },
                    None => "no ratio",
                },
            }
            @if let Some(verdict) = statistic.speedup.verdict { "; verdict " (verdict) }
            @if let Some(reason) = &statistic.speedup.reason { " (" (reason) ")" }
            "."
            @for side in &statistic.sides { " " (side_in_words(side)) "." }
            @if let Some(said) = checks.and_then(|checks| checks.disagreement.as_ref()) {
                " The methods disagree: " (said) "."
            }
        }
        @if detail == Detail::Full {
            (units(&title, statistic.metric, (statistic.naive, statistic.model), &statistic.speedup.units))
        }
    }
}

/// The figures of every unit, and where there are several, the load of the data that it is of.
fn units(title: &str, metric: Metric, (naive, model): (&str, &str), units: &[UnitRatio]) -> Markup {
    if units.is_empty() {
        return markup! {};
    }
    let several = restarts(units) > 1;
    let figure = |value| figure(metric, value);
    markup! {
        div.scroll tabindex="0" role="group" aria-label=(format!("Units of {title}")) {
            table.units {
                caption { "Units of " (title) ". Rounds count from 1, in run.json from 0." }
                thead {
                    tr {
                        @for head in ["rounds joined", naive, model, "ratio", "log ratio"] {
                            th.right scope="col" { (head) }
                        }
                        @if several { th.right scope="col" { "load of the data" } }
                    }
                }
                tbody {
                    @for unit in units {
                        tr {
                            th.right scope="row" { (format::rounds(&unit.rounds)) }
                            td.right { (figure(unit.naive)) }
                            td.right { (figure(unit.pattern)) }
                            td.right { (format::exact(unit.ratio.get())) }
                            td.right { (format::exact(unit.ratio.get().ln())) }
                            @if several { td.right { (u64::from(unit.restart) + 1) } }
                        }
                    }
                }
            }
        }
    }
}

fn checks(title: &str, speedup: &SpeedupRecord, checks: &ChecksRecord) -> Markup {
    let none = || format::NOT_AVAILABLE.to_owned();
    let own = speedup.speedup.map(|ratio| IntervalEstimate { ratio, low: speedup.low, high: speedup.high });
    let rows = [
        ("paired log ratios, Student's t", own),
        ("ratio of all operations together, jackknife over units", checks.jackknife),
        ("Hodges–Lehmann, Wilcoxon's signed ranks", checks.hodges_lehmann),
    ];
    markup! {
        div.scroll tabindex="0" role="group" aria-label=(format!("Cross-checks of {title}")) {
            table {
                caption { "Cross-checks: the same ratio by other methods." }
                thead { tr { @for head in ["method", "estimate", "95 % interval"] { th scope="col" { (head) } } } }
                tbody {
                    @for (method, estimate) in rows {
                        tr {
                            th scope="row" { (method) }
                            td { (estimate.map_or_else(none, |found| format::exact(found.ratio.get()))) }
                            td { (estimate.map_or_else(none, ends)) }
                        }
                    }
                }
            }
        }
        @match &checks.disagreement {
            Some(said) => p.open { "The methods disagree: " (said) "." },
            None => p.quiet { "No estimate lies outside the interval." },
        }
        (independence(checks))
    }
}

fn ends(estimate: IntervalEstimate) -> String {
    match estimate.low.zip(estimate.high) {
        Some((low, high)) => format!("{} to {}", format::exact(low.get()), format::exact(high.get())),
        None => format!("{}: too few units", format::NOT_AVAILABLE),
    }
}

/// Whether the units can be taken as independent.
fn independence(checks: &ChecksRecord) -> Markup {
    let test = |test: &TestRecord| format!("{} ({})", format::exact(test.estimate), format::p_value(test.p));
    markup! {
        p {
            @match &checks.autocorrelation {
                Some(found) => { "Lag-1 autocorrelation of the log ratios: " (test(found)) ". " },
                None => "Autocorrelation was not tested: that needs 20 units of one load of the data. ",
            }
            @if let Some(found) = &checks.trend { "Trend of the log ratios per unit: " (test(found)) ". " }
            @if let Some(why) = &checks.joined { "Joined further: " (why) "." }
        }
    }
}

fn side(statistic: &Statistic<'_>, side: &Side<'_>, detail: Detail) -> Markup {
    let title = format!("{}, {} ({})", statistic.operation_name(), statistic.metric, side.name);
    markup! {
        p { strong { (side_in_words(side)) } ": " (both(statistic, side)) ", without verdict." }
        @if detail == Detail::Full && !side.record.speedup.units.is_empty() {
            details {
                summary { "Units of " (title) }
                (units(&title, statistic.metric, (statistic.naive, statistic.model), &side.record.speedup.units))
            }
        }
    }
}

/// Both models' figures of a comparison beside the headline.
fn both(statistic: &Statistic<'_>, side: &Side<'_>) -> String {
    let figure = |value| figure(statistic.metric, value);
    let (naive, model) = (figure(side.record.naive), figure(side.record.pattern));
    format!("{} {} {naive}, {} {model}", statistic.metric, statistic.naive, statistic.model)
}

fn side_in_words(side: &Side<'_>) -> String {
    let by = match side.name {
        "light load" => "At light load",
        _ => "By service time",
    };
    let speedup = &side.record.speedup;
    let said = match (interval(speedup), speedup.speedup) {
        (Some(interval), _) => format!("{by} {interval}"),
        (None, Some(ratio)) => format!("{by} {} without interval", format::ratio(ratio)),
        (None, None) => format!("{by} no ratio"),
    };
    match &speedup.reason {
        Some(reason) => format!("{said} ({reason})"),
        None => said,
    }
}
