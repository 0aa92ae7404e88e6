//! The user's wish that a run should end.

use tokio::sync::watch;

/// A wish to end, shared by whoever hears the user (Ctrl-C) and the run. Once expressed it stays.
#[derive(Debug, Clone)]
pub struct Interrupt(watch::Sender<bool>);

impl Default for Interrupt {
    fn default() -> Self {
        Self::new()
    }
}

impl Interrupt {
    /// Nobody wishes the run to end yet.
    pub fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Asks the run to end: the window under way ends at once, data are dropped, what was measured is kept.
    pub fn trigger(&self) {
        self.0.send_replace(true);
    }

    /// Whether the run was asked to end.
    pub fn is_triggered(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the run is asked to end.
    pub async fn wait(&self) {
        let mut wish = self.0.subscribe();
        // It fails only when the sender is gone, and `self` holds it.
        let _ = wish.wait_for(|triggered| *triggered).await;
    }
}
