//! Files that a record is exported to: what was asked for, where they go, and writing them.

use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::Failure;
use super::output;
use crate::record::{self, RunRecord};
use crate::report::{Export, Wish};

/// What the help of `report` says of its files.
pub(super) const HELP: &str = "\
Examples:
  patternbench report results/RUN                        the tables again
  patternbench report results/RUN --html --markdown      report.html, report.md and its charts beside run.json
  patternbench report results/RUN --markdown=- | gh pr comment --body-file -
  patternbench report results/* --csv --junit            a table and test results beside each run.json
  patternbench report results/RUN --csv=- | sqlite3 runs.db '.import --csv /dev/stdin figures'

Columns of report.csv, one row per scenario, model, operation and metric (an empty cell: there is none):
  started_at, label, profile, product, server_version    the run
  scenario, workload, complete, model, role, operation   of what (operation `all`: the whole mix; empty: the data)
  metric, load, time, unit, value                        the figure (load: measured or light_load; time: response or
                                                         service; unit: us, 1/s, s, bytes or count)
  speedup, low, high, verdict                            against naive: above 1 the model is better; 95 % interval
  reason, engine_limited                                 why there is no figure, interval or verdict; †

HdrHistogram's files: .hgrm counts in milliseconds (whole µs); .hlog holds µs, tagged
SCENARIO/WORKLOAD/MODEL/OPERATION/LATENCY, an interval for each measured round.

junit.xml: a claim or expectation that is contradicted is a failure, one that is not decided is skipped with the reason; so
are models that were not measured. Answers that differ are a failure; what was not measured as planned is an error.";

/// Which files `report` makes. Without a value each stands beside its `run.json`; `-` is standard output.
#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
pub struct ExportArgs {
    /// The report as one self-contained page [report.html]; several runs with a FILE make one page, side by side
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub html: Option<Option<PathBuf>>,
    /// The report for a pull request or a design document [report.md, its charts in report-charts/]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub markdown: Option<Option<PathBuf>>,
    /// Every figure in a row of its own [report.csv]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub csv: Option<Option<PathBuf>>,
    /// Percentile distributions for HdrHistogram's plotters, one for each model and operation [folder hgrm/]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true)]
    pub hgrm: Option<Option<PathBuf>>,
    /// Interval log with every round's histograms, for HdrHistogram's tools [report.hlog]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub hlog: Option<Option<PathBuf>>,
    /// Claims, expectations and conditions as test results for CI systems [junit.xml]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub junit: Option<Option<PathBuf>>,
    /// In --hgrm and --hlog service times instead of the latency that is compared
    #[arg(long)]
    pub service: bool,
}

/// An export that was asked for.
#[derive(Debug)]
pub(super) struct Wanted {
    export: Export,
    target: Target,
}

/// Where it goes.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    Beside,
    Named(PathBuf),
    StandardOutput,
}

impl ExportArgs {
    /// The one page that several runs are to share, if that was asked for.
    ///
    /// # Errors
    /// Usage: other files of several runs beside it.
    pub(super) fn one_page(&self, runs: usize) -> Result<Option<&Path>, Failure> {
        let Some(Some(page)) = self.html.as_ref().filter(|_| runs > 1) else { return Ok(None) };
        self.html_alone("several runs make one page with --html=FILE")?;
        Ok(Some(page))
    }

    /// Refuses every file but the page.
    ///
    /// # Errors
    /// Usage: another was asked for; `why` says where the page alone is made.
    pub(super) fn html_alone(&self, why: &str) -> Result<(), Failure> {
        let others = Export::ALL.into_iter().filter(|export| *export != Export::Html && self.asked(*export).is_some());
        match others.map(Export::option).next() {
            Some(other) => Err(Failure::usage(format!("{why}; ask for {other} by itself"))),
            None => Ok(()),
        }
    }

    /// What was asked for, in the order of the help.
    ///
    /// # Errors
    /// Usage: two exports at once to standard output, a folder there, a name that is no place for a file, or a name for
    /// several runs.
    pub(super) fn wanted(&self, runs: usize) -> Result<Vec<Wanted>, Failure> {
        let asked = Export::ALL.into_iter().filter_map(|export| Some((export, self.asked(export)?)));
        let wanted: Vec<Wanted> = asked.map(|(export, place)| Wanted { export, target: Target::of(place) }).collect();
        wanted.iter().try_for_each(|one| one.check(runs))?;
        let mut shown = wanted.iter().filter(|one| one.target == Target::StandardOutput);
        if let (Some(one), Some(other)) = (shown.next(), shown.next()) {
            let (one, other) = (one.export.option(), other.export.option());
            return Err(Failure::usage(format!("{one}=- and {other}=- cannot both go to standard output")));
        }
        Ok(wanted)
    }

    fn asked(&self, export: Export) -> Option<&Option<PathBuf>> {
        match export {
            Export::Html => self.html.as_ref(),
            Export::Markdown => self.markdown.as_ref(),
            Export::Csv => self.csv.as_ref(),
            Export::Hgrm => self.hgrm.as_ref(),
            Export::Hlog => self.hlog.as_ref(),
            Export::Junit => self.junit.as_ref(),
        }
    }
}

impl Target {
    fn of(place: &Option<PathBuf>) -> Self {
        match place {
            None => Self::Beside,
            Some(path) if path.as_os_str() == "-" => Self::StandardOutput,
            Some(path) => Self::Named(path.clone()),
        }
    }
}

impl Wanted {
    /// What can be refused before a record is read.
    fn check(&self, runs: usize) -> Result<(), Failure> {
        let (option, is_folder) = (self.export.option(), self.export.is_folder());
        let what = if is_folder { "FOLDER" } else { "FILE" };
        let path = match &self.target {
            Target::Beside => return Ok(()),
            _ if runs > 1 => {
                let without = if is_folder { "the files are" } else { "each file is" };
                let message =
                    format!("{option}={what} takes one run; without {what} {without} written beside run.json");
                return Err(Failure::usage(message));
            }
            Target::StandardOutput if is_folder => {
                return Err(Failure::usage(format!("{option} makes several files; name a folder: {option}=FOLDER")));
            }
            Target::StandardOutput => return Ok(()),
            Target::Named(path) => path,
        };
        let unfit = |why: &str| Err(Failure::usage(format!("{option}={}: {why}", path.display())));
        if is_folder && path.exists() && !path.is_dir() {
            return unfit("that is a file; name a folder");
        }
        if !is_folder && path.is_dir() {
            return unfit("that is a folder; name a file in it");
        }
        let around = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        match around.filter(|folder| !folder.is_dir()) {
            Some(folder) => unfit(&format!("there is no folder {}; make it first", folder.display())),
            None => Ok(()),
        }
    }

    pub(super) fn is_shown(&self) -> bool {
        self.target == Target::StandardOutput
    }

    /// Makes the export of a record that was read from `run`, and gives the path of what was written.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub(super) fn make(&self, record: &RunRecord, run: &Path, service: bool) -> Result<Option<PathBuf>, Failure> {
        let target = match &self.target {
            Target::StandardOutput => {
                // Nothing stands beside standard output: a report there has no charts.
                let made = self.export.of(record, &Wish { charts: None, service });
                output::print(&made.main.unwrap_or_default())?;
                return Ok(None);
            }
            Target::Beside => run.with_file_name(self.export.default_name()),
            Target::Named(path) => path.clone(),
        };
        let made = self.export.of(record, &Wish { charts: Some(charts_beside(&target)), service });
        let folder = if made.main.is_some() { target.parent().unwrap_or(Path::new("")) } else { target.as_path() };
        for file in &made.beside {
            write(&folder.join(&file.path), &file.text)?;
        }
        // Last, so that it never links to what is not there yet.
        made.main.iter().try_for_each(|text| write(&target, text))?;
        Ok(Some(target))
    }
}

/// The folder for the charts of a report: `report-charts` beside `report.md`.
fn charts_beside(report: &Path) -> String {
    let stem = report.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    format!("{}-charts", stem.as_deref().unwrap_or("report"))
}

/// Writes a file, and the folder around it where there is none.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|source| record::RecordError::Write { path: folder.to_owned(), source })?;
    }
    Ok(record::write_atomically(path, text.as_bytes())?)
}
