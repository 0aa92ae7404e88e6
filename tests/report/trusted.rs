//! What a reader sees of a measurement under open load: the headline and what stands beside it, who was the limit, and
//! everything that the figures are made of. Fields that only the analysis of later code fills are set by hand.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use patternbench::analysis::{ALL, analyse};
use patternbench::record::{
    CalibrationRecord, ChecksRecord, ComparisonRecord, CpuRecord, GrowthRecord, LoadAnalysis, MemoryRecord,
    OrderEffect, PoolWait, RoundRecord, RunRecord, ScenarioRecord, SideRecord, SpeedupRecord, TestRecord,
};
use patternbench::report::{Style, html, summary, terminal};
use patternbench::units::{Bytes, Micros, Rate, Ratio, Seconds, Share};
use patternbench::words::{
    ArrivalProcess, Bottleneck, ClaimMetric, Isolation, Metric, Mode, Phase, Profile, RoundOutcome, ServerSource,
    Verdict,
};

use crate::html::{all, readable, section};
use crate::known::{claim, product_page, run_of, wobble};
use crate::markup::elements;

fn run(scenario: ScenarioRecord) -> RunRecord {
    run_of(Profile::Quick, vec![scenario])
}

fn at_width(run: &RunRecord, width: usize) -> String {
    terminal(run, &Style { width, ..Style::default() })
}

fn side(naive: f64, pattern: f64, spread: f64) -> SideRecord {
    let ratio = naive / pattern;
    let speedup = SpeedupRecord {
        speedup: Some(Ratio::new(ratio)),
        low: Some(Ratio::new(ratio / spread)),
        high: Some(Ratio::new(ratio * spread)),
        ..SpeedupRecord::default()
    };
    SideRecord { naive: Some(naive), pattern: Some(pattern), speedup }
}

fn bearing(achieved: f64, utilisation: f64) -> LoadAnalysis {
    LoadAnalysis {
        utilisation: Some(Share::new(utilisation)),
        achieved_rate: Some(Rate::new(achieved)),
        in_flight: Some(Ratio::new(1.8)),
        backlogged: Some(Share::new(0.000_31)),
        lag_p50: Some(Micros::new(18.0)),
        lag_p95: Some(Micros::new(31.0)),
        bottleneck: None,
        late: None,
        reason: None,
    }
}

fn p95_of<'a>(scenario: &'a mut ScenarioRecord, operation: &str) -> &'a mut ComparisonRecord {
    let metrics = scenario.analysis.operations.get_mut(operation).expect("it was measured");
    metrics.get_mut(&Metric::P95).expect("p95 is compared")
}

/// Log of how much longer an operation takes from when it was due than from when it was sent: naive queues.
const QUEUE: f64 = 0.5;
/// Log of how much less naive's operations take at light load, beyond what holds for every model.
const ALONE: f64 = -1.2;

/// The product page at 600 operations per second, 60 % of what naive can do: 7 times as fast by service time (4 200 µs
/// against 600 µs), e^0.5 times that by response time, and e^−1.2 times that at light load.
fn open_load() -> ScenarioRecord {
    static MADE: LazyLock<ScenarioRecord> = LazyLock::new(make_open_load);
    MADE.clone()
}

fn make_open_load() -> ScenarioRecord {
    let mut maker = product_page().open().light_load(5, 400);
    maker.waiting = |_, model| if model == "naive" { QUEUE } else { 0.0 };
    maker.light_effect = |round, model| wobble(round, model) + if model == "naive" { ALONE } else { 0.0 };
    maker.lag = Some(18.0);
    maker.order = vec![vec![0, 1, 2], vec![1, 2, 0], vec![2, 0, 1], vec![2, 1, 0], vec![0, 2, 1], vec![1, 0, 2]];
    let mut scenario = maker.build();
    scenario.plan.mode_reason = Some("60 % of the slower capacity (1000/s)".to_owned());
    for (model, capacity) in [("naive", 1_000.0), ("page", 2_400.0), ("tuned", 1_900.0)] {
        let p99 = Some(Micros::new(12_000.0));
        let calibration = CalibrationRecord { capacity: Rate::new(capacity), p99, light_load_mean: None };
        scenario.calibration.insert(model.to_owned(), calibration);
    }
    scenario.claims = vec![claim("list_page", ClaimMetric::P95, 5.0)];
    analyse(&mut scenario, Profile::Quick);
    scenario
}

