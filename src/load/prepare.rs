//! A model's collections with their parameters filled in, checked before anything is written.

use bson::{Bson, Document, doc};

use super::error::LoadError;
use super::source::rows_of;
use crate::scenario::{CREATE_OPTIONS, Collection, Index, Partitions, resolved_indexes};
use crate::source::nearest;
use crate::value::{Context, Draw, Names, RenderError, Template, World};

/// Stages that answer one document for each that enters.
const ONE_TO_ONE: &[&str] = &[
    "$addFields",
    "$fill",
    "$graphLookup",
    "$lookup",
    "$project",
    "$replaceRoot",
    "$replaceWith",
    "$set",
    "$setWindowFields",
    "$sort",
    "$unset",
];

/// A collection, ready to be made.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    /// As the scenario has it.
    pub(super) definition: &'a Collection,
    /// Its partitions, if it has some: they are made and filled in its place.
    pub(super) partitions: Option<Partitions>,
    /// Its indexes, or those of each partition.
    pub(super) indexes: Vec<Index>,
    /// Options of its `create` command.
    pub(super) options: Document,
    /// What fills it; `None` starts empty.
    pub(super) feed: Option<Feed>,
    /// In which order documents must arrive.
    pub(super) arrival: Arrival,
}

/// What fills a collection.
#[derive(Debug)]
pub(super) struct Feed {
    /// The set, and its collection in the source database.
    pub(super) from: String,
    /// Stages that turn its documents into the model's; empty copies them.
    pub(super) pipeline: Vec<Document>,
    /// Documents that will come, where that can be told.
    pub(super) expected: Option<u64>,
}

/// In which order a collection's documents must arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Arrival {
    /// In any.
    Any,
    /// As they are read: a capped collection keeps the last ones.
    AsRead,
    /// Those of one meta value in the order of time, over one connection: else a time series collection opens more
    /// buckets than it needs.
    ByTime {
        /// The field that holds the time.
        time: String,
        /// The field by which measurements belong together, if there is one.
        meta: Option<String>,
    },
}

/// Fills in the parameters and checks what the server would refuse late or without a useful message.
///
/// # Errors
/// [`LoadError::Definition`], [`LoadError::UnknownSet`].
pub(super) fn prepare<'a>(definition: &'a Collection, world: &World) -> Result<Prepared<'a>, LoadError> {
    let wrong = |problem: String| LoadError::Definition { collection: definition.name.clone(), problem };
    let options = match &definition.options {
        None => Document::new(),
        Some(template) => match render(template, world).map_err(|error| wrong(format!("options: {error}")))? {
            Bson::Document(options) => options,
            _ => return Err(wrong("its `options` are no document; write `options: {validator: {…}}`".to_owned())),
        },
    };
    check_options(&options).map_err(&wrong)?;
    let arrival = arrival(&options).map_err(&wrong)?;
    let feed = match &definition.from {
        None => None,
        Some(from) => {
            let rows = rows_of(world, from)?;
            let pipeline = stages(definition.pipeline.as_ref(), world).map_err(&wrong)?;
            let expected = is_one_to_one(&pipeline).then_some(rows);
            Some(Feed { from: from.clone(), pipeline, expected })
        }
    };
    let partitions = definition.partitions(world).map_err(|error| wrong(error.to_string()))?;
    let indexes = resolved_indexes(&definition.indexes, world).map_err(|error| wrong(error.to_string()))?;
    Ok(Prepared { definition, partitions, indexes, options, feed, arrival })
}

impl Prepared<'_> {
    /// The collections of the database: its own, or those of its partitions.
    pub(super) fn names(&self) -> &[String] {
        self.partitions.as_ref().map_or(std::slice::from_ref(&self.definition.name), Partitions::names)
    }

    /// The stage that brings documents into the order of arrival, where one is needed.
    pub(super) fn sort(&self) -> Option<Document> {
        let Arrival::ByTime { time, meta } = &self.arrival else { return None };
        let fields = meta.iter().map(String::as_str).chain([time.as_str(), "_id"]);
        let by: Document = fields.map(|field| (field.to_owned(), Bson::Int32(1))).collect();
        Some(doc! { "$sort": by })
    }

    /// Whether the server removes documents by itself, so that there may be fewer than were written.
    pub(super) fn forgets(&self) -> bool {
        let expires = |index: &Index| index.options.contains_key("expireAfterSeconds");
        self.arrival == Arrival::AsRead
            || self.options.contains_key("expireAfterSeconds")
            || self.indexes.iter().any(expires)
    }
}

