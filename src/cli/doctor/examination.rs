//! The examination and its report.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use bson::Bson;

use super::advice::{Surrounding, advice};
use super::machine::{Check, Finding, Machine, gibibytes};
use crate::cli::args::DoctorArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::{connect, output, select};
use crate::guard::{self, Consent, DatabaseName};
use crate::record::RoundTrip;
use crate::server::{self, ServerError, ServerFacts, ServerOptions};
use crate::words::{Product, ServerSource};

/// Where results go unless told otherwise.
const RESULTS: &str = "results";

/// What an examination found.
#[derive(Debug)]
pub(super) struct DoctorReport {
    /// The server that would be used.
    pub(super) server: Result<ServerPart, ServerError>,
    /// Whether this machine is fit to measure.
    pub(super) machine: Vec<Check>,
    mongod: String,
}

/// A server and whether it may be loaded.
#[derive(Debug)]
pub(super) struct ServerPart {
    /// What it is.
    pub(super) facts: ServerFacts,
    /// Why it would be used.
    pub(super) why: String,
    /// Round trip of an empty command.
    pub(super) round_trip: Option<RoundTrip>,
    /// What of the connection string is not followed.
    pub(super) warnings: Vec<String>,
    /// Why it may not be loaded, if so.
    pub(super) refusal: Option<String>,
}

/// Runs `patternbench doctor`.
///
/// # Errors
/// Wrong usage.
pub(in crate::cli) async fn run(args: &DoctorArgs) -> Result<Exit, Failure> {
    if let Some(scenarios) = &args.roles {
        output::print(&roles(scenarios)?)?;
        return Ok(Exit::Done);
    }
    let options = connect::options(&args.server)?;
    let report = doctor(&options, &connect::consent(&args.server), Path::new(RESULTS)).await;
    output::print(&report.to_string())?;
    Ok(report.exit())
}

/// Opens the server that would be used, asks it what it is, looks at this machine, and stops the server again if it was
/// started for this.
pub(super) async fn doctor(options: &ServerOptions, consent: &Consent, results: &Path) -> DoctorReport {
    // Before a server is started: it would count as load.
    let machine = Machine::look(results).checks();
    let server = examine(options, consent).await;
    DoctorReport { server, machine, mongod: advice(&Surrounding::look()) }
}

async fn examine(options: &ServerOptions, consent: &Consent) -> Result<ServerPart, ServerError> {
    let server = server::open(options).await?;
    let round_trip = server.round_trip().await?;
    let part = ServerPart {
        facts: server.facts().clone(),
        why: server.why().to_owned(),
        round_trip,
        warnings: server.warnings().to_vec(),
        // What was seen stands above it anyway.
        refusal: guard::judge(server.facts(), consent).err().map(|error| first_line(&error.to_string())),
    };
    server.stop().await;
    Ok(part)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

impl DoctorReport {
    /// Done when a run could use the server.
    pub(super) fn exit(&self) -> Exit {
        match &self.server {
            Ok(part) if part.refusal.is_none() => Exit::Done,
            Err(error) if error.is_usage() => Exit::Usage,
            _ => Exit::Server,
        }
    }
}

impl Display for DoctorReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "Server")?;
        match &self.server {
            Ok(part) => part.fmt(f)?,
            Err(error) => writeln!(f, "  none to use: {}", error.to_string().replace('\n', "\n    "))?,
        }
        writeln!(f, "\nThis machine")?;
        for check in &self.machine {
            write_check(f, check)?;
        }
        if !self.server.as_ref().is_ok_and(|part| is_mongodb(part.facts.product)) {
            writeln!(f, "\nTo measure MongoDB itself")?;
            f.write_str(&self.mongod)?;
        }
        Ok(())
    }
}

fn write_check(f: &mut Formatter<'_>, check: &Check) -> fmt::Result {
    row(f, check.name, &check.seen)?;
    match &check.finding {
        Finding::Doubtful(why) => writeln!(f, "  {:22}! {why}", ""),
        Finding::Fit | Finding::NotTold => Ok(()),
    }
}

fn row(f: &mut Formatter<'_>, name: &str, value: impl Display) -> fmt::Result {
    writeln!(f, "  {name:20}  {value}")
}

