//! What happens beside a window's operations: processor time, memory, waits for connections, the server's own counters, and
//! what of it disturbs.
//!
//! Everything is read right before and right after a window, never in it.

mod counters;
mod neighbour;
mod observer;
mod procfs;
mod reading;
mod server_life;

pub(super) use observer::Observer;
