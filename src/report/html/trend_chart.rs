//! The chart of a history: p95 of each model above, speed-ups below, over the runs in their order.
//!
//! Runs stand at equal distances, whatever time lies between them. Colours are models, dashes are the servers (or
//! parameters) measured; a line is broken where a run has no figure.

use maud::{Markup, html as markup};

use crate::record::{TrendPoint, TrendRecord, TrendSeries};
use crate::report::format;
use crate::report::text::clean;
use crate::report::trend::Scale;
use crate::report::view::{ChangeView, TrendOperationView, TrendScenarioView, day, figure, run_name};
use crate::units::Ratio;
use crate::words::Tracked;

const WIDTH: f64 = 900.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 884.0;
/// Room above a panel for its name and the numbers of changes.
const HEAD: f64 = 34.0;
const HEIGHTS: [(Tracked, f64); 2] = [(Tracked::P95, 190.0), (Tracked::Speedup, 130.0)];
const FOOT: f64 = 30.0;
/// Room at the plot's sides, so that the first and last dots stand free.
const MARGIN: f64 = 14.0;
/// Dates that fit beside each other.
const MOST_DATES: usize = 8;
/// Figures have intervals and dots as long as they stand apart.
const MOST_DOTS: usize = 120;
/// One pattern of dashes for each line; the first is solid.
const DASHES: [&str; 5] = ["none", "7 4", "2 4", "9 3 2 3", "12 5"];

/// A panel: what it shows, its place, its axis.
struct Panel {
    of: Tracked,
    top: f64,
    height: f64,
    scale: Scale,
}

impl Panel {
    fn y(&self, value: f64) -> f64 {
        self.top + self.height * (1.0 - self.scale.share(value))
    }
}

/// Where the runs stand.
struct Places<'a> {
    runs: &'a [usize],
}

impl Places<'_> {
    fn x(&self, run: usize) -> f64 {
        let place = self.runs.iter().position(|known| *known == run).unwrap_or(0) as f64;
        let last = (self.runs.len().max(2) - 1) as f64;
        let middle = if self.runs.len() == 1 { 0.5 } else { place / last };
        LEFT + MARGIN + middle * (RIGHT - LEFT - 2.0 * MARGIN)
    }
}

/// The chart of an operation; `None` where there is no figure at all.
pub(super) fn chart(
    record: &TrendRecord,
    scenario: &TrendScenarioView<'_>,
    operation: &TrendOperationView<'_>,
    anchor: &str,
) -> Option<Markup> {
    let places = Places { runs: &scenario.runs };
    let panels = panels(operation);
    let last = panels.last()?;
    let bottom = last.top + last.height;
    let height = bottom + FOOT;
    let title = format!("{}, {}: p95 and speed-up over {} runs", scenario.heading, operation.name, places.runs.len());
    Some(markup! {
        svg.trend-chart role="img" aria-labelledby=(format!("{anchor}-title {anchor}-desc"))
            viewBox=(format!("0 0 {WIDTH} {height}")) xmlns="http://www.w3.org/2000/svg" {
            title id=(format!("{anchor}-title")) { (clean(&title)) }
            desc id=(format!("{anchor}-desc")) { (clean(&description(record, scenario, operation))) }
            @for panel in &panels { (frame(panel)) }
            (dates(record, &places, bottom))
            @for panel in &panels {
                (marks(record, panel, &places, operation))
                @for (line, series) in operation.series.iter().filter(|(_, series)| series.of == panel.of) {
                    (self::series(panel, &places, scenario, *line, series, colour(operation, &series.model)))
                }
            }
        }
    })
}

fn panels(operation: &TrendOperationView<'_>) -> Vec<Panel> {
    let mut top = HEAD;
    let mut panels = Vec::new();
    for (of, height) in HEIGHTS {
        let points =
            operation.series.iter().filter(|(_, series)| series.of == of).flat_map(|(_, series)| &series.points);
        if let Some(scale) = Scale::holding(points.map(|point| point.value)) {
            panels.push(Panel { of, top, height, scale });
            top += height + HEAD;
        }
    }
    panels
}

