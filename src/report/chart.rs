//! The p95 chart: for each operation and model a dot with its interval on a logarithmic axis.
//!
//! Dots and not bars: a bar on a logarithmic axis has no beginning. Names stand in a margin whose width is estimated
//! from the characters (0.62 em each), so that it comes out the same on every machine, with whatever fonts.

mod drawing;
mod layout;

use self::layout::{Layout, Line};
use super::format;
use super::palette;
use super::text::clean;
use super::view::operations_shown;
use crate::analysis::{ALL, Cast, Latency, Spread, spreads};
use crate::record::ScenarioRecord;

/// The p95 chart of a scenario as an SVG document; `None` where no p95 was measured.
///
/// It needs nothing besides itself, adapts to light and dark surroundings, and can stand in an HTML page as it is.
pub fn chart(scenario: &ScenarioRecord) -> Option<String> {
    chart_named(scenario, "p95-chart")
}

/// The chart with its own prefix of ids, for several of them in one page.
pub(super) fn chart_named(scenario: &ScenarioRecord, id: &str) -> Option<String> {
    let spreads = spreads(scenario);
    let lines = lines(scenario, &spreads);
    let layout = Layout::of(lines)?;
    let axis_name = format!("p95 of {}, logarithmic", Latency::of(scenario).name());
    let drawn = drawing::draw(&layout, &axis_name)?;
    Some(dressed(&drawn, id, scenario, &layout))
}

/// The lines in the order of the table.
fn lines(scenario: &ScenarioRecord, spreads: &[Spread]) -> Vec<Line> {
    let cast = Cast::of(&scenario.models);
    let series: Vec<&str> = cast.shown().map(|model| model.name.as_str()).collect();
    let mut lines = Vec::new();
    for operation in operations_shown(scenario) {
        let of_operation = spreads.iter().filter(|spread| spread.operation == operation);
        for (place, spread) in of_operation.enumerate() {
            let name = if operation == ALL { "whole mix" } else { operation };
            lines.push(Line {
                operation: (place == 0).then(|| clean(name)),
                model: clean(&spread.model),
                series: series.iter().position(|name| *name == spread.model).unwrap_or(0),
                p95: spread.p95.get(),
                interval: spread.interval.map(|(low, high)| (low.get(), high.get())),
                value: format::time(spread.p95),
            });
        }
    }
    lines
}

/// The drawing with title, description and colours for dark surroundings.
fn dressed(drawn: &str, id: &str, scenario: &ScenarioRecord, layout: &Layout) -> String {
    let opening = format!("<svg class=\"p95-chart\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" ");
    let drawn = drawn.replacen("<svg ", &opening, 1);
    let Some((tag, rest)) = drawn.split_once('>') else { return drawn };
    let title = escaped(&format!("p95 latency by operation and model: {}", clean(&scenario.title)));
    let desc = escaped(&description(layout));
    let style = palette::chart_style();
    format!(
        "{tag}>\n<title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-desc\">{desc}</desc>\n<style>{style}</style>{rest}"
    )
}

/// The chart in words.
fn description(layout: &Layout) -> String {
    let mut operation = "";
    let said = layout.lines.iter().map(|line| {
        operation = line.operation.as_deref().unwrap_or(operation);
        let interval = match line.interval {
            Some((low, high)) => format!(" ({} to {})", format::tick(low), format::tick(high)),
            None => " (no interval)".to_owned(),
        };
        format!("{operation}, {}: {}{interval}", line.model, line.value)
    });
    said.collect::<Vec<_>>().join("; ")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
