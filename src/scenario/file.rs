//! The scenario file as written, before anything is known about its meaning.
//!
//! Required fields are optional here, so that everything else is checked even where one of them is missing. A
//! [`NodeRef`] stands where a template stands, or where one place takes two forms: those are looked at by the checks.
//! The doc comments become the schema's descriptions.

use schemars::JsonSchema;
use serde::Deserialize;

use super::schema;
use crate::source::{At, Dict, List, NodeRef, Soft};
use crate::words::{ClaimMetric, ErrorName, Isolation, Role};

/// A scenario of patternbench: a dataset, two or more models of it, and the operations that both are driven with.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a scenario")]
pub(super) struct ScenarioFile {
    /// Version of this format: 1.
    #[schemars(required, extend("const" = 1))]
    pub(super) format: Option<Soft<At<i64>>>,
    /// One line for people.
    #[schemars(required)]
    pub(super) title: Option<Soft<At<String>>>,
    /// What is compared and why, in a few sentences that a reviewer understands.
    #[schemars(required)]
    pub(super) summary: Option<Soft<At<String>>>,
    /// Schema design patterns shown.
    pub(super) patterns: Option<Soft<List<At<String>>>>,
    /// Anti-patterns shown.
    pub(super) antipatterns: Option<Soft<List<At<String>>>>,
    /// Words to find it by.
    pub(super) tags: Option<Soft<List<At<String>>>>,
    /// What sources say; the report confirms or refutes it.
    pub(super) claims: Option<Soft<List<At<ClaimFile>>>>,
    /// What the author expects of each operation.
    pub(super) expect: Option<Soft<Dict<Soft<At<ExpectFile>>>>>,
    /// Parameters worth growing, with the values to try. The first is the scenario's own axis.
    pub(super) sweep: Option<Soft<SweepFile>>,
    /// What `--set name=value` can change.
    pub(super) parameters: Option<Soft<Dict<Soft<ParameterFile>>>>,
    /// The facts, normalised: sets of rows, made from the seed.
    #[schemars(required)]
    pub(super) dataset: Option<Soft<Dict<Soft<SetFile>>>>,
    /// The layouts of the facts: one `role: naive`, at least one `role: pattern`.
    #[schemars(required)]
    pub(super) models: Option<Soft<Dict<Soft<ModelFile>>>>,
    /// The mix of operations. Several mixes stand under `workloads` instead.
    #[schemars(with = "Option<schema::WorkloadForm>")]
    pub(super) workload: Option<NodeRef>,
    /// Named mixes of operations, instead of `workload`.
    #[schemars(with = "Option<std::collections::BTreeMap<String, schema::WorkloadForm>>")]
    pub(super) workloads: Option<Soft<Dict<NodeRef>>>,
    /// `process` gives each model a server of its own.
    pub(super) isolation: Option<Soft<Isolation>>,
    /// Cache to ask of a server that patternbench starts, such as `256MiB`.
    #[schemars(extend("pattern" = r"^[0-9]+ ?(B|KiB|MiB|GiB)$"))]
    pub(super) cache: Option<Soft<At<String>>>,
}

/// Values to try, by parameter.
pub(super) type SweepFile = Dict<Soft<At<List<NodeRef>>>>;

/// What a source says about an operation, as a bound on naive ÷ pattern (for throughput pattern ÷ naive).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a claim")]
pub(super) struct ClaimFile {
    /// The operation, or `all` for the whole mix.
    #[schemars(required)]
    pub(super) operation: Option<Soft<At<String>>>,
    /// Of what.
    #[schemars(required)]
    pub(super) metric: Option<Soft<At<ClaimMetric>>>,
    /// The ratio is at least this.
    pub(super) ratio_at_least: Option<Soft<At<f64>>>,
    /// The ratio is at most this.
    pub(super) ratio_at_most: Option<Soft<At<f64>>>,
    /// The ratio lies between these two.
    pub(super) ratio_between: Option<Soft<At<(f64, f64)>>>,
    /// Parameters under which it is claimed; `sweep` judges such a claim.
    pub(super) at: Option<Soft<Dict<NodeRef>>>,
    /// Who says so.
    #[schemars(required)]
    pub(super) source: Option<Soft<At<String>>>,
}

