//! Records with known truth: latencies are exact lognormal quantiles around a median that the test names, times an
//! effect per round and model that the test names as well.

use std::collections::BTreeMap;

use patternbench::record::{
    ClaimRecord, Client, ClosingParityRecord, CollectionRecord, LoadRecord, ModelOperationRecord, ModelRecord,
    OperationRound, ParityRecord, PlanRecord, Retries, RoundRecord, RoundTrip, RunRecord, SCHEMA, ScenarioRecord,
    Server, StorageRecord, Tool, histogram,
};
use patternbench::units::{Bytes, Micros, Rate, Ratio, Seconds};
use patternbench::words::{
    ClaimMetric, DataState, Isolation, Mode, Phase, Product, Profile, Role, RoundOutcome, ServerSource, Topology,
};
use serde_json::{Value, json};
use statrs::distribution::{ContinuousCDF, Normal};

/// What a model's operation takes: median in µs and spread of the logarithm.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truth {
    pub(crate) median: f64,
    pub(crate) spread: f64,
}

/// Makes the record of a scenario.
#[derive(Debug, Clone)]
pub(crate) struct Maker {
    pub(crate) name: String,
    pub(crate) models: Vec<(String, Role)>,
    pub(crate) mix: BTreeMap<String, f64>,
    pub(crate) truths: BTreeMap<(String, String), Truth>,
    pub(crate) rounds: u32,
    pub(crate) per_round: u64,
    pub(crate) mode: Mode,
    /// Log of the factor on every latency of a round in a model.
    pub(crate) effect: fn(u32, &str) -> f64,
}

impl Maker {
    /// A scenario with these operations and their weights, ten rounds of two thousand operations.
    pub(crate) fn new(name: &str, mix: &[(&str, f64)]) -> Self {
        Self {
            name: name.to_owned(),
            models: Vec::new(),
            mix: mix.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect(),
            truths: BTreeMap::new(),
            rounds: 10,
            per_round: 2_000,
            mode: Mode::Closed,
            effect: |_, _| 0.0,
        }
    }

    /// Adds a model with the median of each operation in µs; the logarithm spreads by 0.4.
    pub(crate) fn model(mut self, name: &str, role: Role, medians: &[(&str, f64)]) -> Self {
        self.models.push((name.to_owned(), role));
        for (operation, median) in medians {
            let truth = Truth { median: *median, spread: 0.4 };
            self.truths.insert((name.to_owned(), (*operation).to_owned()), truth);
        }
        self
    }

    pub(crate) fn rounds(mut self, rounds: u32, per_round: u64) -> Self {
        (self.rounds, self.per_round) = (rounds, per_round);
        self
    }

    pub(crate) fn effect(mut self, effect: fn(u32, &str) -> f64) -> Self {
        self.effect = effect;
        self
    }

    pub(crate) fn open(mut self) -> Self {
        self.mode = Mode::Open;
        self
    }

    pub(crate) fn build(&self) -> ScenarioRecord {
        let order: Vec<Vec<String>> = (0..self.rounds).map(|_| self.names()).collect();
        ScenarioRecord {
            name: self.name.clone(),
            title: "Product list page".to_owned(),
            summary: "Twenty products of a category with brand, category name and rating.".to_owned(),
            workload: "default".to_owned(),
            complete: true,
            file_sha256: "f".repeat(64),
            parameters: BTreeMap::from([("products".to_owned(), json!(2000)), ("reviews".to_owned(), json!(20))]),
            seed: 1,
            dataset_sha256: "d".repeat(64),
            stream_sha256: "5".repeat(64),
            plan: PlanRecord {
                mode: self.mode,
                mode_reason: None,
                concurrency: 4,
                rate: (self.mode == Mode::Open).then(|| Rate::new(600.0)),
                rounds: self.rounds,
                operations_per_round: Some(self.per_round),
                lead_in_operations: Some(self.per_round / 5),
                order,
                state: DataState::Steady,
                isolation: Isolation::Shared,
                mix: self.mix.clone(),
            },
            parity: Some(ParityRecord { operations: 200, mismatches: 0 }),
            closing_parity: Some(ClosingParityRecord {
                operations: 400,
                mismatches: 0,
                last_write_differences: 0,
                not_compared: Vec::new(),
            }),
            calibration: BTreeMap::new(),
            models: self.models.iter().enumerate().map(|(place, model)| self.model_record(place, model)).collect(),
            rounds: (0..self.rounds).flat_map(|round| self.windows(round)).collect(),
            events: Vec::new(),
            analysis: Default::default(),
            claims: Vec::new(),
        }
    }

