//! Every figure of a record in a row of its own, for spreadsheets, data frames and databases.
//!
//! The table is tidy: a row is one metric of one operation of one model, and [`CSV_COLUMNS`] says what each column
//! holds. It is written as RFC 4180 has it (UTF-8, CRLF, quotes where needed). A text that a spreadsheet would take for a
//! formula gets an apostrophe before it.

mod columns;
mod quoting;
mod rows;
mod table;

pub use columns::CSV_COLUMNS;
pub(super) use table::csv;
