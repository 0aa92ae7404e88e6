//! Declarations and what becomes of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::stalls;
use super::*;
use crate::backend::CallErrorKind;
use crate::clock::{Clock as _, VirtualClock, WallClock};
use crate::scenario::{Scenario, load_scenario, starter};
use crate::source::{SourceText, show};
use crate::units::Share;

const MILLISECOND: Duration = Duration::from_millis(1);

fn simulation(text: &str) -> Simulation {
    let read = Simulation::read(SourceText::new("simulated.yaml", text));
    read.unwrap_or_else(|(text, problems)| panic!("{}", show(&text, &problems, false)))
}

fn problems(text: &str) -> String {
    let (text, problems) = Simulation::read(SourceText::new("simulated.yaml", text)).expect_err("it has problems");
    show(&text, &problems, false)
}

/// A model with one operation, `read`.
fn model(name: &str, behaviour: &str, seed: u64) -> SimulatedModel {
    let simulation = simulation(&format!("default: {{{behaviour}}}"));
    SimulatedModel::new(&simulation, name, std::iter::once("read"), seed).expect("it has a default")
}

fn moment(model: &SimulatedModel, number: u64) -> Moment {
    Moment { number, progress: Share::new(0.0), common: model.common(0, 0) }
}

/// Seconds in service under the first numbers.
fn seconds(model: &SimulatedModel, numbers: u64) -> Vec<f64> {
    (0..numbers).map(|number| model.step(0, &moment(model, number)).latency.as_secs_f64()).collect()
}

#[test]
fn a_file_says_what_it_says() {
    let simulation = simulation(
        "
time: real
concurrency: 8
stalls: [{every: 1s, lasts: 100ms}, {every: 1min, lasts: 2s, after: 0s}]
generator: {cost: 20us}
default: {latency: {constant: 5ms}}
models:
  naive:
    list_page:
      latency: {mixture: [{share: 0.9, of: {uniform: [1ms, 9ms]}}, {share: 0.1, of: {pareto: {minimum: 1ms, shape: 2.5}}}]}
      errors: {share: 0.01, kind: Timeout}
      drift: 0.2
      between_windows: 0.05
      between_restarts: 0.1
      empty: 0.02
      answers: differ
    default: {latency: {exponential: {mean: 2ms}}}
",
    );
    assert_eq!((simulation.time(), simulation.concurrency), (Time::Real, Some(8)));
    assert_eq!(simulation.generator_cost, Duration::from_micros(20));
    let second = Duration::from_secs(1);
    let stall = |after, every, lasts| Stall { after, every, lasts };
    assert_eq!(
        simulation.stalls,
        [stall(second, second, 100 * MILLISECOND), stall(Duration::ZERO, 60 * second, 2 * second)]
    );
    let uniform = Latency::Uniform { low: MILLISECOND, high: 9 * MILLISECOND };
    let pareto = Latency::Pareto { minimum: MILLISECOND, shape: 2.5 };
    let declared = Behaviour {
        latency: Latency::Mixture(vec![(Share::new(0.9), uniform), (Share::new(0.1), pareto)]),
        grows: None,
        errors: Some(Errors { share: Share::new(0.01), kind: CallErrorKind::Timeout }),
        drift: 0.2,
        between_windows: 0.05,
        between_restarts: 0.1,
        empty: Share::new(0.02),
        answers: Answers::Differ,
    };
    assert_eq!(simulation.behaviour("naive", "list_page"), Some(&declared));
    let latency = |model, operation| simulation.behaviour(model, operation).map(|known| known.latency.clone());
    assert_eq!(latency("naive", "other"), Some(Latency::Exponential { mean: 2 * MILLISECOND }));
    assert_eq!(latency("page", "other"), Some(Latency::Constant(5 * MILLISECOND)));
    assert_eq!(latency("naive-control", "list_page"), Some(declared.latency), "a control is the model itself");
}

