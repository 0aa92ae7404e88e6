//! The scenario file: its format, the checks of its meaning, and the catalogue of built-in scenarios.

mod actors;
mod catalogue;
mod check;
mod file;
mod index;
mod load;
mod needs;
mod partition;
mod schema;
mod show;
mod starter;
mod step;
mod tree;
mod types;

pub use actors::{Actor, CHANGE, ModelEvent, Trigger};
pub use catalogue::{builtin, builtin_names};
pub use check::{CREATE_OPTIONS, READ_COMMANDS};
pub use index::{ComputedIndexes, IndexDefinition, resolved_indexes};
pub use load::load_scenario;
pub use needs::{Need, needs};
pub(crate) use partition::partition_name;
pub use partition::{ModelPartitions, Partitioning, Partitions};
pub use schema::scenario_schema;
pub use show::{
    CollectionSheet, Commands, ModelSheet, OperationSheet, ParameterSheet, Samples, Sheet, StepsSheet, contents,
};
pub use starter::starter;
pub use step::{
    Aggregate, BulkWrite, CollectionRef, Compiled, CountDocuments, DeleteMany, DeleteOne, Distinct, FieldKind,
    FieldSource, FieldSpec, Find, FindOne, FindOneAndReplace, FindOneAndUpdate, Form, InsertMany, InsertOne, MapFields,
    ReplaceOne, RunCommand, StepKind, UpdateMany, UpdateOne,
};
pub use tree::{BlockStep, CallStep, PlacedCall, Repeat, Retry, Step, calls};
pub use types::{
    Binding, Bound, Claim, Collection, DataSet, Expectation, Growth, Index, Model, ModelOperation, Operation,
    Parameter, Returns, Scenario, Workload,
};
