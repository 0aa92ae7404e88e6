//! `patternbench capacity` as typed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::{ServerArgs, parse_assignment, parse_rate, parse_seconds, parse_size, word_parser};
use crate::plan::MAX_CONCURRENCY;
use crate::units::{Micros, Share};
use crate::words::{ArrivalProcess, Metric, Profile};

/// `patternbench capacity`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  patternbench capacity product-list-page --slo p95=20ms          how many operations per second, with p95 up to 20 ms
  patternbench capacity product-list-page --slo p95=20ms,p99=50ms --errors 0.1% --hold 10s
  patternbench capacity product-list-page --slo p95=20ms --resume go on with the last study that was interrupted
  patternbench capacity mine.yaml --slo p95=5ms --rate 800 --fail-on objective
                                                                  exit with 1 if the pattern surely misses 800/s

Response times are judged: from when an operation was due to its answer. A rate holds in a window where every bound of
--slo holds, no more operations fail than --errors allows, and the rate is achieved. The capacity is the rate at which half
of the windows hold, with its 95 % interval. Where the load generator is the limit, no capacity is named.")]
pub struct CapacityArgs {
    /// A built-in scenario's name, or a file
    #[arg(value_name = "SCENARIO|FILE")]
    pub scenario: String,
    /// Upper bounds of response time: p50, p95, p99 or mean (repeatable)
    #[arg(long, value_name = "p95=10ms[,p99=…]", required = true, value_delimiter = ',', value_parser = parse_bound)]
    pub slo: Vec<(Metric, Micros)>,
    /// Operations that may fail
    #[arg(long, value_name = "PERCENT", default_value = "0.1%", value_parser = parse_percent)]
    pub errors: Share,
    /// How long a rate is held in a window, in seconds [default: by profile: 1, 3, 10 or 30]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub hold: Option<f64>,
    /// Judge this operation of the mix alone
    #[arg(long, value_name = "OPERATION")]
    pub operation: Option<String>,
    /// The workload, where the scenario has several [default: the first]
    #[arg(long, value_name = "WORKLOAD")]
    pub workload: Option<String>,
    /// Only these models (the naive one always runs)
    #[arg(long, value_name = "MODEL,…", value_delimiter = ',')]
    pub models: Option<Vec<String>>,
    /// The rate that is wanted: the report says which models sustain it
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    pub rate: Option<f64>,
    /// Exit with 1 when a condition fails
    #[arg(long, value_name = "CONDITION", value_enum, requires = "rate")]
    pub fail_on: Option<CapacityCondition>,
    /// How much to measure
    #[arg(long, default_value = "quick", value_parser = word_parser::<Profile>(Profile::ALL, Profile::word))]
    pub profile: Profile,
    /// Change a parameter of the scenario (repeatable)
    #[arg(long, value_name = "PARAMETER=VALUE", value_parser = parse_assignment)]
    pub set: Vec<(String, String)>,
    /// How operations come due
    #[arg(long, default_value = "constant", value_parser = word_parser::<ArrivalProcess>(ArrivalProcess::ALL, ArrivalProcess::word))]
    pub arrivals: ArrivalProcess,
    /// Workers of the closed calibration that the search begins from, and the fewest under open load [default: 2 × cores, at
    /// most 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_CONCURRENCY)))]
    pub concurrency: Option<u32>,
    /// Give each model a server process of its own, of which only the measured one runs
    #[arg(long, value_name = "process", value_parser = ["process"])]
    pub isolation: Option<String>,
    /// Cache of servers that patternbench starts, instead of what the scenario says
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub cache: Option<u64>,
    /// Everything random follows from it
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// A name for this study, shown in reports
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
    /// Folder for results
    #[arg(long, value_name = "FOLDER", default_value = "results")]
    pub out: PathBuf,
    /// Go on with a study that was interrupted, on fresh data: the one in this folder, or the last one of the same scenario
    /// and objective in the folder for results
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true)]
    pub resume: Option<Option<PathBuf>>,
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

impl CapacityArgs {
    /// The bounds by metric; of two for the same metric the lower stands.
    pub fn bounds(&self) -> BTreeMap<Metric, Micros> {
        let mut bounds = BTreeMap::new();
        for (metric, bound) in &self.slo {
            let lower = bounds.get(metric).is_none_or(|known: &Micros| bound < known);
            if lower {
                bounds.insert(*metric, *bound);
            }
        }
        bounds
    }
}

/// A value of `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CapacityCondition {
    /// A pattern surely does not sustain --rate: its whole interval lies below
    Objective,
}

fn parse_bound(text: &str) -> Result<(Metric, Micros), String> {
    const EXPECTED: &str = "expected METRIC=TIME, for example p95=10ms; metrics are p50, p95, p99 and mean";
    let (metric, time) = text.split_once('=').ok_or(EXPECTED)?;
    let metric: Metric = metric.trim().parse().map_err(|_| EXPECTED)?;
    if metric == Metric::Throughput {
        return Err(EXPECTED.to_owned());
    }
    Ok((metric, parse_time(time.trim())?))
}

/// A time with its unit, up to the 60 s that histograms tell apart.
fn parse_time(text: &str) -> Result<Micros, String> {
    const EXPECTED: &str = "expected a time with its unit, for example 10ms, 500us or 1.5s, of at most 60 s";
    let units = [("ms", 1e3), ("us", 1.0), ("µs", 1.0), ("s", 1e6)];
    let (number, factor) =
        units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor))).ok_or(EXPECTED)?;
    match number.trim().parse::<f64>().map(|number| number * factor) {
        Ok(micros) if (1.0..=60e6).contains(&micros) => Ok(Micros::new(micros)),
        _ => Err(EXPECTED.to_owned()),
    }
}

fn parse_percent(text: &str) -> Result<Share, String> {
    match text.trim().strip_suffix('%').map(|number| number.trim().parse::<f64>()) {
        Some(Ok(percent)) if (0.0..=100.0).contains(&percent) => Ok(Share::new(percent / 100.0)),
        _ => Err("expected a percentage, for example 0.1%".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_a_metric_and_a_time_with_its_unit() {
        let micros = |text: &str| parse_bound(text).map(|(metric, bound)| (metric, bound.get()));
        assert_eq!(micros("p95=10ms"), Ok((Metric::P95, 10_000.0)));
        assert_eq!(micros("p99=1.5s"), Ok((Metric::P99, 1_500_000.0)));
        assert_eq!(micros("mean=500us"), Ok((Metric::Mean, 500.0)));
        for wrong in ["p95", "p95=10", "p95=ms", "p97=1ms", "throughput=1ms", "p95=-1ms", "p95=61s", "p95=NaNms"] {
            assert!(parse_bound(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn errors_are_a_percentage() {
        assert_eq!(parse_percent("0.1%"), Ok(Share::new(0.001)));
        assert!(parse_percent("0.1").is_err() && parse_percent("101%").is_err() && parse_percent("%").is_err());
    }
}
