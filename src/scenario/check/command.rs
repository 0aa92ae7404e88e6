//! The commands that a step may run: reads, and changes of the model's own collections and indexes.

use super::checker::{Checker, list};
use super::order::Ordered;
use super::pipeline::Known;
use super::steps::Call;
use crate::scenario::step::CollectionRef;
use crate::source::{Entry, NodeId, NodeKind, Problem};

/// Commands that only read.
pub const READ_COMMANDS: &[&str] =
    &["aggregate", "collStats", "count", "dbStats", "distinct", "find", "listCollections", "listIndexes", "ping"];
/// Commands that change a collection's options or indexes.
pub(super) const WRITE_COMMANDS: &[&str] = &["collMod", "createIndexes", "dropIndexes"];
/// Of these, commands on the database as a whole.
const OF_DATABASE: &[&str] = &["dbStats", "listCollections", "ping"];
/// Fields by which a command would leave the model's database or the run's concerns and sessions.
const FOREIGN_FIELDS: &[&str] =
    &["$db", "lsid", "txnNumber", "autocommit", "startTransaction", "readConcern", "writeConcern", "$readPreference"];

impl<'a> Checker<'a> {
    /// A command's name: its first key.
    pub(super) fn command_name(&self, body: NodeId) -> Option<&'a Entry> {
        let command = self.arena.get(body, "command")?;
        self.plain_map(command)?.first()
    }

    /// The collection that a command names. What is wrong is recorded by [`command`](Self::command).
    pub(super) fn command_collection(&mut self, body: NodeId) -> Option<CollectionRef> {
        let name = self.command_name(body)?;
        let collection = self.text(name.value).filter(|_| !OF_DATABASE.contains(&name.key.as_str()));
        Some(CollectionRef::Named(collection.unwrap_or("$cmd").to_owned()))
    }

    /// Checks that a command is one that a step may run, on the model's own database.
    pub(super) fn command(&mut self, call: Call, known: &Known) {
        let Some(command) = self.arena.get(call.body, "command") else { return };
        let Some(name) = self.command_name(call.body) else {
            // What is no map at all is told where fields are read.
            if self.is_filled_in(command) || self.plain_map(command).is_some() {
                self.report_node(
                    command,
                    "`command` names no command",
                    "write it out, its name first, such as `{collMod: products, validator: {…}}`",
                );
            }
            return;
        };
        let word = name.key.as_str();
        if !READ_COMMANDS.contains(&word) && !WRITE_COMMANDS.contains(&word) {
            self.report(
                Problem::new(name.key_span, format!("`runCommand` does not run `{word}`"))
                    .help(format!("it runs {}; what else there is has a step of its own", list(&allowed()))),
            );
            return;
        }
        for entry in self.arena.entries(command) {
            if FOREIGN_FIELDS.contains(&entry.key.as_str()) {
                self.report(
                    Problem::new(
                        entry.key_span,
                        format!("`{}` does not belong into a command of a scenario", entry.key),
                    )
                    .help("leave it out: a model touches its own database only, with the run's concerns"),
                );
            }
        }
        if !OF_DATABASE.contains(&word) {
            self.collection_of_command(name, known);
        }
        self.parts_of_command(call, command, known);
    }

    fn collection_of_command(&mut self, name: &Entry, known: &Known) {
        match self.arena.kind(name.value) {
            NodeKind::Str(collection) if collection.contains('.') && !known.has(collection) => self.report(
                Problem::new(self.arena.span(name.value), format!("`{collection}` names a database"))
                    .help("name a collection alone: a model touches its own database only"),
            ),
            _ => drop(self.collection_named(name.value, known)),
        }
    }

    fn parts_of_command(&mut self, call: Call, command: NodeId, known: &Known) {
        if let Some(pipeline) = self.arena.get(command, "pipeline") {
            let collection = self.command_name(call.body).and_then(|name| self.text(name.value)).unwrap_or_default();
            self.aggregate(pipeline, call.span, known, collection, Ordered::No);
        }
        for key in ["filter", "query"] {
            if let Some(filter) = self.arena.get(command, key) {
                self.filter(filter);
            }
        }
    }
}

fn allowed() -> Vec<&'static str> {
    [READ_COMMANDS, WRITE_COMMANDS].concat()
}
