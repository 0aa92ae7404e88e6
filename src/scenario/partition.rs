//! Partitioned collections: one collection of the database for each value, and how each is called.

use std::collections::{BTreeMap, HashMap};

use bson::{Bson, DateTime};

use super::types::{Collection, Model};
use crate::value::{Context, Draw, Names, RenderError, Template, World, identity};

/// The longest name of a collection that leaves room for the database's in a namespace of 255 bytes.
pub(super) const LONGEST_COLLECTION_NAME: usize = 120;
/// More collections than this no model should have; a server slows down long before.
const MOST_PARTITIONS: usize = 10_000;

/// By what a collection is partitioned.
#[derive(Debug, Clone)]
pub struct Partitioning {
    /// The field of its documents that says to which partition each belongs; a collection that starts empty may have none.
    pub field: Option<String>,
    /// The values, a list over parameters; without it those that the field has in the rows of the collection's set.
    pub values: Option<Template>,
}

/// The partitions of a collection, as known once parameters are: in the order of `values`, or of the rows.
#[derive(Debug, Clone)]
pub struct Partitions {
    /// The field of its documents that says to which partition each belongs.
    pub field: Option<String>,
    values: Vec<Bson>,
    names: Vec<String>,
    /// Places by value: numbers that are equal are one value.
    places: HashMap<Vec<u8>, usize>,
}

impl Partitions {
    /// The values, one for each partition.
    pub fn values(&self) -> &[Bson] {
        &self.values
    }

    /// The partitions' names in the database, in the order of their values.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The place of the partition to which a value belongs.
    pub fn place(&self, value: &Bson) -> Option<usize> {
        self.places.get(&identity(value)).copied()
    }

    /// The name of the partition to which a value belongs.
    pub fn name_of(&self, value: &Bson) -> Option<&str> {
        self.place(value).map(|place| self.names[place].as_str())
    }

    fn new(family: &str, field: Option<String>, values: Vec<Bson>) -> Result<Self, RenderError> {
        if values.len() > MOST_PARTITIONS {
            let message = format!("{} partitions are too many: there are at most {MOST_PARTITIONS}", values.len());
            return Err(RenderError { message });
        }
        let mut partitions = Self { field, values: Vec::new(), names: Vec::new(), places: HashMap::new() };
        let mut owners: HashMap<String, usize> = HashMap::new();
        for value in values {
            let place = partitions.values.len();
            if partitions.places.insert(identity(&value), place).is_some() {
                return Err(RenderError { message: format!("the value {value} comes twice") });
            }
            let name = partition_name(family, &value)?;
            if let Some(owner) = owners.insert(name.clone(), place) {
                let other = &partitions.values[owner];
                let message = format!("the values {other} and {value} would both name the collection `{name}`");
                return Err(RenderError { message });
            }
            partitions.values.push(value);
            partitions.names.push(name);
        }
        Ok(partitions)
    }
}

/// The partitions of a model's collections, by the collections' names; those that are not partitioned are not there.
#[derive(Debug, Clone, Default)]
pub struct ModelPartitions(BTreeMap<String, Partitions>);

impl ModelPartitions {
    /// The partitions of a collection, if it is partitioned.
    pub fn of(&self, collection: &str) -> Option<&Partitions> {
        self.0.get(collection)
    }

    /// The names of a model's collections in the database, those of partitions included.
    pub fn collection_names(&self, model: &Model) -> Vec<String> {
        let names = |collection: &Collection| match self.of(&collection.name) {
            Some(partitions) => partitions.names().to_vec(),
            None => vec![collection.name.clone()],
        };
        model.collections.iter().flat_map(names).collect()
    }
}

impl Collection {
    /// Its partitions under the parameters of this world; `None` where it is not partitioned.
    ///
    /// # Errors
    /// Where the values are no list, cannot be part of a name, or would share one. The message names the collection.
    pub fn partitions(&self, world: &World) -> Result<Option<Partitions>, RenderError> {
        let Some(partitioning) = &self.partitioning else { return Ok(None) };
        let within = |error: RenderError| RenderError {
            message: format!("collection `{}`, partitionBy: {}", self.name, error.message),
        };
        let values = match (&partitioning.values, &self.from, &partitioning.field) {
            (Some(values), ..) => listed(values, world, "`values`"),
            (None, Some(set), Some(field)) => world.distinct(set, field, MOST_PARTITIONS),
            _ => Err(RenderError { message: "without `values` it needs a `field`, and a set in `from`".to_owned() }),
        };
        let partitions = values
            .and_then(|values| Partitions::new(&self.name, partitioning.field.clone(), values))
            .map_err(within)?;
        Ok(Some(partitions))
    }
}

impl Model {
    /// The partitions of all its collections.
    ///
    /// # Errors
    /// As for each of them, and where a partition would have the name of another collection.
    pub fn partitions(&self, world: &World) -> Result<ModelPartitions, RenderError> {
        let mut partitions = BTreeMap::new();
        let mut owners: HashMap<String, &str> = HashMap::new();
        for collection in &self.collections {
            let found = collection.partitions(world)?;
            let names = found.as_ref().map_or(std::slice::from_ref(&collection.name), Partitions::names);
            for name in names {
                if let Some(other) = owners.insert(name.clone(), &collection.name) {
                    let message =
                        format!("the collections `{other}` and `{}` would both be called `{name}`", collection.name);
                    return Err(RenderError { message });
                }
            }
            if let Some(found) = found {
                partitions.insert(collection.name.clone(), found);
            }
        }
        Ok(ModelPartitions(partitions))
    }

