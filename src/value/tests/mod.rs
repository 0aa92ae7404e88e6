//! Tests of the room as a whole, by what its users rely on.

mod bounds;
mod catalogue;
mod datasets;
mod dates;
mod distributions;
mod draws;
mod functions;
mod joins;
mod literals;
mod mistakes;
mod parameters;
mod references;
mod rendering;
