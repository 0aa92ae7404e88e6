//! How many rows sets have: from templates to numbers.

use std::path::{Path, PathBuf};

use super::classes::Classes;
use super::{Layout, Origin, Set, SetId, World, checks, file, stream_key};
use crate::value::draw::{Draw, mix};
use crate::value::error::{RenderError, WorldError};
use crate::value::frame::{Frame, Parent, budget};
use crate::value::number::as_whole;
use crate::value::scope::Parameters;
use crate::value::template::Template;

/// The most rows that a set may have.
const MAX_ROWS: u64 = 1_000_000_000;
/// The most parents whose numbers of children may be drawn: each takes eight bytes of memory.
const MAX_DRAWN_PARENTS: u64 = 20_000_000;

/// How many rows a set has and what they belong to.
#[derive(Debug, Clone)]
pub enum Population {
    /// So many (renders a whole number from parameters).
    Count(Template),
    /// For each row of another set so many.
    Children {
        /// The other set.
        of: String,
        /// How many.
        count: ChildCount,
    },
    /// One's own documents: Extended JSON lines; path relative to the scenario file. All rows, or the first n.
    File {
        /// The file.
        path: PathBuf,
        /// How many of its rows at most.
        first: Option<Template>,
    },
}

/// How many children a parent has.
#[derive(Debug, Clone)]
pub enum ChildCount {
    /// A template: constant, or drawn per parent (`^index` is the parent's number, `^parent` its row).
    Each(Template),
    /// Classes of parents: (share, count, name). Which parents fall into a class is drawn; how many do is not, and a
    /// class of a positive share has at least one parent where there are enough.
    Classes(Vec<(f64, Template, Option<String>)>),
}

/// A set to be resolved.
#[derive(Debug, Clone)]
pub struct SetSpec {
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub population: Population,
    /// A row (absent where rows come from a file).
    pub document: Option<Template>,
}

/// Resolves sets, parents before children.
pub(super) fn resolve(
    seed: u64,
    parameters: Parameters,
    specs: Vec<SetSpec>,
    base_dir: &Path,
) -> Result<World, WorldError> {
    let sets = specs.iter().map(|spec| unresolved(seed, &parameters, spec)).collect::<Result<Vec<_>, _>>()?;
    let mut world = World { seed, parameters, sets };
    let order = parents_first(&world, &specs)?;
    for (set, spec) in specs.iter().enumerate() {
        if let Some(of) = parent_of(&world, spec)? {
            // Whose children they are is known; how many follows. Circles are looked for first: counts may be drawn from
            // rows, and would run round them for ever.
            world.sets[set].origin = Origin::Children { of, layout: Layout::Each(0), classes: None };
        }
    }
    checks::circles(&world)?;
    for set in order {
        let (origin, rows) = origin(&world, set, &specs[set.0], base_dir)?;
        let resolved = &mut world.sets[set.0];
        resolved.origin = origin;
        resolved.rows = rows;
    }
    checks::pairs(&world)?;
    Ok(world)
}

fn unresolved(seed: u64, parameters: &Parameters, spec: &SetSpec) -> Result<Set, WorldError> {
    let from_file = matches!(spec.population, Population::File { .. });
    if from_file == spec.document.is_some() {
        let message =
            if from_file { "rows come from a file, so `document` has no place" } else { "`document` is missing" };
        return Err(WorldError::of_set(&spec.name, message));
    }
    let document = spec.document.as_ref().map(|document| document.with_parameters(parameters)).transpose();
    let document = document.map_err(|error| WorldError::of_set(&spec.name, error))?;
    Ok(Set {
        name: spec.name.clone(),
        key: stream_key(seed, &spec.name),
        rows: 0,
        origin: Origin::Alone,
        document: document.map(|document| document.expression().clone()),
    })
}

/// The sets in an order in which each comes after the set that it belongs to.
fn parents_first(world: &World, specs: &[SetSpec]) -> Result<Vec<SetId>, WorldError> {
    let mut order: Vec<SetId> = Vec::new();
    for start in 0..specs.len() {
        let mut line = Vec::new();
        let mut next = Some(SetId(start));
        while let Some(set) = next.filter(|set| !order.contains(set)) {
            if line.contains(&set) {
                return Err(WorldError::of_set(
                    &specs[set.0].name,
                    "it is a child of itself, directly or through others",
                ));
            }
            line.push(set);
            next = parent_of(world, &specs[set.0])?;
        }
        order.extend(line.into_iter().rev());
    }
    Ok(order)
}

