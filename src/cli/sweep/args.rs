//! The arguments of `patternbench sweep`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use super::super::args::{
    ModeChoice, ServerArgs, parse_assignment, parse_mode, parse_rate, parse_seconds, parse_size, word_parser,
};
use crate::plan::MAX_CONCURRENCY;
use crate::words::{ArrivalProcess, Profile};

/// `patternbench sweep`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  patternbench sweep product-list-page                          over the values that the scenario names
  patternbench sweep one-to-squillions-logs --param entries_per_server=10,100,1000,10000 --refine
                                                                and where the pattern begins to pay off
  patternbench sweep product-list-page --around 100             a decade to either side of 100
  patternbench sweep computed-likes --mix                       over the share of reads, 1:99 to 99:1
  patternbench sweep product-list-page --cache 256MiB,512MiB,1GiB
                                                                over the servers' cache
  patternbench sweep product-list-page --resume latest          go on with what was interrupted

Each value is a run of its own; sweep.json holds what they say together. Between values the server is kept; data are
loaded anew for each, once for all models.")]
pub struct SweepArgs {
    /// A built-in scenario's name, or a file
    #[arg(value_name = "SCENARIO|FILE")]
    pub scenario: String,
    /// A parameter and the values to try [default: the scenario's `sweep`]; several change in step, value by value, and
    /// the first is the axis
    #[arg(long, value_name = "PARAMETER[=VALUE,…]")]
    pub param: Vec<ParamValues>,
    /// Seven values around this one, a decade to either side
    #[arg(long, value_name = "VALUE")]
    pub around: Option<f64>,
    /// Add values by bisection until each crossover, and the values on either side of it, lie within this factor, or 12
    /// values were tried [default factor: 1.25]
    #[arg(long, value_name = "FACTOR", num_args = 0..=1, require_equals = true, value_parser = parse_factor)]
    pub refine: Option<Option<f64>>,
    /// Vary the share of reads (percent): 1, 10, 30, 50, 70, 90 and 99, or those given
    #[arg(long, value_name = "PERCENT,…", num_args = 0..=1, require_equals = true)]
    #[arg(conflicts_with_all = ["param", "around"])]
    pub mix: Option<Option<Shares>>,
    /// Cache of servers that patternbench starts; several sizes are what is varied
    #[arg(long, value_name = "SIZE,…", value_delimiter = ',', value_parser = parse_size)]
    pub cache: Option<Vec<u64>>,
    /// Put each server that patternbench starts under a limit on its memory (cgroup v2), so that the operating system cannot
    /// keep the files that its cache does not hold
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub server_memory: Option<u64>,
    /// Go on with a sweep that was begun; values that were measured are not measured again
    #[arg(long, value_name = "FOLDER|latest")]
    pub resume: Option<PathBuf>,
    /// Which sizes and how much to measure besides rounds and their length
    #[arg(long, default_value = "quick", value_parser = word_parser::<Profile>(Profile::ALL, Profile::word))]
    pub profile: Profile,
    /// Change a parameter of the scenario at all values (repeatable)
    #[arg(long, value_name = "PARAMETER=VALUE", value_parser = parse_assignment)]
    pub set: Vec<(String, String)>,
    /// Only these models (the naive one always runs)
    #[arg(long, value_name = "MODEL,…", value_delimiter = ',')]
    pub models: Option<Vec<String>>,
    /// How load is offered at each value [default: closed with one worker, so that the curve shows the cost of an operation
    /// and not of a queue; where claims about values are judged, as `run` does it]
    #[arg(long, value_name = "auto|closed|open", value_parser = parse_mode)]
    pub mode: Option<ModeChoice>,
    /// Operations that come due per second under open load, at every value
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    pub rate: Option<f64>,
    /// How operations come due under open load
    #[arg(long, default_value = "constant", value_parser = word_parser::<ArrivalProcess>(ArrivalProcess::ALL, ArrivalProcess::word))]
    pub arrivals: ArrivalProcess,
    /// Workers under closed load
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_CONCURRENCY)))]
    pub concurrency: Option<u32>,
    /// Rounds at each value; an interval needs five [default: 7]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: Option<u32>,
    /// Length of a round's window that calibration aims at, in seconds [default: 1]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub round_time: Option<f64>,
    /// Operations per round and model, instead of calibrating
    #[arg(long, value_name = "N", conflicts_with = "round_time", value_parser = clap::value_parser!(u64).range(1..))]
    pub operations: Option<u64>,
    /// Everything random follows from it
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// A name for this sweep, shown in reports
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
    /// Folder for results
    #[arg(long, value_name = "FOLDER", default_value = "results")]
    pub out: PathBuf,
    /// Print what would be measured and an estimate of the time it takes, and measure nothing
    #[arg(long, conflicts_with_all = ["json", "resume"])]
    pub dry_run: bool,
    /// Print the record as JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// The answer alone, no progress
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
    /// Which server to use.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// A value of `--param`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamValues {
    /// The parameter.
    pub name: String,
    /// Its values as typed; none takes the scenario's.
    pub values: Vec<String>,
}

impl FromStr for ParamValues {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, values) = text.split_once('=').map_or((text, None), |(name, values)| (name, Some(values)));
        let values: Vec<String> =
            values.map_or_else(Vec::new, |values| values.split(',').map(|value| value.trim().to_owned()).collect());
        if name.is_empty() || values.iter().any(String::is_empty) {
            return Err("expected PARAMETER=VALUE,VALUE, for example products=100,1000,10000".to_owned());
        }
        Ok(Self { name: name.to_owned(), values })
    }
}

/// A value of `--mix`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shares(pub Vec<u32>);

impl FromStr for Shares {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected shares of reads in percent, for example 10,50,90".to_owned();
        let shares = text.split(',').map(|share| share.trim().parse().map_err(|_| wrong()));
        shares.collect::<Result<_, _>>().map(Self)
    }
}

fn parse_factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor > 1.0 && factor.is_finite() => Ok(factor),
        _ => Err("expected a factor above 1, for example 1.1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_may_have_values_or_take_the_scenarios() {
        let read = |text: &str| text.parse::<ParamValues>().map(|read| (read.name, read.values));
        assert_eq!(read("n=1, 10,100"), Ok(("n".to_owned(), ["1", "10", "100"].map(str::to_owned).to_vec())));
        assert_eq!(read("n"), Ok(("n".to_owned(), Vec::new())));
        for wrong in ["=1", "n=", "n=1,,2"] {
            assert!(read(wrong).expect_err("it is none").contains("PARAMETER=VALUE"), "{wrong}");
        }
    }

    #[test]
    fn a_factor_is_above_one() {
        assert_eq!(parse_factor("1.1"), Ok(1.1));
        for wrong in ["1", "0.5", "inf", "x"] {
            assert!(parse_factor(wrong).is_err(), "{wrong}");
        }
    }
}
