//! What may be touched: consent to load a server, and the markers by which patternbench knows its own databases.
//!
//! patternbench writes to and drops only databases that bear its marker, and reads the marker again right before it
//! drops one.

mod claim;
mod consent;
mod error;
mod marker;
mod name;
mod owner;
mod survey;

pub use claim::{ClaimedDatabase, Holds, Reuse, claim};
pub use consent::{Consent, is_loopback, judge};
pub use error::GuardError;
pub use marker::{MARKER_COLLECTION, Marker};
pub use name::{DatabaseName, MAX_NAME_BYTES, Purpose, planned, user_roles};
pub use owner::Owner;
pub use survey::{Found, Standing, Survey, orphans, remove};