fn parent_of(world: &World, spec: &SetSpec) -> Result<Option<SetId>, WorldError> {
    let Population::Children { of, .. } = &spec.population else { return Ok(None) };
    let parent = world.set_id(of);
    parent.map(Some).ok_or_else(|| WorldError::of_set(&spec.name, format!("there is no set `{of}` to be children of")))
}

fn origin(world: &World, set: SetId, spec: &SetSpec, base_dir: &Path) -> Result<(Origin, u64), WorldError> {
    let failed = |error: RenderError| WorldError::of_set(&spec.name, error);
    match &spec.population {
        Population::Count(count) => {
            let rows = constant_count(world, count, "count").map_err(failed)?;
            within_bounds(rows).map_err(failed)?;
            Ok((Origin::Alone, rows))
        }
        Population::File { path, first } => {
            let first =
                first.as_ref().map(|first| constant_count(world, first, "first")).transpose().map_err(failed)?;
            let documents = file::read(&base_dir.join(path), first, world.set(set).key)
                .map_err(|message| WorldError::of_set(&spec.name, message))?;
            let rows = documents.len() as u64;
            Ok((Origin::File(documents), rows))
        }
        Population::Children { count, .. } => {
            let of = parent_of(world, spec)?.expect("children have a parent set");
            children(world, set, of, count).map_err(failed)
        }
    }
}

fn children(world: &World, set: SetId, of: SetId, count: &ChildCount) -> Result<(Origin, u64), RenderError> {
    let parents = world.rows(of);
    let (layout, classes) = match count {
        ChildCount::Each(count) => {
            let count = count.with_parameters(&world.parameters)?;
            let layout = match count.as_constant() {
                Some(_) => Layout::Each(constant_count(world, &count, "count")?),
                None => starts(parents, |parent| drawn_count(world, set, of, &count, parent))?,
            };
            (layout, None)
        }
        ChildCount::Classes(specs) => {
            let shares: Vec<_> = specs.iter().map(|(share, _, name)| (*share, name.clone())).collect();
            let key = mix(world.permutation_key(set));
            let classes = Classes::new(key, parents, &shares)?;
            let counts: Vec<_> = specs.iter().map(|(_, count, _)| count.with_parameters(&world.parameters)).collect();
            let counts = counts.into_iter().collect::<Result<Vec<_>, _>>()?;
            let layout =
                starts(parents, |parent| drawn_count(world, set, of, &counts[classes.class_of(parent)], parent))?;
            (layout, Some(classes))
        }
    };
    let rows = match &layout {
        Layout::Each(count) => parents.saturating_mul(*count),
        Layout::Starts(starts) => starts.last().copied().unwrap_or(0),
    };
    within_bounds(rows)?;
    Ok((Origin::Children { of, layout, classes }, rows))
}

fn starts(parents: u64, count: impl Fn(u64) -> Result<u64, RenderError>) -> Result<Layout, RenderError> {
    if parents > MAX_DRAWN_PARENTS {
        return Err(RenderError::new(format!(
            "numbers of children are drawn for at most {MAX_DRAWN_PARENTS} parents, and there are {parents}"
        )));
    }
    let mut starts = Vec::with_capacity(parents as usize + 1);
    let mut reached = 0u64;
    starts.push(0);
    for parent in 0..parents {
        reached = reached.saturating_add(count(parent)?);
        within_bounds(reached)?;
        starts.push(reached);
    }
    Ok(Layout::Starts(starts))
}

fn drawn_count(world: &World, set: SetId, of: SetId, count: &Template, parent: u64) -> Result<u64, RenderError> {
    let budget = budget();
    let stream = format!("dataset/{}/count", world.name(set));
    let frame = Frame {
        key: Draw::new(world.seed, &stream, 0).key(),
        number: parent,
        index: parent,
        parent: Parent::Row(of, parent),
        ..Frame::bare(world, &budget)
    };
    count_of(&*count.expression().evaluate(&frame)?, "count")
}

fn constant_count(world: &World, count: &Template, what: &str) -> Result<u64, RenderError> {
    let budget = budget();
    count_of(&*count.expression().evaluate(&Frame::bare(world, &budget))?, what)
}

fn count_of(value: &bson::Bson, what: &str) -> Result<u64, RenderError> {
    as_whole(value)
        .and_then(|count| u64::try_from(count).ok())
        .ok_or_else(|| RenderError::new(format!("`{what}` must be a whole number of at least 0, not {value}")))
}

fn within_bounds(rows: u64) -> Result<(), RenderError> {
    if rows > MAX_ROWS {
        let rows = if rows == u64::MAX { "more than 2^64".to_owned() } else { rows.to_string() };
        return Err(RenderError::new(format!("{rows} rows are too many: a set has at most {MAX_ROWS}")));
    }
    Ok(())
}