fn frame(panel: &Panel) -> Markup {
    let name = match panel.of {
        Tracked::P95 => "p95",
        Tracked::Speedup => "speed-up, naive p95 ÷ the model's",
    };
    let tick = |value: f64| match panel.of {
        Tracked::P95 => format::tick(value),
        Tracked::Speedup => format::ratio(Ratio::new(value)),
    };
    markup! {
        text.name x=(number(LEFT)) y=(number(panel.top - 20.0)) { (name) }
        @for value in &panel.scale.ticks {
            line.grid x1=(number(LEFT)) x2=(number(RIGHT)) y1=(number(panel.y(*value))) y2=(number(panel.y(*value))) {}
            text x=(number(LEFT - 8.0)) y=(number(panel.y(*value) + 4.0)) text-anchor="end" { (tick(*value)) }
        }
        rect.panel x=(number(LEFT)) y=(number(panel.top)) width=(number(RIGHT - LEFT)) height=(number(panel.height)) {}
    }
}

/// The day of as many runs as fit, the first and others at equal distances.
fn dates(record: &TrendRecord, places: &Places<'_>, bottom: f64) -> Markup {
    let stride = places.runs.len().div_ceil(MOST_DATES).max(1);
    markup! {
        @for run in places.runs.iter().step_by(stride) {
            text x=(number(places.x(*run))) y=(number(bottom + 18.0)) text-anchor="middle" { (clean(&day(&record.runs[*run]))) }
        }
    }
}

/// Where the figures of a panel changed: numbered as in the list below the chart.
fn marks(record: &TrendRecord, panel: &Panel, places: &Places<'_>, operation: &TrendOperationView<'_>) -> Markup {
    let of_panel = operation.changes.iter().enumerate().filter(|(_, change)| change.of == panel.of);
    markup! {
        @for (run, numbers) in by_run(of_panel) {
            line.change x1=(number(places.x(run))) x2=(number(places.x(run))) y1=(number(panel.top))
                y2=(number(panel.top + panel.height)) {
                title { (clean(&run_name(&record.runs[run]))) }
            }
            text.mark x=(number(places.x(run))) y=(number(panel.top - 5.0)) text-anchor="middle" { (numbers) }
        }
        @for change in operation.changes.iter().filter(|change| change.of == panel.of) {
            circle.ring cx=(number(places.x(change.run))) cy=(number(panel.y(change.value))) r="7" {
                title { (clean(&change.said)) }
            }
        }
    }
}

/// The numbers of the changes, from 1, that came with the same run.
fn by_run<'a>(changes: impl Iterator<Item = (usize, &'a ChangeView)>) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for (place, change) in changes {
        match found.iter_mut().find(|(run, _)| *run == change.run) {
            Some((_, numbers)) => numbers.push_str(&format!(",{}", place + 1)),
            None => found.push((change.run, (place + 1).to_string())),
        }
    }
    found
}

fn series(
    panel: &Panel,
    places: &Places<'_>,
    scenario: &TrendScenarioView<'_>,
    line: usize,
    series: &TrendSeries,
    colour: usize,
) -> Markup {
    let class = format!("c{colour}");
    let few = scenario.runs.len() <= MOST_DOTS;
    let x = |point: &TrendPoint| number(places.x(point.run));
    markup! {
        @for part in unbroken(&scenario.record.lines[line].runs, &series.points) {
            polyline.(class) stroke-dasharray=(dashes(line)) points=(points(panel, places, part)) {}
        }
        @if few {
            @for point in &series.points {
                @if let Some((low, high)) = point.low.zip(point.high) {
                    line.interval.(class) x1=(x(point)) x2=(x(point)) y1=(number(panel.y(low))) y2=(number(panel.y(high))) {}
                }
                circle.(class) cx=(x(point)) cy=(number(panel.y(point.value))) r="2.6" {}
            }
        }
    }
}

