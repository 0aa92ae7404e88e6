//! `patternbench compare`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::args::word_parser;
use super::exit::{Exit, Failure};
use super::{output, runs};
use crate::analysis::{self, CompareOptions, Compared};
use crate::record::{self, CompareRecord};
use crate::report;
use crate::units::Share;
use crate::words::{Metric, Sameness};

/// The names of the files beside the new run's record.
const PAGE: &str = "compare.html";
const MARKDOWN: &str = "compare.md";
/// The file name that stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// `patternbench compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
A run is named by its folder or run.json, or among the results by
  latest, latest~3         the latest run, the third before it
  LABEL, LABEL~1           the latest run with that label (`run --label`), the one before it
and a group of runs by
  all:LABEL                every run with that label
  latest~7..latest~1       all from the one to the other
  NAME,NAME,…              several of these

Examples:
  patternbench compare latest~1 latest                     what changed since the last run?
  patternbench compare latest~7..latest~1 latest           the same against the last seven: intervals over runs
  patternbench compare all:main all:branch --fail-on regression
  patternbench compare before after --allow-different scenario --markdown=- >> summary.md")]
pub struct CompareArgs {
    /// What is compared with: a run or a group of runs
    #[arg(value_name = "BASE")]
    pub base: String,
    /// What is judged
    #[arg(value_name = "NEW")]
    pub new: String,
    /// Folder of results in which names are looked up
    #[arg(long, visible_alias = "dir", value_name = "FOLDER", default_value = "results")]
    pub out: PathBuf,
    /// A change up to this is none
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = parse_share)]
    pub threshold: Share,
    /// What is compared: p50, p95, p99, mean of latency; throughput
    #[arg(
        long, value_name = "METRIC,…", value_delimiter = ',', default_values = ["p95", "throughput"],
        value_parser = word_parser::<Metric>(Metric::ALL, Metric::word)
    )]
    pub metric: Vec<Metric>,
    /// Compare runs although they differ in this: server, version, host, settings, scenario, parameters, seed, dataset,
    /// load
    #[arg(
        long, value_name = "WHAT,…", value_delimiter = ',', hide_possible_values = true,
        value_parser = word_parser::<Sameness>(Sameness::ALL, Sameness::word)
    )]
    pub allow_different: Vec<Sameness>,
    /// What a speed-up is taken to differ by from run to run (standard deviation), where fewer than three runs are on
    /// either side to tell
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = parse_share)]
    pub run_to_run: Share,
    /// Exit with 1 when something got worse beyond doubt
    #[arg(long, value_name = "CONDITION", value_enum)]
    pub fail_on: Option<CompareCondition>,
    /// Print the comparison as JSON instead of tables (`patternbench schema compare`)
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Write it as a page beside the new run's run.json, or to this file
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub html: Option<Option<PathBuf>>,
    /// Write it as Markdown for a pull request beside the new run's run.json, or to this file; `-` is standard output
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub markdown: Option<Option<PathBuf>>,
}

/// A value of `compare --fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompareCondition {
    /// The whole interval of a change lies on the worse side of the threshold
    Regression,
}

fn parse_share(text: &str) -> Result<Share, String> {
    let (number, of) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    match number.trim().parse::<f64>() {
        Ok(number) if (0.0..1.0).contains(&(number / of)) => Ok(Share::new(number / of)),
        _ => Err("expected a share of less than the whole, such as 5% or 0.05".to_owned()),
    }
}

/// Compares two runs, or two groups of runs.
///
/// # Errors
/// Usage: a name means no run, a record cannot be read, or the runs are not comparable. Or something cannot be written.
pub(super) fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    let (base, new) = (side(&args.base, &args.out)?, side(&args.new, &args.out)?);
    let beside = new.runs.last().map(|(path, _)| PathBuf::from(path)).unwrap_or_default();
    let compared = analysis::compare(&base, &new, &options(args)).map_err(Failure::usage)?;
    show(args, &compared, &beside)?;
    let failed = args.fail_on.is_some() && compared.regressions > 0;
    Ok(if failed { Exit::ConditionFailed } else { Exit::Done })
}

/// The runs that a word names, read.
fn side(word: &str, results: &Path) -> Result<Compared, Failure> {
    Ok(Compared::new(word.to_owned(), runs::read(word, results)?))
}

fn options(args: &CompareArgs) -> CompareOptions {
    let mut metrics: Vec<Metric> = Vec::new();
    for metric in &args.metric {
        if !metrics.contains(metric) {
            metrics.push(*metric);
        }
    }
    CompareOptions {
        threshold: args.threshold,
        metrics,
        allowed: args.allow_different.iter().copied().collect::<BTreeSet<_>>(),
        run_to_run: args.run_to_run,
    }
}

fn show(args: &CompareArgs, compared: &CompareRecord, beside: &Path) -> Result<(), Failure> {
    let to_output = matches!(&args.markdown, Some(Some(file)) if file.as_os_str() == STANDARD_OUTPUT);
    if to_output {
        output::print(&report::comparison_markdown(compared))?;
    } else if args.json {
        let text = serde_json::to_string_pretty(compared)
            .map_err(|error| Failure::new(Exit::Server, format!("failed to print the comparison: {error}")))?;
        output::print(&format!("{text}\n"))?;
    } else {
        output::print(&report::comparison(compared, &output::style()))?;
    }
    if let Some(file) = &args.html {
        write(file.as_deref(), beside, PAGE, &report::comparison_html(compared))?;
    }
    match &args.markdown {
        Some(file) if !to_output => write(file.as_deref(), beside, MARKDOWN, &report::comparison_markdown(compared)),
        _ => Ok(()),
    }
}

/// Writes a file that was named, or one beside a record; tells it where that does not mix with what was printed.
fn write(file: Option<&Path>, beside: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let file = file.map_or_else(|| beside.with_file_name(name), Path::to_owned);
    record::write_atomically(&file, text.as_bytes())?;
    output::tell(&format!("wrote {}", file.display()));
    Ok(())
}
