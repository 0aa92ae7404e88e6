//! Whether the server that answers is still the one that answered before.

use bson::oid::ObjectId;
use bson::{Bson, Document};

/// What tells one life of a server from the next, as far as it says.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ServerLife {
    /// `hello.topologyVersion.processId`: drawn anew when a server starts.
    process: Option<ObjectId>,
    /// `serverStatus.pid`.
    pid: Option<i64>,
    /// `serverStatus.uptimeMillis`.
    uptime: Option<i64>,
}

impl ServerLife {
    /// What the server says in `hello` and, where it may be asked, in `serverStatus`.
    pub(super) fn told(hello: Option<&Document>, status: Option<&Document>) -> Self {
        let version = hello.and_then(|hello| hello.get_document("topologyVersion").ok());
        let number = |key| status.and_then(|status| whole(status.get(key)?));
        Self {
            process: version.and_then(|version| version.get_object_id("processId").ok()),
            pid: number("pid"),
            uptime: number("uptimeMillis"),
        }
    }

    /// Whether this is another life than the one before: what either does not tell proves nothing.
    pub(super) fn is_another_than(&self, before: &Self) -> bool {
        let differs =
            |before: Option<i64>, now: Option<i64>| before.zip(now).is_some_and(|(before, now)| before != now);
        before.process.zip(self.process).is_some_and(|(before, now)| before != now)
            || differs(before.pid, self.pid)
            || before.uptime.zip(self.uptime).is_some_and(|(before, now)| now < before)
    }
}

/// A whole number of any type.
pub(super) fn whole(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        Bson::Double(number) if number.fract() == 0.0 && number.abs() < 9e15 => Some(*number as i64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bson::doc;

    fn life(process: [u8; 12], pid: i64, uptime: i64) -> ServerLife {
        let hello = doc! {"topologyVersion": {"processId": ObjectId::from_bytes(process), "counter": 0_i64}};
        ServerLife::told(Some(&hello), Some(&doc! {"pid": pid, "uptimeMillis": uptime}))
    }

    #[test]
    fn a_server_that_lives_on_is_the_same() {
        assert!(!life([1; 12], 7, 9_000).is_another_than(&life([1; 12], 7, 5_000)));
        assert!(!ServerLife::told(None, None).is_another_than(&life([1; 12], 7, 5_000)), "silence proves nothing");
    }

    #[test]
    fn a_new_process_or_a_clock_that_began_anew_is_another() {
        let before = life([1; 12], 7, 5_000);
        assert!(life([2; 12], 7, 9_000).is_another_than(&before));
        assert!(life([1; 12], 8, 9_000).is_another_than(&before));
        // In a container every server is process 1.
        assert!(life([1; 12], 7, 100).is_another_than(&before));
    }
}