/// What the author expects of the pattern in an operation.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub(super) enum ExpectFile {
    /// The pattern is faster.
    #[serde(rename = "faster")]
    Faster,
    /// The pattern is slower.
    #[serde(rename = "slower")]
    Slower,
    /// No difference.
    #[serde(rename = "equal")]
    Equal,
    /// It depends, as the summary says.
    #[serde(rename = "depends")]
    Depends,
    /// A speed-up between these two.
    #[serde(rename = "ratio")]
    Ratio((f64, f64)),
}

/// A parameter.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a parameter")]
pub(super) struct ParameterFile {
    /// Its value in the profiles quick and standard.
    #[schemars(required)]
    pub(super) default: Option<NodeRef>,
    /// Its value in the profile smoke and for parity (default: the default).
    pub(super) smoke: Option<NodeRef>,
    /// Its value in the profile nightly (default: the default).
    pub(super) nightly: Option<NodeRef>,
    /// Smallest value allowed.
    pub(super) min: Option<Soft<At<f64>>>,
    /// Largest value allowed.
    pub(super) max: Option<Soft<At<f64>>>,
    /// A line for people.
    pub(super) help: Option<Soft<At<String>>>,
}

/// A set of rows.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a set of the dataset")]
pub(super) struct SetFile {
    /// How many rows.
    pub(super) count: Option<NodeRef>,
    /// So many rows for each row of another set, instead of `count`.
    pub(super) children: Option<Soft<At<ChildrenFile>>>,
    /// One's own documents instead of `count` and `document`: a file of Extended JSON lines, beside the scenario.
    pub(super) file: Option<Soft<At<String>>>,
    /// How many lines of `file` to take (default: all).
    pub(super) first: Option<NodeRef>,
    /// A row.
    pub(super) document: Option<NodeRef>,
    /// Indexes in the source database (default: every `^key` and `^parent` field).
    pub(super) indexes: Option<Soft<List<At<IndexFile>>>>,
}

/// Rows that belong to the rows of another set.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "children")]
pub(super) struct ChildrenFile {
    /// The parents: a set that stands earlier in the file.
    #[schemars(required)]
    pub(super) of: Option<Soft<At<String>>>,
    /// How many for each parent: a number, a draw, or `{classes: [{share, count, name}]}`.
    #[schemars(required, with = "schema::ChildCountForm")]
    pub(super) count: Option<NodeRef>,
}

/// Classes of parents with different numbers of children.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "classes of parents")]
pub(super) struct ClassesFile {
    /// The classes; their shares add up to 1.
    #[schemars(required)]
    pub(super) classes: Option<Soft<At<List<At<ClassFile>>>>>,
}

/// A class of parents.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a class of parents")]
pub(super) struct ClassFile {
    /// The share of the parents that belong to it, 0 to 1.
    #[schemars(required)]
    pub(super) share: Option<Soft<At<f64>>>,
    /// How many children each of them has.
    #[schemars(required)]
    pub(super) count: Option<NodeRef>,
    /// A name by which `{^key: {of: …, class: …}}` draws from it.
    pub(super) name: Option<Soft<At<String>>>,
}

