//! Workloads: the mix of operations, their arguments, and what they return.

use super::checker::{Checker, given};
use super::parameters::Parameters;
use crate::scenario::file::{MixFile, ReturnsFile, ScenarioFile};
use crate::scenario::types::{Operation, Returns, Workload};
use crate::source::{At, Dict, DictEntry, Entry, List, NodeId, NodeRef, Problem, Soft, Span};
use crate::units::Share;
use crate::value::{Scope, Template};
use crate::words::DataState;

/// What an unnamed workload is called.
const DEFAULT: &str = "default";
/// The key of a workload that is no operation.
const STATE: &str = "state";
/// What it can be.
pub(in crate::scenario) const STATES: &[DataState] = &[DataState::Reload, DataState::Growing];

/// An operation of the workloads, as far as its models need to know it.
#[derive(Debug)]
pub(super) struct Declared {
    /// Its name.
    pub(super) name: String,
    /// Where it is declared.
    pub(super) span: Span,
    /// Names of its arguments, in slot order.
    pub(super) args: Vec<String>,
    /// What it returns, if it does.
    pub(super) returns: Option<Returned>,
}

/// What an operation returns, as far as its models need to know it.
#[derive(Debug, Clone)]
pub(super) struct Returned {
    /// Where `returns` stands.
    pub(super) span: Span,
    /// Whether the order is part of the answer.
    pub(super) order: bool,
    /// Whether an `_id` is part of the answer.
    pub(super) with_id: bool,
    /// Where the first field stands that follows the truth after a delay, if there is one.
    pub(super) eventual: Option<Span>,
}

/// The workloads of a file.
#[derive(Debug, Default)]
pub(super) struct Workloads {
    /// All operations, each once.
    pub(super) declared: Vec<Declared>,
    /// The workloads, as far as they are fine.
    pub(super) workloads: Vec<Workload>,
}

/// What arguments can refer to.
struct Surroundings<'s> {
    parameters: &'s Parameters,
    sets: &'s [String],
}

