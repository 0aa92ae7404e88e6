//! The driver calls that a model can make, once as written in templates and once rendered.
//!
//! Each step has a struct of its own with a closed list of fields, named as in the driver's CRUD API. One definition
//! serves every [`Form`]: compiled from the file ([`Compiled`]) and rendered for one operation (the backend's).

use crate::value::Template;

/// What the fields of a step hold.
pub trait Form {
    /// Filters, pipelines, updates, options.
    type Value: std::fmt::Debug + Clone;
    /// A document to be stored.
    type Document: std::fmt::Debug + Clone;
    /// A list of documents to be stored.
    type Documents: std::fmt::Debug + Clone;
}

/// Steps as compiled from a scenario file: every field a template.
#[derive(Debug, Clone, Copy)]
pub enum Compiled {}

impl Form for Compiled {
    type Value = Template;
    type Document = Template;
    type Documents = Template;
}

/// Which collection a step addresses.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum CollectionRef {
    /// A collection of the model, by its name.
    Named(String),
    /// The partition of a partitioned collection to which a value belongs. Rendering finds its name.
    Partition {
        /// The partitioned collection, as the scenario has it.
        of: String,
        /// The value.
        value: Box<Template>,
    },
    /// Each partition of a partitioned collection in turn. Filling in parameters makes `forEach` of it.
    EachPartition {
        /// The partitioned collection, as the scenario has it.
        of: String,
    },
    /// A partition that was found.
    Found {
        /// The partitioned collection, as the scenario has it.
        of: String,
        /// The partition's name in the database.
        name: String,
    },
}

impl CollectionRef {
    /// The collection's name in the database; before rendering, a partitioned collection's own.
    pub fn name(&self) -> &str {
        match self {
            Self::Named(name) | Self::Found { name, .. } => name,
            Self::Partition { of, .. } | Self::EachPartition { of } => of,
        }
    }

    /// The collection's name in the scenario: of a partition, that of the partitioned collection.
    pub fn declared(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::Partition { of, .. } | Self::EachPartition { of } | Self::Found { of, .. } => of,
        }
    }
}

/// The names of the steps that only read.
const READS: &[&str] = &["find", "findOne", "aggregate", "countDocuments", "distinct"];

/// What a field of a step holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A value that must stand there.
    Required,
    /// A value that may stand there.
    Optional,
    /// A document to be stored; must stand there.
    Document,
    /// A list of documents to be stored; must stand there.
    Documents,
}

/// A field of a step, as the file names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldSpec {
    /// Its key in the file.
    pub key: &'static str,
    /// What it holds.
    pub kind: FieldKind,
    /// What it is for, in a line.
    pub about: &'static str,
}