/// The same at 900 per second, which naive cannot do.
fn naive_saturated() -> ScenarioRecord {
    static MADE: LazyLock<ScenarioRecord> = LazyLock::new(make_naive_saturated);
    MADE.clone()
}

fn make_naive_saturated() -> ScenarioRecord {
    let mut scenario = open_load();
    scenario.plan.rate = Some(Rate::new(900.0));
    let at_the_rate = |window: &&mut RoundRecord| window.phase == Phase::Measured && window.model == "naive";
    for window in scenario.rounds.iter_mut().filter(at_the_rate) {
        window.outcome = RoundOutcome::Saturated;
        let done: u64 = window.operations.values().map(|figures| figures.count).sum();
        (window.seconds, window.achieved_rate) = (Seconds::new(done as f64 / 312.0), Rate::new(312.0));
    }
    analyse(&mut scenario, Profile::Quick);
    let naive = LoadAnalysis {
        bottleneck: Some(Bottleneck::Server),
        reason: Some("312/s of 900/s achieved; all 16 workers were waiting for the server".to_owned()),
        ..bearing(312.0, 0.9)
    };
    scenario.analysis.load = BTreeMap::from([("naive".to_owned(), naive), ("page".to_owned(), bearing(900.0, 0.38))]);
    p95_of(&mut scenario, ALL).pattern = Some(4_100.0);
    scenario
}

#[test]
fn a_run_under_open_load_on_a_narrow_terminal_and_a_wide_one() {
    insta::assert_snapshot!(at_width(&run(open_load()), 80));
    insta::assert_snapshot!(at_width(&run(open_load()), 120));
    insta::assert_snapshot!(at_width(&run(open_load()), 200));
}

#[test]
fn the_answer_names_light_load_where_it_says_something_else() {
    let line = summary(&run(open_load()), &Style::default());
    // 7 · e^0.5 = 11.5 at the headline, 7 · e^−1.2 = 2.11 at light load, give or take one percent of wobble.
    assert!(line.contains("at light load: list_page 2.1") && line.contains("× (headline 11."), "{line}");
    assert!(!line.contains("add_review"), "twenty operations a round are too few at light load: {line}");
    let page = html(&run(open_load()));
    assert!(section(&page, "<ul class=\"answers\"", "</li>").contains("; at light load 2.1"));
}

#[test]
fn a_light_load_whose_interval_meets_the_headlines_is_not_named() {
    let mut scenario = open_load();
    p95_of(&mut scenario, "list_page").light_load = Some(side(11_000.0, 1_000.0, 1.2));
    assert!(!summary(&run(scenario), &Style::default()).contains("light load"));
}

#[test]
fn where_naive_cannot_hold_the_rate_every_view_says_so_instead_of_a_ratio() {
    let run = run(naive_saturated());
    let answer =
        "naive cannot hold 900/s: 312/s achieved; page holds it with p95 4.10 ms; at light load naive p95 ÷ page p95";
    for view in [summary(&run, &Style::default()), at_width(&run, 200), html(&run)] {
        assert!(view.contains(answer), "{view}");
        assert!(!view.contains("faster</span>"), "no ratio is an answer: {view}");
    }
    for view in [at_width(&run, 300), html(&run)] {
        assert!(
            view.contains(
                "model naive is saturated at 900/s, and the server was the limit: 312/s of 900/s achieved; all 16 \
                 workers were waiting for the server"
            ),
            "{view}"
        );
    }
    insta::assert_snapshot!(at_width(&run, 120));
}

#[test]
fn each_way_in_which_a_rate_is_not_held_has_its_own_words() {
    let of = |naive: Option<Bottleneck>, page: Option<Bottleneck>, achieved: f64| {
        let mut scenario = open_load();
        scenario.analysis.load = BTreeMap::from([
            ("naive".to_owned(), LoadAnalysis { bottleneck: naive, ..bearing(achieved, 0.6) }),
            ("page".to_owned(), LoadAnalysis { bottleneck: page, ..bearing(achieved, 0.6) }),
        ]);
        at_width(&run(scenario), 400)
    };
    let (server, generator) = (Some(Bottleneck::Server), Some(Bottleneck::Generator));
    assert!(of(None, server, 500.0).contains("page cannot hold 600/s: 500/s achieved; naive holds it with p95 13."));
    assert!(
        of(server, server, 500.0).contains("neither naive nor page can hold 600/s: 500/s achieved and 500/s achieved")
    );
    let slow = of(generator, None, 500.0);
    assert!(slow.contains("no answer at 600/s: the load generator was the limit (naive: 500/s achieved)"), "{slow}");
    assert!(slow.contains("the load generator was the limit for model naive at 600/s"), "{slow}");
    let held = of(None, None, 600.0);
    assert!(held.contains("1 faster, 0 slower, 1 equal") && !held.contains("limit"), "{held}");
}

