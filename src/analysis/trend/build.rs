//! From the runs of a results folder to its history.

use std::collections::BTreeMap;

use super::context::Measured;
use super::line::{Line, operations};
use crate::record::{RunDigest, TREND_SCHEMA, Tool, TrendLine, TrendRecord, TrendRun, TrendScenario, host_group};

/// The history of runs, which stand from the oldest to the newest. Left out are scenarios that were not measured to their
/// end, and runs that compare a model with itself.
pub fn trend(runs: &[RunDigest]) -> TrendRecord {
    let mut scenarios: BTreeMap<(&str, &str), BTreeMap<String, Line<'_>>> = BTreeMap::new();
    for (place, run) in runs.iter().enumerate() {
        let measured = run.scenarios.iter().filter(|scenario| scenario.complete && scenario.plan.control.is_none());
        for scenario in measured {
            let measured = Measured { run, scenario };
            let lines = scenarios.entry((&scenario.name, &scenario.workload)).or_default();
            lines.entry(line_key(measured)).or_default().push((place, measured));
        }
    }
    let scenarios = scenarios.into_iter().map(|((name, workload), lines)| {
        let mut lines: Vec<TrendLine> = lines.values().filter_map(line).collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.runs.last().copied()));
        TrendScenario { name: name.to_owned(), workload: workload.to_owned(), lines }
    });
    TrendRecord {
        schema: TREND_SCHEMA.to_owned(),
        tool: Tool { version: env!("CARGO_PKG_VERSION").to_owned() },
        runs: runs.iter().map(run).collect(),
        scenarios: scenarios.filter(|scenario| !scenario.lines.is_empty()).collect(),
    }
}

/// What must be equal for two runs to be of one line.
fn line_key(measured: Measured<'_>) -> String {
    let header = &measured.run.header;
    let server = &header.server;
    let of_scenario = (measured.scenario.plan.mode, &measured.scenario.parameters);
    format!("{:?}", (server.product, &server.version, host_group(server), header.profile, of_scenario))
}

fn line(line: &Line<'_>) -> Option<TrendLine> {
    let (_, Measured { run, scenario }) = line.last()?;
    let server = &run.header.server;
    Some(TrendLine {
        product: server.product,
        version: server.version.clone(),
        host: host_group(server),
        profile: run.header.profile,
        mode: scenario.plan.mode,
        parameters: scenario.parameters.clone(),
        runs: line.iter().map(|(place, _)| *place).collect(),
        operations: operations(line),
    })
    .filter(|line| !line.operations.is_empty())
}

fn run(run: &RunDigest) -> TrendRun {
    let header = &run.header;
    TrendRun {
        folder: run.folder.clone(),
        started_at: header.started_at.clone(),
        label: header.label.clone(),
        tool_version: header.tool.version.clone(),
        product: header.server.product,
        version: header.server.version.clone(),
    }
}
