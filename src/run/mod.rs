//! Phases, rounds, workers and the recorder: yields a record and typed events, and never prints.
//!
//! [`run`] carries out plans one after another. For each: claim all databases · compare answers on small data · load ·
//! storage bill · evidence · calibrate · rounds in the planned order · compare answers again · analyse · drop or keep the
//! data.
//! With restarts, that is done again from loading to comparing, on fresh data, and on fresh servers where patternbench
//! started them; with a server process for each model, all but the measured one's stand still. Whatever ends it early (an
//! interrupt, a lost server, too many failures, models that disagree), the record holds what was measured until then.
//!
//! A *window* does a range of operation numbers with one model: workers take numbers in order, prepare the operation
//! outside of its time, wait under open load until it is due, and tell the recorder what came of it. When it is due is
//! settled beforehand by a [`Schedule`]; a pacer opens the [`Gate`] at those times, whatever the server does.

mod answers;
mod arrivals;
mod attend;
mod bench;
mod beside;
mod calibrate;
mod company;
mod crew;
mod data;
mod describe;
mod driven;
mod ending;
mod error;
mod event;
mod evidence;
mod gate;
mod interrupt;
mod intervals;
mod judge;
mod light_load;
mod limits;
mod loader;
mod machine;
mod measure;
mod note;
mod numbers;
mod observe;
mod orchestrate;
mod probe;
mod probing;
mod recorder;
mod request;
mod rounds;
mod scenario_run;
mod server_stage;
mod session;
mod simulated;
mod simulated_parity;
mod simulated_stage;
mod site;
mod sizes;
mod slices;
mod stage;
mod support;
mod tally;
mod transactions;
mod watchdog;
mod window;
mod work;
mod writer;

pub use arrivals::Schedule;
pub use error::{FailedOperation, RunError};
pub use event::{Event, Listener};
pub use gate::{Gate, Slot};
pub use interrupt::Interrupt;
pub use machine::this_machine;
pub use orchestrate::{run, server_of};
pub use probe::{Probe, Probed, Prober};
pub use probing::{ProbesFinish, ProbesRequest, offer_rates};
pub use recorder::Recorder;
pub use request::{Extent, RunFinish, RunRequest, Target};
pub use simulated::server_record as simulated_server_record;
pub use sizes::{SizedModel, SizedOutcome, SizesFinish, SizesRequest, run_sizes};
pub use tally::{Failures, OperationTally, Tally, Times};
pub use work::Finished;
pub use writer::Writer;
