//! `patternbench trend`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::exit::{Exit, Failure};
use super::output;
use crate::analysis::trend::trend;
use crate::record::{ListedRun, RunDigest, RunRecord, TrendRecord, list_runs, write_atomically};
use crate::report;

/// The page in the results folder.
const PAGE: &str = "trend.html";
/// The folder in the results folder with files for Otava.
const OTAVA: &str = "otava";

/// `patternbench trend`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  patternbench trend                                 newest figures and changes of results/
  patternbench trend --html                          the same, and results/trend.html with a chart per scenario
  patternbench trend --export otava                  results/otava: CSV files and otava.yaml for Apache Otava
  patternbench trend --export github=bench.json      the newest run for github-action-benchmark (customSmallerIsBetter)
  patternbench trend --export bencher | bencher run --adapter json …")]
pub struct TrendArgs {
    /// Folder of results
    #[arg(value_name = "DIR", default_value = "results")]
    pub results: PathBuf,
    /// Write a page with charts: trend.html in the folder of results, or this file
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub html: Option<Option<PathBuf>>,
    /// Write for another tool instead of printing tables: `otava` the whole history, as files in a folder (default: otava in
    /// the folder of results); `github` and `bencher` the newest complete run, to a file or standard output
    #[arg(long, value_name = "otava|github|bencher[=FILE]", value_parser = parse_export, conflicts_with = "json")]
    pub export: Option<Export>,
    /// Print the history as JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

/// A value of `--export`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// For which tool.
    pub tool: Tool,
    /// The file, or Otava's folder.
    pub target: Option<PathBuf>,
}

/// A tool that judges histories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Tool {
    /// Apache Otava.
    Otava,
    /// github-action-benchmark.
    Github,
    /// Bencher.
    Bencher,
}

fn parse_export(text: &str) -> Result<Export, String> {
    let (tool, target) = match text.split_once('=') {
        Some((_, "")) => return Err("a file is missing after =".to_owned()),
        Some((tool, target)) => (tool, Some(PathBuf::from(target))),
        None => (text, None),
    };
    let tool = Tool::from_str(tool, false).map_err(|_| "expected otava, github or bencher".to_owned())?;
    Ok(Export { tool, target })
}

/// Shows the history of a results folder.
///
/// # Errors
/// There are no runs, or something cannot be written. A record that cannot be read is told and left out.
pub(super) fn run(args: &TrendArgs) -> Result<Exit, Failure> {
    let listing = list_runs(&args.results).map_err(Failure::usage)?;
    for error in &listing.unreadable {
        output::tell(&format!("warning: {error}; it is left out"));
    }
    if listing.runs.is_empty() {
        let folder = args.results.display();
        return Err(Failure::usage(format!(
            "there are no runs in {folder}; `patternbench run` puts its results there"
        )));
    }
    if let Some(export) = &args.export
        && export.tool != Tool::Otava
    {
        export_newest(export, &listing.runs)?;
        return written(args, args.html.is_some().then(|| history(&listing.runs)).as_ref());
    }
    let record = history(&listing.runs);
    if let Some(export) = &args.export {
        export_history(export, &args.results, &record)?;
    } else if args.json {
        output::print(&format!("{}\n", json(&record)?))?;
    } else {
        output::print(&report::trend(&record, &output::style()))?;
    }
    written(args, Some(&record))
}

fn history(runs: &[ListedRun]) -> TrendRecord {
    let mut digests = Vec::with_capacity(runs.len());
    for run in runs {
        match RunDigest::read(&run.folder) {
            Ok(digest) => digests.push(digest),
            Err(error) => output::tell(&format!("warning: {error}; it is left out")),
        }
    }
    trend(&digests)
}

fn json(record: &TrendRecord) -> Result<String, Failure> {
    serde_json::to_string_pretty(record)
        .map_err(|error| Failure::new(Exit::Server, format!("failed to print the history: {error}")))
}

/// Writes the page, where it is asked for.
fn written(args: &TrendArgs, record: Option<&TrendRecord>) -> Result<Exit, Failure> {
    if let Some((target, record)) = args.html.as_ref().zip(record) {
        let target = target.clone().unwrap_or_else(|| args.results.join(PAGE));
        write(&target, &report::trend_html(record))?;
    }
    Ok(Exit::Done)
}

/// Says it on standard error: standard output may be another program's input.
fn write(target: &Path, text: &str) -> Result<(), Failure> {
    write_atomically(target, text.as_bytes())?;
    output::tell(&format!("wrote {}", target.display()));
    Ok(())
}

fn export_newest(export: &Export, runs: &[ListedRun]) -> Result<(), Failure> {
    let complete = runs.iter().rev().find(|run| run.header.complete);
    let newest = complete.ok_or_else(|| Failure::usage("no run is complete, so there is nothing to export"))?;
    let record = RunRecord::read(&newest.folder)?;
    let text = match export.tool {
        Tool::Bencher => report::bencher(&record),
        Tool::Github | Tool::Otava => report::github(&record),
    };
    match &export.target {
        Some(target) => write(target, &text),
        None => output::print(&text),
    }
}

fn export_history(export: &Export, results: &Path, record: &TrendRecord) -> Result<(), Failure> {
    let folder = export.target.clone().unwrap_or_else(|| results.join(OTAVA));
    let failed =
        |error: std::io::Error| Failure::new(Exit::Server, format!("failed to make {}: {error}", folder.display()));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let files = report::otava(record);
    for (name, text) in &files {
        write_atomically(&folder.join(name), text.as_bytes())?;
    }
    let config = folder.join(report::OTAVA_CONFIG);
    output::tell(&format!("wrote {} and {} CSV files beside it", config.display(), files.len() - 1));
    Ok(())
}
