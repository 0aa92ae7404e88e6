//! What patternbench itself costs while it measures: rendering, recording and pacing, and the analysis afterwards.
//!
//! The goals: a document of ten fields is rendered in at most a third of the time that building and serialising it by
//! hand takes, one operation is recorded in under 60 ns, and at 2,000 operations a second 99 of 100 are sent within 300 µs
//! of when they were due.
//!
//! `cargo bench --bench harness -- recording` measures one group; `-- --test` only shows that everything works.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use bson::oid::ObjectId;
use bson::{Bson, DateTime, doc};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use patternbench::analysis::analyse;
use patternbench::clock::{Clock as _, WallClock};
use patternbench::record::{ScenarioRecord, histogram};
use patternbench::run::{Finished, Gate, Recorder, Schedule, Slot, Times};
use patternbench::source::{Problems, SourceText, parse};
use patternbench::units::Rate;
use patternbench::value::{Context, Draw, Names, Parameters, Scope, Template, World};
use patternbench::words::{ArrivalProcess, Profile};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

criterion_group!(benches, rendering, recording, pacing, analysis);
criterion_main!(benches);

/// Whether it is only to be shown that everything works: Cargo says `--bench` when it measures.
fn only_tests() -> bool {
    let says = |word: &str| std::env::args().any(|argument| argument == word);
    says("--test") || !says("--bench")
}

/// An order as an operation inserts it: ten fields, four of them arguments.
const ORDER: &str = "{_id: ^id, customerId: ^customer, placedAt: ^placed, total: ^total, status: paid, currency: EUR, \
                     channel: web, items: 3, gift: false, note: 'Leave it with the neighbours.'}";
/// The same with its arguments drawn where they stand.
const DRAWN_ORDER: &str = "{_id: ^objectId, customerId: {^int: {min: 0, max: 99999}}, placedAt: ^now, \
                           total: {^double: {min: 1, max: 500}}, status: paid, currency: EUR, channel: web, items: 3, \
                           gift: false, note: 'Leave it with the neighbours.'}";

/// The arguments of an order.
#[derive(Clone, Copy)]
struct Arguments {
    id: ObjectId,
    customer: i32,
    placed: DateTime,
    total: f64,
}

impl Arguments {
    fn some() -> Self {
        let id = ObjectId::from_bytes([7; 12]);
        Self { id, customer: 4_711, placed: DateTime::from_millis(1_700_000_000_000), total: 129.5 }
    }

    fn names(self) -> Names {
        let Self { id, customer, placed, total } = self;
        let values = [Bson::ObjectId(id), Bson::Int32(customer), Bson::DateTime(placed), Bson::Double(total)];
        Names { values: values.into_iter().map(Some).collect() }
    }

    /// By hand.
    fn document(self) -> bson::Document {
        let Self { id, customer, placed, total } = self;
        doc! {
            "_id": id, "customerId": customer, "placedAt": placed, "total": total, "status": "paid", "currency": "EUR",
            "channel": "web", "items": 3, "gift": false, "note": "Leave it with the neighbours.",
        }
    }
}

fn rendering(criterion: &mut Criterion) {
    let world = World::new(1, Parameters::new(), Vec::new(), Path::new(".")).expect("no sets, no errors");
    let (spliced, drawn) = (compile(ORDER), compile(DRAWN_ORDER));
    let arguments = Arguments::some();
    let names = arguments.names();
    let context = |number| Context {
        world: &world,
        draw: Draw::new(1, "operation/place_order", number),
        index: number,
        parent: None,
        names: &names,
        it: None,
        each: None,
    };
    let by_hand = arguments.document().to_vec().expect("it can be serialised");
    let by_template = spliced.document(&context(0)).expect("it renders");
    assert_eq!(by_template.as_bytes(), by_hand, "both make the same document");

    let mut group = criterion.benchmark_group("rendering");
    group.bench_function("doc! and serialise", |bencher| {
        bencher.iter(|| black_box(arguments).document().to_vec());
    });
    let fixed = context(0);
    group.bench_function("arguments spliced in", |bencher| {
        bencher.iter(|| spliced.document(black_box(&fixed)));
    });
    let mut number = 0;
    group.bench_function("values drawn", |bencher| {
        bencher.iter(|| {
            number += 1;
            drawn.document(&context(number))
        });
    });
    group.finish();
}

fn compile(text: &str) -> Template {
    let parsed = parse(SourceText::new("bench", text)).unwrap_or_else(|(_, problems)| panic!("{problems:?}"));
    let root = parsed.file.arena.root().expect("the text holds a document");
    let names = ["id", "customer", "placed", "total"].map(str::to_owned).to_vec();
    let scope = Scope { index: true, draws: true, names, ..Scope::default() };
    let mut problems = Problems::default();
    let template = Template::compile(&parsed.file.arena, root, &scope, &mut problems);
    template.unwrap_or_else(|| panic!("{problems:?}"))
}

