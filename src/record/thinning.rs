//! Which runs of a results folder are kept: the rule of `results prune --keep`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use bson::DateTime;

use super::listing::ListedRun;

const DAY: i64 = 86_400_000;

/// How many runs are kept, by period: of each of the last so many days, weeks (from Monday on) or months **that have
/// runs**, the newest run; and the newest so many whatever their day. Periods are in UTC. A run that any part of the rule
/// keeps is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeepRule {
    newest: usize,
    daily: usize,
    weekly: usize,
    monthly: usize,
}

/// Why a text is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{why}; expected a number of runs, such as 30, or parts with commas between them, such as \
     newest=5,daily=14,weekly=8,monthly=12"
)]
pub struct BadRule {
    why: String,
}

impl FromStr for KeepRule {
    type Err = BadRule;

    fn from_str(text: &str) -> Result<Self, BadRule> {
        let bad = |why: String| BadRule { why };
        let mut rule = Self::default();
        let mut seen = BTreeSet::new();
        for part in text.split(',') {
            let (period, number) = part.split_once('=').unwrap_or(("newest", part));
            let number: usize =
                number.trim().parse().map_err(|_| bad(format!("`{}` is no number of runs", number.trim())))?;
            let kept = match period.trim() {
                "newest" => &mut rule.newest,
                "daily" => &mut rule.daily,
                "weekly" => &mut rule.weekly,
                "monthly" => &mut rule.monthly,
                other => return Err(bad(format!("`{other}` is no period"))),
            };
            *kept = number;
            if !seen.insert(period.trim()) {
                return Err(bad(format!("`{}` stands in it twice", period.trim())));
            }
        }
        if rule == Self::default() {
            return Err(bad("it would keep nothing".to_owned()));
        }
        Ok(rule)
    }
}

impl fmt::Display for KeepRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts =
            [("newest", self.newest), ("daily", self.daily), ("weekly", self.weekly), ("monthly", self.monthly)];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(_, number)| *number > 0)
            .map(|(name, number)| format!("{name}={number}"))
            .collect();
        f.write_str(&parts.join(","))
    }
}

/// Whether a run is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// By the rule.
    Yes,
    /// The rule lets it go.
    No,
    /// When it began cannot be told, so it is left alone.
    Undated,
}

impl KeepRule {
    /// What becomes of each run; they stand from the oldest to the newest, as listed.
    pub fn choose(&self, runs: &[&ListedRun]) -> Vec<Kept> {
        let days: Vec<Option<i64>> = runs.iter().map(|run| day(&run.header.started_at)).collect();
        let mut kept: Vec<Kept> = days.iter().map(|day| if day.is_some() { Kept::No } else { Kept::Undated }).collect();
        let dated: Vec<(usize, i64)> =
            days.iter().enumerate().rev().filter_map(|(place, day)| Some((place, (*day)?))).collect();
        let mut keep = |number: usize, period: &dyn Fn(usize, i64) -> String| {
            let mut periods = BTreeSet::new();
            for (place, day) in &dated {
                if periods.len() == number {
                    break;
                }
                if periods.insert(period(*place, *day)) {
                    kept[*place] = Kept::Yes;
                }
            }
        };
        keep(self.newest, &|place, _| place.to_string());
        keep(self.daily, &|_, day| day.to_string());
        // The first day of the epoch was a Thursday.
        keep(self.weekly, &|_, day| (day + 3).div_euclid(7).to_string());
        keep(self.monthly, &|place, _| runs[place].header.started_at.chars().take(7).collect());
        kept
    }
}

/// Days since the epoch.
fn day(started_at: &str) -> Option<i64> {
    Some(DateTime::parse_rfc3339_str(started_at).ok()?.timestamp_millis().div_euclid(DAY))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::record::{Client, Retries, RunHeader, SCHEMA, Server, Tool};
    use crate::units::Bytes;
    use crate::words::{Product, Profile, ServerSource, Topology};

    fn run(started_at: &str) -> ListedRun {
        let server = Server {
            source: ServerSource::Embedded,
            product: Product::Secantusd,
            version: "1".to_owned(),
            topology: Topology::ReplicaSet,
            storage_engine: None,
            host: "127.0.0.1:1".to_owned(),
            parameters: Vec::new(),
            cache_bytes: None,
            read_concern: "local".to_owned(),
            write_concern: "majority".to_owned(),
            retries: Retries { reads: true, writes: true },
            rtt: None,
        };
        let client = Client { os: "any".into(), cpu: "any".into(), cores: 2, memory_bytes: Bytes::new(1) };
        let header = RunHeader {
            schema: SCHEMA.to_owned(),
            tool: Tool { version: "0.1.0".to_owned() },
            complete: true,
            started_at: started_at.to_owned(),
            finished_at: Some(started_at.to_owned()),
            label: None,
            profile: Profile::Nightly,
            server,
            client,
        };
        ListedRun { folder: PathBuf::from(started_at), header }
    }

    /// When the runs began that a rule keeps.
    fn kept(rule: &str, started: &[&str]) -> Vec<String> {
        let runs: Vec<ListedRun> = started.iter().map(|started| run(started)).collect();
        let rule: KeepRule = rule.parse().expect("a rule");
        let chosen = rule.choose(&runs.iter().collect::<Vec<_>>());
        let kept = runs.iter().zip(chosen).filter(|(_, kept)| *kept != Kept::No);
        kept.map(|(run, _)| run.header.started_at.clone()).collect()
    }

    #[test]
    fn a_number_keeps_the_newest() {
        let started = ["2026-01-01T02:00:00.000Z", "2026-01-02T02:00:00.000Z", "2026-01-02T03:00:00.000Z"];
        assert_eq!(kept("2", &started), started[1..]);
        assert_eq!(kept("newest=9", &started), started);
    }

    #[test]
    fn of_each_day_week_and_month_that_has_runs_the_newest_is_kept() {
        // The 1st of June 2026 is a Monday.
        let started = [
            "2026-04-30T02:00:00.000Z",
            "2026-05-29T02:00:00.000Z",
            "2026-05-31T02:00:00.000Z",
            "2026-06-01T02:00:00.000Z",
            "2026-06-05T02:00:00.000Z",
            "2026-06-05T22:00:00.000Z",
        ];
        assert_eq!(kept("daily=2", &started), [started[3], started[5]], "a day without runs does not count");
        assert_eq!(kept("weekly=2", &started), [started[2], started[5]], "a week ends on Sunday");
        assert_eq!(kept("monthly=12", &started), [started[0], started[2], started[5]]);
        assert_eq!(kept("daily=1,monthly=2", &started), [started[2], started[5]]);
    }

    #[test]
    fn a_run_of_unknown_age_is_left_alone() {
        let started = ["yesterday", "2026-01-01T02:00:00.000Z", "2026-01-02T02:00:00.000Z"];
        assert_eq!(kept("1", &started), [started[0], started[2]]);
    }

    #[test]
    fn what_is_no_rule_is_refused_with_an_example() {
        for wrong in ["", "many", "hourly=3", "daily=", "daily=1,daily=2", "0", "-1", "daily=1;weekly=2"] {
            let error = wrong.parse::<KeepRule>().expect_err(wrong).to_string();
            assert!(error.contains("daily=14"), "{error}");
        }
        let rule: KeepRule = "weekly=8, daily=14,newest=0".parse().expect("a rule");
        assert_eq!(rule.to_string(), "daily=14,weekly=8");
    }
}
