//! The server's own counters (`serverStatus`), asked before and after a window, over a connection that no worker takes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bson::{Document, doc};
use mongodb::Client;
use mongodb::error::ErrorKind;

use super::server_life::{ServerLife, whole};
use crate::server::{OwnCommands, ServerFacts, Visible};
use crate::words::Product;

/// How long a question may take; it is asked between windows, and a server that is busy elsewhere must not hold them up.
const PATIENCE: Duration = Duration::from_secs(1);
/// A server that takes longer than this to answer pays for it in the window that follows, with its locks and its cache.
const CHEAP_UP_TO: Duration = Duration::from_millis(50);
/// Questions that show what asking costs.
const TRIALS: u32 = 3;
/// The error code of what a user may not do.
const UNAUTHORIZED: i32 = 13;

/// Asks a server for its counters.
#[derive(Debug)]
pub(super) struct Counters {
    client: Client,
    own: Arc<OwnCommands>,
    product: Product,
    status: Asking,
    /// Bytes that one question costs, in and out.
    question: (i64, i64),
}

/// Whether a server is asked for its counters, and why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asking {
    /// It is, and the counters are ours alone.
    Counted,
    /// Others use it: it is asked whether it restarted, and no more.
    Shared,
    /// It is not.
    Never(Reason),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    NotPermitted,
    NotTold,
    Slow(Duration),
}

/// What the server said at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub(super) life: ServerLife,
    counters: BTreeMap<String, i64>,
    /// Connections that were ever opened: where their number rises in a window, someone else came.
    connections: Option<i64>,
}

impl Counters {
    /// Tries what the server tells, and what asking costs. `client` is one for control.
    pub(super) async fn try_out(client: Client, own: Arc<OwnCommands>, facts: &ServerFacts) -> Self {
        let mut counters = Self { client, own, product: facts.product, status: Asking::Counted, question: (0, 0) };
        counters.status = match counters.trial().await {
            Some(reason) => Asking::Never(reason),
            None if facts.is_ours() || facts.foreign_connections == Visible::Seen(0) => Asking::Counted,
            None => Asking::Shared,
        };
        if counters.status == Asking::Counted {
            counters.question = counters.cost_of_a_question().await;
        }
        counters
    }

    async fn trial(&self) -> Option<Reason> {
        let mut slowest = Duration::ZERO;
        for _ in 0..TRIALS {
            let begin = Instant::now();
            if let Err(reason) = self.ask_status().await {
                return Some(reason);
            }
            slowest = slowest.max(begin.elapsed());
        }
        (slowest > CHEAP_UP_TO).then_some(Reason::Slow(slowest))
    }

    /// Bytes in and out from one question to the next, the driver's own heartbeats kept out by taking the least.
    async fn cost_of_a_question(&self) -> (i64, i64) {
        let bytes =
            |answer: &BTreeMap<String, i64>| Some((*answer.get("network.bytesIn")?, *answer.get("network.bytesOut")?));
        let mut costs = Vec::new();
        let mut last = None;
        for _ in 0..=TRIALS {
            let now = self.ask_status().await.ok().and_then(|status| bytes(&counters_of(&status, self.product)));
            costs.extend(
                last.zip(now).map(|((ins, outs), (in_now, out_now)): ((i64, i64), _)| (in_now - ins, out_now - outs)),
            );
            last = now;
        }
        costs.into_iter().min().unwrap_or_default()
    }

    /// Why a run has no counters, for the run's notes.
    pub(super) fn note(&self) -> Option<String> {
        let why = match self.status {
            Asking::Counted => return None,
            Asking::Shared => "n/a (other clients use the server too)".to_owned(),
            Asking::Never(Reason::NotPermitted) => Visible::<u64>::NotPermitted.to_string(),
            Asking::Never(Reason::NotTold) => Visible::<u64>::NotTold.to_string(),
            Asking::Never(Reason::Slow(took)) => {
                format!("n/a (asking takes {} ms, which would disturb what is measured)", took.as_millis())
            }
        };
        Some(format!("the server's counters: {why}"))
    }

    /// Asks now. What is not answered in time is left out.
    pub(super) async fn ask(&self) -> Answer {
        match self.status {
            // It tells at least whether it restarted.
            Asking::Never(_) => match self.run(doc! {"hello": 1}).await {
                Ok(hello) => Answer { life: ServerLife::told(Some(&hello), None), ..Answer::default() },
                Err(_) => Answer::default(),
            },
            Asking::Counted | Asking::Shared => match self.ask_status().await {
                Ok(status) => self.answer(&status),
                Err(_) => Answer::default(),
            },
        }
    }

