//! A chart of curves: a frame with two axes, a curve for each model with its name at the end.

use super::super::palette::{BAND, GRID, MUTED, SERIES, TEXT, hex};
use super::super::text::shortened;
use super::canvas::{Canvas, Drawn, Point, Side, WIDTH, colour, draw, pixels};
use super::scale::Scale;

/// Room of a horizontal axis for its ticks, whatever the names beside the plot.
pub(super) const ROOM_ACROSS: i32 = 400;
/// Room of a vertical axis.
pub(super) const ROOM_UP: i32 = BOTTOM - TOP;

/// A model's curve, in pieces where it is interrupted.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    pub(super) name: String,
    /// Which colour, by the model's place.
    pub(super) series: usize,
    pub(super) pieces: Vec<Vec<(f64, f64)>>,
}

/// Something that happened at a place of the horizontal axis.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) at: f64,
    pub(super) kind: Kind,
}

/// How an event is marked.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// A tick at the foot in the colour of the model of this place.
    Tick(usize),
    /// A line through the plot with a name.
    Line(String),
}

/// The curves with what stands around them.
#[derive(Debug, Clone)]
pub(super) struct Plot {
    pub(super) x: Scale,
    pub(super) x_name: String,
    pub(super) y: Scale,
    pub(super) y_name: String,
    pub(super) curves: Vec<Curve>,
    /// Parts of the horizontal axis that are set off.
    pub(super) bands: Vec<(f64, f64)>,
    pub(super) events: Vec<Event>,
    /// A height that is marked, with its name.
    pub(super) level: Option<(f64, String)>,
}

const TOP: i32 = 26;
const BOTTOM: i32 = 266;
const HEIGHT: i32 = BOTTOM + 44;
const PAD: i32 = 8;
/// Length of the sample of a curve before its name.
const SAMPLE: i32 = 20;
/// Between the names of two curves.
const LINE: i32 = 15;
const MOST_NAME: usize = 18;
/// Events that are named.
const MOST_EVENTS: usize = 4;

/// The plot's sides.
struct Sides {
    left: i32,
    right: i32,
    top: i32,
}

impl Plot {
    /// The drawing; `None` without a curve that has points.
    pub(super) fn drawn(mut self) -> Option<String> {
        self.curves.retain(|curve| curve.pieces.iter().any(|piece| !piece.is_empty()));
        if self.curves.is_empty() {
            return None;
        }
        for curve in &mut self.curves {
            curve.name = shortened(&curve.name, MOST_NAME);
        }
        let ticks = self.y.ticks.iter().map(|(_, said)| pixels(said)).max().unwrap_or(0);
        let level = self.level.iter().map(|(_, name)| pixels(name)).max().unwrap_or(0);
        let names = self.curves.iter().map(|curve| pixels(&curve.name)).max().unwrap_or(0).max(level);
        // Names of events stand above the plot, where no curve passes.
        let named = self.events.iter().filter(|event| matches!(event.kind, Kind::Line(_))).count();
        let top = TOP + LINE * i32::try_from(named.min(MOST_EVENTS)).unwrap_or(0);
        let sides = Sides { left: ticks + PAD, right: WIDTH - names - SAMPLE - 2 * PAD, top };
        let drawn = draw(HEIGHT, |canvas| {
            self.ground(canvas, &sides)?;
            for curve in &self.curves {
                self.curve(canvas, &sides, curve)?;
            }
            self.names(canvas, &sides)
        });
        drawn.map(|drawn| dashed(&drawn))
    }

    fn place(&self, sides: &Sides, (x, y): (f64, f64)) -> Point {
        (self.across(sides, x), up(sides, self.y.along(y)))
    }

    fn across(&self, sides: &Sides, x: f64) -> i32 {
        sides.left + (self.x.along(x) * f64::from(sides.right - sides.left)).round() as i32
    }

