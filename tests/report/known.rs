//! Records with known truth: latencies are exact lognormal quantiles around a median that the test names, times an
//! effect per round and model that the test names as well.

use std::collections::BTreeMap;

use patternbench::analysis::analyse;
use patternbench::record::{
    ClaimRecord, Client, ClosingParityRecord, CollectionRecord, ComparisonRecord, CpuRecord, LoadRecord, MemoryRecord,
    ModelOperationRecord, ModelRecord, OperationRound, ParityRecord, PlanRecord, Retries, RoundRecord, RoundTrip,
    RunRecord, SCHEMA, ScenarioRecord, Server, StorageRecord, Tool, histogram,
};
use patternbench::units::{Bytes, Micros, Rate, Ratio, Seconds};
use patternbench::words::{
    ArrivalProcess, ClaimMetric, DataState, Isolation, Metric, Mode, Phase, Product, Profile, Role, RoundOutcome,
    ServerSource, Topology,
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
    /// Log of response ÷ service time of a round in a model, under open load.
    pub(crate) waiting: fn(u32, &str) -> f64,
    /// Median pacer lag in µs under open load; none without.
    pub(crate) lag: Option<f64>,
    /// Rounds at light load in each restart, and operations in each.
    pub(crate) light_load: (u32, u64),
    /// Log of the factor at light load, where everything takes half as long.
    pub(crate) light_effect: fn(u32, &str) -> f64,
    /// Fresh loads of the data that the rounds are spread over.
    pub(crate) restarts: u32,
    /// The models by number in the order run, for one round after the other, from the start again when it is through.
    pub(crate) order: Vec<Vec<usize>>,
    /// Log of the factor of a place in the round, and of the model before.
    pub(crate) order_effect: fn(u32, Option<&str>) -> f64,
}

