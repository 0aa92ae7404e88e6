//! The columns, with what they mean.

/// The columns of a table of figures in their order: name, and what it holds.
///
/// An empty cell says that there is none; `reason` says why, where that is known. Names and their meaning stay; new
/// columns come at the end.
pub const CSV_COLUMNS: [(&str, &str); 22] = [
    ("started_at", "when the run began, RFC 3339 in UTC"),
    ("label", "the user's name for the run"),
    ("profile", "smoke, quick, standard or nightly"),
    ("product", "the server measured: mongod, mongos, secantusd, simulated or other"),
    ("server_version", "the product's own version"),
    ("scenario", "the scenario"),
    ("workload", "its workload"),
    ("complete", "true where everything planned for it was measured"),
    ("model", "the model"),
    ("role", "naive, pattern or alternative"),
    ("operation", "the operation; all: the whole mix; empty: a figure of the model's data"),
    (
        "metric",
        "of latencies p50, p95, p99, mean; throughput; count, errors, empty, rate; round_trips, bytes_sent, \
         bytes_received; documents, data_bytes, storage_bytes, index_bytes, collections, indexes, load_time",
    ),
    ("load", "measured: at the plan's load; light_load: one worker, closed; empty where no load plays a part"),
    ("time", "response (intended start to reply) or service (sent to reply); empty where it is no latency"),
    ("unit", "us (microseconds), 1/s, s, bytes or count"),
    ("value", "the figure in that unit"),
    ("speedup", "naive ÷ model, of throughput model ÷ naive: above 1 the model is better"),
    ("low", "lower end of the speed-up's 95 % interval"),
    ("high", "upper end of the speed-up's 95 % interval"),
    ("verdict", "faster, slower, equal (within 5 %) or inconclusive; only of the metric that carries the verdict"),
    ("reason", "why there is no figure, no interval or no verdict"),
    ("engine_limited", "why this server executes the operation unlike mongod (†)"),
];