    /// Bands, lines at the ticks, frame, events, and the axes' texts.
    fn ground(&self, canvas: &Canvas<'_>, sides: &Sides) -> Drawn {
        let Sides { left, right, top } = *sides;
        for (from, to) in &self.bands {
            canvas.area((self.across(sides, *from), top), (self.across(sides, *to), BOTTOM), BAND)?;
        }
        let rounds = !self.bands.is_empty();
        for (tick, said) in &self.x.ticks {
            let x = self.across(sides, *tick);
            if !rounds {
                canvas.line(vec![(x, top), (x, BOTTOM)], GRID, 1)?;
            }
            canvas.text(said, (x, BOTTOM + 14), MUTED, Side::Middle)?;
        }
        for (tick, said) in &self.y.ticks {
            let y = up(sides, self.y.along(*tick));
            canvas.line(vec![(left, y), (right, y)], GRID, 1)?;
            canvas.text(said, (left - PAD, y), MUTED, Side::Left)?;
        }
        if let Some((level, _)) = &self.level {
            let y = up(sides, self.y.along(*level));
            canvas.line(vec![(left, y), (right, y)], MUTED, 1)?;
        }
        canvas.frame((left, top), (right, BOTTOM), GRID)?;
        self.events(canvas, sides)?;
        canvas.text(&self.y_name, (0, 10), MUTED, Side::Right)?;
        canvas.text(&self.x_name, ((left + right) / 2, BOTTOM + 34), MUTED, Side::Middle)
    }

    fn events(&self, canvas: &Canvas<'_>, sides: &Sides) -> Drawn {
        let mut rows = (0..MOST_EVENTS as i32).map(|row| TOP - 2 + LINE * row);
        for event in &self.events {
            let x = self.across(sides, event.at);
            match &event.kind {
                Kind::Tick(series) => canvas.line(vec![(x, BOTTOM - 10), (x, BOTTOM)], colour(*series), 2)?,
                Kind::Line(name) => {
                    let Some(y) = rows.next() else { continue };
                    canvas.line(vec![(x, y), (x, BOTTOM)], MUTED, 1)?;
                    let (at, side) = if event.at > 0.5 { (x - 4, Side::Left) } else { (x + 4, Side::Right) };
                    canvas.text(&shortened(name, MOST_NAME), (at, y), TEXT, side)?;
                }
            }
        }
        Ok(())
    }

    fn curve(&self, canvas: &Canvas<'_>, sides: &Sides, curve: &Curve) -> Drawn {
        for piece in &curve.pieces {
            let points = sparse(piece.iter().map(|point| self.place(sides, *point)));
            match points.as_slice() {
                [] => {}
                [point] => canvas.dot(*point, 2, colour(curve.series))?,
                _ => canvas.line(points, colour(curve.series), 2)?,
            }
        }
        Ok(())
    }

    /// The name of each curve where it ends, and of the level, moved apart where they would meet.
    fn names(&self, canvas: &Canvas<'_>, sides: &Sides) -> Drawn {
        let (from, to) = (sides.right + PAD, sides.right + PAD + SAMPLE);
        let last = |curve: &Curve| curve.pieces.iter().rev().find_map(|piece| piece.last().copied());
        let mut names: Vec<(i32, &str, _)> = Vec::new();
        for curve in &self.curves {
            let end = last(curve).map_or(BOTTOM, |(_, y)| up(sides, self.y.along(y)));
            names.push((end, curve.name.as_str(), Some(curve.series)));
        }
        names.extend(self.level.iter().map(|(level, name)| (up(sides, self.y.along(*level)), name.as_str(), None)));
        names.sort_by_key(|(end, ..)| *end);
        let ends = apart(names.iter().map(|(end, ..)| *end).collect());
        for (end, (_, name, series)) in ends.into_iter().zip(names) {
            let (colour, width) = series.map_or((MUTED, 1), |series| (colour(series), 2));
            canvas.line(vec![(from, end), (to, end)], colour, width)?;
            canvas.text(name, (to + PAD, end), TEXT, Side::Right)?;
        }
        Ok(())
    }
}

/// The height of a place along the vertical axis.
fn up(sides: &Sides, along: f64) -> i32 {
    BOTTOM - (along * f64::from(BOTTOM - sides.top)).round() as i32
}

