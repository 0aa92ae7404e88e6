//! The command line that runs a scenario the same way again. It is made from the record, so it holds no secret.

use super::text::clean;
use crate::record::{RunRecord, ScenarioRecord};
use crate::words::{ArrivalProcess, Isolation, ServerSource};

/// The command, for a POSIX shell. `FILE` stands for what a record does not keep.
pub(super) fn command(run: &RunRecord, scenario: &ScenarioRecord) -> String {
    let plan = &scenario.plan;
    let mut words = vec!["patternbench".to_owned(), "run".to_owned(), quoted(&scenario.name)];
    let mut option = |name: &str, value: String| words.extend([name.to_owned(), quoted(&value)]);
    option("--profile", run.profile.to_string());
    option("--seed", scenario.seed.to_string());
    for (name, value) in &scenario.parameters {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        option("--set", format!("{name}={value}"));
    }
    let models: Vec<&str> = match &plan.control {
        Some(model) => vec![model],
        None => scenario.models.iter().map(|model| model.name.as_str()).collect(),
    };
    option("--models", models.join(","));
    option("--mode", plan.mode.to_string());
    option("--concurrency", plan.concurrency.to_string());
    if let Some(rate) = plan.rate {
        option("--rate", rate.get().to_string());
    }
    if let Some(arrivals) = plan.arrivals.filter(|arrivals| *arrivals != ArrivalProcess::Constant) {
        option("--arrivals", arrivals.to_string());
    }
    if plan.restarts > 1 {
        option("--restarts", plan.restarts.to_string());
    }
    if let Some(cache) = plan.cache.filter(|cache| cache.set) {
        option("--cache", format!("{}B", cache.asked.get()));
    }
    if plan.isolation == Isolation::Process {
        option("--isolation", plan.isolation.to_string());
    }
    option("--rounds", (plan.rounds / plan.restarts.max(1)).to_string());
    if let Some(operations) = plan.operations_per_round {
        option("--operations", operations.to_string());
    }
    if plan.control.is_some() {
        words.push("--control".to_owned());
    }
    words.extend(server(run));
    words.join(" ")
}

fn server(run: &RunRecord) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    match run.server.source {
        ServerSource::Mongod => words(&["--server", "mongod"]),
        ServerSource::Embedded => words(&["--server", "embedded"]),
        ServerSource::Simulated => words(&["--server", "simulated=FILE"]),
        ServerSource::Uri => {
            let consent = foreign_host(&run.server.host).map(|host| vec!["--allow-load".to_owned(), quoted(host)]);
            words(&["--uri-file", "FILE"]).into_iter().chain(consent.unwrap_or_default()).collect()
        }
    }
}

/// The host without its port, unless it is this machine: loading it needs consent.
fn foreign_host(address: &str) -> Option<&str> {
    let host = match address.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => address.rsplit_once(':').map_or(address, |(host, _)| host),
    };
    let local = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    (!local && !host.starts_with('/')).then_some(host)
}

/// A word as a POSIX shell takes it.
fn quoted(word: &str) -> String {
    let word = clean(word);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,/:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_other_machines_need_consent() {
        assert_eq!(foreign_host("db1.test.example:27017"), Some("db1.test.example"));
        assert_eq!(foreign_host("[2001:db8::1]:27017"), Some("2001:db8::1"));
        for local in ["localhost:27017", "127.0.0.1:40001", "[::1]:27017", "/tmp/mongodb-27017.sock"] {
            assert_eq!(foreign_host(local), None, "{local}");
        }
    }

    #[test]
    fn a_shell_gets_every_word_as_it_is() {
        assert_eq!(quoted("products=2000"), "products=2000");
        assert_eq!(quoted("it's; rm -rf $HOME"), r"'it'\''s; rm -rf $HOME'");
        assert_eq!(quoted(""), "''");
    }
}
