//! Charts of a scenario as SVG in one visual language.
//!
//! On logarithmic axes stand dots and curves, never bars: a bar on such an axis has no beginning. Bars are linear and begin
//! at zero. Names stand in a margin whose width is estimated from the characters (0.62 em each), so that a chart comes out
//! the same on every machine, with whatever fonts. Colours are the models', and every mark is named besides.

mod canvas;
mod drawn;
mod dress;
mod plot;
mod rows;
mod scale;
mod set;

pub use dress::Chart;
pub(super) use set::{Charts, OfOperation};
pub use set::{chart, charts};