/// An index: its key, and options as the `createIndexes` command names them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an index")]
pub(super) struct IndexFile {
    /// Field: 1, -1, text, 2dsphere …, in order. Or a list of pairs `[[field, 1], …]`, in which a field's name may be filled
    /// in from parameters and `^each`.
    #[schemars(required, with = "schema::IndexKeyForm")]
    pub(super) key: Option<NodeRef>,
    /// One index for each element of this list over parameters, which `^each` names in `key` and `name`.
    #[serde(rename = "forEach")]
    #[schemars(with = "Option<schema::ListForm>")]
    pub(super) for_each: Option<NodeRef>,
    /// Its name (default: the server's).
    pub(super) name: Option<NodeRef>,
    /// Whether two documents may not share a key.
    pub(super) unique: Option<NodeRef>,
    /// Whether documents without the field are left out.
    pub(super) sparse: Option<NodeRef>,
    /// Whether queries do not see it.
    pub(super) hidden: Option<NodeRef>,
    /// Only documents that match are indexed.
    #[serde(rename = "partialFilterExpression")]
    pub(super) partial_filter_expression: Option<NodeRef>,
    /// Documents this old are removed.
    #[serde(rename = "expireAfterSeconds")]
    pub(super) expire_after_seconds: Option<NodeRef>,
    /// How strings compare.
    pub(super) collation: Option<NodeRef>,
    /// Which fields a wildcard index takes.
    #[serde(rename = "wildcardProjection")]
    pub(super) wildcard_projection: Option<NodeRef>,
    /// Weights of the fields of a text index.
    pub(super) weights: Option<NodeRef>,
}

/// One layout of the facts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a model")]
pub(super) struct ModelFile {
    /// What it stands for.
    #[schemars(required)]
    pub(super) role: Option<Soft<At<Role>>>,
    /// One line for people.
    pub(super) title: Option<Soft<At<String>>>,
    /// Its collections.
    #[schemars(required)]
    pub(super) collections: Option<Soft<Dict<Soft<CollectionFile>>>>,
    /// How it does each operation: a list of steps, or `{growth, steps, result}`.
    #[schemars(required, with = "std::collections::BTreeMap<String, schema::OperationForm>")]
    pub(super) operations: Option<Soft<Dict<NodeRef>>>,
    /// An error that ends its run as a result rather than a failure.
    pub(super) ends_when: Option<Soft<ErrorName>>,
    /// Untimed actors beside the operations, such as one that keeps copies up to date. They run whenever the model is
    /// driven, each with a connection and counts of its own, and are no part of latency or throughput.
    pub(super) background: Option<Soft<List<At<ActorFile>>>>,
    /// What happens once in every measured window, beside the load, such as a migration.
    pub(super) events: Option<Soft<List<At<EventFile>>>>,
}

/// An untimed actor, which takes turns for as long as its model is driven. It is idle once a turn writes nothing or, where
/// changes drive it, once it has worked off every change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an actor")]
pub(super) struct ActorFile {
    /// Its name.
    #[schemars(required)]
    pub(super) name: Option<Soft<At<String>>>,
    /// The time from the end of a turn to the beginning of the next, such as `100ms`.
    #[schemars(extend("pattern" = r"^[0-9]+(\.[0-9]+)?(ms|s|m)$"))]
    pub(super) every: Option<Soft<At<String>>>,
    /// A turn for each change of a collection, instead of `every`. Needs a server with change streams.
    pub(super) on_change: Option<Soft<At<OnChangeFile>>>,
    /// The driver's calls of a turn, in order; `^change` is the change, with the whole document as `fullDocument`.
    #[schemars(required, with = "Vec<schema::StepForm>")]
    pub(super) steps: Option<Soft<At<List<NodeRef>>>>,
}

/// Changes that drive an actor.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "changes of a collection")]
pub(super) struct OnChangeFile {
    /// The collection of the model whose changes they are.
    #[schemars(required)]
    pub(super) collection: Option<Soft<At<String>>>,
    /// Stages that the changes go through, such as a `$match` on `operationType`.
    #[schemars(with = "Option<schema::PipelineForm>")]
    pub(super) pipeline: Option<NodeRef>,
}

