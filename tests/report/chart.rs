//! The p95 chart as a drawing that anything can read.

use patternbench::analysis::spreads;
use patternbench::record::ScenarioRecord;
use patternbench::report::chart;
use patternbench::words::Role;

use crate::known::{Maker, product_page};
use crate::markup::{Element, elements};

fn drawn(scenario: &ScenarioRecord) -> Vec<Element> {
    elements(&chart(scenario).expect("there is something to draw"))
}

fn number(element: &Element, attribute: &str) -> f64 {
    element.attributes[attribute].parse().expect("a number")
}

/// The frame around the plot: left, top, right, bottom.
fn frame(elements: &[Element]) -> (f64, f64, f64, f64) {
    let frames: Vec<_> = elements.iter().filter(|element| element.name == "rect").collect();
    assert_eq!(frames.len(), 1, "one frame and no bars");
    let (x, y) = (number(frames[0], "x"), number(frames[0], "y"));
    (x, y, x + number(frames[0], "width"), y + number(frames[0], "height"))
}

fn dots(elements: &[Element]) -> Vec<&Element> {
    elements.iter().filter(|element| element.name == "circle").collect()
}

#[test]
fn every_dot_and_interval_lies_inside_the_plot() {
    for factor in [1.0, 30.0, 3e6] {
        let scenario = Maker::new("wide", &[("read", 1.0), ("write", 1.0)])
            .model("naive", Role::Naive, &[("read", 8.0 * factor), ("write", 5.0)])
            .model("page", Role::Pattern, &[("read", 9.0), ("write", 6.0)])
            .effect(crate::known::wobble)
            .build();
        let elements = drawn(&scenario);
        let (left, top, right, bottom) = frame(&elements);
        let dots = dots(&elements);
        assert_eq!(dots.len(), spreads(&scenario).len());
        for dot in dots {
            let (x, y, r) = (number(dot, "cx"), number(dot, "cy"), number(dot, "r"));
            assert!(left <= x - r && x + r <= right && top <= y - r && y + r <= bottom, "{dot:?}");
        }
        for line in elements.iter().filter(|element| element.name == "polyline") {
            for point in line.attributes["points"].split_whitespace() {
                let (x, y) = point.split_once(',').expect("x,y");
                let (x, y): (f64, f64) = (x.parse().expect("a number"), y.parse().expect("a number"));
                assert!((0.0..=right).contains(&x) && (top..=bottom).contains(&y), "{point}");
            }
        }
    }
}

#[test]
fn equal_ratios_are_equal_distances() {
    let scenario = Maker::new("log", &[("a", 1.0), ("b", 1.0)])
        .model("naive", Role::Naive, &[("a", 1_000.0), ("b", 100_000.0)])
        .model("page", Role::Pattern, &[("a", 10_000.0), ("b", 1_000_000.0)])
        .build();
    let elements = drawn(&scenario);
    let x: Vec<f64> = dots(&elements).iter().take(4).map(|dot| number(dot, "cx")).collect();
    for pair in x.windows(2) {
        assert!((pair[1] - pair[0] - (x[1] - x[0])).abs() <= 1.5, "{x:?}");
    }
}

#[test]
fn names_stay_left_of_the_plot_and_values_right_of_it() {
    let scenario = product_page().build();
    let elements = drawn(&scenario);
    let (left, _, right, bottom) = frame(&elements);
    let texts: Vec<_> = elements.iter().filter(|element| element.name == "text").collect();
    for name in ["list_page", "add_review", "whole mix"] {
        let text = texts.iter().find(|text| text.text.trim() == name).unwrap_or_else(|| panic!("{name} is named"));
        let width = 0.62 * 13.0 * name.len() as f64;
        assert!(number(text, "x") + width <= left);
    }
    assert_eq!(texts.iter().filter(|text| text.text.trim() == "page").count(), 3);
    let values = texts.iter().filter(|text| number(text, "x") > right && number(text, "y") < bottom);
    assert_eq!(values.count(), 9, "each line ends with its p95");
}

#[test]
fn the_drawing_is_said_in_words_for_those_who_do_not_see_it() {
    let scenario = product_page().build();
    let elements = drawn(&scenario);
    assert_eq!(elements[0].attributes["role"], "img");
    let labels: Vec<_> = elements[0].attributes["aria-labelledby"].split(' ').collect();
    let of = |name: &str| elements.iter().find(|element| element.name == name).expect("it is there");
    assert_eq!(labels, [&of("title").attributes["id"], &of("desc").attributes["id"]]);
    assert!(of("desc").text.starts_with("list_page, naive: 8.1"), "{}", of("desc").text);
}

#[test]
fn too_few_operations_for_an_interval_make_a_hollow_dot() {
    let scenario =
        Maker::new("few", &[("read", 1.0)]).model("naive", Role::Naive, &[("read", 1_000.0)]).rounds(4, 30).build();
    for dot in dots(&drawn(&scenario)) {
        assert_eq!(dot.attributes["fill"], "none");
    }
}

#[test]
fn names_of_others_are_harmless_in_the_drawing() {
    let hostile = "</text><script>alert(1)</script>";
    let mut scenario =
        Maker::new("hostile", &[(hostile, 1.0)]).model("\u{1b}<b>&", Role::Naive, &[(hostile, 1_000.0)]).build();
    scenario.title = "</title><script>".to_owned();
    let elements = drawn(&scenario);
    let allowed = ["svg", "title", "desc", "style", "polyline", "line", "rect", "circle", "text"];
    assert!(elements.iter().all(|element| allowed.contains(&element.name.as_str())));
}

#[test]
fn nothing_measured_is_no_chart() {
    assert_eq!(chart(&product_page().rounds(0, 0).build()), None);
}
