//! Phases, rounds, workers and the recorder: yields a record and typed events, and never prints.
//!
//! [`run`] carries out plans one after another. For each: claim all databases · compare answers on small data · load ·
//! storage bill · calibrate · rounds in the planned order · compare answers again · analyse · drop or keep the data.
//! Whatever ends it early (an interrupt, a lost server, too many failures, models that disagree), the record holds what
//! was measured until then.
//!
//! A *window* does a range of operation numbers with one model: workers take numbers from a source, prepare the operation
//! outside of its time, and record into shards of their own, which are merged when the window has ended.

mod answers;
mod attend;
mod bench;
mod calibrate;
mod data;
mod describe;
mod driven;
mod error;
mod event;
mod interrupt;
mod judge;
mod limits;
mod machine;
mod note;
mod orchestrate;
mod recorder;
mod request;
mod rounds;
mod scenario_run;
mod source;
mod watchdog;
mod window;
mod work;

pub use error::{FailedOperation, RunError};
pub use event::{Event, Listener};
pub use interrupt::Interrupt;
pub use orchestrate::run;
pub use request::{Extent, RunFinish, RunRequest};
