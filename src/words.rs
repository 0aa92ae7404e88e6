//! Closed vocabularies: the words of the design, one enum each.
//!
//! Each serialises to the word that stands in scenario files, `run.json` and on the command line.

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
        )]
        pub enum $name {
            $($(#[$vmeta])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every word of this vocabulary, in its natural order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word as it stands in files and on the command line.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, UnknownWord> {
                Self::ALL.iter().copied().find(|word| word.word() == text).ok_or_else(|| UnknownWord {
                    text: text.to_owned(),
                    known: Self::ALL.iter().map(|word| word.word()).collect(),
                })
            }
        }
    };
}

/// A word that its vocabulary does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is none of {}", known.join(", "))]
pub struct UnknownWord {
    /// What was written.
    pub text: String,
    /// What could have been written.
    pub known: Vec<&'static str>,
}

words! {
    /// What a model stands for in its scenario.
    Role {
        /// The layout that a competent engineer with relational habits builds.
        Naive = "naive",
        /// The schema-design-pattern counterpart.
        Pattern = "pattern",
        /// A further layout worth comparing.
        Alternative = "alternative",
    }
}
words! {
    /// What is compared of an operation.
    Metric {
        /// Median latency.
        P50 = "p50",
        /// 95th percentile of latency.
        P95 = "p95",
        /// 99th percentile of latency.
        P99 = "p99",
        /// Mean latency.
        Mean = "mean",
        /// Operations per second under closed load.
        Throughput = "throughput",
    }
}
words! {
    /// What the history of a results folder follows.
    Tracked {
        /// 95th percentile of a model's latency.
        P95 = "p95",
        /// Naive p95 ÷ the model's p95.
        Speedup = "speedup",
    }
}
words! {
    /// What a claim can speak of: the metrics and the bill.
    ClaimMetric {
        /// Median latency.
        P50 = "p50",
        /// 95th percentile of latency.
        P95 = "p95",
        /// 99th percentile of latency.
        P99 = "p99",
        /// Mean latency.
        Mean = "mean",
        /// Operations per second under closed load.
        Throughput = "throughput",
        /// Stored documents of a model.
        Documents = "documents",
        /// Uncompressed bytes of a model's documents.
        DataBytes = "data_bytes",
        /// Bytes of a model's indexes.
        IndexBytes = "index_bytes",
    }
}
words! {
    /// What an operation does to the data.
    OperationKind {
        /// It only reads.
        Read = "read",
        /// It writes, whatever it reads besides.
        Write = "write",
    }
}
words! {
    /// What the comparison of an operation says, by the rule that the report states.
    Verdict {
        /// The pattern is faster by more than the practical threshold.
        Faster = "faster",
        /// The pattern is slower by more than the practical threshold.
        Slower = "slower",
        /// The difference lies inside the practical threshold.
        Equal = "equal",
        /// The rounds do not decide.
        Inconclusive = "inconclusive",
    }
}
words! {
    /// What a comparison of two runs says of a figure, by the rule that its report states.
    Change {
        /// It is better by more than the practical threshold.
        Improvement = "improvement",
        /// It is worse by more than the practical threshold.
        Regression = "regression",
        /// The change lies inside the practical threshold.
        Equal = "equal",
        /// The runs do not decide.
        Inconclusive = "inconclusive",
    }
}
words! {
    /// What must be the same of two runs for their figures to be comparable.
    Sameness {
        /// The product that was measured.
        Server = "server",
        /// Its version.
        Version = "version",
        /// The machine that it ran on.
        Host = "host",
        /// Topology, storage engine, cache, flags and concerns.
        Settings = "settings",
        /// The text of the scenario file.
        Scenario = "scenario",
        /// The scenario's parameters.
        Parameters = "parameters",
        /// The seed.
        Seed = "seed",
        /// The rows of the dataset.
        Dataset = "dataset",
        /// How load is offered: mode, workers, arrivals, isolation, cache.
        Load = "load",
    }
}
words! {
    /// The two sides of a comparison of runs.
    Side {
        /// What is compared with.
        Base = "base",
        /// What is judged.
        New = "new",
    }
}
words! {
    /// What the interval of a comparison of runs is made of.
    Repetition {
        /// Rounds of one load of the data on each side, and an allowance for what differs from run to run.
        Rounds = "rounds",
        /// Fresh loads of the data in one run on each side.
        Restarts = "restarts",
        /// Runs.
        Runs = "runs",
    }
}
words! {
    /// What the figures of a comparison of runs are of.
    Basis {
        /// Response times: both sides were offered the same rate.
        Response = "response",
        /// Service times.
        Service = "service",
        /// Service times at light load.
        LightLoad = "light_load",
        /// Operations per second that closed calibration found.
        Capacity = "capacity",
        /// Operations per second of the rounds under closed load.
        Rate = "rate",
    }
}
words! {
    /// What became of a claim.
    ClaimOutcome {
        /// The whole interval satisfies the claim.
        Confirmed = "confirmed",
        /// The whole interval contradicts the claim.
        Refuted = "refuted",
        /// The interval contains the bound, or there is no interval; `reason` says which.
        Inconclusive = "inconclusive",
        /// The claim speaks of other parameters, or needs a row that this server distorts; `reason` says which.
        NotTestedHere = "not_tested_here",
    }
}
words! {
    /// A phase of a run. Each has its own range of operation numbers.
    Phase {
        /// Comparison of answers on small databases.
        Parity = "parity",
        /// Plans of the steps, asked of the server outside of every window. It has no operation numbers of its own.
        Evidence = "evidence",
        /// Short closed load that sizes the rounds.
        Calibration = "calibration",
        /// One worker, closed.
        LightLoad = "light_load",
        /// Untimed operations before each window.
        LeadIn = "lead_in",
        /// The timed windows.
        Measured = "measured",
        /// Comparison of answers after the last round.
        ClosingParity = "closing_parity",
    }
}
words! {
    /// What a reader of the evidence should look at.
    EvidenceFlag {
        /// A step reads every document of a collection.
        CollectionScan = "collection_scan",
        /// A step sorts documents in memory that an index could have given in order.
        InMemorySort = "in_memory_sort",
        /// A step examines more than ten keys or documents for each that passes its filter.
        ManyExamined = "many_examined",
        /// No operation of the rounds used the index.
        UnusedIndex = "unused_index",
    }
}