fn render(template: &Template, world: &World) -> Result<Bson, RenderError> {
    template.with_parameters(world.parameters())?.value(&Context {
        world,
        draw: Draw::new(world.seed(), "collection", 0),
        index: 0,
        parent: None,
        names: &Names::default(),
        it: None,
        each: None,
    })
}

fn check_options(options: &Document) -> Result<(), String> {
    for option in options.keys() {
        if CREATE_OPTIONS.contains(&option.as_str()) {
            continue;
        }
        let hint = nearest(option, CREATE_OPTIONS.iter().copied())
            .map_or_else(|| format!("known are {}", CREATE_OPTIONS.join(", ")), |near| format!("is `{near}` meant?"));
        return Err(format!("`{option}` is no option of a collection; {hint}"));
    }
    Ok(())
}

fn arrival(options: &Document) -> Result<Arrival, String> {
    match options.get("timeseries") {
        Some(Bson::Document(timeseries)) => {
            let field = |name: &str| timeseries.get_str(name).ok().map(str::to_owned);
            let time =
                field("timeField").ok_or("its `timeseries` option lacks `timeField`, the field with the time")?;
            Ok(Arrival::ByTime { time, meta: field("metaField") })
        }
        Some(_) => Err("its `timeseries` option is no document; write `timeseries: {timeField: at}`".to_owned()),
        None if options.get_bool("capped").ok() == Some(true) => Ok(Arrival::AsRead),
        None => Ok(Arrival::Any),
    }
}

fn stages(pipeline: Option<&Template>, world: &World) -> Result<Vec<Document>, String> {
    let Some(pipeline) = pipeline else { return Ok(Vec::new()) };
    let Bson::Array(stages) = render(pipeline, world).map_err(|error| format!("pipeline: {error}"))? else {
        return Err("its `pipeline` is no list of stages; write `pipeline: [{$set: {…}}]`".to_owned());
    };
    let stage = |(number, stage): (usize, Bson)| match stage {
        Bson::Document(stage) if stage.len() == 1 => Ok(stage),
        _ => Err(format!(
            "stage {} of its `pipeline` is no document with one key, such as `{{$set: {{…}}}}`",
            number + 1
        )),
    };
    stages.into_iter().enumerate().map(stage).collect()
}

fn is_one_to_one(pipeline: &[Document]) -> bool {
    pipeline.iter().flat_map(Document::keys).all(|operator| ONE_TO_ONE.contains(&operator.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_option_is_refused_with_the_nearest_name() {
        assert_eq!(check_options(&doc! { "validator": {}, "capped": true }), Ok(()));
        let refusal = check_options(&doc! { "validatr": {} }).unwrap_err();
        assert!(refusal.contains("`validatr`") && refusal.contains("`validator`"), "{refusal}");
    }

    #[test]
    fn the_order_of_arrival_follows_from_the_options() {
        assert_eq!(arrival(&doc! { "validator": {} }), Ok(Arrival::Any));
        assert_eq!(arrival(&doc! { "capped": true, "size": 4096 }), Ok(Arrival::AsRead));
        let by_time = Arrival::ByTime { time: "t".to_owned(), meta: Some("sensorId".to_owned()) };
        assert_eq!(arrival(&doc! { "timeseries": { "timeField": "t", "metaField": "sensorId" } }), Ok(by_time));
        assert!(arrival(&doc! { "timeseries": { "metaField": "sensorId" } }).is_err());
    }

    #[test]
    fn only_stages_that_keep_the_number_of_documents_let_it_be_foretold() {
        assert!(is_one_to_one(&[]));
        assert!(is_one_to_one(&[doc! { "$lookup": {} }, doc! { "$set": {} }]));
        assert!(!is_one_to_one(&[doc! { "$set": {} }, doc! { "$unwind": "$a" }]));
    }
}
