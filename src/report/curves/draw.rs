//! Pieces of a chart, as SVG that adapts to light and dark surroundings.

use maud::{Markup, PreEscaped, html as markup};
use plotters::style::RGBColor;

use super::super::palette::{self, GRID, MUTED, SERIES, TEXT};
use super::super::text::clean;
use super::plot::{LEFT, Plot, RIGHT, TOP, WIDTH};

/// A point of a series: value, figure, and its interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dot {
    pub(super) at: f64,
    pub(super) figure: f64,
    pub(super) interval: Option<(f64, f64)>,
}

/// A chart with its title and description, in words.
#[derive(Debug)]
pub(super) struct Words<'a> {
    /// Prefix of its ids.
    pub(super) id: &'a str,
    pub(super) title: String,
    pub(super) description: String,
}

/// The colour of a series, as the palette exchanges it in dark surroundings.
pub(super) fn series_colour(place: usize) -> String {
    hex(SERIES[place % SERIES.len()])
}

fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// The whole chart around what is drawn.
pub(super) fn svg(words: &Words<'_>, height: f64, inner: &Markup) -> Markup {
    let (title, description) = (format!("{}-title", words.id), format!("{}-desc", words.id));
    markup! {
        svg.p95-chart xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby=(format!("{title} {description}"))
            viewBox=(format!("0 0 {WIDTH} {height}")) font-size="13" {
            title id=(title) { (clean(&words.title)) }
            desc id=(description) { (clean(&words.description)) }
            style { (PreEscaped(palette::chart_style())) }
            (inner)
        }
    }
}

/// Ticks, grid and the names of both axes.
pub(super) fn frame(plot: &Plot, values: &[(f64, String)], name: &str, up: (&str, fn(f64) -> String)) -> Markup {
    let (up_name, up_text) = up;
    let bottom = plot.bottom;
    markup! {
        @for tick in &plot.up.ticks {
            (line((LEFT, plot.y(*tick)), (RIGHT, plot.y(*tick)), &hex(GRID), 1.0))
            (text((LEFT - 8.0, plot.y(*tick) + 4.5), &up_text(*tick), "end", &hex(MUTED)))
        }
        @for (value, said) in plot.ticks(values) {
            (line((plot.x(value), TOP), (plot.x(value), bottom), &hex(GRID), 1.0))
            (text((plot.x(value), bottom + 19.0), &said, "middle", &hex(MUTED)))
        }
        (line((LEFT, bottom), (RIGHT, bottom), &hex(MUTED), 1.0))
        (text((LEFT.midpoint(RIGHT), bottom + 40.0), name, "middle", &hex(TEXT)))
        (text((LEFT, TOP - 6.0), up_name, "start", &hex(TEXT)))
    }
}

/// A series: dots with their intervals, joined by a thin line. Hollow dots have no interval.
pub(super) fn series(plot: &Plot, dots: &[Dot], colour: &str) -> Markup {
    markup! {
        (polyline(dots.iter().map(|dot| (plot.x(dot.at), plot.y(dot.figure))), colour, "1.2", None))
        @for dot in dots { (self::dot(plot, dot, colour)) }
    }
}

fn dot(plot: &Plot, dot: &Dot, colour: &str) -> Markup {
    let (x, y) = (plot.x(dot.at), plot.y(dot.figure));
    markup! {
        @match dot.interval {
            Some((low, high)) => {
                @let (below, above) = (plot.y(low), plot.y(high));
                (line((x, below), (x, above), colour, 2.0))
                (line((x - 5.0, below), (x + 5.0, below), colour, 2.0))
                (line((x - 5.0, above), (x + 5.0, above), colour, 2.0))
                circle cx=(pixels(x)) cy=(pixels(y)) r="4" fill=(colour) {}
            }
            None => { circle cx=(pixels(x)) cy=(pixels(y)) r="4" fill="none" stroke=(colour) stroke-width="2" {} }
        }
    }
}

/// A line through places.
pub(super) fn polyline(
    places: impl Iterator<Item = (f64, f64)>,
    colour: &str,
    width: &str,
    dashes: Option<&str>,
) -> Markup {
    let points: Vec<String> = places.map(|(x, y)| format!("{},{}", pixels(x), pixels(y))).collect();
    markup! {
        @if points.len() > 1 {
            polyline points=(points.join(" ")) fill="none" stroke=(colour) stroke-width=(width) stroke-dasharray=[dashes] {}
        }
    }
}

/// A cross where a model failed, with the reason.
pub(super) fn cross(x: f64, y: f64, colour: &str, why: &str) -> Markup {
    markup! {
        g {
            title { (clean(why)) }
            (line((x - 5.0, y - 5.0), (x + 5.0, y + 5.0), colour, 2.5))
            (line((x - 5.0, y + 5.0), (x + 5.0, y - 5.0), colour, 2.5))
        }
    }
}

/// The line at which nobody is faster.
pub(super) fn level(plot: &Plot, figure: f64) -> Markup {
    line((LEFT, plot.y(figure)), (RIGHT, plot.y(figure)), &hex(TEXT), 1.5)
}

/// A place on the axis with the interval that holds it, and what is written beside it.
pub(super) fn mark(plot: &Plot, at: f64, interval: (f64, f64), said: &str) -> Markup {
    let (left, right) = (plot.x(interval.0), plot.x(interval.1));
    let x = plot.x(at);
    // Beside the line on the side with more room.
    let (anchor, beside) = if x > LEFT.midpoint(RIGHT) { ("end", -7.0) } else { ("start", 7.0) };
    markup! {
        rect x=(pixels(left)) y=(pixels(TOP)) width=(pixels((right - left).max(1.0))) height=(pixels(plot.bottom - TOP))
            fill=(hex(GRID)) fill-opacity="0.6" {}
        (polyline([(x, TOP), (x, plot.bottom)].into_iter(), &hex(TEXT), "1.5", Some("5 4")))
        (text((x + beside, plot.bottom - 8.0), said, anchor, &hex(TEXT)))
    }
}

/// A text.
pub(super) fn text((x, y): (f64, f64), said: &str, anchor: &str, colour: &str) -> Markup {
    markup! {
        text x=(pixels(x)) y=(pixels(y)) text-anchor=(anchor) fill=(colour) { (clean(said)) }
    }
}

/// A text that stays behind.
pub(super) fn quiet_text(place: (f64, f64), said: &str, anchor: &str) -> Markup {
    text(place, said, anchor, &hex(MUTED))
}

fn line(from: (f64, f64), to: (f64, f64), colour: &str, width: f64) -> Markup {
    markup! {
        line x1=(pixels(from.0)) y1=(pixels(from.1)) x2=(pixels(to.0)) y2=(pixels(to.1)) stroke=(colour) stroke-width=(width) {}
    }
}

fn pixels(place: f64) -> String {
    format!("{place:.1}")
}
