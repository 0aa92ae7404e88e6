//! A sweep that was begun before.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::exit::Failure;
use crate::record::{AxisRecord, SWEEP_FILE, SweepRecord};
use crate::study::{AxisChoice, differences};
use crate::units::Bytes;
use crate::words::SweepAxis;

/// The word for the sweep that was begun last.
const LATEST: &str = "latest";

/// The folder that `--resume` names.
///
/// # Errors
/// Usage, where there is no such sweep.
pub(super) fn folder(word: &Path, out: &Path) -> Result<PathBuf, Failure> {
    if word != Path::new(LATEST) {
        let folder = if word.is_file() { word.parent().unwrap_or(Path::new(".")) } else { word };
        return Ok(folder.to_owned());
    }
    // Folders are named by the time at which they were made.
    let folders = std::fs::read_dir(out).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let latest = folders.filter(|folder| folder.join(SWEEP_FILE).is_file()).max();
    latest.ok_or_else(|| {
        Failure::usage(format!("there is no sweep in {}; name its folder, or leave --resume out", out.display()))
    })
}

/// What a sweep that was begun varies, for whoever goes on with it without naming that again.
///
/// # Errors
/// Usage, where it cannot be read, or more is varied than its record tells apart.
pub(super) fn choice(word: &Path, out: &Path) -> Result<AxisChoice, Failure> {
    let AxisRecord { kind, name, in_step, values, .. } =
        SweepRecord::read(&folder(word, out)?).map_err(Failure::usage)?.axis;
    let numbers = || values.iter().filter_map(Value::as_u64);
    match kind {
        SweepAxis::Cache => Ok(AxisChoice::Cache(numbers().map(Bytes::new).collect())),
        SweepAxis::Mix => Ok(AxisChoice::Mix(numbers().filter_map(|share| u32::try_from(share).ok()).collect())),
        SweepAxis::Parameter if in_step.is_empty() => {
            Ok(AxisChoice::Parameters(vec![(name, values.iter().map(Value::to_string).collect())]))
        }
        SweepAxis::Parameter => {
            let others = in_step.join(", ");
            Err(Failure::usage(format!(
                "{name} and {others} changed in step: name them and their values with --param again"
            )))
        }
    }
}

/// The record to go on with: what was measured, with the values that are asked for now besides.
///
/// # Errors
/// Usage, where it is another sweep, each difference named.
pub(super) fn go_on(folder: &Path, asked: &SweepRecord) -> Result<SweepRecord, Failure> {
    let mut begun = SweepRecord::read(folder).map_err(Failure::usage)?;
    let differences = differences(&begun, asked);
    if !differences.is_empty() {
        return Err(Failure::usage(format!(
            "{} cannot be gone on with, since its values could not stand beside new ones:\n  {}\nrepeat the command that began \
             it, or leave --resume out",
            folder.display(),
            differences.join("\n  ")
        )));
    }
    begun.axis.values.retain(|value| begun.points.iter().any(|point| point.value == *value));
    let more = asked.axis.values.iter().filter(|value| !begun.axis.values.contains(value)).cloned();
    let more: Vec<_> = more.collect();
    begun.axis.values.extend(more);
    begun.axis.refined_to = asked.axis.refined_to;
    begun.axis.refinement = None;
    begun.client = asked.client.clone();
    begun.server = asked.server.clone();
    Ok(begun)
}
