//! What can go wrong when a template is rendered or a dataset resolved.

/// Why a value could not be rendered: one sentence that says what failed, where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RenderError {
    /// The whole message.
    pub message: String,
}

impl RenderError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// The same error, said of a larger whole (`field price: …`).
    pub(crate) fn of(self, whole: impl std::fmt::Display) -> Self {
        Self { message: format!("{whole}: {}", self.message) }
    }
}

/// Why a dataset could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WorldError {
    /// The whole message; it names the set.
    pub message: String,
}

impl WorldError {
    pub(crate) fn of_set(set: &str, message: impl std::fmt::Display) -> Self {
        Self { message: format!("dataset `{set}`: {message}") }
    }
}
