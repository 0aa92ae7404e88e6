//! The chart drawn with plotters.

use std::io;

use plotters::coord::Shift;
use plotters::prelude::{
    Circle, DrawingArea, DrawingAreaErrorKind, FontStyle, IntoDrawingArea, IntoFont, PathElement, RGBColor, Rectangle,
    SVGBackend, Text,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, ShapeStyle, TextStyle};

use super::super::format;
use super::super::palette::{GRID, MUTED, SERIES, TEXT};
use super::layout::{FONT, Layout, Line, WIDTH};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// The SVG; `None` if it cannot be drawn, which an SVG in memory gives no reason for.
pub(super) fn draw(layout: &Layout, axis_name: &str) -> Option<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, layout.height)).into_drawing_area();
        grid(&area, layout).ok()?;
        axis(&area, layout, axis_name).ok()?;
        for (line, middle) in layout.lines.iter().zip(&layout.middles) {
            names(&area, layout, line, signed(*middle)).ok()?;
            dot(&area, layout, line, signed(*middle)).ok()?;
        }
        area.present().ok()?;
    }
    Some(svg)
}

fn signed(pixels: u32) -> i32 {
    i32::try_from(pixels).unwrap_or(i32::MAX)
}

/// A vertical line at each tick, a frame around the plot, a horizontal line between operations.
fn grid(area: &Area<'_>, layout: &Layout) -> Drawn {
    let (left, top, right, bottom) = layout.plot;
    let (left, top, right, bottom) = (signed(left), signed(top), signed(right), signed(bottom));
    for tick in &layout.axis.ticks {
        let x = layout.x(*tick);
        area.draw(&PathElement::new(vec![(x, top), (x, bottom)], GRID.stroke_width(1)))?;
    }
    area.draw(&Rectangle::new([(left, top), (right, bottom)], GRID.stroke_width(1)))?;
    for (place, _) in layout.lines.iter().enumerate().skip(1).filter(|(_, line)| line.operation.is_some()) {
        let between = signed(layout.middles[place - 1].midpoint(layout.middles[place]));
        area.draw(&PathElement::new(vec![(0, between), (right, between)], GRID.stroke_width(1)))?;
    }
    Ok(())
}

fn axis(area: &Area<'_>, layout: &Layout, name: &str) -> Drawn {
    let (left, _, right, bottom) = layout.plot;
    let below = signed(bottom) + 16;
    for tick in &layout.axis.ticks {
        write(area, &format::tick(*tick), (layout.x(*tick), below), MUTED, HPos::Center, FontStyle::Normal)?;
    }
    write(area, name, (signed(left.midpoint(right)), below + 21), MUTED, HPos::Center, FontStyle::Normal)
}

fn names(area: &Area<'_>, layout: &Layout, line: &Line, middle: i32) -> Drawn {
    if let Some(operation) = &line.operation {
        write(area, operation, (0, middle), TEXT, HPos::Left, FontStyle::Bold)?;
    }
    write(area, &line.model, (signed(layout.names_end), middle), TEXT, HPos::Right, FontStyle::Normal)?;
    let (_, _, right, _) = layout.plot;
    write(area, &line.value, (signed(right) + 8, middle), TEXT, HPos::Left, FontStyle::Normal)
}

/// The dot with its interval; hollow where there is none.
fn dot(area: &Area<'_>, layout: &Layout, line: &Line, middle: i32) -> Drawn {
    let colour = SERIES[line.series % SERIES.len()];
    let x = layout.x(line.p95);
    let Some((low, high)) = line.interval else {
        let ring = ShapeStyle { color: colour.to_rgba(), filled: false, stroke_width: 2 };
        return area.draw(&Circle::new((x, middle), 4, ring));
    };
    let (low, high) = (layout.x(low), layout.x(high));
    area.draw(&PathElement::new(vec![(low, middle), (high, middle)], colour.stroke_width(2)))?;
    for end in [low, high] {
        area.draw(&PathElement::new(vec![(end, middle - 7), (end, middle + 7)], colour.stroke_width(2)))?;
    }
    area.draw(&Circle::new((x, middle), 4, colour.filled()))
}

fn write(area: &Area<'_>, text: &str, at: (i32, i32), colour: RGBColor, side: HPos, weight: FontStyle) -> Drawn {
    // The SVG backend divides a font's size by 1.24.
    let font = ("sans-serif", FONT * 1.24).into_font().style(weight);
    let style = TextStyle::from(font).color(&colour).pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(text, at, style))
}