const OPERATIONS: usize = 7;

fn recording(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("recording");
    for (load, paced) in [("open load", true), ("closed load", false)] {
        let start = Instant::now();
        let recorder = Arc::new(Recorder::new(OPERATIONS, 2));
        recorder.begin(start, Duration::from_secs(17), paced);
        let samples = samples(start, paced);
        let mut writer = recorder.writer();
        let mut operations = samples.iter().cycle().zip((0..OPERATIONS).cycle());
        group.bench_function(load, |bencher| {
            bencher.iter(|| {
                let (times, operation) = operations.next().expect("it never ends");
                writer.finished(operation, *black_box(times), Finished::default());
            });
        });
        drop(writer);
        assert!(recorder.tally().attempts() > 0);
    }
    group.finish();
}

/// Latencies around a millisecond, lags around 30 µs, over six seconds: few enough to be at hand, as the times of an
/// operation that has just ended are.
fn samples(start: Instant, paced: bool) -> Vec<Times> {
    let micros = Duration::from_micros;
    (0..600)
        .map(|place: u64| {
            let intended = start + micros(place * 10_000);
            let sent = intended + micros(10 + place * 7_919 % 40);
            let due = paced.then_some(Slot { intended, awaited: true });
            Times { due, sent, complete: sent + micros(500 + place * 104_729 % 1_500) }
        })
        .collect()
}

/// Operations due per second.
const RATE: f64 = 2_000.0;

fn pacing(criterion: &mut Criterion) {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    let mut group = criterion.benchmark_group("pacing");
    group.bench_function("a slot for a worker that stands ready", |bencher| {
        bencher.iter_custom(|slots| runtime.block_on(hand_out(slots, true)));
    });
    group.bench_function("a slot that had come due", |bencher| {
        bencher.iter_custom(|slots| runtime.block_on(hand_out(slots, false)));
    });
    let poisson = schedule(ArrivalProcess::Poisson, 1 << 20);
    let mut slot = 0;
    group.bench_function("the time of a random slot", |bencher| {
        bencher.iter(|| {
            slot = (slot + 12_345) % (1 << 20);
            poisson.time(slot)
        });
    });
    group.finish();
    let seconds = if only_tests() { 0.05 } else { 5.0 };
    show_lateness("of the pacer", &pacer_lateness(seconds));
    show_lateness("of workers, awoken through the gate", &worker_lateness(seconds));
}

fn schedule(arrivals: ArrivalProcess, slots: u64) -> Schedule {
    Schedule::new(Instant::now() + Duration::from_millis(5), Rate::new(RATE), arrivals, 1, slots)
}

/// One worker takes so many slots, each as soon as it is released (`ready`) or all of them released beforehand.
async fn hand_out(slots: u64, ready: bool) -> Duration {
    let gate = Arc::new(Gate::new(schedule(ArrivalProcess::Constant, slots), 1));
    let release = || assert!(gate.release().is_continue());
    if !ready {
        (0..slots).for_each(|_| release());
    }
    let started = Instant::now();
    let taking = Arc::clone(&gate);
    let worker = tokio::spawn(async move {
        for _ in 0..slots {
            black_box(taking.slot().await);
        }
    });
    if ready {
        for _ in 0..slots {
            // The worker runs, and waits again.
            tokio::task::yield_now().await;
            release();
        }
    }
    worker.await.expect("it does not panic");
    started.elapsed()
}