#[test]
fn every_mistake_is_told_in_one_go_with_what_would_be_right() {
    let told = problems(
        "
tiem: virtual
concurrency: 0
stalls: [{every: 1s, lasts: 1s}, {lasts: 1ms}]
default: {latency: {constant: 5}}
models:
  naive:
    a: {latency: {expnential: {mean: 5ms}}}
    b: {latency: {exponential: {mean: 0ms}}}
    c: {latency: {constant: 1ms}, errors: {share: 2, kind: Timout}}
    d: {errors: {share: 0.1, kind: Driver}}
    e: {latency: {mixture: [{share: 0.5, of: {constant: 1ms}}]}}
    f: {latency: {uniform: [9ms, 1ms]}}
    g: {latency: {constant: 1ms}, grows: {unit: 10}}
    h: {latency: {constant: 1ms}, grows: {with: size, exponent: 11}}
",
    );
    for says in [
        "simulated.yaml:2:1",
        "unknown field `tiem`",
        "did you mean `time`?",
        "cannot serve 0 operations",
        "lasts as long as",
        "has `every` and `lasts`",
        "`5` has no unit",
        "`expnential` is not known here",
        "this time is 0",
        "`share` is 2",
        "did you mean `Timeout`?",
        "no `latency`",
        "add up to 0.5",
        "the shortest is longer",
        "growth has no parameter",
        "`exponent` is 11",
    ] {
        assert!(told.contains(says), "{says} is missing in:\n{told}");
    }
}

fn starting_scenario() -> Scenario {
    load_scenario(SourceText::new("shop.yaml", starter("shop"))).expect("the starting point is valid")
}

fn misfits(text: &str) -> String {
    let simulation = simulation(text);
    let problems = simulation.fit(&[&starting_scenario()]).expect_err("it does not fit");
    show(simulation.source(), &problems, false)
}

#[test]
fn a_default_fits_every_scenario() {
    assert_eq!(simulation("default: {latency: {constant: 5ms}}").fit(&[&starting_scenario()]), Ok(()));
}

#[test]
fn what_the_scenario_lacks_gets_the_nearest_name_and_what_it_needs_is_named() {
    let scenario = starting_scenario();
    let (model, operation) = (&scenario.models[0].name, &scenario.workloads[0].operations[0].name);
    let latency = "{latency: {constant: 5ms}}";
    let told = misfits(&format!("default: {latency}\nmodels: {{{model}x: {{{operation}x: {latency}}}}}"));
    for says in [
        format!("no model `{model}x`"),
        format!("did you mean `{model}`?"),
        format!("no operation `{operation}x`"),
        format!("did you mean `{operation}`?"),
    ] {
        assert!(told.contains(&says), "{says} is missing in:\n{told}");
    }
    let told = misfits(&format!("models: {{{model}: {{default: {latency}}}}}"));
    for other in &scenario.models[1..] {
        assert!(told.contains(&format!("model `{}` has no latency for {operation}", other.name)), "{told}");
    }
    assert!(!told.contains(&format!("model `{model}` has")), "{told}");
}

#[test]
fn distributions_have_the_means_of_their_closed_forms() {
    // Standard errors of means of 40,000 draws are 0.5 % of a standard deviation; five of them are allowed.
    let cases = [
        ("{constant: 5ms}", 5.0, 0.0),
        ("{uniform: [1ms, 9ms]}", 5.0, 8.0 / 12.0_f64.sqrt()),
        ("{exponential: {mean: 5ms}}", 5.0, 5.0),
        ("{lognormal: {median: 5ms, sigma: 0.5}}", 5.0 * 0.125_f64.exp(), 5.0 * 0.125_f64.exp() * 0.533),
        ("{pareto: {minimum: 1ms, shape: 4.0}}", 4.0 / 3.0, 2.0_f64.sqrt() / 3.0),
        (
            "{mixture: [{share: 0.75, of: {constant: 1ms}}, {share: 0.25, of: {constant: 9ms}}]}",
            3.0,
            8.0 * 0.1875_f64.sqrt(),
        ),
    ];
    for (latency, mean, deviation) in cases {
        let drawn = seconds(&model("a", &format!("latency: {latency}"), 1), 40_000);
        let found = drawn.iter().sum::<f64>() / drawn.len() as f64 * 1_000.0;
        assert!((found - mean).abs() <= 5.0 * 0.005 * deviation + 1e-9, "{latency}: {found} is not {mean}");
    }
}