    fn names(&self) -> Vec<String> {
        self.models.iter().map(|(name, _)| name.clone()).collect()
    }

    fn model_record(&self, place: usize, (name, role): &(String, Role)) -> ModelRecord {
        let documents = 42_070 / (place as u64 + 1);
        ModelRecord {
            name: name.clone(),
            role: *role,
            title: Some(format!("How {name} lays it out")),
            skipped: None,
            load: Some(LoadRecord { documents, seconds: Seconds::new(1.84) }),
            storage: Some(StorageRecord {
                documents,
                data_bytes: Bytes::new(8_000_000 * (place as u64 + 1)),
                storage_bytes: None,
                index_bytes: Bytes::new(1_500_000),
                collections: 4,
                indexes: 7,
            }),
            collections: vec![CollectionRecord {
                name: "products".to_owned(),
                options: serde_json::Value::Null,
                indexes: vec![json!({"key": {"categoryId": 1, "price": 1, "_id": 1}})],
                sample: sample(name),
                stored_documents: 2_000,
                logical_documents: 2_000,
            }],
            operations: self
                .mix
                .keys()
                .map(|operation| {
                    let record = ModelOperationRecord {
                        steps: vec![step(name, operation)],
                        growth: Some("constant".to_owned()),
                        engine_limited: None,
                        round_trips: Some(1.0),
                    };
                    (operation.clone(), record)
                })
                .collect(),
        }
    }

    fn windows(&self, round: u32) -> Vec<RoundRecord> {
        let total: f64 = self.mix.values().sum();
        self.models
            .iter()
            .enumerate()
            .map(|(position, (model, _))| {
                let factor = (self.effect)(round, model).exp();
                let operations: BTreeMap<String, OperationRound> = self
                    .mix
                    .iter()
                    .filter_map(|(operation, weight)| {
                        let truth = self.truths.get(&(model.clone(), operation.clone()))?;
                        let count = (self.per_round as f64 * weight / total).round() as u64;
                        let text = encoded(lognormal(truth.median * factor, truth.spread, count));
                        let response = if self.mode == Mode::Open { text.clone() } else { None };
                        let figures = OperationRound { count, service: text, response, ..OperationRound::default() };
                        Some((operation.clone(), figures))
                    })
                    .collect();
                let seconds = 1.5 * factor;
                RoundRecord {
                    round,
                    phase: Phase::Measured,
                    model: model.clone(),
                    position: position as u32,
                    started_at: format!("2025-01-01T00:{round:02}:{position:02}Z"),
                    seconds: Seconds::new(seconds),
                    planned: self.per_round,
                    achieved_rate: Rate::new(self.per_round as f64 / seconds),
                    outcome: RoundOutcome::Complete,
                    disturbed: Vec::new(),
                    operations,
                }
            })
            .collect()
    }
}

/// A product as the model stores it.
fn sample(model: &str) -> Value {
    if model == "page" {
        json!({"_id": 17, "name": "amber lamp stand", "price": 42, "brand": {"_id": 3, "name": "Brand 3"},
            "category": {"_id": 17, "name": "Lighting"}, "rating": {"count": 20, "sum": 71},
            "text": "Warm light for long evenings…"})
    } else {
        json!({"_id": 17, "name": "amber lamp stand", "price": 42, "brandId": 3, "categoryId": 17})
    }
}

/// What the model sends for an operation.
fn step(model: &str, operation: &str) -> Value {
    match (operation, model) {
        ("list_page", "page") => json!({"find": {"collection": "products", "filter": {"category._id": 17},
            "sort": {"price": 1, "_id": 1}, "limit": 20}}),
        ("list_page", _) => json!({"aggregate": {"collection": "products", "pipeline": [
            {"$match": {"categoryId": 17}}, {"$sort": {"price": 1, "_id": 1}}, {"$limit": 20},
            {"$lookup": {"from": "brands", "localField": "brandId", "foreignField": "_id", "as": "brand"}},
            {"$lookup": {"from": "reviews", "localField": "_id", "foreignField": "productId", "as": "reviews"}},
            {"$set": {"brand": {"$first": "$brand.name"}, "rating": {"$avg": "$reviews.rating"}}}]}}),
        _ => json!({"insertOne": {"collection": "reviews", "document": {"productId": 17, "rating": 4}}}),
    }
}

