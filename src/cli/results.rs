//! `patternbench results`.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};
use serde_json::json;

use super::exit::{Exit, Failure};
use super::output;
use crate::record::{KeepRule, Kept, ListedRun, Listing, Pruned, RunHeader, Stamp, list_runs, remove_run, sweep};

/// A run that has no end may be running; after this time it is not.
const LONGEST_RUN: Duration = Duration::from_secs(48 * 3600);

/// `patternbench results`.
#[derive(Debug, Args)]
pub struct ResultsArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ResultsCommand,
}

/// What can be done with a results folder.
#[derive(Debug, Subcommand)]
pub enum ResultsCommand {
    /// The runs of a results folder, the newest first
    List(ResultsListArgs),
    /// Thin a results folder by a rule; prints what goes
    #[command(after_help = "\
The rule, in parts with commas between them; a run that any part keeps is kept:
  newest=N (or just N)   the newest N runs
  daily=N                the newest run of each of the last N days that have runs (UTC)
  weekly=N, monthly=N    the same of weeks, from Monday on, and of months

Never removed: runs with a label, unless --label asks for them; folders that were renamed, or hold files which
patternbench does not write; runs that may still be going on; records of another version.

Examples:
  patternbench results prune --keep 30 --dry-run
  patternbench results prune --keep daily=14,weekly=8,monthly=12
  patternbench results prune --keep daily=14,weekly=8,monthly=12 --label nightly-")]
    Prune(PruneArgs),
}

/// `patternbench results list`.
#[derive(Debug, Args)]
pub struct ResultsListArgs {
    /// Folder of results
    #[arg(value_name = "DIR", default_value = "results")]
    pub results: PathBuf,
    /// Only runs whose label begins so
    #[arg(long, value_name = "PREFIX")]
    pub label: Option<String>,
    /// Only complete runs made before this one in the same way: product and version of the server, its host, profile
    #[arg(long, value_name = "RUN")]
    pub before: Option<PathBuf>,
    /// At most so many
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// The folders alone, one on a line
    #[arg(long, conflicts_with = "json")]
    pub paths: bool,
    /// As JSON: what the records say before their measurements
    #[arg(long)]
    pub json: bool,
}

/// `patternbench results prune`.
#[derive(Debug, Args)]
pub struct PruneArgs {
    /// Folder of results
    #[arg(value_name = "DIR", default_value = "results")]
    pub results: PathBuf,
    /// Which runs are kept, such as 30 or daily=14,weekly=8,monthly=12
    #[arg(long, value_name = "RULE")]
    pub keep: KeepRule,
    /// Thin the runs whose label begins so, instead of those without a label
    #[arg(long, value_name = "PREFIX")]
    pub label: Option<String>,
    /// Print what would go, and remove nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Lists or thins a results folder.
///
/// # Errors
/// The folder cannot be read, or a run cannot be removed.
pub(super) fn run(args: &ResultsArgs) -> Result<Exit, Failure> {
    match &args.command {
        ResultsCommand::List(args) => list(args),
        ResultsCommand::Prune(args) => prune(args),
    }
}

fn listed(results: &Path) -> Result<Listing, Failure> {
    let listing = list_runs(results).map_err(Failure::usage)?;
    for error in &listing.unreadable {
        output::tell(&format!("warning: {error}; it is left alone"));
    }
    Ok(listing)
}

fn list(args: &ResultsListArgs) -> Result<Exit, Failure> {
    let mut runs = listed(&args.results)?.runs;
    if let Some(prefix) = &args.label {
        runs.retain(|run| has_label(run, prefix));
    }
    if let Some(path) = &args.before {
        let than = RunHeader::read(path).map_err(Failure::usage)?;
        runs.retain(|run| run.header.complete && run.header.started_at < than.started_at && run.header.is_like(&than));
    }
    runs.reverse();
    runs.truncate(args.limit.unwrap_or(usize::MAX));
    output::print(&if args.json {
        let entries = runs.iter().map(|run| json!({"folder": run.folder, "header": run.header}));
        format!("{:#}\n", entries.collect::<serde_json::Value>())
    } else if args.paths {
        runs.iter().map(|run| format!("{}\n", run.folder.display())).collect()
    } else {
        table(&runs)
    })?;
    Ok(Exit::Done)
}

fn has_label(run: &ListedRun, prefix: &str) -> bool {
    run.header.label.as_deref().is_some_and(|label| label.starts_with(prefix))
}

fn table(runs: &[ListedRun]) -> String {
    let rows: Vec<[String; 4]> = runs
        .iter()
        .map(|run| {
            let header = &run.header;
            let label = header.label.as_ref().map(|label| format!("label {label}")).unwrap_or_default();
            let server = format!("{} {}", header.server.product, header.server.version);
            let incomplete = if header.complete { "" } else { ", incomplete" };
            [run.name(), format!("{}{incomplete}", header.profile), server, label].map(|text| harmless(&text))
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..4).map(width).collect();
    let line = |row: &[String; 4]| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// Labels and folders are the user's, or somebody else's.
fn harmless(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { '\u{FFFD}' } else { character }).collect()
}

fn prune(args: &PruneArgs) -> Result<Exit, Failure> {
    let listing = listed(&args.results)?;
    let oldest_running = SystemTime::now().checked_sub(LONGEST_RUN).unwrap_or(SystemTime::UNIX_EPOCH);
    let oldest_running = Stamp::from(oldest_running);
    if !args.dry_run {
        sweep(&args.results, oldest_running)?;
    }
    let asked = |run: &&ListedRun| match &args.label {
        Some(prefix) => has_label(run, prefix),
        None => run.header.label.is_none(),
    };
    let (running, ended): (Vec<&ListedRun>, Vec<&ListedRun>) = listing
        .runs
        .iter()
        .filter(asked)
        .partition(|run| run.header.finished_at.is_none() && run.header.started_at > oldest_running.rfc3339());
    for run in &running {
        say("left", run, Some("it has no end yet, so it may be going on"))?;
    }
    let chosen = args.keep.choose(&ended);
    let mut removed = 0;
    for (run, kept) in ended.iter().zip(&chosen) {
        match kept {
            Kept::Yes => {}
            Kept::Undated => say("left", run, Some("when it began cannot be told"))?,
            Kept::No if args.dry_run => {
                say("would go", run, None)?;
                removed += 1;
            }
            Kept::No => match remove_run(&run.folder)? {
                Pruned::Removed => {
                    say("gone", run, None)?;
                    removed += 1;
                }
                Pruned::Left(why) => say("left", run, Some(&why.to_string()))?,
            },
        }
    }
    let kept = running.len() + ended.len() - removed;
    let would = if args.dry_run { "would go" } else { "gone" };
    output::print(&format!("{removed} {would}, {kept} kept (rule: {})\n", args.keep))?;
    Ok(Exit::Done)
}

fn say(what: &str, run: &ListedRun, why: Option<&str>) -> Result<(), Failure> {
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    output::print(&format!("{what:8}  {}{why}\n", harmless(&run.name())))
}
