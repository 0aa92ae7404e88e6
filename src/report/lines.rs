//! Lines through measured points: a latency over the offered rate, a ratio over the share of reads.
//!
//! Points have their intervals, lines only help the eye. Names stand at the right end of each line; like those of the p95
//! chart they are measured by an estimate that is the same on every machine.

mod drawing;
mod scale;

pub(super) use self::scale::Scale;
use super::palette;
use super::text::clean;

/// A point with its interval, in the units of the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CurvePoint {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) interval: Option<(f64, f64)>,
    /// Whether it stands behind the others: it does not count, or says the opposite.
    pub(super) hollow: bool,
}

/// A line through points.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    pub(super) name: String,
    /// Which colour, by the model's place.
    pub(super) colour: usize,
    pub(super) points: Vec<CurvePoint>,
    /// Whether it is calculated and not measured: a dashed line without points.
    pub(super) calculated: bool,
}

/// A place on the horizontal axis that is to be seen: a line with a name, and the interval of the place.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) interval: Option<(f64, f64)>,
    pub(super) colour: usize,
    pub(super) name: String,
}

/// A chart of such lines.
#[derive(Debug, Clone)]
pub(super) struct Curves {
    pub(super) title: String,
    /// The chart in words.
    pub(super) description: String,
    pub(super) x: Scale,
    pub(super) y: Scale,
    pub(super) x_name: String,
    pub(super) y_name: String,
    pub(super) curves: Vec<Curve>,
    pub(super) places: Vec<Place>,
    /// Points of lines that are to be seen, marked by a diamond: where they stand, and in which colour.
    pub(super) knees: Vec<(f64, f64, usize)>,
    /// A height that is to be seen, with its name.
    pub(super) level: Option<(f64, String)>,
}

impl Curves {
    /// The chart as an SVG document with its own prefix of ids; `None` where there is nothing to draw.
    pub(super) fn svg(&self, id: &str) -> Option<String> {
        if self.curves.iter().all(|curve| curve.points.is_empty()) {
            return None;
        }
        let drawn = drawing::draw(self)?;
        // The style sheet of charts goes by this class.
        let opening = format!("<svg class=\"p95-chart\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" ");
        let drawn = drawn.replacen("<svg ", &opening, 1);
        let (tag, rest) = drawn.split_once('>')?;
        let (title, desc) = (escaped(&self.title), escaped(&self.description));
        let style = palette::chart_style();
        Some(format!(
            "{tag}>\n<title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-desc\">{desc}</desc>\n<style>{style}</style>{rest}"
        ))
    }
}

fn escaped(text: &str) -> String {
    clean(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