/// Something that happens once in every measured window of a model, on a connection of its own. The window waits for it
/// a while; operations around it are compared between the models in the same slices of the round.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an event")]
pub(super) struct EventFile {
    /// Its name.
    #[schemars(required)]
    pub(super) name: Option<Soft<At<String>>>,
    /// The share of the window's operations at which it begins, 0 to 1; at 1 it follows the last of them.
    #[schemars(required, extend("minimum" = 0, "maximum" = 1))]
    pub(super) at: Option<Soft<At<f64>>>,
    /// The driver's calls, in order.
    #[schemars(required, with = "Vec<schema::StepForm>")]
    pub(super) steps: Option<Soft<At<List<NodeRef>>>>,
    /// A number built from the steps, which the record keeps and the report shows, such as the share of documents left.
    pub(super) result: Option<NodeRef>,
}

/// A collection of a model.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a collection")]
pub(super) struct CollectionFile {
    /// The set of the dataset that feeds it (default: it starts empty).
    pub(super) from: Option<Soft<At<String>>>,
    /// An aggregation that turns the set's rows into its documents (default: they are copied).
    #[schemars(with = "Option<schema::PipelineForm>")]
    pub(super) pipeline: Option<NodeRef>,
    /// Its indexes, besides the one on `_id`.
    pub(super) indexes: Option<Soft<List<At<IndexFile>>>>,
    /// Options of the `create` command: validator, timeseries, collation, capped …
    #[schemars(with = "Option<schema::CollectionOptions>")]
    pub(super) options: Option<NodeRef>,
    /// What it is sharded on where the server is a mongos.
    #[serde(rename = "shardKey")]
    pub(super) shard_key: Option<NodeRef>,
    /// One collection for each value of a field, named `<name>_<value>`: the field's path, or `{field, values}`.
    #[serde(rename = "partitionBy")]
    #[schemars(with = "Option<schema::PartitionForm>")]
    pub(super) partition_by: Option<NodeRef>,
    /// What another format would call a collection for each element: written `partitionBy: {values: …}` here.
    #[serde(rename = "forEach")]
    #[schemars(skip)]
    pub(super) for_each: Option<NodeRef>,
}

/// By what a collection is partitioned: whole numbers, texts of letters, digits, `_` and `-`, or dates. Each partition
/// has the collection's options and indexes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "what partitions a collection")]
pub(super) struct PartitionFile {
    /// The path of the field by which its documents, once made, are dealt out. A collection that starts empty needs none.
    pub(super) field: Option<Soft<At<String>>>,
    /// The values, a list over parameters (default: those that the field has in the rows of the set in `from`). There is a
    /// collection for each of them, even if it stays empty.
    #[schemars(with = "Option<schema::ListForm>")]
    pub(super) values: Option<NodeRef>,
}

/// How a model does an operation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an operation of a model")]
pub(super) struct OperationFile {
    /// How its cost grows: `constant`, `log` or `linear in PARAMETER`.
    #[schemars(extend("pattern" = r"^(constant|log|linear in .+)$"))]
    pub(super) growth: Option<Soft<At<String>>>,
    /// The driver's calls, in order.
    #[schemars(required, with = "Vec<schema::StepForm>")]
    pub(super) steps: Option<Soft<At<List<NodeRef>>>>,
    /// What it answers, built from the steps (default: what the last reading step returns).
    pub(super) result: Option<NodeRef>,
    /// Why a collection scan is what this operation shows.
    pub(super) scan_is_the_subject: Option<Soft<At<String>>>,
}