/// How late the pacer was at each of so many seconds' slots.
fn pacer_lateness(seconds: f64) -> Vec<Duration> {
    let runtime = Runtime::new().expect("threads can be started");
    let slots = (RATE * seconds) as u64;
    let schedule = schedule(ArrivalProcess::Constant, slots);
    let (tell, told) = mpsc::channel();
    let (times, mut slot) = (schedule.clone(), 0);
    let _within = runtime.enter();
    let _pacing = WallClock.pace((0..slots).map(move |slot| times.time(slot)), move || {
        let late = Instant::now() - schedule.time(slot);
        slot += 1;
        if tell.send(late).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    told.into_iter().take(usize::try_from(slots).expect("few")).collect()
}

/// How late workers on all cores came to send, with more of them than are needed.
fn worker_lateness(seconds: f64) -> Vec<Duration> {
    const WORKERS: usize = 16;
    let runtime = Runtime::new().expect("threads can be started");
    runtime.block_on(async {
        let slots = (RATE * seconds) as u64;
        let gate = Arc::new(Gate::new(schedule(ArrivalProcess::Constant, slots), WORKERS));
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        for _ in 0..WORKERS {
            let (gate, tell) = (Arc::clone(&gate), tell.clone());
            tokio::spawn(async move {
                while let Some(slot) = gate.slot().await {
                    let late = Instant::now() - slot.intended;
                    if tell.send(late).is_err() {
                        return;
                    }
                }
            });
        }
        let (times, door) = (gate.schedule().clone(), Arc::clone(&gate));
        let pacing = WallClock.pace((0..slots).map(move |slot| times.time(slot)), move || door.release());
        let mut late = Vec::new();
        for _ in 0..slots {
            late.extend(told.recv().await);
        }
        gate.halt();
        pacing.end().await;
        late
    })
}

#[expect(clippy::print_stdout, reason = "a bench shows its figures")]
fn show_lateness(of_what: &str, late: &[Duration]) {
    let mut micros: Vec<u128> = late.iter().map(Duration::as_micros).collect();
    micros.sort_unstable();
    let quantile = |share: f64| micros[((micros.len() - 1) as f64 * share) as usize];
    let [median, p95, p99, max] = [0.5, 0.95, 0.99, 1.0].map(quantile);
    println!("lateness {of_what} at {RATE}/s: p50 {median} µs, p95 {p95} µs, p99 {p99} µs, max {max} µs");
}

const ROUNDS: u32 = 30;
const MODELS: [(&str, &str); 3] = [("naive", "naive"), ("page", "pattern"), ("tuned", "alternative")];

fn analysis(criterion: &mut Criterion) {
    let record = fabricated();
    let mut group = criterion.benchmark_group("analysis");
    group.sample_size(10);
    group.bench_function(format!("{ROUNDS} rounds of {} models, {OPERATIONS} operations", MODELS.len()), |bencher| {
        let analysed = |mut record: ScenarioRecord| {
            analyse(&mut record, Profile::Nightly);
            record
        };
        bencher.iter_batched(|| record.clone(), analysed, BatchSize::LargeInput);
    });
    group.finish();
}

/// A record of a run under open load. It is read as from a file, so that what is optional need not be known here.
fn fabricated() -> ScenarioRecord {
    let names: Vec<String> = (0..OPERATIONS).map(|operation| format!("operation_{operation}")).collect();
    let mix: BTreeMap<&str, u32> = names.iter().map(|name| (name.as_str(), 1)).collect();
    let models = MODELS.map(|(name, role)| json!({"name": name, "role": role}));
    let order = vec![MODELS.map(|(name, _)| name); ROUNDS as usize];
    let rounds: Vec<Value> = (0..ROUNDS)
        .flat_map(|round| (0..3).map(move |place| (round, place)))
        .collect::<Vec<_>>()
        .into_iter()
        .map(|(round, place)| window(round, place, &names))
        .collect();
    let record = json!({
        "name": "fabricated", "title": "Fabricated", "summary": "Known latencies.", "workload": "default",
        "complete": true, "file_sha256": "", "parameters": {}, "seed": 1, "dataset_sha256": "", "stream_sha256": "",
        "plan": {
            "mode": "open", "concurrency": 4, "rate": 1_000.0, "arrivals": "constant", "open_workers": 16,
            "rounds": ROUNDS, "operations_per_round": 7_000, "order": order, "state": "steady", "isolation": "shared",
            "mix": mix,
        },
        "models": models, "rounds": rounds,
    });
    serde_json::from_value(record).expect("it has the fields of a record")
}

fn window(round: u32, place: usize, names: &[String]) -> Value {
    let operations: BTreeMap<&str, Value> = (0..)
        .zip(names)
        .map(|(operation, name)| {
            let median = 400.0 * f64::from(operation + 1) * [1.0, 0.5, 0.8][place];
            let wobble = 1.0 + 0.03 * (f64::from(round) * 2.4 + place as f64 + f64::from(operation)).sin();
            let service = spread(median * wobble, 0.4);
            let figures = json!({
                "count": 1_000, "service": service, "response": spread(median * wobble * 1.1, 0.5),
                "pacer_lag": spread(25.0, 0.5),
            });
            (name.as_str(), figures)
        })
        .collect();
    json!({
        "round": round, "phase": "measured", "model": MODELS[place].0, "position": place,
        "started_at": "2025-01-01T00:00:00Z", "seconds": 7.0, "workers": 16, "planned": 7_000,
        "achieved_rate": 1_000.0, "outcome": "complete", "operations": operations,
    })
}

/// A thousand latencies around a median in µs, as a record keeps them.
fn spread(median: f64, by: f64) -> Option<String> {
    let mut latencies = histogram::empty();
    for place in 0..1_000 {
        // The logistic distribution's quantile function, on a log scale.
        let share = (f64::from(place) + 0.5) / 1_000.0;
        let latency = median * (by * (share / (1.0 - share)).ln() / 1.8).exp();
        histogram::record(&mut latencies, latency.round() as u64);
    }
    histogram::encode(&latencies)
}
