//! The command line as typed.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::capacity_args::CapacityArgs;
use super::exports::{ExportArgs, HELP as EXPORT_HELP};
use crate::plan::MAX_CONCURRENCY;
use crate::units::Bytes;
use crate::words::{ArrivalProcess, Mode, Profile};

const EXAMPLES: &str = "\
Examples:
  patternbench list                               what can be measured
  patternbench show product-list-page             both models side by side
  patternbench run product-list-page              measure it: about a minute, then a report
  patternbench new my-models && patternbench check my-models.yaml
                                                  bring your own two models
  patternbench run my-models.yaml --uri-file ~/.test-cluster --allow-load db1.test.example

Exit codes:
  0 done · 1 a measured condition failed (--fail-on) · 2 wrong usage or scenario file · 3 the models disagree
  4 the server cannot be reached, was lost, or refused · 5 too many failed operations · 130 interrupted";

/// Settles MongoDB schema arguments with evidence.
///
/// Drives a naive data model and its schema-design-pattern counterpart with the same operations against a real server,
/// checks that both give the same answers, records every latency, and says how much faster one is and how sure that is.
#[derive(Debug, Parser)]
#[command(name = "patternbench", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The catalogue of built-in scenarios
    List(ListArgs),
    /// A scenario's models side by side: documents, indexes, operations
    Show(ShowArgs),
    /// Measure scenarios: a table here, run.json and report.html in the results folder
    Run(Box<RunArgs>),
    /// Measure a scenario at several values of a parameter, the cache or the mix: growth, and where a pattern pays off
    Sweep(Box<super::sweep::SweepArgs>),
    /// The highest rate that each model of a scenario sustains within an objective
    Capacity(Box<CapacityArgs>),
    /// Make the reports of finished runs again, from their run.json alone
    Report(ReportArgs),
    /// What changed between two runs, or two groups of runs
    Compare(Box<super::compare::CompareArgs>),
    /// The history of a results folder: newest figures, charts over runs, where something changed
    Trend(super::trend::TrendArgs),
    /// List a results folder, or thin it by a rule
    Results(super::results::ResultsArgs),
    /// Validate scenario files, then compare the models' answers at smoke size
    Check(CheckArgs),
    /// A scenario file to start from, which passes `check` as written
    New(NewArgs),
    /// The JSON Schema of scenario files, of run.json, sweep.json or capacity.json, or of what `compare --json` and
    /// `trend --json` print
    Schema(SchemaArgs),
    /// Which server would be used, and whether this machine is fit to measure
    Doctor(DoctorArgs),
    /// List and drop the databases that interrupted runs left behind
    Clean(CleanArgs),
    /// Shell completions, on standard output
    #[command(
        after_help = "Example: patternbench completions bash > ~/.local/share/bash-completion/completions/patternbench"
    )]
    Completions(CompletionsArgs),
}

/// Which server to use.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub struct ServerArgs {
    /// Connection string of a server of your own (a password in it shows in the process list: prefer --uri-file or
    /// PATTERNBENCH_URI)
    #[arg(long, value_name = "URI", conflicts_with = "uri_file")]
    pub uri: Option<String>,
    /// File that holds the connection string
    #[arg(long, value_name = "FILE")]
    pub uri_file: Option<PathBuf>,
    /// Which server: `auto` takes --uri, else a mongod on PATH, else the embedded server; `simulated` measures none, but
    /// the latencies that a file declares
    #[arg(long, value_name = "auto|mongod[=PATH]|embedded|simulated=FILE", default_value = "auto", value_parser = parse_server_kind)]
    pub server: ServerKind,
    /// A host other than this machine that may be loaded, spelled out as in the connection string (repeatable)
    #[arg(long, value_name = "HOST")]
    pub allow_load: Vec<String>,
    /// Go on although the server holds foreign databases or serves other clients
    #[arg(long)]
    pub shared_server: bool,
}

/// A value of `--server`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerKind {
    /// The usual order.
    Auto,
    /// A mongod that patternbench starts.
    Mongod(Option<PathBuf>),
    /// The embedded server.
    Embedded,
    /// No server: the latencies that this file declares.
    Simulated(PathBuf),
}

fn parse_server_kind(text: &str) -> Result<ServerKind, String> {
    match text.split_once('=') {
        None => match text {
            "auto" => Ok(ServerKind::Auto),
            "mongod" => Ok(ServerKind::Mongod(None)),
            "embedded" => Ok(ServerKind::Embedded),
            "simulated" => Err(FILE_MISSING.to_owned()),
            _ => Err("expected auto, mongod, mongod=PATH, embedded or simulated=FILE".to_owned()),
        },
        Some(("mongod", "")) => Err("a path is missing after mongod=".to_owned()),
        Some(("mongod", path)) => Ok(ServerKind::Mongod(Some(path.into()))),
        Some(("simulated", "")) => Err(FILE_MISSING.to_owned()),
        Some(("simulated", path)) => Ok(ServerKind::Simulated(path.into())),
        Some(_) => Err("only mongod and simulated take a path: mongod=PATH, simulated=FILE".to_owned()),
    }
}

