//! Every chart of a scenario: what it draws lies where the figures say.

use std::collections::BTreeSet;

use patternbench::record::ScenarioRecord;
use patternbench::report::{Chart, charts, html};
use patternbench::units::{Bytes, Rate};
use patternbench::words::{Metric, Profile, Role};

use crate::around::migrated;
use crate::known::{Maker, RATE, analysed, number, of, product_page, run_of, wobble};
use crate::markup::{Element, elements};
use crate::seconds::{IN_A_SECOND, by_second};

fn named(scenario: &ScenarioRecord, name: &str) -> Chart {
    let charts = charts(scenario);
    let names: Vec<String> = charts.iter().map(Chart::name).collect();
    charts.into_iter().find(|chart| chart.name() == name).unwrap_or_else(|| panic!("{name} is none of {names:?}"))
}

fn attribute(element: &Element, name: &str) -> f64 {
    element.attributes[name].parse().expect("a number")
}

fn shapes<'a>(drawing: &'a [Element], name: &str) -> Vec<&'a Element> {
    drawing.iter().filter(|element| element.name == name).collect()
}

/// The points of a polyline.
fn points(line: &Element) -> Vec<(f64, f64)> {
    let point = |text: &str| {
        let (x, y) = text.split_once(',').expect("x,y");
        (x.parse().expect("a number"), y.parse().expect("a number"))
    };
    line.attributes["points"].split_whitespace().map(point).collect()
}

/// The curves: polylines of the models' width, the samples before names aside.
fn curves(drawing: &[Element]) -> Vec<Vec<(f64, f64)>> {
    let (.., right, _) = frame(drawing);
    let lines = shapes(drawing, "polyline").into_iter();
    let wide = lines.filter(|line| line.attributes.get("stroke-width").is_some_and(|width| width == "2"));
    wide.map(points).filter(|curve| curve[0].0 < right).collect()
}

/// The frame of the plot: left, top, right, bottom.
fn frame(drawing: &[Element]) -> (f64, f64, f64, f64) {
    let frame = shapes(drawing, "rect").into_iter().find(|rect| rect.attributes["fill"] == "none").expect("a frame");
    let (x, y) = (attribute(frame, "x"), attribute(frame, "y"));
    (x, y, x + attribute(frame, "width"), y + attribute(frame, "height"))
}

#[test]
fn a_scenario_has_the_charts_that_its_record_has_figures_for() {
    let mut scenario = analysed(&product_page());
    by_second(&mut scenario);
    let names: Vec<String> = charts(&scenario).iter().map(Chart::name).collect();
    let of_operation =
        |name: &str| [format!("percentiles-{name}"), format!("distribution-{name}"), format!("over-time-{name}")];
    let mut expected =
        vec!["p95".to_owned(), "speed-up".to_owned(), "percentiles".to_owned(), "distribution".to_owned()];
    for operation in ["list-page", "add-review"] {
        expected.extend(of_operation(operation));
    }
    expected.extend(["throughput".to_owned(), "storage".to_owned()]);
    assert_eq!(names, expected);
    assert!(charts(&product_page().rounds(0, 0).build()).iter().all(|chart| chart.name() == "storage"));
}

#[test]
fn every_chart_is_well_formed_named_and_told_in_words() {
    let mut scenario = migrated().scenarios.remove(0);
    by_second(&mut scenario);
    scenario.title = "</title><script>&\"'".to_owned();
    let charts = charts(&scenario);
    assert!(charts.iter().any(|chart| chart.name() == "around-the-event"));
    for chart in charts {
        let drawing = elements(&chart.svg());
        assert_eq!(drawing[0].attributes["role"], "img");
        let allowed = ["svg", "title", "desc", "style", "polyline", "rect", "circle", "text"];
        assert!(drawing.iter().all(|element| allowed.contains(&element.name.as_str())), "{}", chart.name());
        assert!(!chart.description().is_empty() && !chart.reading().is_empty(), "{}", chart.name());
        let said = chart.svg();
        let axis = said.contains("logarithmic") || said.contains("from zero") || said.contains("bytes, from zero");
        assert!(axis, "{} says how its axis runs", chart.name());
    }
}