#[test]
fn a_draw_depends_on_seed_model_and_number_and_on_nothing_else() {
    let latency = "latency: {exponential: {mean: 5ms}}";
    let (a, again, b, reseeded) =
        (model("a", latency, 1), model("a", latency, 1), model("b", latency, 1), model("a", latency, 2));
    let drawn = seconds(&a, 1_000);
    let backwards: Vec<f64> =
        (0..1_000).rev().map(|number| again.step(0, &moment(&again, number)).latency.as_secs_f64()).collect();
    assert_eq!(drawn, backwards.into_iter().rev().collect::<Vec<_>>());
    for other in [seconds(&b, 1_000), seconds(&reseeded, 1_000)] {
        assert!(drawn.iter().zip(&other).all(|(one, other)| one != other));
    }
}

#[test]
fn operations_of_a_window_share_a_factor() {
    let model = model("a", "latency: {constant: 1ms}, between_windows: 0.1, between_restarts: 0.2", 1);
    let latency = |restart, window, number| {
        let common = model.common(restart, window);
        model.step(0, &Moment { common, ..moment(&model, number) }).latency
    };
    assert_eq!(latency(0, 3, 1), latency(0, 3, 2));
    assert_ne!(latency(0, 3, 1), latency(0, 4, 1));
    assert_ne!(latency(0, 3, 1), latency(1, 3, 1));
    // The logarithm's deviation is the declared one: of 4,000 windows within 5 standard errors.
    let logs: Vec<f64> = (0..4_000).map(|window| (latency(0, window, 0).as_secs_f64() * 1e3).ln()).collect();
    let mean = logs.iter().sum::<f64>() / 4_000.0;
    let deviation = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 3_999.0).sqrt();
    assert!((deviation - 0.1).abs() < 5.0 * 0.1 / 8_000.0_f64.sqrt(), "{deviation}");
}

#[test]
fn drift_grows_with_progress() {
    let model = model("a", "latency: {constant: 1ms}, drift: 0.2", 1);
    let at = |progress| model.step(0, &Moment { progress: Share::new(progress), ..moment(&model, 7) }).latency;
    assert_eq!([at(0.0), at(0.5), at(1.0)], [1_000, 1_100, 1_200].map(Duration::from_micros));
}

#[test]
fn latencies_grow_with_a_parameter_as_declared() {
    let model = model("a", "latency: {constant: 1ms}, grows: {with: size, unit: 100, exponent: 0.5, fixed: 2}", 1);
    let latency = |size: Option<i32>| {
        let parameters = size.map(|size| ("size".to_owned(), bson::Bson::Int32(size))).into_iter().collect();
        let model = model.clone().under(&parameters);
        model.step(0, &moment(&model, 7)).latency
    };
    // 2 + (size ÷ 100)^½ ms.
    assert_eq!([0, 100, 400, 10_000].map(|size| latency(Some(size)).as_micros()), [2_000, 3_000, 4_000, 12_000]);
    assert_eq!(latency(None), MILLISECOND, "a scenario without that parameter");
    let told = misfits("default: {latency: {constant: 5ms}, grows: {with: prodcts}}");
    assert!(told.contains("no parameter `prodcts`"), "{told}");
}

#[test]
fn models_answer_alike_and_miss_alike_unless_declared_otherwise() {
    let agrees = "latency: {constant: 1ms}, empty: 0.1";
    let (a, b) = (model("a", agrees, 1), model("b", agrees, 1));
    let differs = model("c", "latency: {constant: 1ms}, empty: 0.1, answers: differ", 1);
    let answers = |model: &SimulatedModel| (0..1_000).map(|number| model.answer(0, number)).collect::<Vec<_>>();
    assert_eq!(answers(&a), answers(&b));
    let misses = answers(&a).iter().filter(|answer| answer.is_none()).count();
    assert!((60..=140).contains(&misses), "{misses} of 1,000 where 100 are expected");
    for (one, other) in answers(&a).into_iter().zip(answers(&differs)) {
        assert!(one.is_none() && other.is_none() || one != other);
    }
}

