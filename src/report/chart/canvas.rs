//! What charts are drawn with: lines, dots, bars and texts at whole pixels, over plotters.

use std::io;

use plotters::coord::Shift;
use plotters::prelude::{
    Circle, DrawingArea, DrawingAreaErrorKind, FontStyle, IntoDrawingArea, IntoFont, PathElement, RGBColor, Rectangle,
    SVGBackend, Text,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, ShapeStyle, TextStyle};

use super::super::palette::SERIES;
use super::super::text::columns;

/// Width of every chart in pixels.
pub(super) const WIDTH: i32 = 640;
/// Size of every text.
pub(super) const FONT: f64 = 13.0;
/// Width of a character as a part of the font's size.
const EM: f64 = 0.62;

/// A place in pixels, from the upper left corner.
pub(super) type Point = (i32, i32);
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// Where a text stands beside its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// It begins there.
    Right,
    /// It ends there.
    Left,
    /// Its middle is there.
    Middle,
}

/// What is drawn on.
pub(super) struct Canvas<'a>(DrawingArea<SVGBackend<'a>, Shift>);

/// An SVG of this height; `None` if it cannot be drawn, which an SVG in memory gives no reason for.
pub(super) fn draw(height: i32, paint: impl FnOnce(&Canvas<'_>) -> Drawn) -> Option<String> {
    let size = (WIDTH.unsigned_abs(), height.unsigned_abs());
    let mut svg = String::new();
    {
        let canvas = Canvas(SVGBackend::with_string(&mut svg, size).into_drawing_area());
        paint(&canvas).ok()?;
        canvas.0.present().ok()?;
    }
    Some(svg)
}

impl Canvas<'_> {
    /// A line through these places.
    pub(super) fn line(&self, points: Vec<Point>, colour: RGBColor, width: u32) -> Drawn {
        self.0.draw(&PathElement::new(points, colour.stroke_width(width)))
    }

    /// A full dot.
    pub(super) fn dot(&self, at: Point, radius: i32, colour: RGBColor) -> Drawn {
        self.0.draw(&Circle::new(at, radius, colour.filled()))
    }

    /// A hollow dot.
    pub(super) fn ring(&self, at: Point, radius: i32, colour: RGBColor) -> Drawn {
        let ring = ShapeStyle { color: colour.to_rgba(), filled: false, stroke_width: 2 };
        self.0.draw(&Circle::new(at, radius, ring))
    }

    /// A filled rectangle.
    pub(super) fn area(&self, from: Point, to: Point, colour: RGBColor) -> Drawn {
        self.0.draw(&Rectangle::new([from, to], colour.filled()))
    }

    /// The outline of a rectangle.
    pub(super) fn frame(&self, from: Point, to: Point, colour: RGBColor) -> Drawn {
        self.0.draw(&Rectangle::new([from, to], colour.stroke_width(1)))
    }

    /// A text, its middle as high as the place.
    pub(super) fn text(&self, text: &str, at: Point, colour: RGBColor, side: Side) -> Drawn {
        self.write(text, at, colour, side, FontStyle::Normal)
    }

    /// A text in bold.
    pub(super) fn heading(&self, text: &str, at: Point, colour: RGBColor) -> Drawn {
        self.write(text, at, colour, Side::Right, FontStyle::Bold)
    }

    fn write(&self, text: &str, at: Point, colour: RGBColor, side: Side, weight: FontStyle) -> Drawn {
        let side = match side {
            Side::Right => HPos::Left,
            Side::Left => HPos::Right,
            Side::Middle => HPos::Center,
        };
        // The SVG backend divides a font's size by 1.24.
        let font = ("sans-serif", FONT * 1.24).into_font().style(weight);
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(side, VPos::Center));
        self.0.draw(&Text::new(text, at, style))
    }
}

/// The colour of a model by its place.
pub(super) fn colour(series: usize) -> RGBColor {
    SERIES[series % SERIES.len()]
}

/// Estimated width of a text; bold ones are a little wider, which the margin's padding bears.
pub(super) fn pixels(text: &str) -> i32 {
    (columns(text) as f64 * EM * FONT).ceil() as i32
}
