//! What else changed between two runs, beside the figures.

use crate::record::{RunDigest, ScenarioDigest};

/// A scenario in a run, with what may explain its figures.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured<'a> {
    pub(super) run: &'a RunDigest,
    pub(super) scenario: &'a ScenarioDigest,
}

/// What differs between two runs of a scenario that are of one line, in words.
pub(super) fn differences(before: Measured<'_>, after: Measured<'_>) -> Vec<String> {
    let (old, new) = (&before.run.header, &after.run.header);
    let named = |what: &str, old: &str, new: &str| (old != new).then(|| format!("{what} {old} → {new}"));
    let tool = named("patternbench", &old.tool.version, &new.tool.version);
    let file = before.scenario.file_sha256 != after.scenario.file_sha256;
    let data = before.scenario.dataset_sha256 != after.scenario.dataset_sha256;
    let machine = |run: &RunDigest| {
        let client = &run.header.client;
        format!("{} with {} cores on {}", client.cpu, client.cores, client.os)
    };
    let machine = named("load generator", &machine(before.run), &machine(after.run));
    let cache = old.server.cache_bytes != new.server.cache_bytes;
    tool.into_iter()
        .chain(file.then(|| "the scenario file".to_owned()))
        .chain(data.then(|| "the data".to_owned()))
        .chain(cache.then(|| "the server's cache".to_owned()))
        .chain(machine)
        .collect()
}
