//! A chart of rows: names on the left, a dot with its interval or a bar in the plot, the figure on the right.

use super::super::palette::{BAND, GRID, MUTED, TEXT};
use super::super::text::shortened;
use super::canvas::{Canvas, Drawn, Side, WIDTH, colour, draw, pixels};
use super::scale::Scale;

/// A row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// What the rows from here on are of, on the first of them.
    pub(super) heading: Option<String>,
    pub(super) name: String,
    /// Which colour, by the model's place.
    pub(super) series: usize,
    pub(super) mark: Mark,
    /// The figure as people read it.
    pub(super) value: String,
}

/// What stands in the plot.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mark {
    /// A dot with its interval; hollow without.
    Dot { at: f64, interval: Option<(f64, f64)> },
    /// A bar from the axis's beginning.
    Bar { to: f64 },
}

impl Mark {
    /// Every value that the axis must hold.
    pub(super) fn values(self) -> [f64; 3] {
        match self {
            Self::Dot { at, interval } => {
                let (low, high) = interval.unwrap_or((at, at));
                [at, low, high]
            }
            Self::Bar { to } => [to; 3],
        }
    }
}

/// The rows with what stands around them.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    pub(super) axis_name: String,
    /// A part of the axis that is set off, and a line in it.
    pub(super) band: Option<(f64, f64, f64)>,
}

const TOP: i32 = 8;
const BOTTOM: i32 = 46;
const ROW: i32 = 21;
const HEADING: i32 = 22;
/// Between the rows of two headings.
const GAP: i32 = 6;
const PAD: i32 = 10;
/// How far names stand to the right of headings.
const INDENT: i32 = 12;
const MOST_HEADING: usize = 30;
const MOST_NAME: usize = 24;
const BAR: i32 = 7;

/// Where everything stands.
struct Layout {
    /// The plot's sides.
    left: i32,
    right: i32,
    bottom: i32,
    /// Middles of the rows, each with that of the heading above, where there is one.
    middles: Vec<(Option<i32>, i32)>,
    scale: Scale,
}

impl Rows {
    /// The drawing; `scale` makes the axis for so many pixels of room. `None` without rows, or where no axis holds them.
    pub(super) fn drawn(mut self, scale: impl FnOnce(i32) -> Option<Scale>) -> Option<String> {
        if self.rows.is_empty() {
            return None;
        }
        for row in &mut self.rows {
            row.heading = row.heading.as_deref().map(|heading| shortened(heading, MOST_HEADING));
            row.name = shortened(&row.name, MOST_NAME);
        }
        let layout = self.layout(scale)?;
        draw(layout.bottom + BOTTOM, |canvas| {
            self.ground(canvas, &layout)?;
            for (row, (heading, middle)) in self.rows.iter().zip(&layout.middles) {
                if let (Some(heading), Some(at)) = (&row.heading, heading) {
                    canvas.heading(heading, (0, *at), TEXT)?;
                }
                canvas.text(&row.name, (INDENT, *middle), TEXT, Side::Right)?;
                canvas.text(&row.value, (layout.right + PAD, *middle), TEXT, Side::Right)?;
                mark(canvas, &layout, row, *middle)?;
            }
            Ok(())
        })
    }

    fn layout(&self, scale: impl FnOnce(i32) -> Option<Scale>) -> Option<Layout> {
        let widest = |texts: &mut dyn Iterator<Item = &str>| texts.map(pixels).max().unwrap_or(0);
        let headings = widest(&mut self.rows.iter().filter_map(|row| row.heading.as_deref()));
        let names = widest(&mut self.rows.iter().map(|row| row.name.as_str()));
        let values = widest(&mut self.rows.iter().map(|row| row.value.as_str()));
        let (left, right) = (headings.max(INDENT + names) + PAD, WIDTH - values - PAD);
        let mut below = TOP;
        let mut middles = Vec::with_capacity(self.rows.len());
        for (place, row) in self.rows.iter().enumerate() {
            let heading = row.heading.as_ref().map(|_| {
                below += if place > 0 { GAP } else { 0 };
                below += HEADING;
                below - HEADING / 2
            });
            middles.push((heading, below + ROW / 2));
            below += ROW;
        }
        Some(Layout { left, right, bottom: below + GAP, middles, scale: scale(right - left)? })
    }

    /// Band, lines at the ticks, frame, lines between headings, and the axis's texts.
    fn ground(&self, canvas: &Canvas<'_>, layout: &Layout) -> Drawn {
        let Layout { left, right, bottom, .. } = *layout;
        if let Some((low, high, _)) = self.band {
            canvas.area((layout.x(low), TOP), (layout.x(high), bottom), BAND)?;
        }
        for (tick, said) in &layout.scale.ticks {
            let x = layout.x(*tick);
            canvas.line(vec![(x, TOP), (x, bottom)], GRID, 1)?;
            canvas.text(said, (x, bottom + 14), MUTED, Side::Middle)?;
        }
        if let Some((.., line)) = self.band {
            canvas.line(vec![(layout.x(line), TOP), (layout.x(line), bottom)], MUTED, 1)?;
        }
        canvas.frame((left, TOP), (right, bottom), GRID)?;
        for heading in layout.middles.iter().skip(1).filter_map(|(heading, _)| *heading) {
            let y = heading - HEADING / 2 - GAP / 2;
            canvas.line(vec![(0, y), (right, y)], GRID, 1)?;
        }
        canvas.text(&self.axis_name, ((left + right) / 2, bottom + 34), MUTED, Side::Middle)
    }
}

impl Layout {
    fn x(&self, value: f64) -> i32 {
        self.left + (self.scale.along(value) * f64::from(self.right - self.left)).round() as i32
    }
}

fn mark(canvas: &Canvas<'_>, layout: &Layout, row: &Row, middle: i32) -> Drawn {
    let colour = colour(row.series);
    match row.mark {
        Mark::Bar { to } => canvas.area((layout.left, middle - BAR), (layout.x(to), middle + BAR), colour),
        Mark::Dot { at, interval: None } => canvas.ring((layout.x(at), middle), 4, colour),
        Mark::Dot { at, interval: Some((low, high)) } => {
            let (low, high) = (layout.x(low), layout.x(high));
            canvas.line(vec![(low, middle), (high, middle)], colour, 2)?;
            for end in [low, high] {
                canvas.line(vec![(end, middle - 6), (end, middle + 6)], colour, 2)?;
            }
            canvas.dot((layout.x(at), middle), 4, colour)
        }
    }
}
