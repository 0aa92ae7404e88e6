//! Whether a sweep can be gone on with.

use crate::record::SweepRecord;
use crate::words::ServerSource;

/// What differs between a sweep that was begun and the one that is asked for, each as a person understands it; only where
/// nothing does can the points of both stand in one chart.
pub fn differences(begun: &SweepRecord, asked: &SweepRecord) -> Vec<String> {
    let mut told = Vec::new();
    let mut compare = |what: &str, was: String, is: String| {
        if was != is {
            told.push(format!("{what} was {was} and is {is}"));
        }
    };
    compare("the scenario", begun.scenario.name.clone(), asked.scenario.name.clone());
    compare("the scenario's text (SHA-256)", begun.scenario.file_sha256.clone(), asked.scenario.file_sha256.clone());
    let names = begun.scenario.parameters.keys().chain(asked.scenario.parameters.keys());
    let mut names: Vec<&String> = names.collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let of =
            |sweep: &SweepRecord| sweep.scenario.parameters.get(name).map_or("not set".into(), ToString::to_string);
        compare(&format!("parameter {name}"), of(begun), of(asked));
    }
    let axis =
        |sweep: &SweepRecord| std::iter::once(&sweep.axis.name).chain(&sweep.axis.in_step).cloned().collect::<Vec<_>>();
    compare("what is varied", axis(begun).join(" with "), axis(asked).join(" with "));
    compare("the profile", begun.profile.to_string(), asked.profile.to_string());
    compare("the seed", begun.seed.to_string(), asked.seed.to_string());
    let settings = begun.settings.keys().chain(asked.settings.keys());
    let mut settings: Vec<&String> = settings.collect();
    settings.sort_unstable();
    settings.dedup();
    for name in settings {
        let of = |sweep: &SweepRecord| sweep.settings.get(name).cloned().unwrap_or_else(|| "not set".to_owned());
        compare(name, of(begun), of(asked));
    }
    let server = |sweep: &SweepRecord| {
        let server = &sweep.server;
        let host = if matches!(server.source, ServerSource::Uri | ServerSource::Simulated) {
            server.host.as_str()
        } else {
            ""
        };
        format!("{} {} {} {host}", server.product, server.version, server.source).trim_end().to_owned()
    };
    compare("the server", server(begun), server(asked));
    told
}
