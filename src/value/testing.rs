//! What the tests of this room share: templates and datasets from text.

use std::path::Path;

use bson::raw::RawDocumentBuf;
use bson::{Bson, Document};

use super::{Context, Draw, Names, Parameters, Population, RenderError, Scope, SetSpec, Template, World};
use crate::source::{Arena, NodeId, NodeKind, Problems, SourceText, parse};

/// A scope in which everything is known: `^size` (a parameter), the sets `books` and `buyers`, `^a` and `^b` (names).
pub(super) fn full_scope() -> Scope {
    Scope {
        parameters: vec!["size".to_owned()],
        sets: vec!["books".to_owned(), "buyers".to_owned()],
        index: true,
        parent: true,
        draws: true,
        it: true,
        each: true,
        names: vec!["a".to_owned(), "b".to_owned()],
        place: String::new(),
    }
}

/// Compiles a text, or gives the problems as `line:column message | help`.
pub(super) fn try_compile(text: &str, scope: &Scope) -> Result<Template, Vec<String>> {
    let parsed = parse(SourceText::new("test.yaml", text)).map_err(|_| vec!["not YAML".to_owned()])?;
    let mut problems = parsed.problems;
    let root = parsed.file.arena.root().expect("the text holds something");
    let template = Template::compile(&parsed.file.arena, root, scope, &mut problems);
    match template {
        Some(template) if problems.is_empty() => Ok(template),
        template => {
            assert!(template.is_none() || !problems.is_empty());
            Err(shown(&parsed.file.text, &problems))
        }
    }
}

fn shown(text: &SourceText, problems: &Problems) -> Vec<String> {
    let show = |problem: &&crate::source::Problem| {
        let (line, column) = text.line_column(problem.span.start);
        let help = problem.help.as_deref().unwrap_or_default();
        format!("{line}:{column} {} | {help}", problem.message)
    };
    problems.in_order().iter().map(show).collect()
}

pub(super) fn compile(text: &str) -> Template {
    try_compile(text, &full_scope()).unwrap_or_else(|problems| panic!("{text}: {problems:#?}"))
}

pub(super) fn problems(text: &str) -> Vec<String> {
    try_compile(text, &full_scope()).err().unwrap_or_default()
}

/// A world of ten books (each with a title) and four buyers.
pub(super) fn small_world() -> World {
    dataset("{books: {count: 10, document: {_id: ^index, title: {^format: 'Book {index}'}}}, buyers: {count: 4, document: {_id: {^format: 'b{index}'}}}}", &[])
        .expect("the dataset is sound")
}

/// A dataset as a scenario file has it, with classes and files left out.
pub(super) fn dataset(text: &str, parameters: &[(&str, Bson)]) -> Result<World, String> {
    let parsed = parse(SourceText::new("dataset.yaml", text)).map_err(|_| "not YAML".to_owned())?;
    let mut problems = parsed.problems;
    let arena = &parsed.file.arena;
    let root = arena.root().expect("the text holds something");
    let NodeKind::Map(sets) = arena.kind(root) else { panic!("a map of sets") };
    let scope = Scope {
        parameters: parameters.iter().map(|(name, _)| (*name).to_owned()).collect(),
        sets: sets.iter().map(|set| set.key.clone()).collect(),
        index: true,
        draws: true,
        ..Scope::default()
    };
    let specs: Vec<Option<SetSpec>> =
        sets.iter().map(|set| set_spec(arena, &set.key, set.value, &scope, &mut problems)).collect();
    if !problems.is_empty() {
        return Err(shown(&parsed.file.text, &problems).join("\n"));
    }
    let specs = specs.into_iter().map(|spec| spec.expect("no problems, no gaps")).collect();
    let parameters: Parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    World::new(1, parameters, specs, Path::new("")).map_err(|error| error.message)
}

fn set_spec(arena: &Arena, name: &str, node: NodeId, scope: &Scope, problems: &mut Problems) -> Option<SetSpec> {
    let children = arena.get(node, "children");
    let scope = Scope { parent: children.is_some(), ..scope.clone() };
    let document = Template::compile(arena, arena.get(node, "document")?, &scope, problems)?;
    let population = match children {
        None => Population::Count(Template::compile(arena, arena.get(node, "count")?, &scope, problems)?),
        Some(children) => Population::Children {
            of: text(arena, arena.get(children, "of")?),
            count: child_count(arena, arena.get(children, "count")?, &scope, problems)?,
        },
    };
    Some(SetSpec { name: name.to_owned(), population, document: Some(document) })
}

fn child_count(arena: &Arena, node: NodeId, scope: &Scope, problems: &mut Problems) -> Option<super::ChildCount> {
    let Some(classes) = arena.get(node, "classes") else {
        return Template::compile(arena, node, scope, problems).map(super::ChildCount::Each);
    };
    let NodeKind::Seq(classes) = arena.kind(classes) else { panic!("a list of classes") };
    let class = |class: &NodeId| {
        let NodeKind::Float(share) = arena.kind(arena.get(*class, "share")?) else { panic!("a share with a point") };
        let count = Template::compile(arena, arena.get(*class, "count")?, scope, problems)?;
        Some((*share, count, arena.get(*class, "name").map(|name| text(arena, name))))
    };
    classes.iter().map(class).collect::<Option<Vec<_>>>().map(super::ChildCount::Classes)
}

fn text(arena: &Arena, node: NodeId) -> String {
    let NodeKind::Str(text) = arena.kind(node) else { panic!("a text") };
    text.clone()
}

/// All that a template may look at, with a number.
pub(super) struct Surroundings {
    pub(super) world: World,
    pub(super) names: Names,
    pub(super) parent: Document,
    pub(super) it: Bson,
    pub(super) each: Bson,
}

impl Surroundings {
    pub(super) fn new() -> Self {
        Self {
            world: small_world(),
            names: Names::default(),
            parent: Document::new(),
            it: Bson::Null,
            each: Bson::Null,
        }
    }

    /// `^a` and `^b`.
    pub(super) fn named(a: Bson, b: Bson) -> Self {
        Self { names: Names { values: vec![Some(a), Some(b)] }, ..Self::new() }
    }

    pub(super) fn context(&self, number: u64) -> Context<'_> {
        Context {
            world: &self.world,
            draw: Draw::new(7, "test", number),
            index: number,
            parent: Some(&self.parent),
            names: &self.names,
            it: Some(&self.it),
            each: Some(&self.each),
        }
    }

    pub(super) fn value(&self, template: &Template, number: u64) -> Result<Bson, RenderError> {
        template.value(&self.context(number))
    }

    pub(super) fn document(&self, template: &Template, number: u64) -> Result<RawDocumentBuf, RenderError> {
        template.document(&self.context(number))
    }
}

/// The value that a text renders for a number.
pub(super) fn rendered(text: &str, number: u64) -> Bson {
    let surroundings = Surroundings::new();
    surroundings.value(&compile(text), number).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The values that a text renders for the numbers from 0.
pub(super) fn rendered_all(text: &str, count: u64) -> Vec<Bson> {
    let (surroundings, template) = (Surroundings::new(), compile(text));
    (0..count).map(|number| surroundings.value(&template, number).expect("it renders")).collect()
}
