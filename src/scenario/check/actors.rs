//! What a model does beside its operations: background actors and events.

use std::time::Duration;

use super::checker::{Checker, given};
use super::parameters::Parameters;
use super::pipeline::Known;
use super::steps::Setting;
use crate::scenario::actors::{Actor, ModelEvent, Trigger};
use crate::scenario::file::{ActorFile, EventFile, ModelFile, OnChangeFile};
use crate::scenario::types::ModelOperation;
use crate::source::{At, List, NodeId, NodeRef, Problem, Soft, Span};
use crate::units::Share;
use crate::value::{Scope, parse_duration};

/// The shortest pause between two turns: an actor with less is a load of its own.
const SHORTEST: Duration = Duration::from_millis(1);
/// The longest.
const LONGEST: Duration = Duration::from_secs(60);

/// The model that actors and events belong to.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// Its collections.
    pub(super) known: &'a Known,
    pub(super) parameters: &'a Parameters,
}

impl Checker<'_> {
    /// Checks a model's actors and events; broken ones are left out.
    pub(super) fn beside(&mut self, file: &ModelFile, around: Around<'_>) -> (Vec<Actor>, Vec<ModelEvent>) {
        let mut names = Vec::new();
        let mut actors = Vec::new();
        for written in given(&file.background).iter().flat_map(|list| &list.0) {
            self.beside_name(&written.value.name, written.span, "an actor", &mut names);
            let actor = self.actor(written, around);
            actors.extend(actor);
        }
        let mut events = Vec::new();
        for written in given(&file.events).iter().flat_map(|list| &list.0) {
            self.beside_name(&written.value.name, written.span, "an event", &mut names);
            let event = self.event(written, around);
            events.extend(event);
        }
        (actors, events)
    }

    fn beside_name(&mut self, name: &Option<Soft<At<String>>>, place: Span, of: &str, taken: &mut Vec<String>) {
        if name.is_none() {
            self.missing(place, "name", of, "a name by which it is told, such as `name: keep_copies`");
        }
        let Some(name) = given(name) else { return };
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if name.value.is_empty() || !name.value.bytes().all(legal) {
            self.report(
                Problem::new(name.span, format!("`{}` cannot name {of}", name.value))
                    .help("use letters, digits, `-` and `_`, such as `keep_copies`"),
            );
        } else if taken.contains(&name.value) {
            self.report(
                Problem::new(name.span, format!("`{}` is taken by another actor or event of the model", name.value))
                    .help("choose another name, since their counts are told by it"),
            );
        }
        taken.push(name.value.clone());
    }

    fn actor(&mut self, written: &At<ActorFile>, around: Around<'_>) -> Option<Actor> {
        let file = &written.value;
        let trigger = match (&file.every, &file.on_change) {
            (None, None) => {
                let help = "`every: 100ms`, or `on_change: {collection: …}` where changes drive it";
                self.missing(written.span, "every", "an actor", help);
                None
            }
            (Some(_), Some(_)) => {
                let place = given(&file.on_change).map_or(written.span, |change| change.span);
                self.report(
                    Problem::new(place, "an actor has `every` or `on_change`, not both")
                        .help("make two actors of it, or leave one out"),
                );
                None
            }
            (Some(every), None) => every.0.as_ref().and_then(|every| self.every(every)).map(Trigger::Every),
            (None, Some(change)) => change.0.as_ref().and_then(|change| self.on_change(change, around)),
        };
        let args = if file.on_change.is_some() { self.change_argument(written.span, around) } else { Vec::new() };
        let does = self.does(written.span, "an actor", &file.steps, None, &args, around);
        Some(Actor { name: given(&file.name)?.value.clone(), trigger: trigger?, does: does? })
    }

    fn every(&mut self, every: &At<String>) -> Option<Duration> {
        let length = parse_duration(&every.value).and_then(|millis| u64::try_from(millis).ok());
        let length = length.map(Duration::from_millis).filter(|length| (SHORTEST..=LONGEST).contains(length));
        if length.is_none() {
            self.report(
                Problem::new(every.span, format!("`{}` is no time between two turns", every.value))
                    .help("between `1ms` and `1m`, such as `100ms`"),
            );
        }
        length
    }

    fn on_change(&mut self, change: &At<OnChangeFile>, around: Around<'_>) -> Option<Trigger> {
        let file = &change.value;
        let pipeline = file.pipeline.map(|node| {
            let scope = Scope { parameters: around.parameters.names.clone(), ..Scope::default() };
            self.change_stages(node.0);
            self.template(node.0, &scope)
        });
        if file.collection.is_none() {
            self.missing(change.span, "collection", "`on_change`", "the collection whose changes drive the actor");
        }
        let collection = given(&file.collection)?;
        if !around.known.has(&collection.value) {
            self.unknown(collection.span, "collection", &collection.value, around.known.names());
            return None;
        }
        let pipeline = pipeline.map_or(Some(None), |compiled| compiled.map(Some))?;
        Some(Trigger::OnChange { collection: collection.value.clone(), pipeline })
    }

    /// A pipeline over changes; the server refuses stages that a change stream cannot have, which parity shows.
    fn change_stages(&mut self, node: NodeId) {
        if self.items(node).is_none() && !self.is_filled_in(node) {
            let found = self.arena.kind(node).describe();
            self.report_node(
                node,
                format!("a pipeline is a list of stages, found {found}"),
                "such as `[{$match: {operationType: update}}]`",
            );
        }
    }

    /// The argument of an actor that changes drive, whose name must be free.
    fn change_argument(&mut self, place: Span, around: Around<'_>) -> Vec<String> {
        let name = crate::scenario::actors::CHANGE;
        if around.parameters.names.iter().any(|parameter| parameter == name) {
            self.report(
                Problem::new(place, format!("`^{name}` is the change that drives this actor, and a parameter too"))
                    .help("rename the parameter"),
            );
        }
        vec![name.to_owned()]
    }

    fn event(&mut self, written: &At<EventFile>, around: Around<'_>) -> Option<ModelEvent> {
        let file = &written.value;
        if file.at.is_none() {
            let help = "the share of the window's operations at which it begins, such as `at: 0.3`";
            self.missing(written.span, "at", "an event", help);
        }
        let at = given(&file.at).copied();
        if let Some(at) = at
            && !(0.0..=1.0).contains(&at.value)
        {
            self.report(
                Problem::new(at.span, "an event begins at a share of the window, between 0 and 1")
                    .help("such as `at: 0.3`; at 1 it follows the window's last operation"),
            );
        }
        let result = file.result.map(|node| node.0);
        let does = self.does(written.span, "an event", &file.steps, result, &[], around);
        Some(ModelEvent { name: given(&file.name)?.value.clone(), at: Share::new(at?.value), does: does? })
    }

    /// What an actor or an event does: steps as an operation has them.
    fn does(
        &mut self,
        place: Span,
        of: &str,
        steps: &Option<Soft<At<List<NodeRef>>>>,
        result: Option<NodeId>,
        args: &[String],
        around: Around<'_>,
    ) -> Option<ModelOperation> {
        if steps.is_none() {
            self.missing(place, "steps", of, "such as `steps: [{updateMany: {…}}]`");
        }
        let steps = given(steps)?;
        if steps.value.0.is_empty() {
            self.report(
                Problem::new(steps.span, format!("{of} has at least one step"))
                    .help("such as `- updateMany: {collection: …, filter: {…}, update: {…}}`"),
            );
        }
        let setting = Setting {
            known: around.known,
            parameters: &around.parameters.names,
            args,
            ordered: false,
            has_result: result.is_some(),
        };
        let checked = self.steps(&steps.value.0, setting);
        let result = result.map(|node| self.template(node, &checked.scope));
        let result = result.map_or(Some(None), |compiled| compiled.map(Some));
        Some(ModelOperation { steps: checked.steps?, result: result?, growth: None, scan_is_the_subject: None })
    }
}