#[test]
fn a_saturated_alternative_leaves_the_answer_on_naive_and_pattern_alone() {
    let mut scenario = open_load();
    let tuned = LoadAnalysis { bottleneck: Some(Bottleneck::Server), ..bearing(410.0, 1.4) };
    scenario.analysis.load.insert("tuned".to_owned(), tuned);
    let text = at_width(&run(scenario), 200);
    assert!(
        text.contains("page against naive: 1 faster, 0 slower, 1 equal") && text.contains("tuned saturated"),
        "{text}"
    );
}

#[test]
fn how_far_lag_pulls_a_ratio_stands_with_the_load() {
    let mut scenario = open_load();
    let page = scenario.analysis.load.get_mut("page").expect("set above");
    page.reason = Some("median lag 18 µs: the ratio of p50 of list_page is 7.000 with it".to_owned());
    let page = html(&run(scenario));
    assert!(section(&page, "<h3>Load", "<h3").contains("<li>page: median lag 18 µs: the ratio of p50 of list_page"));
}

#[test]
fn a_saturated_model_shows_the_rate_that_it_achieved_in_the_table() {
    // No window is complete; in all of them together 312 operations were done per second.
    let text = at_width(&run(naive_saturated()), 200);
    let of_mix = text.lines().find(|line| line.contains("all (whole mix)")).expect("the whole mix has a row");
    assert!(of_mix.contains("naive [") && of_mix.ends_with("312"), "{of_mix}");
}

#[test]
fn a_table_of_many_columns_breaks_before_intervals_and_nowhere_else() {
    let page = html(&run(open_load()));
    let table = section(&page, "<table class=\"dense\"", "</table>");
    assert!(table.contains("× <span class=\"unbroken\">(") && table.contains("13.4\u{a0}ms"), "{table}");
    assert!(!html(&run(product_page().build())).contains("class=\"dense\""), "eleven columns fit as they are");
}

#[test]
fn coordinated_omission_is_explained_where_both_times_stand_side_by_side() {
    let page = html(&run(open_load()));
    let part = section(&page, "<h3>Response time and service time", "<h3>");
    assert!(part.contains("coordinated omission"));
    insta::assert_snapshot!(readable(section(part, "<tbody", "</table>")));
    assert!(
        !html(&run(product_page().build())).contains("Response time and service time</h3>"),
        "closed load has none"
    );
}

#[test]
fn the_load_of_every_model_in_html() {
    let page = html(&run(naive_saturated()));
    insta::assert_snapshot!(readable(section(&page, "<h3>Load", "</table>")));
}

#[test]
fn the_statistics_of_an_operation() {
    let page = html(&run(open_load()));
    insta::assert_snapshot!(readable(section(
        &page,
        "<details class=\"statistics\"",
        "<details><summary>Other metrics"
    )));
}

#[test]
fn an_expert_gets_the_same_interval_from_the_units_listed() {
    let scenario = open_load();
    let speedup = &scenario.analysis.operations["list_page"][&Metric::P95].speedup;
    let logs: Vec<f64> = speedup.units.iter().map(|unit| unit.ratio.get().ln()).collect();
    assert_eq!(logs.len(), 10);
    let mean = logs.iter().sum::<f64>() / 10.0;
    let error = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 9.0 / 10.0).sqrt();
    let t = 2.262_157; // 97.5 % with 9 degrees of freedom, from a table
    let page = html(&run(scenario));
    let shown = section(&page, "<details class=\"statistics\"", "<table");
    let ratio = mean.exp();
    for expected in [
        format!("<dd>{ratio:.4}</dd>"),
        format!("<dd>{mean:.4} ± {error:.4}</dd>"),
        "<dd>2.2622 with 9 degrees of freedom</dd>".to_owned(),
        format!("<dd>{:.4} to {:.4}</dd>", (mean - t * error).exp(), (mean + t * error).exp()),
        "p &lt; 0.001; by Holm's adjustment for 2 operations p &lt; 0.001".to_owned(),
    ] {
        assert!(shown.contains(&expected), "{expected} in {shown}");
    }
}