    fn answer(&self, status: &Document) -> Answer {
        let mut counters = BTreeMap::new();
        if self.status == Asking::Counted {
            counters = counters_of(status, self.product);
            for counter in OwnCommands::counters() {
                less(&mut counters, &named(self.product, counter), signed(self.own.sent(counter)));
            }
            less(&mut counters, "network.numRequests", signed(self.own.in_all()));
        }
        let connections = status.get_document("connections").ok();
        Answer {
            life: ServerLife::told(None, Some(status)),
            counters,
            connections: connections.and_then(|connections| whole(connections.get("totalCreated")?)),
        }
    }

    /// What the counters rose by between two answers, our own questions subtracted; empty where someone else connected or
    /// the server restarted. The driver's own heartbeats, a few in ten seconds, are among the commands.
    pub(super) fn between(&self, before: &Answer, after: &Answer) -> BTreeMap<String, i64> {
        let is_visited = before.connections.zip(after.connections).is_some_and(|(before, after)| after > before);
        if is_visited || after.life.is_another_than(&before.life) {
            return BTreeMap::new();
        }
        let both = after.counters.iter().filter_map(|(name, after)| Some((name, before.counters.get(name)?, after)));
        let mut rose: BTreeMap<String, i64> =
            both.map(|(name, before, after)| (name.clone(), after - before)).collect();
        less(&mut rose, "network.bytesIn", self.question.0);
        less(&mut rose, "network.bytesOut", self.question.1);
        // A server that does not count what we subtract.
        rose.values_mut().for_each(|rise| *rise = (*rise).max(0));
        rose
    }

    async fn ask_status(&self) -> Result<Document, Reason> {
        // What is left out costs most: where a section is unknown, naming it does no harm.
        let question = doc! {
            "serverStatus": 1, "repl": 0, "metrics": 0, "locks": 0, "wiredTiger": 0, "tcmalloc": 0, "transactions": 0,
            "oplogTruncation": 0, "flowControl": 0, "mirroredReads": 0, "storageEngine": 0, "sharding": 0,
        };
        self.run(question).await
    }

    async fn run(&self, command: Document) -> Result<Document, Reason> {
        let database = self.client.database("admin");
        match tokio::time::timeout(PATIENCE, database.run_command(command)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => match error.kind.as_ref() {
                ErrorKind::Command(command) if command.code == UNAUTHORIZED => Err(Reason::NotPermitted),
                _ => Err(Reason::NotTold),
            },
            Err(_elapsed) => Err(Reason::Slow(PATIENCE)),
        }
    }
}

/// The counter's name in the record. The embedded server counts commands, whatever number of documents they write, where
/// mongod counts documents; so they are no operations.
fn named(product: Product, counter: &str) -> String {
    match product {
        Product::Secantusd => format!("commands.{counter}"),
        _ => format!("opcounters.{counter}"),
    }
}

fn counters_of(status: &Document, product: Product) -> BTreeMap<String, i64> {
    let section = |section: &str| status.get_document(section).ok().into_iter().flatten();
    let operations = section("opcounters")
        .filter(|(key, _)| OwnCommands::counters().any(|counter| counter == key.as_str()))
        .filter_map(|(key, value)| Some((named(product, key), whole(value)?)));
    let network = section("network")
        .filter(|(key, _)| ["bytesIn", "bytesOut", "numRequests"].contains(&key.as_str()))
        .filter_map(|(key, value)| Some((format!("network.{key}"), whole(value)?)));
    operations.chain(network).collect()
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn less(counters: &mut BTreeMap<String, i64>, name: &str, own: i64) {
    if let Some(counter) = counters.get_mut(name) {
        *counter -= own;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(inserts: i64) -> Document {
        doc! {
            "pid": 1_i64, "uptimeMillis": 50_i64,
            "opcounters": {"insert": inserts, "query": 3_i32, "deprecated": {"query": 1_i64}},
            "network": {"bytesIn": 100_i64, "bytesOut": 200.0, "numRequests": 5_i64, "compression": {}},
        }
    }

    #[test]
    fn counters_are_named_by_what_they_count() {
        let of = |product| counters_of(&status(7), product);
        assert_eq!(of(Product::Mongod)["opcounters.insert"], 7, "documents");
        assert_eq!(of(Product::Secantusd)["commands.insert"], 7, "commands");
        assert_eq!(of(Product::Mongod)["network.bytesOut"], 200);
        assert_eq!(of(Product::Mongod).len(), 5, "what is no plain counter is left out");
        assert!(counters_of(&doc! {"ok": 1}, Product::Other).is_empty());
    }
}