const FILE_MISSING: &str = "a file is missing that declares latencies: simulated=FILE, where FILE holds at least \
                            `default: {latency: {constant: 5ms}}`";

/// `patternbench list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only scenarios that show this pattern (repeatable: they must show all)
    #[arg(long, value_name = "PATTERN")]
    pub pattern: Vec<String>,
    /// Only scenarios that show this anti-pattern (repeatable)
    #[arg(long, value_name = "ANTIPATTERN")]
    pub antipattern: Vec<String>,
    /// Only scenarios with this tag (repeatable)
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// As JSON, with all that the files say
    #[arg(long)]
    pub json: bool,
}

/// `patternbench show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A built-in scenario's name, or a file
    #[arg(value_name = "SCENARIO|FILE", required_unless_present = "all")]
    pub scenario: Option<String>,
    /// A page for every built-in scenario, and a table of contents
    #[arg(long, conflicts_with = "scenario", requires = "markdown", requires = "out")]
    pub all: bool,
    /// Without the models' documents and commands, for which a server is needed
    #[arg(long)]
    pub no_server: bool,
    /// As Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Folder for the pages of --all
    #[arg(long, value_name = "DIR", requires = "all")]
    pub out: Option<PathBuf>,
    /// Which server to use.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `patternbench run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  patternbench run product-list-page                       quick: ten rounds, under two minutes
  patternbench run product-list-page --set products=20000  at another size
  patternbench run product-list-page --mode open --rate 500
                                                           both models at 500 operations per second
  patternbench run product-list-page --control             one model against itself: is this machine fit?
  patternbench run product-list-page --verify-growth       does what is declared constant stay so at ten times the size?
  patternbench run --all --profile nightly --label main    the whole catalogue
  patternbench run mine.yaml --profile smoke               does my scenario work at all?")]
pub struct RunArgs {
    /// Built-in scenarios' names, or files
    #[arg(value_name = "SCENARIO|FILE")]
    pub scenarios: Vec<String>,
    /// Every built-in scenario
    #[arg(long, conflicts_with = "scenarios")]
    pub all: bool,
    /// How much to measure
    #[arg(long, default_value = "quick", value_parser = word_parser::<Profile>(Profile::ALL, Profile::word))]
    pub profile: Profile,
    /// Change a parameter of the scenario (repeatable)
    #[arg(long, value_name = "PARAMETER=VALUE", value_parser = parse_assignment)]
    pub set: Vec<(String, String)>,
    /// Only these models (the naive one always runs)
    #[arg(long, value_name = "MODEL,…", value_delimiter = ',')]
    pub models: Option<Vec<String>>,
    /// How load is offered: `auto` is open at 60 % of the slower model's capacity, or closed where that is under 50/s
    #[arg(long, value_name = "auto|closed|open", value_parser = parse_mode, default_value = "auto")]
    pub mode: ModeChoice,
    /// Operations that come due per second under open load [default: 60 % of the slower model's capacity]
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    pub rate: Option<f64>,
    /// How operations come due under open load
    #[arg(long, default_value = "constant", value_parser = word_parser::<ArrivalProcess>(ArrivalProcess::ALL, ArrivalProcess::word))]
    pub arrivals: ArrivalProcess,
    /// Workers that send operations at the same time under closed load [default: 2 × cores, at most 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_CONCURRENCY)))]
    pub concurrency: Option<u32>,
    /// Rounds [default: by profile]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: Option<u32>,
    /// Length of a round's window that calibration aims at, in seconds [default: by profile]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub round_time: Option<f64>,
    /// Operations per round and model, instead of calibrating
    #[arg(long, value_name = "N", conflicts_with = "round_time", value_parser = clap::value_parser!(u64).range(1..))]
    pub operations: Option<u64>,
    /// Measure on so many fresh loads of the data, each on a fresh server where patternbench starts it; the interval then
    /// speaks of loads and server starts too
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub restarts: u32,
    /// Compare a model with itself (the one that --models names, else the first pattern): a check of harness and machine;
    /// exit with 1 if an operation is called faster or slower
    #[arg(long, conflicts_with_all = ["keep_data", "reuse"])]
    pub control: bool,
    /// Instead of comparing models, load each of them at the scenario's size and at ten times the parameter that makes it
    /// grow, and mark operations that are declared constant and are not; with `--fail-on expect`, exit with 1 if there are
    /// any
    #[arg(long, conflicts_with_all = [
        "control", "keep_data", "reuse", "dry_run", "restarts", "isolation", "mode", "rate", "arrivals", "rounds",
        "round_time", "operations", "concurrency", "label",
    ])]
    pub verify_growth: bool,
    /// Give each model a server process of its own, of which only the measured one runs
    #[arg(long, value_name = "process", value_parser = ["process"])]
    pub isolation: Option<String>,
    /// Cache of servers that patternbench starts, instead of what the scenarios say (1GiB where they say nothing); below
    /// that, each model has a server process of its own
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub cache: Option<u64>,
    /// Everything random follows from it
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// A name for this run, shown in reports
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
    /// Folder for results
    #[arg(long, value_name = "FOLDER", default_value = "results")]
    pub out: PathBuf,
    /// Take data that an earlier run kept, where they match
    #[arg(long)]
    pub reuse: bool,
    /// Leave the data on the server
    #[arg(long)]
    pub keep_data: bool,
    /// Print the plan and an estimate of the time it takes, and measure nothing
    #[arg(long, conflicts_with = "json")]
    pub dry_run: bool,
    /// Print the record as JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// One line per scenario, no progress
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
    /// Exit with 1 when a condition fails (repeatable)
    #[arg(long, value_name = "CONDITION", value_enum)]
    pub fail_on: Vec<FailOn>,
    /// Which server to use.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// A value of `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A claim is refuted
    Claim,
    /// A verdict contradicts what the scenario's author expects (with --verify-growth: a growth does)
    Expect,
    /// Fewer than half of the rounds of naive and a pattern ran undisturbed by other programs, hypervisor or restarts
    Disturbed,
}