#[test]
fn with_several_fresh_loads_inference_is_over_them_and_the_page_says_so() {
    let mut scenario = product_page().rounds(12, 2_000).build();
    scenario.plan.restarts = 3;
    for window in &mut scenario.rounds {
        window.restart = window.round / 4;
    }
    analyse(&mut scenario, Profile::Quick);
    let page = html(&run(scenario));
    let shown = section(&page, "<details class=\"statistics\"", "<table");
    assert!(shown.contains("<dd>3 fresh loads of the data</dd>"), "{shown}");
    assert!(shown.contains("with 2 degrees of freedom"), "{shown}");
    assert!(!page.contains("this server start and this dataset"));
    assert!(html(&run(open_load())).contains("this server start and this dataset"));
}

#[test]
fn methods_that_disagree_and_neighbours_that_were_joined_are_told_in_words() {
    let mut scenario = open_load();
    let checks = p95_of(&mut scenario, "list_page").speedup.checks.insert(ChecksRecord::default());
    checks.autocorrelation = Some(TestRecord { estimate: 0.12, p: 0.41 });
    checks.trend = Some(TestRecord { estimate: -0.000_4, p: 0.000_2 });
    checks.disagreement = Some("all operations together give 5.10, outside the interval".to_owned());
    checks.joined = Some("20 were joined into 10".to_owned());
    let page = html(&run(scenario));
    assert!(page.contains("The methods disagree: all operations together give 5.10, outside the interval."));
    assert!(page.contains("Joined further: 20 were joined into 10."));
    assert!(page.contains("Lag-1 autocorrelation of the log ratios: 0.1200 (p = 0.410)."));
    assert!(page.contains("Trend of the log ratios per unit: -0.0004 (p &lt; 0.001)."));
}

#[test]
fn effects_of_order_are_shown_with_what_they_mean() {
    let mut scenario = open_load();
    let effect = |position, after: Option<&str>, factor: f64| OrderEffect {
        position,
        after: after.map(str::to_owned),
        windows: 10,
        factor: Ratio::new(factor),
        low: Ratio::new(factor - 0.01),
        high: Ratio::new(factor + 0.01),
    };
    scenario.analysis.order_effects = vec![effect(Some(0), None, 1.05), effect(None, Some("naive"), 1.0)];
    let page = html(&run(scenario));
    let part = section(&page, "<h4>Order of windows", "</table>");
    assert!(part.contains("place 1") && part.contains("an effect"), "{part}");
    assert!(part.contains("running after naive") && part.contains("none shown"), "{part}");
}

#[test]
fn a_control_run_says_whether_the_model_was_told_apart_from_itself() {
    let mut scenario = open_load();
    scenario.plan.control = Some("page".to_owned());
    let apart = run(scenario.clone());
    for view in [summary(&apart, &Style::default()), at_width(&apart, 300), html(&apart)] {
        assert!(view.contains("page is told apart from itself (list_page, all): a fault of harness or machine"));
    }
    assert!(at_width(&apart, 300).contains("CONTROL: page against itself"));
    assert!(html(&apart).contains("CONTROL: page against itself"));

    for metrics in scenario.analysis.operations.values_mut() {
        for comparison in metrics.values_mut().filter(|comparison| comparison.speedup.verdict.is_some()) {
            comparison.speedup.verdict = Some(Verdict::Equal);
        }
    }
    let same = summary(&run(scenario), &Style::default());
    assert!(same.contains("page is not told apart from itself: 3 equal within 5 %, 0 inconclusive"), "{same}");
}

#[test]
fn claims_show_the_ratio_at_light_load() {
    let page = html(&run(open_load()));
    let part = section(&page, "<h3>Claims", "</table>");
    // At least 5 is claimed: 11.5 at the headline would do, 2.11 at light load does not.
    assert!(part.contains(">2.1") && part.contains("only where both loads confirm it"), "{part}");
    assert!(part.contains("refuted"), "{part}");
}

#[test]
fn the_plan_says_what_was_decided_and_why() {
    let mut scenario = open_load();
    scenario.plan.arrivals = Some(ArrivalProcess::Poisson);
    scenario.plan.restarts = 2;
    scenario.plan.isolation = Isolation::Process;
    scenario.plan.state_reason = Some("reviews grow by 3 %".to_owned());
    scenario.plan.growth = vec![
        GrowthRecord {
            model: "naive".into(),
            collection: "reviews".into(),
            field: None,
            added: 1_200.0,
            loaded: Some(40_000.0),
            share: Some(Share::new(0.03)),
        },
        GrowthRecord {
            model: "page".into(),
            collection: "products".into(),
            field: Some("reviews".into()),
            added: 1_200.0,
            loaded: None,
            share: None,
        },
    ];
    let page = html(&run(scenario));
    insta::assert_snapshot!(readable(section(&page, "<h3>Plan", "<h3")));
}

