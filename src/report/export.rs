//! The files that a record is exported to. Each kind is made by one function of the record in a file of its own; what
//! they have in common stands here.

use super::csv::csv;
use super::hgrm::hgrm;
use super::hlog::hlog;
use super::html::html;
use super::junit::junit;
use super::markdown::markdown;
use crate::analysis::Latency;
use crate::record::{RunRecord, ScenarioRecord};

/// What a record can be exported to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    /// The report: one self-contained page.
    Html,
    /// The report for a pull request or a design document, in GitHub's flavour of Markdown: the answer first, details
    /// folded, charts as SVG files in a folder beside it.
    Markdown,
    /// Every figure in a row of its own, as RFC 4180 has it; [`CSV_COLUMNS`](super::CSV_COLUMNS) says what the columns hold.
    /// A text that a spreadsheet would take for a formula has an apostrophe before it.
    Csv,
    /// A percentile distribution for each model and operation, as HdrHistogram's tools plot them: a folder of files
    /// `SCENARIO.WORKLOAD.MODEL.OPERATION.LATENCY.hgrm`, in milliseconds, of the rounds that the record's figures are of.
    Hgrm,
    /// An interval log, version 2, of every measured round's histograms, as HdrHistogram's tools read it: in microseconds,
    /// tagged `SCENARIO/WORKLOAD/MODEL/OPERATION/LATENCY`, with the windows that do not count named in comments.
    Hlog,
    /// Claims, expectations and conditions as a CI system reads test results: a suite for each scenario and workload. What
    /// is contradicted fails, what is not decided is skipped with its reason, what was not measured as planned is an error.
    Junit,
}

impl Export {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Html, Self::Markdown, Self::Csv, Self::Hgrm, Self::Hlog, Self::Junit];

    /// The option that asks for it.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Html => "--html",
            Self::Markdown => "--markdown",
            Self::Csv => "--csv",
            Self::Hgrm => "--hgrm",
            Self::Hlog => "--hlog",
            Self::Junit => "--junit",
        }
    }

    /// Its name beside a `run.json` where no other is asked for.
    pub const fn default_name(self) -> &'static str {
        match self {
            Self::Html => "report.html",
            Self::Markdown => "report.md",
            Self::Csv => "report.csv",
            Self::Hgrm => "hgrm",
            Self::Hlog => "report.hlog",
            Self::Junit => "junit.xml",
        }
    }

    /// Whether it is a folder of files rather than one.
    pub const fn is_folder(self) -> bool {
        matches!(self, Self::Hgrm)
    }

    /// The export of a record, made from the record alone.
    pub fn of(self, record: &RunRecord, wish: &Wish) -> Exported {
        match self {
            Self::Html => Exported::alone(html(record)),
            Self::Markdown => markdown(record, wish.charts.as_deref()),
            Self::Csv => Exported::alone(csv(record)),
            Self::Hgrm => hgrm(record, wish),
            Self::Hlog => Exported::alone(hlog(record, wish)),
            Self::Junit => Exported::alone(junit(record)),
        }
    }
}

/// What is asked of an export, beside its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// The folder of a Markdown report's charts, seen from the report; without it the report has no charts.
    pub charts: Option<String>,
    /// Service times instead of the latency that a scenario is judged by, in distributions and logs.
    pub service: bool,
}

impl Wish {
    /// The latency that is exported of a scenario.
    pub(super) fn latency(&self, scenario: &ScenarioRecord) -> Latency {
        if self.service { Latency::Service } else { Latency::of(scenario) }
    }
}

/// An export as files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exported {
    /// The file itself; absent where the export is a folder.
    pub main: Option<String>,
    /// Files that belong to it.
    pub beside: Vec<ExportedFile>,
}

impl Exported {
    /// A single file.
    pub(super) fn alone(text: String) -> Self {
        Self { main: Some(text), beside: Vec::new() }
    }
}

/// A file that belongs to an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFile {
    /// Its path, with `/` between folders: seen from the folder that the main file is in, or from the export's own.
    pub path: String,
    /// What it holds.
    pub text: String,
}