#[test]
fn a_speed_up_stands_where_its_logarithm_says_and_the_band_is_what_counts_as_equal() {
    let scenario = analysed(&product_page());
    let drawing = elements(&named(&scenario, "speed-up").svg());
    let band = shapes(&drawing, "rect").into_iter().find(|rect| rect.attributes["fill"] != "none").expect("a band");
    let (from, width) = (attribute(band, "x"), attribute(band, "width"));
    // The band reaches as far to the left of 1 as to its right, by ln 1.05.
    let one = from + width / 2.0;
    let (left, _, right, _) = frame(&drawing);
    let per_log = width / (2.0 * 1.05_f64.ln());
    let dots: Vec<f64> = shapes(&drawing, "circle").into_iter().map(|dot| attribute(dot, "cx")).collect();
    let ratio = |operation: &str| number(of(&scenario, operation, Metric::P95).speedup.speedup).ln();
    // Pixels are whole, so the band's width is good to one of about ten.
    let expected = one + ratio("list_page") * per_log;
    assert!((dots[0] / expected - 1.0).abs() < 0.12, "{dots:?} {expected}");
    let add_review = dots.iter().find(|x| **x < one).expect("reviews became slower");
    assert!(*add_review > left && dots.iter().all(|x| *x < right));
    assert!(ratio("add_review") < 0.0);
}

#[test]
fn bars_begin_at_zero_and_are_as_long_as_what_they_stand_for() {
    let mut scenario = analysed(&product_page());
    let sizes = [8_u64 << 20, 16 << 20, 2 << 20];
    for (model, size) in scenario.models.iter_mut().zip(sizes) {
        let storage = model.storage.as_mut().expect("made with one");
        (storage.data_bytes, storage.index_bytes) = (Bytes::new(size), Bytes::new(size / 2));
    }
    let chart = named(&scenario, "storage");
    let drawing = elements(&chart.svg());
    let (left, ..) = frame(&drawing);
    let bars: Vec<_> = shapes(&drawing, "rect").into_iter().filter(|rect| rect.attributes["fill"] != "none").collect();
    assert_eq!(bars.len(), 6);
    let first = attribute(bars[0], "width");
    for (bar, size) in bars.iter().zip(sizes.into_iter().chain(sizes.map(|size| size / 2))) {
        assert_eq!(attribute(bar, "x"), left);
        let expected = first * size as f64 / sizes[0] as f64;
        assert!((attribute(bar, "width") - expected).abs() <= 2.0, "{size}");
    }
    assert!(chart.description().contains("data, uncompressed, naive: 8.00 MiB"), "{}", chart.description());
}

#[test]
fn percentiles_go_as_far_as_the_operations_allow() {
    // 10 rounds of 2,000: with 20,000 operations ten are left above 99.95 %.
    let scenario = analysed(&Maker::new("one", &[("read", 1.0)]).model("naive", Role::Naive, &[("read", 1_000.0)]));
    let labels = |scenario: &ScenarioRecord| {
        let drawing = elements(&named(scenario, "percentiles-read").svg());
        let texts = shapes(&drawing, "text").into_iter().map(|text| text.text.clone());
        texts.filter(|text| text.ends_with(" %")).collect::<Vec<_>>()
    };
    assert_eq!(labels(&scenario), ["0 %", "50 %", "90 %", "99 %", "99.9 %"]);
    let many = Maker::new("one", &[("read", 1.0)]).model("naive", Role::Naive, &[("read", 1_000.0)]).rounds(20, 5_000);
    assert_eq!(labels(&analysed(&many)), ["0 %", "50 %", "90 %", "99 %", "99.9 %", "99.99 %"]);
    let few = Maker::new("one", &[("read", 1.0)]).model("naive", Role::Naive, &[("read", 1_000.0)]).rounds(3, 30);
    assert!(charts(&analysed(&few)).iter().all(|chart| chart.name() != "percentiles-read"), "90 operations allow none");
}

#[test]
fn curves_rise_and_stay_inside_the_plot() {
    let mut scenario = analysed(&product_page());
    by_second(&mut scenario);
    for name in ["percentiles-list-page", "distribution-list-page", "percentiles", "distribution"] {
        let drawing = elements(&named(&scenario, name).svg());
        let (left, top, right, bottom) = frame(&drawing);
        let curves = curves(&drawing);
        assert_eq!(curves.len(), 3, "{name}: a curve for each model");
        for curve in curves {
            assert!(curve.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 >= pair[1].1), "{name} rises");
            assert!(curve.iter().all(|(x, y)| (left..=right).contains(x) && (top..=bottom).contains(y)), "{name}");
        }
    }
}