#[test]
fn the_machine_is_told_per_model_as_means_over_windows() {
    let mut scenario = open_load();
    for window in scenario.rounds.iter_mut().filter(|window| window.phase == Phase::Measured) {
        // Half a core for the client, a quarter for the server.
        let length = window.seconds.get() * 1e6;
        window.cpu = CpuRecord {
            client: Some(Micros::new(length / 2.0)),
            server: Some(Micros::new(length / 4.0)),
            ..CpuRecord::default()
        };
        window.memory = MemoryRecord { client_bytes: Some(Bytes::new(64 << 20)), server_bytes: None };
        window.server_counters = BTreeMap::from([("opcounters.query".to_owned(), 4_000)]);
    }
    let page = html(&run(scenario));
    let part = section(&page, "<h3>Environment of the windows", "<h3");
    assert!(
        part.contains(">0.50<") && part.contains(">0.25<") && part.contains("64.0 MiB") && part.contains("n/a"),
        "{part}"
    );
    // 4 000 queries in a window of 2 000 operations.
    assert!(part.contains("opcounters.query") && part.contains(">2.00<"), "{part}");
}

#[test]
fn a_wait_for_connections_is_told_where_it_matters() {
    let with_wait = |mean: f64| {
        let mut scenario = open_load();
        for window in scenario.rounds.iter_mut().filter(|window| window.model == "page") {
            window.pool_wait = Some(PoolWait { checkouts: 2_000, mean: Micros::new(mean), max: Micros::new(9_000.0) });
        }
        at_width(&run(scenario), 400)
    };
    // The page's mean is 95 % of 600 µs and 5 % of 1 300 µs, times e^0.08 for the lognormal mean: about 690 µs.
    assert!(!with_wait(5.0).contains("for a connection"));
    assert!(
        with_wait(69.0).contains("operations of model page waited 69.0 µs for a connection, 10 % of the mean service")
    );
}

#[test]
fn the_command_asks_for_the_same_load_again() {
    let mut scenario = open_load();
    scenario.plan.arrivals = Some(ArrivalProcess::Poisson);
    (scenario.plan.restarts, scenario.plan.rounds) = (2, 10);
    scenario.plan.isolation = Isolation::Process;
    let command = |scenario: &ScenarioRecord| {
        let page = html(&run(scenario.clone()));
        section(&page, "<h3>Run it again", "</code>").to_owned()
    };
    let again = command(&scenario);
    for option in [
        "--mode open",
        "--rate 600",
        "--arrivals poisson",
        "--restarts 2",
        "--isolation process",
        "--rounds 5",
        "--operations 2000",
    ] {
        assert!(again.contains(option), "{option} in {again}");
    }
    assert!(!again.contains("--control"));
    scenario.plan.control = Some("page".to_owned());
    let control = command(&scenario);
    assert!(control.contains("--models page ") && control.contains(" --control"), "{control}");
    scenario.plan.mode = Mode::Closed;
    (scenario.plan.rate, scenario.plan.arrivals) = (None, None);
    assert!(!command(&scenario).contains("--rate"));
    let mut simulated = run(scenario);
    simulated.server.source = ServerSource::Simulated;
    assert!(html(&simulated).contains("--server simulated=FILE"), "a record does not keep the file");
}

#[test]
fn every_table_of_a_full_report_can_be_read_aloud() {
    let page = html(&run(naive_saturated()));
    let elements = elements(&page);
    assert_eq!(all(&elements, "caption").len(), all(&elements, "table").len());
    assert!(all(&elements, "th").iter().all(|head| head.attributes.contains_key("scope")));
}

#[test]
fn the_method_names_its_formulas_its_keys_and_its_sources() {
    let page = html(&run(open_load()));
    for named in [
        "2007.10899",
        "2001.05811",
        "2301.03034",
        "ICPE 2017",
        "ICPE 2020",
        "G. Tene",
        "S. Holm",
        "Schuirmann",
        "Hodges",
        "Efron",
        "units[]",
        "checks.jackknife",
        "checks.hodges_lehmann",
        "analysis.order_effects[]",
        "base64",
        "√(Σ (d − m)² ÷ (K − 1))",
    ] {
        assert!(page.contains(named), "{named}");
    }
}
