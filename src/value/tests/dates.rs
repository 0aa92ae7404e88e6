//! The ways to make a date.

use bson::{Bson, DateTime};

use crate::value::NOW_START;
use crate::value::testing::{Surroundings, compile, rendered, rendered_all};

fn millis(value: &Bson) -> i64 {
    value.as_datetime().expect("a date").timestamp_millis()
}

fn date(text: &str) -> Bson {
    Bson::DateTime(DateTime::parse_rfc3339_str(text).unwrap())
}

#[test]
fn drawn_dates_lie_between_their_bounds() {
    let (from, to) = (millis(&date("2024-01-01T00:00:00Z")), millis(&date("2024-01-02T00:00:00Z")));
    let drawn: Vec<i64> =
        rendered_all("{^date: {from: 2024-01-01, to: 2024-01-02}}", 2000).iter().map(millis).collect();
    assert!(drawn.iter().all(|at| (from..to).contains(at)));
    // The mean of 2,000 uniform draws strays by 24 h / √12 / √2000 = 9.3 min; five of these are allowed.
    let mean = drawn.iter().sum::<i64>() / 2000;
    assert!((mean - (from + to) / 2).abs() < 5 * 9 * 60_000 + 5 * 18_000, "{mean}");
}

#[test]
fn series_count_by_index_or_by_what_is_said() {
    assert_eq!(rendered("{^date: {start: 2024-01-01, every: 10s}}", 7), date("2024-01-01T00:01:10Z"));
    assert_eq!(
        rendered("{^date: {start: 2024-01-01, every: -1d, by: {^mod: [^index, 5]}}}", 7),
        date("2023-12-30T00:00:00Z")
    );
    let jittered = rendered_all("{^date: {start: 2024-01-01, every: 10s, jitter: 5s}}", 100);
    let start = millis(&date("2024-01-01T00:00:00Z"));
    let extra: Vec<i64> = jittered.iter().zip(0..).map(|(at, n)| millis(at) - start - n * 10_000).collect();
    assert!(extra.iter().all(|extra| (0..5000).contains(extra)));
    assert!(extra.iter().any(|other| *other != extra[0]));
}

#[test]
fn dates_near_now_follow_the_clock() {
    let template = compile("[{^date: {before_now: 1h}}, {^date: {after_now: 1h}}]");
    for number in 0..200 {
        let both = Surroundings::new().value(&template, number).unwrap();
        let both: Vec<i64> = both.as_array().unwrap().iter().map(millis).collect();
        let now = NOW_START + number as i64;
        assert!((now - 3_600_000..now).contains(&both[0]) && (now..now + 3_600_000).contains(&both[1]));
    }
}

#[test]
fn other_values_become_dates() {
    let around = Surroundings::named(Bson::from("2025-01-31"), Bson::Int64(0));
    let dates = around.value(&compile("[{^date: ^a}, {^date: ^b}, {^date: ^a.none}]"), 0).unwrap();
    assert_eq!(dates, Bson::Array(vec![date("2025-01-31T00:00:00Z"), date("1970-01-01T00:00:00Z"), Bson::Null]));
    let wrong = Surroundings::named(Bson::from("soon"), Bson::Null);
    assert!(wrong.value(&compile("{^date: ^a}"), 0).unwrap_err().message.contains("`soon` is no date"));
}

#[test]
fn cut_to_the_quarter_as_the_server_cuts() {
    assert_eq!(rendered("{^dateTrunc: {date: {^date: 2024-05-15}, unit: quarter}}", 0), date("2024-04-01T00:00:00Z"));
    let hour = "{^dateTrunc: {date: {^add: [{^date: 2024-05-15}, {^mul: [25m, ^index]}]}, unit: hour}}";
    assert_eq!(rendered(hour, 3), date("2024-05-15T01:00:00Z"));
    assert_eq!(rendered("{^dateTrunc: {date: ^a, unit: hour}}", 0), Bson::Null);
}

#[test]
fn dates_beyond_bounds_are_errors() {
    let far = Surroundings::named(Bson::DateTime(DateTime::MAX), Bson::Null);
    assert!(far.value(&compile("{^add: [^a, 1ms]}"), 0).is_err());
    assert!(far.value(&compile("{^date: {start: ^a, every: 1d}}"), 1).is_err());
}
