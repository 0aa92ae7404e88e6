//! Why runs are not compared.

use std::fmt;

use crate::record::DifferenceRecord;
use crate::words::Sameness;

/// Why runs are not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incomparable {
    /// They differ in what must be the same.
    Different(Vec<DifferenceRecord>),
    /// A run stands on both sides of groups that are not the same.
    OnBothSides {
        /// Where its record was read.
        path: String,
    },
    /// No scenario under the same workload stands on both sides.
    NothingInCommon {
        /// The base's scenarios.
        base: Vec<String>,
        /// The new runs' scenarios.
        new: Vec<String>,
    },
}

impl std::error::Error for Incomparable {}

impl fmt::Display for Incomparable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Different(differences) => different(f, differences),
            Self::OnBothSides { path } => {
                write!(f, "the run {path} stands on both sides; a run is compared with others, or with itself alone")
            }
            Self::NothingInCommon { base, new } => write!(
                f,
                "the runs have no scenario and workload in common: the base has {}, the new run {}",
                listed(base),
                listed(new)
            ),
        }
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn different(f: &mut fmt::Formatter<'_>, differences: &[DifferenceRecord]) -> fmt::Result {
    writeln!(f, "these runs are not comparable:")?;
    let mut words: Vec<&str> = Vec::new();
    for difference in differences {
        let of = difference.scenario.as_ref().map(|scenario| format!("{scenario}: ")).unwrap_or_default();
        let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
        writeln!(
            f,
            "  {of}{}: {} in the base, {} in the new run",
            difference.what,
            side(&difference.base),
            side(&difference.new)
        )?;
        words.extend(difference.sameness.map(Sameness::word).filter(|word| !words.contains(word)));
    }
    write!(
        f,
        "to compare them all the same, knowing that the figures mean something else: --allow-different {}",
        words.join(",")
    )
}