impl Checker<'_> {
    /// Checks the workloads.
    pub(super) fn workloads(
        &mut self,
        file: &ScenarioFile,
        place: Span,
        parameters: &Parameters,
        sets: &[String],
    ) -> Workloads {
        let mut workloads = Workloads::default();
        let surroundings = Surroundings { parameters, sets };
        if let Some(node) = file.workload {
            self.workload(DEFAULT, node.0, &surroundings, &mut workloads);
        }
        for entry in given(&file.workloads).iter().flat_map(|dict| &dict.0) {
            self.workload_name(entry);
            self.workload(&entry.key, entry.value.0, &surroundings, &mut workloads);
        }
        match (file.workload, &file.workloads) {
            (Some(node), Some(_)) => self.report_node(
                node.0,
                "`workload` stands beside `workloads`",
                "keep one: `workloads` names several mixes",
            ),
            (None, None) => self.missing(
                place,
                "workload",
                "the scenario",
                "say which operations are driven: `workload: {list_page: {weight: 95, …}}`",
            ),
            _ => {}
        }
        workloads
    }

    fn workload_name(&mut self, entry: &DictEntry<NodeRef>) {
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if entry.key.is_empty() || !entry.key.bytes().all(legal) {
            self.report(
                Problem::new(entry.key_span, format!("`{}` cannot name a workload", entry.key))
                    .help("use letters, digits, `-` and `_`, such as `read_heavy`"),
            );
        }
    }

    fn workload(&mut self, name: &str, node: NodeId, around: &Surroundings<'_>, workloads: &mut Workloads) {
        let Some(entries) = self.plain_map(node) else {
            let found = self.arena.kind(node).describe();
            self.report_node(
                node,
                format!("a workload is a map of operations, found {found}"),
                "such as `{list_page: {weight: 95, …}}`",
            );
            return;
        };
        let state = entries.iter().find(|entry| entry.key == STATE).and_then(|entry| self.state(entry));
        let mut operations = Vec::new();
        for entry in entries.iter().filter(|entry| entry.key != STATE) {
            self.operation_name(entry.key_span, &entry.key);
            let operation = self.mixed(entry, around, workloads);
            operations.extend(operation);
        }
        if entries.iter().all(|entry| entry.key == STATE) {
            self.report_node(node, "this workload has no operation", "such as `{list_page: {weight: 95, …}}`");
        }
        workloads.workloads.push(Workload { name: name.to_owned(), state, operations });
    }

    /// What becomes of the workload's data. That they stay steady follows from what is done, and cannot be asked for.
    fn state(&mut self, entry: &Entry) -> Option<DataState> {
        let help = "`state: reload` loads fresh data for every round, `state: growing` lets them grow; left out, the plan \
                    decides";
        if self.plain_map(entry.value).is_some() {
            self.report(
                Problem::new(
                    entry.key_span,
                    "`state` is no name for an operation: it says what becomes of the workload's data",
                )
                .help(help),
            );
            return None;
        }
        let asked = self.text(entry.value).and_then(|word| STATES.iter().find(|state| state.word() == word));
        if asked.is_none() {
            self.report_node(entry.value, "this is no `state` of a workload", help);
        }
        asked.copied()
    }

    /// An operation of a mix; it is declared even where it is broken.
    fn mixed(&mut self, entry: &Entry, around: &Surroundings<'_>, workloads: &mut Workloads) -> Option<Operation> {
        let file = self.decode::<MixFile>(entry.value);
        let args = file.as_ref().and_then(|file| given(&file.args)).map_or(&[][..], |args| &args.0);
        let written = file.as_ref().and_then(|file| given(&file.returns));
        let returns = written.map(|returns| self.returns(returns));
        self.declare(entry, args, written.zip(returns.as_ref()), &mut workloads.declared);
        let args = self.args(args, around);
        let file = file?;
        let weight = self.weight(entry, &file);
        Some(Operation {
            name: entry.key.clone(),
            weight: weight?,
            args: args?,
            returns,
            empty_up_to: self.share(given(&file.empty_up_to)),
            counted_only: given(&file.counted_only).copied().unwrap_or(false),
        })
    }

    fn declare(
        &mut self,
        entry: &Entry,
        args: &[DictEntry<NodeRef>],
        returns: Option<(&At<ReturnsFile>, &Returns)>,
        declared: &mut Vec<Declared>,
    ) {
        let args: Vec<String> = args.iter().map(|arg| arg.key.clone()).collect();
        let returns = returns.map(|(written, returns)| Returned {
            span: written.span,
            order: returns.order,
            with_id: returns.fields.is_empty() || returns.fields.iter().any(|field| field == "_id"),
            eventual: names(&written.value.eventual).next().map(|field| field.span),
        });
        match declared.iter().find(|earlier| earlier.name == entry.key) {
            Some(earlier) => {
                let differs = if earlier.args != args {
                    Some("other arguments")
                } else if earlier.returns.is_some() != returns.is_some() {
                    Some("another `returns`")
                } else {
                    None
                };
                if let Some(differs) = differs {
                    self.report(
                        Problem::new(
                            entry.key_span,
                            format!("`{}` has {differs} than in the workload before", entry.key),
                        )
                        .help("an operation is the same in every workload; only its weight and draws differ")
                        .note(earlier.span, "first declared here"),
                    );
                }
            }
            None => declared.push(Declared { name: entry.key.clone(), span: entry.key_span, args, returns }),
        }
    }

    fn args(&mut self, args: &[DictEntry<NodeRef>], around: &Surroundings<'_>) -> Option<Vec<(String, Template)>> {
        let mut names: Vec<String> = Vec::new();
        let mut compiled = Some(Vec::new());
        for arg in args {
            self.reference_name(
                arg.key_span,
                "an argument",
                &arg.key,
                around.parameters.names.iter().map(String::as_str),
            );
            let scope = Scope {
                parameters: around.parameters.names.clone(),
                sets: around.sets.to_vec(),
                index: true,
                draws: true,
                names: names.clone(),
                place: arg.key.clone(),
                ..Scope::default()
            };
            match (self.template(arg.value.0, &scope), &mut compiled) {
                (Some(template), Some(compiled)) => compiled.push((arg.key.clone(), template)),
                _ => compiled = None,
            }
            names.push(arg.key.clone());
        }
        compiled
    }

    fn weight(&mut self, entry: &Entry, file: &MixFile) -> Option<f64> {
        if file.weight.is_none() {
            self.missing(
                entry.key_span,
                "weight",
                &format!("operation `{}`", entry.key),
                "its share of the mix, such as `weight: 95`",
            );
        }
        let weight = given(&file.weight)?;
        if weight.value <= 0.0 {
            self.report(
                Problem::new(weight.span, format!("the weight of `{}` must be above 0", entry.key))
                    .help("leave the operation out if it is not to be driven"),
            );
            return None;
        }
        Some(weight.value)
    }

    fn share(&mut self, share: Option<&At<f64>>) -> Share {
        let Some(share) = share else { return Share::new(0.0) };
        if !(0.0..=1.0).contains(&share.value) {
            self.report(Problem::new(share.span, "a share lies between 0 and 1").help("such as `empty_up_to: 0.1`"));
        }
        Share::new(share.value)
    }

    fn returns(&mut self, file: &At<ReturnsFile>) -> Returns {
        let file = &file.value;
        let fields: Vec<String> = names(&file.fields).map(|field| field.value.clone()).collect();
        let known = [&file.snapshot, &file.eventual, &file.last_write];
        for field in known.into_iter().flat_map(names) {
            self.compared(&field.value, field.span, &fields);
        }
        let mut tolerance = std::collections::BTreeMap::new();
        for entry in given(&file.tolerance).iter().flat_map(|dict| &dict.0) {
            self.compared(&entry.key, entry.key_span, &fields);
            let Some(value) = entry.value.0 else { continue };
            if !(0.0..1.0).contains(&value.value) {
                self.report(
                    Problem::new(value.span, "a tolerance is relative and lies between 0 and 1").help("such as 1e-9"),
                );
            }
            tolerance.insert(entry.key.clone(), value.value);
        }
        let list = |list: &Option<Soft<List<At<String>>>>| names(list).map(|field| field.value.clone()).collect();
        Returns {
            order: given(&file.order).copied().unwrap_or(false),
            tolerance,
            snapshot: list(&file.snapshot),
            eventual: list(&file.eventual),
            last_write: list(&file.last_write),
            order_dependent: given(&file.order_dependent).copied().unwrap_or(false),
            fields,
        }
    }

    /// Records it if a field that is compared in a special way is not compared at all.
    fn compared(&mut self, field: &str, place: Span, fields: &[String]) {
        let within = |outer: &str, inner: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if !fields.is_empty() && !fields.iter().any(|known| within(known, field) || within(field, known)) {
            self.unknown(place, "field, since `fields` does not name it:", field, fields.iter().map(String::as_str));
        }
    }
}

fn names(list: &Option<Soft<List<At<String>>>>) -> impl Iterator<Item = &At<String>> {
    given(list).into_iter().flat_map(|list| &list.0)
}

/// All declared operations' names.
pub(super) fn operation_names(declared: &[Declared]) -> impl Iterator<Item = &str> {
    declared.iter().map(|operation| operation.name.as_str())
}

/// Keeps a broken dict from being told apart from an absent one.
pub(super) fn entries<T>(dict: &Option<Soft<Dict<T>>>) -> &[DictEntry<T>] {
    given(dict).map_or(&[], |dict| &dict.0)
}
