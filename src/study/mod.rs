//! Studies of many loads: what a single run cannot say.
//!
//! [`verify_growth`] loads scenarios at two sizes and looks which operations cost more over the larger data than their
//! author says.

mod growth;

pub use growth::{GrowthRequest, verify_growth};
