//! How text is shown on a terminal.

/// What the terminal can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether ANSI colours are wanted.
    pub colour: bool,
    /// Columns of the terminal; tables leave out columns rather than pass it.
    pub width: usize,
    /// Whether characters beyond ASCII can be shown.
    pub unicode: bool,
}

impl Default for Style {
    /// No colours, 120 columns, Unicode: what suits a file or a pipe.
    fn default() -> Self {
        Self { colour: false, width: 120, unicode: true }
    }
}