    /// The names of its collections in the database, those of partitions included.
    ///
    /// # Errors
    /// As for [`partitions`](Self::partitions).
    pub fn collection_names(&self, world: &World) -> Result<Vec<String>, RenderError> {
        Ok(self.partitions(world)?.collection_names(self))
    }

    /// The names of its collections that are not partitioned.
    pub fn unpartitioned(&self) -> impl Iterator<Item = &str> {
        let whole = self.collections.iter().filter(|collection| collection.partitioning.is_none());
        whole.map(|collection| collection.name.as_str())
    }
}

/// The elements of a list over parameters.
///
/// # Errors
/// Where it cannot be rendered, or is no list; `what` says of which.
pub(super) fn listed(list: &Template, world: &World, what: &str) -> Result<Vec<Bson>, RenderError> {
    match over_parameters(list, world, None)? {
        Bson::Array(elements) => Ok(elements),
        other => Err(RenderError { message: format!("{what} must be a list, but is {other}") }),
    }
}

/// The value of a template in which nothing but parameters (and `^each`) is known.
pub(super) fn over_parameters(template: &Template, world: &World, each: Option<&Bson>) -> Result<Bson, RenderError> {
    let draw = Draw::new(world.seed(), "collection", 0);
    let context = Context { world, draw, index: 0, parent: None, names: &Names::default(), it: None, each };
    template.with_parameters(world.parameters())?.value(&context)
}

/// What the collection is called that holds a value's documents.
///
/// # Errors
/// Where the value cannot be part of a name.
pub(crate) fn partition_name(family: &str, value: &Bson) -> Result<String, RenderError> {
    let part = name_part(value).ok_or_else(|| RenderError {
        message: format!(
            "{value} cannot name a partition of `{family}`: whole numbers can, texts of letters, digits, `_` and `-`, and \
             dates without fractions of a second"
        ),
    })?;
    let name = format!("{family}_{part}");
    if name.len() > LONGEST_COLLECTION_NAME {
        return Err(RenderError { message: format!("the name `{name}` of a partition is too long") });
    }
    Ok(name)
}

/// A value as part of a collection's name.
fn name_part(value: &Bson) -> Option<String> {
    match value {
        Bson::Int32(number) => Some(number.to_string()),
        Bson::Int64(number) => Some(number.to_string()),
        Bson::Double(number) if number.fract() == 0.0 && number.abs() < 9e15 => Some((*number as i64).to_string()),
        Bson::String(text) if !text.is_empty() && text.bytes().all(is_safe) => Some(text.clone()),
        Bson::DateTime(date) => date_part(*date),
        _ => None,
    }
}

const fn is_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// `20250131`, or `20250131T101500` where it is not midnight (UTC).
fn date_part(date: DateTime) -> Option<String> {
    let written = date.try_to_rfc3339_string().ok()?;
    let plain: String = written.strip_suffix('Z')?.chars().filter(|character| !"-:".contains(*character)).collect();
    if plain.contains('.') {
        return None;
    }
    Some(plain.strip_suffix("T000000").map_or(plain.clone(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use bson::bson;

    use super::*;

    fn names(values: Vec<Bson>) -> Result<Vec<String>, String> {
        Partitions::new("orders", None, values).map(|partitions| partitions.names).map_err(|error| error.message)
    }

    fn date(text: &str) -> Bson {
        Bson::DateTime(DateTime::parse_rfc3339_str(text).expect("a date"))
    }

    #[test]
    fn numbers_texts_and_dates_become_part_of_the_name() {
        let values = vec![
            bson!(7),
            bson!(-1_i64),
            bson!("eu-west_1"),
            date("2025-01-31T00:00:00Z"),
            date("2025-01-31T10:15:00Z"),
        ];
        let expected = ["orders_7", "orders_-1", "orders_eu-west_1", "orders_20250131", "orders_20250131T101500"];
        assert_eq!(names(values).expect("they are sound"), expected);
    }

    #[test]
    fn what_would_make_no_name_is_refused() {
        let long = "x".repeat(LONGEST_COLLECTION_NAME);
        for value in [
            bson!(1.5),
            bson!(""),
            bson!("a.b"),
            bson!("a$"),
            bson!("ü"),
            bson!(null),
            bson!(true),
            bson!([1]),
            bson!({ "a": 1 }),
            date("2025-01-31T10:15:00.5Z"),
            bson!(long),
        ] {
            assert!(names(vec![value.clone()]).is_err(), "{value}");
        }
    }

    #[test]
    fn values_that_would_share_a_collection_are_refused() {
        let twice = names(vec![bson!(5), bson!(5.0)]).expect_err("one value");
        assert!(twice.contains("comes twice"), "{twice}");
        let alike = names(vec![bson!(5), bson!("5")]).expect_err("one name");
        assert!(alike.contains("`orders_5`"), "{alike}");
    }

    #[test]
    fn a_value_finds_its_partition_whatever_the_type_of_the_number() {
        let partitions = Partitions::new("orders", None, vec![bson!(4), bson!("a")]).expect("they are sound");
        assert_eq!(partitions.name_of(&bson!(4.0)), Some("orders_4"));
        assert_eq!(partitions.name_of(&bson!(4_i64)), Some("orders_4"));
        assert_eq!(partitions.name_of(&bson!("4")), None);
        assert_eq!(partitions.name_of(&bson!(null)), None);
    }
}