#[test]
fn a_run_is_drawn_second_by_second_and_round_by_round() {
    let mut scenario = analysed(
        &Maker::new("two", &[("read", 1.0)])
            .model("naive", Role::Naive, &[("read", 1_000.0)])
            .model("fast", Role::Pattern, &[("read", 1_000.0)])
            .effect(wobble)
            .rounds(4, 2_000),
    );
    by_second(&mut scenario);
    let drawing = elements(&named(&scenario, "over-time-read").svg());
    let (left, _, right, _) = frame(&drawing);
    let bands: Vec<_> = shapes(&drawing, "rect").into_iter().filter(|rect| rect.attributes["fill"] != "none").collect();
    assert_eq!(bands.len(), 2, "every other round of four");
    let quarter = (right - left) / 4.0;
    assert!((attribute(bands[1], "x") - (left + 2.0 * quarter)).abs() <= 1.0);
    let curves = curves(&drawing);
    assert_eq!(curves.len(), 2);
    // p95 doubles between the models, and goes from 1 to 2.5 within a window: on the logarithmic axis that is ln 2.5 ÷ ln 2
    // times as high.
    let height = |curve: &[(f64, f64)]| curve.iter().map(|(_, y)| *y).fold(f64::INFINITY, f64::min);
    let foot = |curve: &[(f64, f64)]| curve.iter().map(|(_, y)| *y).fold(0.0, f64::max);
    let (apart, within) = (foot(&curves[0]) - foot(&curves[1]), foot(&curves[0]) - height(&curves[0]));
    assert!((within / apart - 2.5_f64.ln() / 2.0_f64.ln()).abs() < 0.05, "{within} {apart}");
}

#[test]
fn throughput_counts_every_operation_and_shows_the_rate_offered() {
    let mut scenario = analysed(&product_page().open());
    by_second(&mut scenario);
    scenario.plan.rate = Some(Rate::new(RATE));
    let chart = named(&scenario, "throughput");
    // Two operations of `IN_A_SECOND` each, also in the last part of a second.
    let expected = format!("naive: median second {}/s", 2 * IN_A_SECOND);
    assert!(chart.description().replace('\u{202F}', "").starts_with(&expected), "{}", chart.description());
    assert!(chart.svg().contains("600/s"), "the rate offered is named");
}

#[test]
fn an_event_is_marked_where_it_begins() {
    let mut scenario = migrated().scenarios.remove(0);
    by_second(&mut scenario);
    let drawing = elements(&named(&scenario, "around-the-event").svg());
    let (left, _, right, _) = frame(&drawing);
    let texts = shapes(&drawing, "text");
    let name = texts.iter().find(|text| text.text == "migrate").expect("the event is named");
    // It begins after 600 of 2,000 operations.
    let expected = left + 0.3 * (right - left);
    assert!((attribute(name, "x") - 4.0 - expected).abs() <= 1.0);
    assert!(texts.iter().all(|text| text.text != "left"), "what comes after the last operation is no event for them");
}

#[test]
fn every_curve_is_named_and_told_apart_by_more_than_its_colour() {
    let scenario = analysed(&product_page());
    let drawing = elements(&named(&scenario, "percentiles").svg());
    for model in ["naive", "page", "tuned"] {
        assert!(shapes(&drawing, "text").iter().any(|text| text.text == model), "{model}");
    }
    let lines = shapes(&drawing, "polyline").into_iter().filter(|line| line.attributes.contains_key("stroke-width"));
    let patterns: BTreeSet<_> = lines.map(|line| line.attributes.get("stroke-dasharray").cloned()).collect();
    assert_eq!(patterns.len(), 3, "{patterns:?}");
}

#[test]
fn a_report_of_35_scenarios_stays_small() {
    let mut scenario = analysed(&product_page().open().rounds(20, 2_000));
    by_second(&mut scenario);
    let scenarios = (0..35).map(|number| {
        let mut scenario = scenario.clone();
        scenario.name = format!("scenario-{number}");
        scenario
    });
    let page = html(&run_of(Profile::Standard, scenarios.collect()));
    assert!(page.len() < 10_000_000, "{} bytes", page.len());
}