/// The quantiles (i + ½) ÷ n of a lognormal distribution, in whole µs: exact, so that no test needs luck.
pub(crate) fn lognormal(median: f64, spread: f64, count: u64) -> Vec<u64> {
    let standard = Normal::new(0.0, 1.0).expect("a positive deviation");
    (0..count)
        .map(|place| {
            let z = standard.inverse_cdf((place as f64 + 0.5) / count as f64);
            (median * (spread * z).exp()).round().max(1.0) as u64
        })
        .collect()
}

/// The quantile of [`lognormal`] that a histogram of its values gives: the value of rank ⌈q·n⌉.
pub(crate) fn lognormal_quantile(median: f64, spread: f64, count: u64, q: f64) -> f64 {
    let rank = (q * count as f64).ceil() as usize;
    lognormal(median, spread, count)[rank - 1] as f64
}

/// Values as a record keeps them; `None` without values.
pub(crate) fn encoded(values: Vec<u64>) -> Option<String> {
    let mut kept = histogram::empty();
    for value in values {
        histogram::record(&mut kept, value);
    }
    histogram::encode(&kept)
}

/// A run of these scenarios on a mongod that patternbench started.
pub(crate) fn run_of(profile: Profile, scenarios: Vec<ScenarioRecord>) -> RunRecord {
    RunRecord {
        schema: SCHEMA.to_owned(),
        tool: Tool { version: "0.1.0".to_owned() },
        complete: scenarios.iter().all(|scenario| scenario.complete),
        started_at: "2025-01-01T00:00:00Z".to_owned(),
        finished_at: Some("2025-01-01T00:01:10Z".to_owned()),
        label: None,
        profile,
        server: Server {
            source: ServerSource::Mongod,
            product: Product::Mongod,
            version: "8.2.1".to_owned(),
            topology: Topology::ReplicaSet,
            storage_engine: Some("wiredTiger".to_owned()),
            host: "127.0.0.1:40001".to_owned(),
            parameters: Vec::new(),
            cache_bytes: Some(Bytes::new(1 << 30)),
            read_concern: "local".to_owned(),
            write_concern: "majority".to_owned(),
            retries: Retries { reads: true, writes: true },
            rtt: Some(RoundTrip { p50: Micros::new(112.0), p95: Micros::new(204.0) }),
        },
        client: Client {
            os: "Linux 6.1".to_owned(),
            cpu: "A processor".to_owned(),
            cores: 2,
            memory_bytes: Bytes::new(2 << 30),
        },
        scenarios,
    }
}

/// The same on the embedded server.
pub(crate) fn on_secantusd(mut run: RunRecord) -> RunRecord {
    run.server.source = ServerSource::Embedded;
    run.server.product = Product::Secantusd;
    run.server.version = "0.5.3-beta.193".to_owned();
    run
}

/// A claim that the ratio of an operation's metric is at least this.
pub(crate) fn claim(operation: &str, metric: ClaimMetric, at_least: f64) -> ClaimRecord {
    ClaimRecord {
        operation: operation.to_owned(),
        metric,
        wanted: format!("≥ {at_least}"),
        at_least: Some(Ratio::new(at_least)),
        at_most: None,
        at: BTreeMap::new(),
        measured: None,
        low: None,
        high: None,
        outcome: None,
        reason: None,
        source: "Schema design notes: three $lookups removed".to_owned(),
    }
}

/// Some per cent up and down, another sequence for every model, so that intervals have a width.
pub(crate) fn wobble(round: u32, model: &str) -> f64 {
    let phase = model.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte))) % 97;
    0.03 * (f64::from(round) * 2.4 + f64::from(phase)).sin()
}

/// Three models of a product list page: the page is seven times as fast on reads and pays with slower writes; `tuned`
/// gets about half way (on the log scale) by query and index alone.
pub(crate) fn product_page() -> Maker {
    Maker::new("product-list-page", &[("list_page", 95.0), ("add_review", 5.0)])
        .model("naive", Role::Naive, &[("list_page", 4_200.0), ("add_review", 800.0)])
        .model("page", Role::Pattern, &[("list_page", 600.0), ("add_review", 1_300.0)])
        .model("tuned", Role::Alternative, &[("list_page", 1_600.0), ("add_review", 810.0)])
        .effect(wobble)
}