/// Supplies the fields of a step that is being built; it has recorded a problem wherever it answers `None`.
pub trait FieldSource<F: Form> {
    /// The collection that the step addresses.
    fn collection(&mut self) -> Option<CollectionRef>;
    /// A required value.
    fn required(&mut self, spec: &'static FieldSpec) -> Option<F::Value>;
    /// An optional value: the outer `None` is a problem, the inner one an absent field.
    fn optional(&mut self, spec: &'static FieldSpec) -> Option<Option<F::Value>>;
    /// A document to be stored.
    fn document(&mut self, spec: &'static FieldSpec) -> Option<F::Document>;
    /// A list of documents to be stored.
    fn documents(&mut self, spec: &'static FieldSpec) -> Option<F::Documents>;
}

/// Turns the fields of one form into those of another.
pub trait MapFields<F: Form, G: Form> {
    /// Why a field could not be turned.
    type Error;
    /// Turns the collection addressed, by a step that only reads or one that may write.
    fn collection(&mut self, collection: &CollectionRef, _reads: bool) -> Result<CollectionRef, Self::Error> {
        Ok(collection.clone())
    }
    /// Turns a value.
    fn value(&mut self, value: &F::Value) -> Result<G::Value, Self::Error>;
    /// Turns a document to be stored.
    fn document(&mut self, document: &F::Document) -> Result<G::Document, Self::Error>;
    /// Turns a list of documents to be stored.
    fn documents(&mut self, documents: &F::Documents) -> Result<G::Documents, Self::Error>;
}

/// The type of a field by its [`FieldKind`] (aliases, since `derive` takes no macros in type position).
mod of_kind {
    use super::Form;

    pub(super) type Required<F> = <F as Form>::Value;
    pub(super) type Optional<F> = Option<<F as Form>::Value>;
    pub(super) type Document<F> = <F as Form>::Document;
    pub(super) type Documents<F> = <F as Form>::Documents;
}

macro_rules! read_field {
    (Required, $source:ident, $spec:expr) => {
        $source.required($spec)
    };
    (Optional, $source:ident, $spec:expr) => {
        $source.optional($spec)
    };
    (Document, $source:ident, $spec:expr) => {
        $source.document($spec)
    };
    (Documents, $source:ident, $spec:expr) => {
        $source.documents($spec)
    };
}

macro_rules! map_field {
    (Required, $mapper:ident, $field:expr) => {
        $mapper.value($field)?
    };
    (Optional, $mapper:ident, $field:expr) => {
        $field.as_ref().map(|value| $mapper.value(value)).transpose()?
    };
    (Document, $mapper:ident, $field:expr) => {
        $mapper.document($field)?
    };
    (Documents, $mapper:ident, $field:expr) => {
        $mapper.documents($field)?
    };
}

macro_rules! visit_field {
    (Optional, $field:expr, $visit:ident, $key:expr) => {
        if let Some(value) = $field {
            $visit($key, value)
        }
    };
    ($kind:ident, $field:expr, $visit:ident, $key:expr) => {
        $visit($key, $field)
    };
}

macro_rules! steps {
    ($(
        $(#[doc = $about:literal])+
        $Name:ident = $word:literal { $($field:ident = $key:literal : $kind:ident, $field_about:literal;)* }
    )+) => {
        $(
            $(#[doc = $about])+
            #[derive(Debug, Clone)]
            pub struct $Name<F: Form> {
                /// The collection addressed.
                pub collection: CollectionRef,
                $(#[doc = $field_about] pub $field: of_kind::$kind<F>,)*
            }

            impl<F: Form> $Name<F> {
                const FIELDS: &'static [FieldSpec] =
                    &[$(FieldSpec { key: $key, kind: FieldKind::$kind, about: $field_about }),*];

                fn read(source: &mut impl FieldSource<F>) -> Option<Self> {
                    // Every field is read before any of them is found missing, so that all problems are recorded.
                    let collection = source.collection();
                    let mut specs = Self::FIELDS.iter();
                    $(let $field = {
                        let spec = specs.next().expect("one spec per field");
                        read_field!($kind, source, spec)
                    };)*
                    Some(Self { collection: collection?, $($field: $field?,)* })
                }

                fn map<G: Form, M: MapFields<F, G>>(&self, mapper: &mut M) -> Result<$Name<G>, M::Error> {
                    Ok($Name {
                        collection: mapper.collection(&self.collection, READS.contains(&$word))?,
                        $($field: map_field!($kind, mapper, &self.$field),)*
                    })
                }
            }
        )+

        /// One driver call.
        #[derive(Debug, Clone)]
        pub enum StepKind<F: Form> {
            $($(#[doc = $about])+ $Name($Name<F>),)+
        }

        impl<F: Form> StepKind<F> {
            /// The steps' names in a file, in the order of the documentation.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The names of the steps that only read: the last of them gives an operation's answer, unless the
            /// operation builds a `result`. (A find-and-modify is a write; an `aggregate` may end in `$out` or `$merge`.)
            pub const READS: &'static [&'static str] = READS;

            /// The names of the steps that have no field `collection`: the writes of a `bulkWrite` name their collections
            /// each, a `runCommand` names it in its command.
            pub const WITHOUT_COLLECTION: &'static [&'static str] = &["bulkWrite", "runCommand"];

            /// Whether the step is one of [`READS`](Self::READS).
            pub fn reads(&self) -> bool {
                Self::READS.contains(&self.word())
            }

            /// The fields of the step of that name.
            pub fn fields(word: &str) -> Option<&'static [FieldSpec]> {
                match word {
                    $($word => Some($Name::<F>::FIELDS),)+
                    _ => None,
                }
            }

            /// What the step of that name does, in a line.
            pub fn about(word: &str) -> Option<&'static str> {
                match word {
                    $($word => Some(concat!($($about),+).trim_ascii()),)+
                    _ => None,
                }
            }

            /// The step's name in a file.
            pub const fn word(&self) -> &'static str {
                match self {
                    $(Self::$Name(_) => $word,)+
                }
            }

            /// The collection addressed: of a `bulkWrite` that of its first write, of a `runCommand` that which its command
            /// names, or `$cmd`, as servers call it, where it names none.
            pub const fn collection(&self) -> &CollectionRef {
                match self {
                    $(Self::$Name(step) => &step.collection,)+
                }
            }

            /// Builds the step of that name from its fields; `None` when a problem was recorded or the name is unknown.
            pub fn read(word: &str, source: &mut impl FieldSource<F>) -> Option<Self> {
                match word {
                    $($word => $Name::read(source).map(Self::$Name),)+
                    _ => None,
                }
            }

            /// The same step in another form.
            ///
            /// # Errors
            /// The first error that `mapper` gives.
            pub fn map<G: Form, M: MapFields<F, G>>(&self, mapper: &mut M) -> Result<StepKind<G>, M::Error> {
                Ok(match self {
                    $(Self::$Name(step) => StepKind::$Name(step.map(mapper)?),)+
                })
            }
        }

        impl StepKind<Compiled> {
            /// Calls `visit` with every field that stands there: its key and its template.
            pub fn each_template<'a>(&'a self, mut visit: impl FnMut(&'static str, &'a Template)) {
                if let CollectionRef::Partition { value, .. } = self.collection() {
                    visit("collection", value);
                }
                match self {
                    $(Self::$Name(step) => { $(visit_field!($kind, &step.$field, visit, $key);)* })+
                }
            }
        }
    };
}

steps! {
    /// Reads the documents that match a filter.
    Find = "find" {
        filter = "filter": Required, "which documents";
        projection = "projection": Optional, "which fields of them";
        sort = "sort": Optional, "in which order";
        skip = "skip": Optional, "how many to pass over";
        limit = "limit": Optional, "how many at most";
        batch_size = "batchSize": Optional, "documents per reply";
        hint = "hint": Optional, "the index to use";
        collation = "collation": Optional, "how strings compare";
    }
    /// Reads the first document that matches a filter.
    FindOne = "findOne" {
        filter = "filter": Required, "which document";
        projection = "projection": Optional, "which fields of it";
        sort = "sort": Optional, "the first in which order";
        skip = "skip": Optional, "how many to pass over";
        hint = "hint": Optional, "the index to use";
        collation = "collation": Optional, "how strings compare";
    }
    /// Runs an aggregation pipeline.
    Aggregate = "aggregate" {
        pipeline = "pipeline": Required, "the stages";
        batch_size = "batchSize": Optional, "documents per reply";
        allow_disk_use = "allowDiskUse": Optional, "whether stages may spill to disk";
        hint = "hint": Optional, "the index to use";
        collation = "collation": Optional, "how strings compare";
        let_vars = "let": Optional, "variables of the pipeline";
    }
    /// Inserts one document.
    InsertOne = "insertOne" {
        document = "document": Document, "the document";
    }
    /// Inserts several documents in one call.
    InsertMany = "insertMany" {
        documents = "documents": Documents, "the documents";
        ordered = "ordered": Optional, "whether to stop at the first error (default true)";
    }
    /// Changes the first document that matches a filter.
    UpdateOne = "updateOne" {
        filter = "filter": Required, "which document";
        update = "update": Required, "update operators, or a pipeline";
        upsert = "upsert": Optional, "whether to insert where nothing matches";
        array_filters = "arrayFilters": Optional, "which elements `$[name]` means";
        hint = "hint": Optional, "the index to use";
        collation = "collation": Optional, "how strings compare";
    }
    /// Changes every document that matches a filter.
    UpdateMany = "updateMany" {
        filter = "filter": Required, "which documents";
        update = "update": Required, "update operators, or a pipeline";
        upsert = "upsert": Optional, "whether to insert where nothing matches";
        array_filters = "arrayFilters": Optional, "which elements `$[name]` means";
        hint = "hint": Optional, "the index to use";
        collation = "collation": Optional, "how strings compare";
    }
    /// Replaces the first document that matches a filter.
    ReplaceOne = "replaceOne" {
        filter = "filter": Required, "which document";
        replacement = "replacement": Document, "the new document";
        upsert = "upsert": Optional, "whether to insert where nothing matches";
        hint = "hint": Optional, "the index to use";
        collation = "collation": Optional, "how strings compare";
    }
    /// Deletes the first document that matches a filter.
    DeleteOne = "deleteOne" {
        filter = "filter": Required, "which document";
        hint = "hint": Optional, "the index to use";
        collation = "collation": Optional, "how strings compare";
    }
    /// Deletes every document that matches a filter.
    DeleteMany = "deleteMany" {
        filter = "filter": Required, "which documents";
        hint = "hint": Optional, "the index to use";
        collation = "collation": Optional, "how strings compare";
    }
    /// Changes one document and returns it.
    FindOneAndUpdate = "findOneAndUpdate" {
        filter = "filter": Required, "which document";
        update = "update": Required, "update operators, or a pipeline";
        projection = "projection": Optional, "which fields to return";
        sort = "sort": Optional, "the first in which order";
        upsert = "upsert": Optional, "whether to insert where nothing matches";
        return_document = "returnDocument": Optional, "`before` (default) or `after`";
        array_filters = "arrayFilters": Optional, "which elements `$[name]` means";
        hint = "hint": Optional, "the index to use";
        collation = "collation": Optional, "how strings compare";
    }
    /// Replaces one document and returns it.
    FindOneAndReplace = "findOneAndReplace" {
        filter = "filter": Required, "which document";
        replacement = "replacement": Document, "the new document";
        projection = "projection": Optional, "which fields to return";
        sort = "sort": Optional, "the first in which order";
        upsert = "upsert": Optional, "whether to insert where nothing matches";
        return_document = "returnDocument": Optional, "`before` (default) or `after`";
        hint = "hint": Optional, "the index to use";
        collation = "collation": Optional, "how strings compare";
    }
    /// Counts the documents that match a filter.
    CountDocuments = "countDocuments" {
        filter = "filter": Required, "which documents";
        skip = "skip": Optional, "how many to pass over";
        limit = "limit": Optional, "how many to count at most";
        hint = "hint": Optional, "the index to use";
        collation = "collation": Optional, "how strings compare";
    }
    /// Lists the distinct values of a field.
    Distinct = "distinct" {
        field = "key": Required, "the field's path";
        filter = "filter": Optional, "of which documents";
        collation = "collation": Optional, "how strings compare";
    }
    /// Makes several writes in one request, each to a collection of its own (needs a server of version 8.0).
    BulkWrite = "bulkWrite" {
        models = "models": Required, "the writes, such as `{updateOne: {collection: …, filter: …, update: …}}`";
        ordered = "ordered": Optional, "whether to stop at the first error (default true)";
    }
    /// Runs a command on the model's own database: a read, or one of `collMod`, `createIndexes`, `dropIndexes`.
    RunCommand = "runCommand" {
        command = "command": Required, "the command, its name first";
    }
}