/// Operations per second offered under open load.
pub(crate) const RATE: f64 = 600.0;

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
            waiting: |_, _| 0.0,
            lag: None,
            light_load: (0, 0),
            light_effect: |_, _| 0.0,
            restarts: 1,
            order: Vec::new(),
            order_effect: |_, _| 0.0,
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

    /// So many rounds at light load in each restart, of so many operations.
    pub(crate) fn light_load(mut self, rounds: u32, per_round: u64) -> Self {
        self.light_load = (rounds, per_round);
        self
    }

    pub(crate) fn restarts(mut self, restarts: u32) -> Self {
        self.restarts = restarts;
        self
    }

    pub(crate) fn build(&self) -> ScenarioRecord {
        let names = self.names();
        let order: Vec<Vec<String>> = (0..self.rounds)
            .map(|round| self.order_of(round).into_iter().map(|model| names[model].clone()).collect())
            .collect();
        ScenarioRecord {
            name: self.name.clone(),
            title: "Product list page".to_owned(),
            summary: "Twenty products of a category with brand, category name and rating.".to_owned(),
            workload: "default".to_owned(),
            complete: true,
            not_measurable: None,
            file_sha256: "f".repeat(64),
            parameters: BTreeMap::from([("products".to_owned(), json!(2000)), ("reviews".to_owned(), json!(20))]),
            seed: 1,
            dataset_sha256: "d".repeat(64),
            stream_sha256: "5".repeat(64),
            plan: PlanRecord {
                mode: self.mode,
                mode_reason: None,
                concurrency: 4,
                rate: (self.mode == Mode::Open).then(|| Rate::new(RATE)),
                arrivals: (self.mode == Mode::Open).then_some(ArrivalProcess::Constant),
                open_workers: (self.mode == Mode::Open).then_some(16),
                rounds: self.rounds,
                restarts: self.restarts,
                light_load_rounds: self.light_load.0 * self.restarts,
                control: None,
                operations_per_round: Some(self.per_round),
                lead_in_operations: Some(self.per_round / 5),
                order,
                state: DataState::Steady,
                state_reason: None,
                growth: Vec::new(),
                isolation: Isolation::Shared,
                without_transactions: None,
                cache: None,
                mix: self.mix.clone(),
            },
            declared: BTreeMap::new(),
            parity: Some(ParityRecord { operations: 200, mismatches: 0, staleness: BTreeMap::new() }),
            closing_parity: Some(ClosingParityRecord {
                operations: 400,
                mismatches: 0,
                last_write_differences: 0,
                not_compared: Vec::new(),
            }),
            calibration: BTreeMap::new(),
            models: self.models.iter().enumerate().map(|(place, model)| self.model_record(place, model)).collect(),
            rounds: self.all_windows(),
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
            ended: None,
            load: Some(LoadRecord { documents, seconds: Seconds::new(1.84) }),
            storage: Some(StorageRecord {
                documents,
                data_bytes: Bytes::new(8_000_000 * (place as u64 + 1)),
                storage_bytes: None,
                index_bytes: Bytes::new(1_500_000),
                collections: 4,
                indexes: 7,
                index_to_cache: None,
                data_to_cache: None,
            }),
            collections: vec![CollectionRecord {
                name: "products".to_owned(),
                partitions: None,
                options: serde_json::Value::Null,
                indexes: vec![json!({"key": {"categoryId": 1, "price": 1, "_id": 1}})],
                sample: sample(name),
                stored_documents: 2_000,
                logical_documents: 2_000,
            }],
            sizes: Vec::new(),
            index_use: None,
            operations: self
                .mix
                .keys()
                .map(|operation| {
                    let record = ModelOperationRecord {
                        steps: vec![step(name, operation)],
                        growth: Some("constant".to_owned()),
                        engine_limited: None,
                        round_trips: Some(1.0),
                        ..ModelOperationRecord::default()
                    };
                    (operation.clone(), record)
                })
                .collect(),
        }
    }

    fn order_of(&self, round: u32) -> Vec<usize> {
        match self.order.len() {
            0 => (0..self.models.len()).collect(),
            rounds => self.order[round as usize % rounds].clone(),
        }
    }

    fn all_windows(&self) -> Vec<RoundRecord> {
        let per_restart = self.rounds.div_ceil(self.restarts);
        let of_restart = |restart: u32| {
            let light = (0..self.light_load.0).flat_map(move |round| self.light_windows(round, restart));
            let rounds = restart * per_restart..((restart + 1) * per_restart).min(self.rounds);
            light.chain(rounds.flat_map(move |round| self.windows(round, restart)))
        };
        (0..self.restarts).flat_map(of_restart).collect()
    }

    fn windows(&self, round: u32, restart: u32) -> Vec<RoundRecord> {
        let order = self.order_of(round);
        let name = |place: usize| self.models[order[place]].0.as_str();
        (0..order.len())
            .map(|place| {
                let model = name(place);
                let before = place.checked_sub(1).map(name);
                let log = (self.effect)(round, model) + (self.order_effect)(place as u32, before);
                let seconds = if self.mode == Mode::Open { self.per_round as f64 / RATE } else { 1.5 * log.exp() };
                let mut window = self.window(model, (round, restart), place, (self.per_round, seconds));
                window.workers = if self.mode == Mode::Open { 16 } else { 4 };
                window.operations = self.operations(model, log, self.per_round, |service, count| {
                    let waited = waited(&service, (self.waiting)(round, model));
                    OperationRound {
                        count,
                        response: (self.mode == Mode::Open).then(|| encoded(waited)).flatten(),
                        pacer_lag: self.lag.and_then(|median| encoded(lognormal(median, 0.2, count))),
                        service: encoded(service),
                        ..OperationRound::default()
                    }
                });
                window
            })
            .collect()
    }

    fn light_windows(&self, round: u32, restart: u32) -> Vec<RoundRecord> {
        let windows = self.models.iter().enumerate().map(|(place, (model, _))| {
            let log = 0.5_f64.ln() + (self.light_effect)(round, model);
            let mut window = self.window(model, (round, restart), place, (self.light_load.1, 0.5));
            (window.phase, window.workers) = (Phase::LightLoad, 1);
            window.operations = self.operations(model, log, self.light_load.1, |service, count| OperationRound {
                count,
                service: encoded(service),
                ..OperationRound::default()
            });
            window
        });
        windows.collect()
    }

    /// The figures of a window's operations, made from their service times and their number.
    fn operations(
        &self,
        model: &str,
        log: f64,
        per_round: u64,
        figures: impl Fn(Vec<u64>, u64) -> OperationRound,
    ) -> BTreeMap<String, OperationRound> {
        let total: f64 = self.mix.values().sum();
        self.mix
            .iter()
            .filter_map(|(operation, weight)| {
                let truth = self.truths.get(&(model.to_owned(), operation.clone()))?;
                let count = (per_round as f64 * weight / total).round() as u64;
                let service = lognormal(truth.median * log.exp(), truth.spread, count);
                Some((operation.clone(), figures(service, count)))
            })
            .collect()
    }

    /// A measured window without figures.
    fn window(
        &self,
        model: &str,
        (round, restart): (u32, u32),
        place: usize,
        (planned, seconds): (u64, f64),
    ) -> RoundRecord {
        RoundRecord {
            round,
            phase: Phase::Measured,
            model: model.to_owned(),
            position: place as u32,
            started_at: format!("2025-01-01T00:{round:02}:{place:02}Z"),
            seconds: Seconds::new(seconds),
            workers: 1,
            restart,
            pool_wait: None,
            cpu: CpuRecord::default(),
            memory: MemoryRecord::default(),
            server_counters: BTreeMap::new(),
            intervals: Vec::new(),
            background: Vec::new(),
            events: Vec::new(),
            planned,
            achieved_rate: Rate::new(planned as f64 / seconds),
            outcome: RoundOutcome::Complete,
            disturbed: Vec::new(),
            operations: BTreeMap::new(),
        }
    }
}

/// Response times: service times longer by this log factor.
fn waited(service: &[u64], log: f64) -> Vec<u64> {
    service.iter().map(|micros| (*micros as f64 * log.exp()).round() as u64).collect()
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
        light_load: None,
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

/// The logarithm of a factor that naive alone bears.
pub(crate) fn on_naive(model: &str, factor: f64) -> f64 {
    if model == "naive" { factor.ln() } else { 0.0 }
}

pub(crate) fn analysed(maker: &Maker) -> ScenarioRecord {
    let mut scenario = maker.build();
    analyse(&mut scenario, Profile::Quick);
    scenario
}

pub(crate) fn of<'a>(scenario: &'a ScenarioRecord, operation: &str, metric: Metric) -> &'a ComparisonRecord {
    &scenario.analysis.operations[operation][&metric]
}

pub(crate) fn close(found: f64, expected: f64, relative: f64) {
    assert!((found / expected - 1.0).abs() <= relative, "{found} is not {expected} within {relative}");
}

pub(crate) fn number(ratio: Option<Ratio>) -> f64 {
    ratio.expect("there is a ratio").get()
}

/// Two models of one operation, naive slower by this factor.
pub(crate) fn two(factor: f64) -> Maker {
    Maker::new("two", &[("read", 1.0)])
        .model("naive", Role::Naive, &[("read", 1_000.0 * factor)])
        .model("fast", Role::Pattern, &[("read", 1_000.0)])
        .effect(wobble)
}