/// Steps that belong together in a transaction: all of their writes are made, or none. It begins anew, as a whole, where
/// it meets another. Where the server has no transactions, the steps are made one after the other, in all models.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a transaction")]
pub(super) struct TransactionFile {
    /// The steps, in order.
    #[schemars(required, with = "Vec<schema::StepForm>")]
    pub(super) steps: Option<Soft<At<List<NodeRef>>>>,
    /// A name for what it came to: `{attempts, error}`.
    #[serde(rename = "as")]
    pub(super) name: Option<Soft<At<String>>>,
    /// Makes it only if this is true.
    pub(super) when: Option<NodeRef>,
    /// Makes one for each element of this list, which `^each` names.
    #[serde(rename = "forEach")]
    #[schemars(with = "Option<schema::ListForm>")]
    pub(super) for_each: Option<NodeRef>,
    /// Errors that are answers: they abort it, and `error` of its result holds their name.
    pub(super) expect: Option<Soft<List<ErrorName>>>,
    /// Aborts it, and fails the operation, unless this is true.
    pub(super) assert: Option<NodeRef>,
}

/// Steps that are made one after the other, perhaps in a loop.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a block of steps")]
pub(super) struct DoFile {
    /// The steps, in order.
    #[schemars(required, with = "Vec<schema::StepForm>")]
    pub(super) steps: Option<Soft<At<List<NodeRef>>>>,
    /// Makes them only if this is true.
    pub(super) when: Option<NodeRef>,
    /// Makes them once for each element of this list, which `^each` names.
    #[serde(rename = "forEach")]
    #[schemars(with = "Option<schema::ListForm>")]
    pub(super) for_each: Option<NodeRef>,
    /// Makes them again until a condition holds, which knows what they bind.
    #[schemars(with = "Option<RepeatFile>")]
    pub(super) repeat: Option<NodeRef>,
}

/// Sends a call again after some errors.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "when to send a call again")]
pub(super) struct RetryFile {
    /// The errors after which it is sent again.
    #[schemars(required)]
    pub(super) on: Option<Soft<At<List<ErrorName>>>>,
    /// How many times more at most: a whole number, or a parameter.
    #[schemars(required, with = "schema::CountForm")]
    pub(super) max: Option<NodeRef>,
}

/// Makes a step again until a condition holds; that it never does is a failure.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "until when to repeat")]
pub(super) struct RepeatFile {
    /// The condition. `^it` is the call's result; in a block, what its steps bind is known.
    #[schemars(required)]
    pub(super) until: Option<NodeRef>,
    /// How many times at most, the first one counted: a whole number, or a parameter.
    #[schemars(required, with = "schema::CountForm")]
    pub(super) max: Option<NodeRef>,
}

/// An operation of the mix.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "an operation of the mix")]
pub(super) struct MixFile {
    /// Its share of the mix, in proportion to the others'.
    #[schemars(required)]
    pub(super) weight: Option<Soft<At<f64>>>,
    /// Its arguments, drawn from the seed and the operation's number.
    pub(super) args: Option<Soft<Dict<NodeRef>>>,
    /// What every model must answer (absent for operations that only write).
    pub(super) returns: Option<Soft<At<ReturnsFile>>>,
    /// The share of empty answers that is fine, 0 to 1.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub(super) empty_up_to: Option<Soft<At<f64>>>,
    /// Whether only outcomes count, not latency.
    pub(super) counted_only: Option<Soft<bool>>,
}

/// What parity compares of an answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "what parity compares")]
pub(super) struct ReturnsFile {
    /// The fields to compare, as paths (default: whole answers).
    pub(super) fields: Option<Soft<List<At<String>>>>,
    /// Whether the order of documents is part of the answer.
    pub(super) order: Option<Soft<bool>>,
    /// Relative tolerance per field, for sums and averages of doubles.
    pub(super) tolerance: Option<Soft<Dict<Soft<At<f64>>>>>,
    /// Fields frozen when written.
    pub(super) snapshot: Option<Soft<List<At<String>>>>,
    /// Fields that follow the truth after a delay.
    pub(super) eventual: Option<Soft<List<At<String>>>>,
    /// Fields whose last writer wins.
    pub(super) last_write: Option<Soft<List<At<String>>>>,
    /// Compare only how many documents are returned.
    pub(super) order_dependent: Option<Soft<bool>>,
}