#[test]
fn a_server_that_stands_still_delays_what_is_in_service_and_what_comes() {
    let origin = Instant::now();
    let at = |millis: u64| origin + Duration::from_millis(millis);
    let stalls = [Stall { after: 1_000 * MILLISECOND, every: 1_000 * MILLISECOND, lasts: 100 * MILLISECOND }];
    let done = |start, work: u64| stalls::done(&stalls, origin, at(start), Duration::from_millis(work));
    assert_eq!(done(0, 1_000), at(1_000), "done just before");
    assert_eq!(done(990, 20), at(1_110), "in service when it begins");
    assert_eq!(done(1_000, 5), at(1_105), "sent when it begins");
    assert_eq!(done(1_050, 5), at(1_105), "sent in the middle");
    assert_eq!(done(1_100, 5), at(1_105), "sent when it is over");
    assert_eq!(done(500, 2_000), at(2_700), "over two of them");
    assert_eq!(stalls::done(&[], origin, at(990), 20 * MILLISECOND), at(1_010));
}

#[test]
fn stalls_that_overlap_are_one() {
    let origin = Instant::now();
    let at = |millis: u64| origin + Duration::from_millis(millis);
    let stall = |after: u32, lasts: u32| Stall {
        after: MILLISECOND * after,
        every: MILLISECOND * 10_000,
        lasts: MILLISECOND * lasts,
    };
    let stalls = [stall(100, 50), stall(120, 100), stall(150, 10)];
    assert_eq!(stalls::done(&stalls, origin, at(90), 20 * MILLISECOND), at(230));
}

/// Sends so many operations of a millisecond at once; after how many milliseconds each is done.
fn served(declared: &str, operations: usize) -> Vec<u128> {
    let (clock, runtime) = VirtualClock::runtime().expect("a runtime can be made");
    let started = SimulatedServer::start(simulation(declared), SimulatedClock::Virtual(clock.clone()));
    let (server, start) = (Arc::new(started), clock.now());
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for _ in 0..operations {
            let (server, clock) = (Arc::clone(&server), clock.clone());
            tasks.spawn(async move {
                server.serve(MILLISECOND).await;
                (clock.now() - start).as_millis()
            });
        }
        tasks.join_all().await
    })
}

#[test]
fn who_finds_all_places_taken_queues_in_order() {
    assert_eq!(served("concurrency: 2", 6), [1, 1, 2, 2, 3, 3]);
    assert_eq!(served("concurrency: 1", 3), [1, 2, 3]);
    assert_eq!(served("time: virtual", 6), [1; 6], "no limit is declared");
}

#[test]
fn an_operation_that_was_given_up_is_served_all_the_same() {
    let (clock, runtime) = VirtualClock::runtime().expect("a runtime can be made");
    let server = SimulatedServer::start(simulation("concurrency: 1"), SimulatedClock::Virtual(clock.clone()));
    let start = clock.now();
    runtime.block_on(async {
        tokio::select! {
            () = server.serve(10 * MILLISECOND) => panic!("the shorter wait ends first"),
            () = clock.sleep_until(start + MILLISECOND) => {}
        }
        server.serve(MILLISECOND).await;
    });
    assert_eq!(clock.now() - start, 11 * MILLISECOND);
}

#[test]
fn the_generators_cost_passes_in_either_time() {
    let cost = "generator: {cost: 2ms}";
    let (clock, _runtime) = VirtualClock::runtime().expect("a runtime can be made");
    let start = clock.now();
    SimulatedServer::start(simulation(cost), SimulatedClock::Virtual(clock.clone())).generate();
    assert_eq!(clock.now() - start, 2 * MILLISECOND);

    let start = Instant::now();
    SimulatedServer::start(simulation(cost), SimulatedClock::Wall(WallClock)).generate();
    assert!(start.elapsed() >= 2 * MILLISECOND);
}
