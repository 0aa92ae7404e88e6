//! Commands that patternbench sends for its own sake: counted, so that they can be told from the load.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mongodb::event::EventHandler;
use mongodb::event::command::CommandEvent;

/// Commands that patternbench sends for its own sake (markers, signs of life, questions), by the counters of
/// `serverStatus` that they raise.
#[derive(Debug, Default)]
pub struct OwnCommands {
    counts: [AtomicU64; COUNTERS.len()],
}

/// The counters of `serverStatus.opcounters`, and the commands that raise them; what is not listed raises `command`.
const COUNTERS: [(&str, &[&str]); 6] = [
    ("insert", &["insert"]),
    ("query", &["find"]),
    ("update", &["update"]),
    ("delete", &["delete"]),
    ("getmore", &["getMore"]),
    ("command", &[]),
];

impl OwnCommands {
    /// Counts one command.
    pub(super) fn add(&self, command: &str) {
        let listed = COUNTERS.iter().position(|(_, commands)| commands.contains(&command));
        self.counts[listed.unwrap_or(COUNTERS.len() - 1)].fetch_add(1, Ordering::Relaxed);
    }

    /// The names of the counters.
    pub fn counters() -> impl Iterator<Item = &'static str> {
        COUNTERS.iter().map(|(counter, _)| *counter)
    }

    /// How many commands were sent so far that raise a counter.
    pub fn sent(&self, counter: &str) -> u64 {
        let named = COUNTERS.iter().zip(&self.counts).filter(|((name, _), _)| *name == counter);
        named.map(|(_, count)| count.load(Ordering::Relaxed)).sum()
    }

    /// How many commands were sent so far.
    pub fn in_all(&self) -> u64 {
        self.counts.iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }
}

/// Counts the commands of a client.
pub(super) fn counting(own: &Arc<OwnCommands>) -> EventHandler<CommandEvent> {
    let own = Arc::clone(own);
    EventHandler::callback(move |event| {
        if let CommandEvent::Started(event) = event {
            own.add(&event.command_name);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_commands_are_counted_by_the_counter_that_they_raise() {
        let own = OwnCommands::default();
        for command in ["find", "update", "update", "serverStatus", "aggregate"] {
            own.add(command);
        }
        let sent: Vec<u64> = OwnCommands::counters().map(|counter| own.sent(counter)).collect();
        assert_eq!(sent, [0, 1, 2, 0, 0, 2]);
        assert_eq!((own.in_all(), own.sent("unheard of")), (5, 0));
    }
}
