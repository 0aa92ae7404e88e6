//! Time as load sees it: the machine's clock, or a virtual one in which a second passes as soon as nobody has anything
//! left to do before it ends.

mod pacing;
mod telling;
mod virtual_time;
mod wall;

pub use pacing::Pacing;
pub use telling::Clock;
pub use virtual_time::VirtualClock;
pub use wall::WallClock;