impl Display for ServerPart {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let facts = &self.facts;
        let used = match facts.source {
            ServerSource::Uri => "the server of the connection string",
            ServerSource::Mongod => "a mongod that patternbench starts",
            ServerSource::Embedded => "the embedded server, which patternbench starts",
            ServerSource::Simulated => "none (simulated)",
        };
        row(f, "used", format_args!("{used} ({})", self.why))?;
        let not_mongodb =
            if is_mongodb(facts.product) { "" } else { ": not MongoDB, and its figures are not mongod's" };
        row(f, "product", format_args!("{} {}{not_mongodb}", facts.product, facts.version))?;
        row(f, "host", &facts.host)?;
        row(f, "topology", facts.topology)?;
        if !facts.members.is_empty() {
            row(f, "set members", facts.members.join(", "))?;
        }
        row(f, "storage engine", facts.storage_engine.as_deref().unwrap_or("n/a"))?;
        row(f, "cache", facts.cache_bytes.map_or_else(|| "n/a".to_owned(), |bytes| gibibytes(bytes.get())))?;
        if let Some(trip) = self.round_trip {
            row(f, "round trip", format_args!("p50 {:.0} µs, p95 {:.0} µs", trip.p50.get(), trip.p95.get()))?;
        }
        let databases =
            facts.foreign_databases.map(|names| if names.is_empty() { "none".into() } else { names.join(", ") });
        row(f, "foreign databases", databases)?;
        row(f, "foreign connections", &facts.foreign_connections)?;
        for warning in &self.warnings {
            row(f, "note", warning)?;
        }
        row(
            f,
            "may be loaded",
            self.refusal.as_ref().map_or_else(|| "yes".to_owned(), |refusal| format!("no: {refusal}")),
        )
    }
}

fn is_mongodb(product: Product) -> bool {
    matches!(product, Product::Mongod | Product::Mongos)
}

/// A `createUser` for mongosh with exactly the rights that these scenarios need.
fn roles(scenarios: &[String]) -> Result<String, Failure> {
    let mut databases: Vec<DatabaseName> = Vec::new();
    for word in scenarios {
        databases.extend(guard::planned(&select::scenario(word)?)?);
    }
    databases.sort_unstable();
    databases.dedup();
    let roles: Vec<String> = guard::user_roles(&databases)
        .into_iter()
        .map(|role| format!("    {}", Bson::Document(role).into_relaxed_extjson()))
        .collect();
    Ok(format!(
        "// In mongosh, as a user who may make users:\n\
         db.getSiblingDB(\"admin\").createUser({{\n  user: \"patternbench\",\n  pwd: passwordPrompt(),\n  roles: [\n{}\n  ]\n}})\n\
         // Such a user sees neither foreign databases nor foreign connections: pass --shared-server, or grant\n\
         // {{role: \"clusterMonitor\", db: \"admin\"}} too, which also fills in the server's counters.\n",
        roles.join(",\n")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::{ServerChoice, Surroundings};

    #[tokio::test]
    async fn without_any_server_the_report_says_how_to_get_one() {
        let empty = tempfile::tempdir().unwrap();
        let surroundings = Surroundings {
            path: Some(empty.path().into()),
            cache: Some(empty.path().to_owned()),
            ..Surroundings::default()
        };
        let options = ServerOptions { surroundings, ..ServerOptions::new(ServerChoice::Auto) };
        let report = doctor(&options, &Consent::default(), empty.path()).await;

        assert_eq!(report.exit(), Exit::Server);
        let text = report.to_string();
        for part in ["none to use", "scripts/server", "This machine", "To measure MongoDB itself"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[tokio::test]
    async fn the_embedded_server_is_named_as_what_it_is() {
        let report = doctor(&ServerOptions::new(ServerChoice::Embedded), &Consent::default(), Path::new(RESULTS)).await;
        let text = report.to_string();
        assert_eq!(report.exit(), Exit::Done, "{text}");
        let version = server::EMBEDDED_VERSION;
        for part in [
            &format!("secantusd {version}: not MongoDB"),
            "replica_set",
            "wiredTiger",
            "foreign databases     none",
            "foreign connections   0",
            "may be loaded         yes",
            "To measure MongoDB itself",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains("8.2"), "the version that it reports in mongod's name is not shown: {text}");
    }

    #[test]
    fn the_roles_cover_exactly_the_planned_databases() {
        let name = "product-list-page";
        let text = roles(&[name.to_owned(), name.to_owned()]).unwrap();
        for part in [format!("patternbench_{name}_source_parity"), format!("patternbench_{name}_naive")] {
            assert!(text.contains(&format!(r#"{{"role":"readWrite","db":"{part}"}}"#)), "{part} in {text}");
            assert!(text.contains(&format!(r#"{{"role":"dbAdmin","db":"{part}"}}"#)), "{part} in {text}");
        }
        assert_eq!(text.matches("AnyDatabase").count(), 0);
        let databases = guard::planned(&select::scenario(name).unwrap()).unwrap();
        assert_eq!(text.matches("\"role\":").count(), 2 * databases.len(), "named twice, granted once");
    }
}