/// A value of `--mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeChoice {
    /// The plan decides.
    Auto,
    /// As named.
    Fixed(Mode),
}

pub(super) fn parse_mode(text: &str) -> Result<ModeChoice, String> {
    match text {
        "auto" => Ok(ModeChoice::Auto),
        "closed" => Ok(ModeChoice::Fixed(Mode::Closed)),
        "open" => Ok(ModeChoice::Fixed(Mode::Open)),
        _ => Err("expected auto, closed or open".to_owned()),
    }
}

pub(super) fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        _ => Err("expected operations per second, for example 500".to_owned()),
    }
}

pub(super) fn parse_assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected PARAMETER=VALUE, for example products=5000".to_owned()),
    }
}

pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    match text.parse::<Bytes>() {
        Ok(bytes) if bytes.get() > 0 => Ok(bytes.get()),
        Ok(_) => Err("a server needs a cache".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

pub(super) fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.strip_suffix('s').unwrap_or(text).parse::<f64>() {
        Ok(seconds) if (0.05..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds between 0.05 and 3600".to_owned()),
    }
}

pub(super) fn word_parser<T>(all: &'static [T], word: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Copy + std::str::FromStr + Send + Sync + 'static,
    T::Err: std::fmt::Debug,
{
    PossibleValuesParser::new(all.iter().map(|&value| word(value)))
        .map(|text| text.parse().expect("clap passed a possible value"))
}

/// `patternbench report`.
#[derive(Debug, Args)]
#[command(after_help = EXPORT_HELP)]
pub struct ReportArgs {
    /// Folders of runs, run.json files, or names in the folder results: `latest`, `latest~1`, a label
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// As JSON, without the rounds
    #[arg(long)]
    pub json: bool,
    /// Which files to make instead of printing tables.
    #[command(flatten)]
    pub exports: ExportArgs,
}

/// `patternbench check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Scenario files, or built-in scenarios' names
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// Only the file: do not compare the models' answers
    #[arg(long)]
    pub no_server: bool,
    /// Which server to use.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `patternbench new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// The scenario's name: lower-case letters, digits and dashes
    #[arg(value_name = "NAME")]
    pub name: String,
}

/// `patternbench schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Of what
    #[arg(value_parser = ["scenario", "run", "sweep", "capacity", "compare", "trend"])]
    pub of: String,
}

/// `patternbench doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print a createUser command with exactly the rights that these scenarios need
    #[arg(long, value_name = "SCENARIO", num_args = 1..)]
    pub roles: Option<Vec<String>>,
    /// Which server to use.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `patternbench clean`.
#[derive(Debug, Args)]
pub struct CleanArgs {
    /// Drop kept data (`--keep-data`) too
    #[arg(long)]
    pub kept: bool,
    /// Which server to use.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `patternbench completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}
