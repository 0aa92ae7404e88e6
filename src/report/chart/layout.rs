//! Where everything in the chart stands, in pixels.

use super::super::axis::Axis;
use super::super::text::{columns, shortened};

/// A line of the chart.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// The operation, on the first of its lines.
    pub(super) operation: Option<String>,
    pub(super) model: String,
    /// Which colour, by the model's place.
    pub(super) series: usize,
    /// In µs.
    pub(super) p95: f64,
    pub(super) interval: Option<(f64, f64)>,
    /// The p95 as people read it.
    pub(super) value: String,
}

pub(super) const WIDTH: u32 = 900;
pub(super) const FONT: f64 = 13.0;
const TOP: u32 = 10;
const BOTTOM: u32 = 50;
const ROW: u32 = 24;
/// Between the lines of two operations.
const GAP: u32 = 14;
const PAD: u32 = 14;
/// Width of a character as a part of the font's size.
const EM: f64 = 0.62;

const MOST_OPERATION: usize = 26;
const MOST_MODEL: usize = 22;

/// The chart before it is drawn.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) lines: Vec<Line>,
    pub(super) axis: Axis,
    /// Middle of each line.
    pub(super) middles: Vec<u32>,
    /// Right end of the models' names.
    pub(super) names_end: u32,
    /// The plot: left, top, right, bottom.
    pub(super) plot: (u32, u32, u32, u32),
    pub(super) height: u32,
}

impl Layout {
    /// Places the lines; `None` without any.
    pub(super) fn of(mut lines: Vec<Line>) -> Option<Self> {
        let values = lines.iter().flat_map(|line| {
            let (low, high) = line.interval.unwrap_or((line.p95, line.p95));
            [line.p95, low, high]
        });
        let axis = Axis::holding(values)?;
        for line in &mut lines {
            line.operation = line.operation.as_deref().map(|name| shortened(name, MOST_OPERATION));
            line.model = shortened(&line.model, MOST_MODEL);
        }
        let longest = |texts: &mut dyn Iterator<Item = &str>| texts.map(pixels).max().unwrap_or(0);
        let operations = longest(&mut lines.iter().filter_map(|line| line.operation.as_deref()));
        let models = longest(&mut lines.iter().map(|line| line.model.as_str()));
        let values = longest(&mut lines.iter().map(|line| line.value.as_str()));
        let names_end = operations + PAD + models;
        let (left, right) = (names_end + PAD, WIDTH - values - PAD);
        let mut middles = Vec::with_capacity(lines.len());
        let mut below = TOP;
        for (place, line) in lines.iter().enumerate() {
            if place > 0 && line.operation.is_some() {
                below += GAP;
            }
            middles.push(below + ROW / 2);
            below += ROW;
        }
        Some(Self { lines, axis, middles, names_end, plot: (left, TOP, right, below), height: below + BOTTOM })
    }

    /// Where a duration in µs stands.
    pub(super) fn x(&self, micros: f64) -> i32 {
        let (left, _, right, _) = self.plot;
        let share = (micros / self.axis.low).ln() / (self.axis.high / self.axis.low).ln();
        (f64::from(left) + share * f64::from(right - left)).round() as i32
    }
}

/// Estimated width of a text; bold ones are a little wider, which the margin's padding bears.
fn pixels(text: &str) -> u32 {
    (columns(text) as f64 * EM * FONT).ceil() as u32
}