impl EvidenceFlag {
    /// What the flag means, in a sentence.
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::CollectionScan => {
                "Collection scan: every document of the collection is read to find those that match, so the cost grows \
                 with the collection; an index on the filter's fields bounds it."
            }
            Self::InMemorySort => {
                "In-memory sort: all matching documents are read and sorted before the first is returned, although an \
                 index could give them in order."
            }
            Self::ManyExamined => {
                "Many examined: more than ten keys or documents are examined for each one that passes the filter; an \
                 index that covers more of the filter would examine fewer."
            }
            Self::UnusedIndex => {
                "Unused index: no operation of the rounds used it, while every write maintains it and it takes room in \
                 the cache."
            }
        }
    }
}

words! {
    /// What is sorted in memory.
    SortedInMemory {
        /// Documents as stored: an index could give them in order.
        Documents = "documents",
        /// Groups, joined, unwound or computed values, or documents that the query names by `_id`: no index gives these in
        /// order.
        Results = "results",
    }
}
words! {
    /// On which data something was found out.
    DataSize {
        /// The small data on which answers are compared.
        Parity = "parity",
        /// The data that are measured.
        Measured = "measured",
    }
}
words! {
    /// How a round ended.
    RoundOutcome {
        /// All its operation numbers were run.
        Complete = "complete",
        /// It did not finish within twice its planned time; its model left the comparison.
        Saturated = "saturated",
        /// The model reached its declared end (`ends_when`).
        Ended = "ended",
        /// The run was interrupted.
        Interrupted = "interrupted",
    }
}
words! {
    /// How an event of a window ended.
    EventOutcome {
        /// All its steps were done.
        Complete = "complete",
        /// A step failed.
        Failed = "failed",
        /// Its number never came, or it was ended with its window.
        Unfinished = "unfinished",
    }
}
words! {
    /// How load is offered.
    Mode {
        /// Each worker sends its next operation when the last returned.
        Closed = "closed",
        /// Operations are due at intended times.
        Open = "open",
    }
}
words! {
    /// How operations come due under open load.
    ArrivalProcess {
        /// At equal distances.
        Constant = "constant",
        /// At exponentially distributed distances, as from many independent users.
        Poisson = "poisson",
    }
}
words! {
    /// What could not keep up with an offered rate.
    Bottleneck {
        /// The server: every worker was waiting for it.
        Server = "server",
        /// The load generator: operations were sent late although workers were free.
        Generator = "generator",
    }
}
words! {
    /// At which mixes of reads and writes a model costs less than naive.
    BreakEvenAnswer {
        /// On one side of a read share, and on the other it costs more.
        Share = "share",
        /// At every mix.
        Always = "always",
        /// At none.
        Never = "never",
        /// The rounds do not tell.
        Undecided = "undecided",
    }
}
words! {
    /// What a window at a rate says of the objective.
    ProbeOutcome {
        /// The rate was achieved within the objective.
        Held = "held",
        /// It was not: too slow, too many errors, or the rate was not achieved.
        Missed = "missed",
        /// The load generator was the limit, so it says nothing of the model.
        Generator = "generator",
        /// The model came to its declared end.
        Ended = "ended",
    }
}
words! {
    /// What is known of the highest rate that a model sustains within an objective.
    CapacityFound {
        /// Lower rates hold and higher ones miss.
        Within = "within",
        /// Every rate that could be offered holds; the load generator is the limit beyond.
        AtLeast = "at_least",
        /// Not even the lowest rate holds.
        Below = "below",
        /// The windows do not tell.
        Unsettled = "unsettled",
    }
}
words! {
    /// What happens to a workload's data over the run.
    DataState {
        /// Growth over the run is at most 10 %.
        Steady = "steady",
        /// Fresh data for each round.
        Reload = "reload",
        /// Data grow; only paired ratios stand.
        Growing = "growing",
    }
}
words! {
    /// Whether models share a server process.
    Isolation {
        /// All models live on one server.
        Shared = "shared",
        /// Each model has a server process of its own.
        Process = "process",
    }
}
words! {
    /// How much is measured.
    Profile {
        /// Seconds: does everything work? Never gives a verdict.
        Smoke = "smoke",
        /// About a minute: ten rounds.
        Quick = "quick",
        /// Twenty longer rounds.
        Standard = "standard",
        /// Thirty longer rounds at nightly sizes.
        Nightly = "nightly",
    }
}
words! {
    /// Where the server of a run came from.
    ServerSource {
        /// Named by `--uri`, `--uri-file` or `PATTERNBENCH_URI`.
        Uri = "uri",
        /// A `mongod` that patternbench started.
        Mongod = "mongod",
        /// The embedded server, started by patternbench.
        Embedded = "embedded",
        /// No server: declared latencies.
        Simulated = "simulated",
    }
}
words! {
    /// The product that answered, told by what it cannot fake.
    Product {
        /// MongoDB's own server.
        Mongod = "mongod",
        /// MongoDB's router.
        Mongos = "mongos",
        /// The embedded server, secantusd-rs.
        Secantusd = "secantusd",
        /// Something else that speaks the wire protocol.
        Other = "other",
        /// The simulated backend.
        Simulated = "simulated",
    }
}
words! {
    /// The shape of a deployment.
    Topology {
        /// One server without replication.
        Standalone = "standalone",
        /// A replica set, perhaps of a single member.
        ReplicaSet = "replica_set",
        /// A sharded cluster behind mongos.
        Sharded = "sharded",
        /// No server at all.
        Simulated = "simulated",
    }
}
words! {
    /// What a sweep varies.
    SweepAxis {
        /// A parameter of the scenario, perhaps with others in step.
        Parameter = "parameter",
        /// The cache of the servers.
        Cache = "cache",
        /// The share of reads in the mix.
        Mix = "mix",
    }
}
words! {
    /// How a cost grows with what is swept, by the slope on logarithmic axes over the highest decade.
    GrowthWord {
        /// Slope below −0.15.
        Falling = "falling",
        /// Slope within ±0.15.
        Flat = "flat",
        /// Slope between 0.15 and 0.8.
        Sublinear = "sublinear",
        /// Slope between 0.8 and 1.2.
        Linear = "linear",
        /// Slope above 1.2.
        Superlinear = "superlinear",
    }
}
words! {
    /// What was found where a speed-up was followed along an axis.
    CrossoverOutcome {
        /// It passes 1 within the range.
        Found = "found",
        /// It stays on one side of 1.
        NoneInRange = "none_in_range",
        /// Too few values have a speed-up.
        Unknown = "unknown",
    }
}
words! {
    /// How far the data in a database of patternbench's are, as its marker says.
    MarkerState {
        /// They are being loaded.
        Loading = "loading",
        /// They are as loaded.
        Pristine = "pristine",
        /// Operations have written to them.
        Used = "used",
        /// Their run has ended and left them for later runs.
        Kept = "kept",
    }
}
words! {
    /// Server errors that a scenario can name as an answer (`expect: [DuplicateKey]`).
    ErrorName {
        /// A unique index refused a second key (11000, 11001, 12582).
        DuplicateKey = "DuplicateKey",
        /// A validator refused a document (121).
        DocumentValidationFailure = "DocumentValidationFailure",
        /// A document passed 16 MiB (10334, 17419).
        DocumentTooLarge = "DocumentTooLarge",
        /// Two writes met (112).
        WriteConflict = "WriteConflict",
    }
}

words! {
    /// A step that holds steps.
    Block {
        /// All of its writes are made, or none; it is begun anew where it meets another.
        Transaction = "transaction",
        /// Its steps are made one after the other, perhaps in a loop.
        Do = "do",
    }
}

impl ErrorName {
    /// The name of a server error code, where it has one here.
    pub const fn from_code(code: i32) -> Option<Self> {
        match code {
            11000 | 11001 | 12582 => Some(Self::DuplicateKey),
            121 => Some(Self::DocumentValidationFailure),
            10334 | 17419 => Some(Self::DocumentTooLarge),
            112 => Some(Self::WriteConflict),
            _ => None,
        }
    }
}

impl From<Metric> for ClaimMetric {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::P50 => Self::P50,
            Metric::P95 => Self::P95,
            Metric::P99 => Self::P99,
            Metric::Mean => Self::Mean,
            Metric::Throughput => Self::Throughput,
        }
    }
}