fn points(panel: &Panel, places: &Places<'_>, points: &[TrendPoint]) -> String {
    let at = |point: &TrendPoint| format!("{},{}", number(places.x(point.run)), number(panel.y(point.value)));
    points.iter().map(at).collect::<Vec<_>>().join(" ")
}

/// The points without a gap between them: neighbours are of neighbouring runs of the line.
fn unbroken<'a>(runs: &[usize], points: &'a [TrendPoint]) -> Vec<&'a [TrendPoint]> {
    let place = |point: &TrendPoint| runs.iter().position(|run| *run == point.run);
    points.chunk_by(|left, right| place(left).map(|place| place + 1) == place(right)).collect()
}

fn dashes(line: usize) -> &'static str {
    DASHES[line % DASHES.len()]
}

/// The place of a model among those shown.
fn colour(operation: &TrendOperationView<'_>, model: &str) -> usize {
    models(operation).iter().position(|known| *known == model).unwrap_or(0) % 6
}

/// The models, naive first.
fn models<'a>(operation: &TrendOperationView<'a>) -> Vec<&'a str> {
    let mut of_role: Vec<_> = operation.series.iter().map(|(_, series)| (series.role, series.model.as_str())).collect();
    of_role.sort_unstable();
    of_role.dedup();
    of_role.into_iter().map(|(_, model)| model).collect()
}

/// Which colour is which model, and which dashes are measured on what.
pub(super) fn legend(scenario: &TrendScenarioView<'_>, operation: &TrendOperationView<'_>) -> Markup {
    markup! {
        ul.legend {
            @for (place, model) in models(operation).iter().enumerate() {
                li { span.swatch.(format!("s{}", place % 6)) {} strong { (model) } }
            }
            @for (place, line) in scenario.lines.iter().enumerate() {
                li {
                    @if scenario.lines.len() > 1 {
                        svg.sample viewBox="0 0 40 10" aria-hidden="true" {
                            line x1="0" x2="40" y1="5" y2="5" stroke-dasharray=(dashes(place)) {}
                        }
                    }
                    "measured on " (line)
                }
            }
        }
    }
}

/// The chart in words: the ends of every series, then the changes.
fn description(record: &TrendRecord, scenario: &TrendScenarioView<'_>, operation: &TrendOperationView<'_>) -> String {
    let ends = operation.series.iter().filter_map(|(line, series)| {
        let (first, last) = (series.points.first()?, series.points.last()?);
        let what = match series.of {
            Tracked::P95 => "p95",
            Tracked::Speedup => "speed-up",
        };
        let said =
            |point: &TrendPoint| format!("{} on {}", figure(series.of, point.value), day(&record.runs[point.run]));
        Some(format!("{what} of {} on {}: {}, {}", series.model, scenario.lines[*line], said(first), said(last)))
    });
    let changes = operation.changes.iter().map(|change| change.said.clone());
    ends.chain(changes).collect::<Vec<_>>().join("; ")
}

/// A coordinate to a tenth of a pixel.
fn number(value: f64) -> String {
    format!("{value:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text::columns;

    #[test]
    fn a_line_is_broken_where_a_run_has_no_figure() {
        let point = |run| TrendPoint { run, value: 1.0, low: None, high: None };
        // Runs 2 and 5 are of other lines; run 7 is of this one and has no figure.
        let points = [point(0), point(1), point(3), point(8)];
        let parts: Vec<usize> = unbroken(&[0, 1, 3, 7, 8], &points).iter().map(|part| part.len()).collect();
        assert_eq!(parts, [3, 1]);
    }

    #[test]
    fn the_widest_figure_fits_left_of_the_axis() {
        let widest = figure(Tracked::P95, 888_000.0);
        assert!(columns(&widest) as f64 * 12.0 * 0.62 < LEFT - 8.0);
    }
}