/// The drawing with every model's lines in a pattern of its own: colour is never the only difference.
fn dashed(drawn: &str) -> String {
    let patterns = ["", "7 2", "2 2", "10 2 2 2", "12 4", "4 4"];
    let mut dashed = drawn.to_owned();
    for (colour, pattern) in SERIES.iter().zip(patterns).filter(|(_, pattern)| !pattern.is_empty()) {
        let line = format!("stroke=\"{}\" stroke-width=\"2\"", hex(*colour));
        dashed = dashed.replace(&line, &format!("{line} stroke-dasharray=\"{pattern}\""));
    }
    dashed
}

/// Heights in ascending order moved so far apart that lines of text have room, all within the plot where that can be.
fn apart(mut heights: Vec<i32>) -> Vec<i32> {
    for place in 1..heights.len() {
        heights[place] = heights[place].max(heights[place - 1] + LINE);
    }
    let mut limit = BOTTOM;
    for height in heights.iter_mut().rev() {
        *height = (*height).min(limit);
        limit = *height - LINE;
    }
    heights
}

/// The places without those that show nothing: of neighbours in one column of pixels the first, the highest, the lowest
/// and the last stay, of neighbours on a straight line the ends.
fn sparse(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut columns: Vec<Vec<Point>> = Vec::new();
    for point in points {
        match columns.last_mut() {
            Some(column) if column[0].0 == point.0 => column.push(point),
            _ => columns.push(vec![point]),
        }
    }
    let mut kept: Vec<Point> = Vec::new();
    for point in columns.iter().flat_map(|column| telling(column)) {
        while let [.., before, last] = kept.as_slice() {
            if *last != point && !is_between(*before, *last, point) {
                break;
            }
            kept.pop();
        }
        kept.push(point);
    }
    kept.dedup();
    kept
}

/// At most four places of a column, in their order.
fn telling(column: &[Point]) -> Vec<Point> {
    let place = |chosen: Option<(usize, &Point)>| chosen.map_or(0, |(place, _)| place);
    let highest = place(column.iter().enumerate().min_by_key(|(_, point)| point.1));
    let lowest = place(column.iter().enumerate().max_by_key(|(_, point)| point.1));
    let mut places = vec![0, highest, lowest, column.len() - 1];
    places.sort_unstable();
    places.dedup();
    places.into_iter().map(|place| column[place]).collect()
}

/// Whether a place lies on the straight way between two others.
fn is_between(from: Point, middle: Point, to: Point) -> bool {
    let cross = |(ax, ay): Point, (bx, by): Point| i64::from(ax) * i64::from(by) - i64::from(ay) * i64::from(bx);
    let (first, second) = ((middle.0 - from.0, middle.1 - from.1), (to.0 - middle.0, to.1 - middle.1));
    let forwards = first.0 * second.0 >= 0 && first.1 * second.1 >= 0;
    forwards && cross(first, second) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_never_overlap_and_stay_in_the_plot() {
        for heights in [vec![100, 100, 100], vec![BOTTOM, BOTTOM, BOTTOM], vec![TOP, TOP + 3, TOP + 4, BOTTOM]] {
            let moved = apart(heights.clone());
            assert!(moved.windows(2).all(|pair| pair[1] - pair[0] >= LINE), "{heights:?} {moved:?}");
            assert!(moved.iter().all(|height| (TOP..=BOTTOM).contains(height)), "{heights:?} {moved:?}");
        }
        assert_eq!(apart(vec![40, 200]), [40, 200], "what does not meet stays");
    }

    #[test]
    fn points_that_show_nothing_are_left_out() {
        let straight = (0..100).map(|x| (x, 2 * x));
        assert_eq!(sparse(straight), [(0, 0), (99, 198)]);
        assert_eq!(sparse([(0, 0), (5, 5), (5, 5), (10, 0)].into_iter()), [(0, 0), (5, 5), (10, 0)]);
        // A stall within one column of pixels is still to be seen.
        assert_eq!(
            sparse([(0, 9), (1, 9), (1, 2), (1, 9), (2, 9)].into_iter()),
            [(0, 9), (1, 9), (1, 2), (1, 9), (2, 9)]
        );
    }
}
