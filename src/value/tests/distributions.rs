//! Distributions against their closed forms. Seeds are fixed, so these tests always give the same answer.

use std::collections::HashMap;

use bson::Bson;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::value::testing::{dataset, rendered_all};

fn counts(values: &[Bson]) -> HashMap<String, f64> {
    values.iter().fold(HashMap::new(), |mut counts, value| {
        *counts.entry(value.to_string()).or_default() += 1.0;
        counts
    })
}

/// How likely a deviation from the expected counts at least as large as this one is.
fn chance(observed: &[f64], expected: &[f64]) -> f64 {
    let statistic: f64 = observed.iter().zip(expected).map(|(o, e)| (o - e).powi(2) / e).sum();
    1.0 - ChiSquared::new((observed.len() - 1) as f64).unwrap().cdf(statistic)
}

/// The probabilities of Zipf's law, most frequent first.
fn zipf(count: usize, exponent: f64) -> Vec<f64> {
    let weights: Vec<f64> = (1..=count).map(|rank| (rank as f64).powf(-exponent)).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

const DRAWS: u64 = 100_000;

#[test]
fn whole_numbers_are_uniform() {
    let counts = counts(&rendered_all("{^int: {min: -3, max: 6}}", DRAWS));
    let observed: Vec<f64> = (-3..=6).map(|face| counts[&face.to_string()]).collect();
    assert_eq!(observed.iter().sum::<f64>(), DRAWS as f64);
    let chance = chance(&observed, &[DRAWS as f64 / 10.0; 10]);
    assert!(chance > 0.001, "{observed:?}: {chance}");
}

#[test]
fn neighbouring_numbers_are_independent() {
    let values = rendered_all("{^int: {min: 0, max: 3}}", DRAWS + 1);
    let pairs: Vec<Bson> = values.windows(2).map(|pair| Bson::Array(pair.to_vec())).collect();
    let observed: Vec<f64> = counts(&pairs).into_values().collect();
    assert_eq!(observed.len(), 16);
    // Overlapping pairs deviate a little more than separate ones would; the bound allows for it.
    assert!(chance(&observed, &[DRAWS as f64 / 16.0; 16]) > 0.0001, "{observed:?}");
}

#[test]
fn fractions_are_uniform_and_keep_below_the_upper_bound() {
    let values = rendered_all("{^double: {min: 2, max: 4}}", DRAWS);
    let mut observed = [0.0; 20];
    for value in &values {
        let value = value.as_f64().unwrap();
        assert!((2.0..4.0).contains(&value));
        observed[((value - 2.0) * 10.0) as usize] += 1.0;
    }
    assert!(chance(&observed, &[DRAWS as f64 / 20.0; 20]) > 0.001, "{observed:?}");
}

#[test]
fn rounded_fractions_have_the_decimals_asked_for() {
    for value in rendered_all("{^double: {min: 15, max: 25, decimals: 2}}", 1000) {
        let hundredfold = value.as_f64().unwrap() * 100.0;
        assert!((hundredfold - hundredfold.round()).abs() < 1e-9, "{value}");
    }
}

#[test]
fn decimals_have_their_scale_and_meet_both_bounds() {
    let counts = counts(&rendered_all("{^decimal: {min: -0.02, max: 0.29, scale: 2}}", DRAWS));
    let names: Vec<String> =
        (-2..=29).map(|n: i32| format!("{}0.{:02}", if n < 0 { "-" } else { "" }, n.abs())).collect();
    let observed: Vec<f64> = names.iter().map(|name| counts.get(name).copied().unwrap_or(0.0)).collect();
    assert_eq!(observed.iter().sum::<f64>(), DRAWS as f64, "{counts:?}");
    assert!(chance(&observed, &[DRAWS as f64 / 32.0; 32]) > 0.001, "{observed:?}");
}

#[test]
fn truth_has_its_share_and_weights_are_met() {
    let truths = counts(&rendered_all("{^bool: {share: 0.9}}", DRAWS));
    let (yes, no) = (truths["true"], truths["false"]);
    assert!(chance(&[yes, no], &[0.9 * DRAWS as f64, 0.1 * DRAWS as f64]) > 0.001);
    let chosen = counts(&rendered_all("{^choose: {of: [a, b, c, never], weights: [1, 3, 6, 0]}}", DRAWS));
    let observed = [chosen["\"a\""], chosen["\"b\""], chosen["\"c\""]];
    assert_eq!(observed.iter().sum::<f64>(), DRAWS as f64);
    assert!(chance(&observed, &[0.1, 0.3, 0.6].map(|share| share * DRAWS as f64)) > 0.001, "{observed:?}");
}

#[test]
fn zipf_draws_follow_the_closed_form() {
    for exponent in [0.5, 0.99, 1.0, 1.5] {
        let text = format!("{{^int: {{min: 1, max: 200, zipf: {exponent}}}}}");
        let counts = counts(&rendered_all(&text, DRAWS));
        let expected: Vec<f64> = zipf(200, exponent).into_iter().map(|share| share * DRAWS as f64).collect();
        let observed: Vec<f64> = (1..=200).map(|rank| counts.get(&rank.to_string()).copied().unwrap_or(0.0)).collect();
        assert_eq!(observed.iter().sum::<f64>(), DRAWS as f64);
        assert!(chance(&observed, &expected) > 0.001, "exponent {exponent}");
        // The most frequent ones singly, within five standard errors.
        for rank in 0..5 {
            assert!((observed[rank] - expected[rank]).abs() < 5.0 * expected[rank].sqrt(), "{rank} of {exponent}");
        }
    }
}

#[test]
fn hot_keys_are_the_same_everywhere_and_no_neighbours() {
    let text = "{books: {count: 100, document: {_id: ^index}}, a: {count: 50000, document: {book: {^key: {of: books, zipf: 1.2}}}}, b: {count: 50000, document: {ref: {^key: {of: books, zipf: 1.2}}}}}";
    let world = dataset(text, &[]).unwrap();
    let ranking = |set: &str, field: &str| {
        let values: Vec<Bson> =
            (0..50_000).map(|row| Bson::Int32(world.row(set, row).unwrap().get_i32(field).unwrap())).collect();
        let counts = counts(&values);
        let mut ranking: Vec<_> = counts.into_iter().collect();
        ranking.sort_by(|left, right| right.1.total_cmp(&left.1));
        ranking
    };
    let (a, b) = (ranking("a", "book"), ranking("b", "ref"));
    let expected = zipf(100, 1.2);
    for rank in 0..5 {
        assert_eq!(a[rank].0, b[rank].0);
        let wanted = expected[rank] * 50_000.0;
        assert!((a[rank].1 - wanted).abs() < 5.0 * wanted.sqrt(), "{rank}: {} against {wanted}", a[rank].1);
    }
    let hottest: Vec<i32> = a[..3].iter().map(|(key, _)| key.parse().unwrap()).collect();
    assert!(hottest.windows(2).all(|pair| (pair[0] - pair[1]).abs() > 1), "{hottest:?}");
}

#[test]
fn filler_uses_words_as_english_does() {
    let text = rendered_all("{^text: {bytes: 200000}}", 1).remove(0);
    let words: Vec<String> =
        text.as_str().unwrap().split([' ', '.']).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let mut counts: HashMap<&str, f64> = HashMap::new();
    words.iter().for_each(|word| *counts.entry(word).or_default() += 1.0);
    // English has about 5 % of its words in "the", and 8.5 to 10.5 bits of information in a word.
    let the = counts["the"] / words.len() as f64;
    assert!((0.03..0.08).contains(&the), "{the}");
    let entropy: f64 = counts.values().map(|count| count / words.len() as f64).map(|share| -share * share.log2()).sum();
    assert!((8.5..10.5).contains(&entropy), "{entropy}");
}
