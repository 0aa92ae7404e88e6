//! How loading uses the server.

use std::time::Duration;

/// How loading uses the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadOptions {
    /// Connections that write at the same time; 0 counts as 1. The client's pool needs one more, for reading.
    pub connections: usize,
    /// How long the answer to one batch of inserts may take.
    pub write_wait: Duration,
    /// How long the next answer of a pipeline, of a count or of an index build may take.
    pub pipeline_wait: Duration,
}

impl Default for LoadOptions {
    /// Four connections, a minute for a batch, half an hour for a pipeline's next answer.
    fn default() -> Self {
        Self { connections: 4, write_wait: Duration::from_secs(60), pipeline_wait: Duration::from_secs(30 * 60) }
    }
}

impl LoadOptions {
    /// At least one connection.
    pub(super) fn writers(&self) -> usize {
        self.connections.max(1)
    }
}
