//! The chart of lines drawn with plotters.

use std::io;

use plotters::coord::Shift;
use plotters::prelude::{
    Circle, DrawingArea, DrawingAreaErrorKind, FontStyle, IntoDrawingArea, IntoFont, PathElement, Polygon, RGBColor,
    Rectangle, SVGBackend, Text,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, ShapeStyle, TextStyle};

use super::super::palette::{GRID, MUTED, SERIES, TEXT};
use super::super::text::{clean, columns, shortened};
use super::{Curve, CurvePoint, Curves, Place};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

const WIDTH: i32 = 900;
const HEIGHT: i32 = 430;
const TOP: i32 = 34;
const BOTTOM: i32 = 376;
const LEFT: i32 = 78;
const FONT: f64 = 13.0;
/// Width of a character as a part of the font's size.
const EM: f64 = 0.62;
const MOST_NAME: usize = 24;
/// Names that stand below each other need so much.
const LINE: i32 = 17;
/// Length of a dash and of the gap after it.
const DASH: f64 = 6.0;

/// The SVG; `None` if it cannot be drawn, which an SVG in memory gives no reason for.
pub(super) fn draw(chart: &Curves) -> Option<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH as u32, HEIGHT as u32)).into_drawing_area();
        let drawing = Drawing { area: &area, chart, right: WIDTH - margin(chart) };
        drawing.whole().ok()?;
        area.present().ok()?;
    }
    Some(svg)
}

/// Room for the names at the right ends of the lines.
fn margin(chart: &Curves) -> i32 {
    let longest = chart.curves.iter().map(|curve| columns(&name(curve))).max().unwrap_or(0);
    (longest as f64 * EM * FONT).ceil() as i32 + 22
}

fn name(curve: &Curve) -> String {
    shortened(&clean(&curve.name), MOST_NAME)
}

struct Drawing<'d, 'a> {
    area: &'d Area<'a>,
    chart: &'d Curves,
    right: i32,
}

impl Drawing<'_, '_> {
    fn whole(&self) -> Drawn {
        self.grid()?;
        for place in &self.chart.places {
            self.band(place)?;
        }
        self.level()?;
        for curve in &self.chart.curves {
            self.curve(curve)?;
        }
        self.places()?;
        self.knees()?;
        self.names()
    }

    fn x(&self, value: f64) -> i32 {
        LEFT + (self.chart.x.place(value) * f64::from(self.right - LEFT)).round() as i32
    }

    fn y(&self, value: f64) -> i32 {
        BOTTOM - (self.chart.y.place(value) * f64::from(BOTTOM - TOP)).round() as i32
    }

    fn grid(&self) -> Drawn {
        for (tick, said) in self.chart.x.ticks() {
            let x = self.x(tick);
            self.line(&[(x, TOP), (x, BOTTOM)], GRID, 1)?;
            self.write(&said, (x, BOTTOM + 16), MUTED, HPos::Center)?;
        }
        for (tick, said) in self.chart.y.ticks() {
            let y = self.y(tick);
            self.line(&[(LEFT, y), (self.right, y)], GRID, 1)?;
            self.write(&said, (LEFT - 8, y), MUTED, HPos::Right)?;
        }
        self.area.draw(&Rectangle::new([(LEFT, TOP), (self.right, BOTTOM)], GRID.stroke_width(1)))?;
        self.write(&self.chart.x_name, ((LEFT + self.right) / 2, BOTTOM + 38), MUTED, HPos::Center)?;
        self.write(&self.chart.y_name, (4, 12), MUTED, HPos::Left)
    }

    /// The interval of a place.
    fn band(&self, place: &Place) -> Drawn {
        let Some((low, high)) = place.interval else { return Ok(()) };
        let corners = [(self.x(low), TOP), (self.x(high).max(self.x(low) + 1), BOTTOM)];
        self.area.draw(&Rectangle::new(corners, colour(place.colour).mix(0.14).filled()))
    }

    /// A line down at each place, with its name above the plot.
    fn places(&self) -> Drawn {
        for place in &self.chart.places {
            let x = self.x(place.x);
            self.dashed((x, TOP), (x, BOTTOM), colour(place.colour))?;
            let side = if x > (LEFT + self.right) / 2 { HPos::Right } else { HPos::Left };
            self.write(&clean(&place.name), (x, TOP - 10), colour(place.colour), side)?;
        }
        Ok(())
    }

    /// A diamond with a rim that sets it off from the points.
    fn knees(&self) -> Drawn {
        self.chart.knees.iter().try_for_each(|(x, y, series)| {
            let (x, y) = (self.x(*x), self.y(*y));
            let corners = vec![(x - 7, y), (x, y - 7), (x + 7, y), (x, y + 7), (x - 7, y)];
            self.area.draw(&Polygon::new(corners.clone(), colour(*series).filled()))?;
            self.line(&corners, TEXT, 1)
        })
    }

    fn level(&self) -> Drawn {
        let Some((level, said)) = &self.chart.level else { return Ok(()) };
        let y = self.y(*level);
        self.dashed((LEFT, y), (self.right, y), TEXT)?;
        self.write(&clean(said), (LEFT + 6, y - 10), TEXT, HPos::Left)
    }

    fn curve(&self, curve: &Curve) -> Drawn {
        let colour = colour(curve.colour);
        let at: Vec<(i32, i32)> = curve.points.iter().map(|point| (self.x(point.x), self.y(point.y))).collect();
        if curve.calculated {
            return at.windows(2).step_by(2).try_for_each(|ends| self.line(ends, colour, 2));
        }
        self.line(&at, colour, 1)?;
        curve.points.iter().try_for_each(|point| self.point(point, colour))
    }

    /// A dot with its interval; hollow where it stands behind.
    fn point(&self, point: &CurvePoint, colour: RGBColor) -> Drawn {
        let (x, y) = (self.x(point.x), self.y(point.y));
        if let Some((low, high)) = point.interval {
            let (low, high) = (self.y(low), self.y(high));
            self.line(&[(x, low), (x, high)], colour, 2)?;
            for end in [low, high] {
                self.line(&[(x - 4, end), (x + 4, end)], colour, 2)?;
            }
        }
        let style = if point.hollow {
            ShapeStyle { color: colour.to_rgba(), filled: false, stroke_width: 2 }
        } else {
            colour.filled()
        };
        self.area.draw(&Circle::new((x, y), 4, style))
    }

    /// The name of each line beside its last point, no two at the same height.
    fn names(&self) -> Drawn {
        let ends = |curve: &Curve| curve.points.last().map(|last| (self.y(last.y), name(curve), curve.colour));
        let mut names: Vec<_> = self.chart.curves.iter().filter_map(ends).collect();
        names.sort_by_key(|(y, _, _)| *y);
        let mut free = TOP + LINE / 2;
        let below = LINE * i32::try_from(names.len()).unwrap_or(0);
        for (place, (y, name, series)) in names.iter().enumerate() {
            let most = BOTTOM - below + LINE * i32::try_from(place).unwrap_or(0) + LINE / 2;
            let y = (*y).clamp(free, most.max(free));
            free = y + LINE;
            self.write(name, (self.right + 10, y), colour(*series), HPos::Left)?;
        }
        Ok(())
    }

    fn line(&self, points: &[(i32, i32)], colour: RGBColor, width: u32) -> Drawn {
        self.area.draw(&PathElement::new(points.to_vec(), colour.stroke_width(width)))
    }

    fn dashed(&self, from: (i32, i32), to: (i32, i32), colour: RGBColor) -> Drawn {
        let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
        let length = dx.hypot(dy);
        let at = |along: f64| {
            let share = (along / length.max(1.0)).min(1.0);
            (from.0 + (dx * share).round() as i32, from.1 + (dy * share).round() as i32)
        };
        let dashes = (length / (2.0 * DASH)).ceil() as i32;
        (0..dashes).try_for_each(|dash| {
            let start = f64::from(dash) * 2.0 * DASH;
            self.line(&[at(start), at(start + DASH)], colour, 1)
        })
    }

    fn write(&self, text: &str, at: (i32, i32), colour: RGBColor, side: HPos) -> Drawn {
        // The SVG backend divides a font's size by 1.24.
        let font = ("sans-serif", FONT * 1.24).into_font().style(FontStyle::Normal);
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(side, VPos::Center));
        self.area.draw(&Text::new(text, at, style))
    }
}

fn colour(series: usize) -> RGBColor {
    SERIES[series % SERIES.len()]
}
