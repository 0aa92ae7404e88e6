//! Numbers as people read them: three significant digits, a fitting unit, thin separators.

use crate::units::{Bytes, Micros, Rate, Ratio, Seconds, Share};
use crate::words::Metric;

/// Between groups of three digits: a narrow space that does not break.
pub(super) const THIN: char = '\u{202F}';

/// What stands where there is no figure.
pub(super) const NOT_AVAILABLE: &str = "n/a";

/// A whole number with its digits in groups of three: `12 345`.
pub(super) fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// A duration with the unit that fits: `812 µs`, `3.21 ms`, `1.50 s`.
pub(super) fn time(micros: Micros) -> String {
    let micros = micros.get();
    // 999.6 µs would read `1 000 µs`: the unit is chosen for the rounded figure.
    let rounded = round_significant(micros, 3);
    if rounded < 1e3 {
        format!("{} µs", significant(micros))
    } else if rounded < 1e6 {
        format!("{} ms", significant(micros / 1e3))
    } else {
        format!("{} s", significant(micros / 1e6))
    }
}

/// A duration as an axis names it: as [`time`], without zeros that say nothing.
pub(super) fn tick(micros: f64) -> String {
    idle(&time(Micros::new(micros)))
}

/// A mean number of things: `1`, `2.35`.
pub(super) fn mean(value: f64) -> String {
    without_idle_zeros(&significant(value)).to_owned()
}

/// A figure as an axis names it: without zeros that say nothing.
pub(super) fn idle(said: &str) -> String {
    match said.split_once(' ') {
        Some((number, unit)) => format!("{} {unit}", without_idle_zeros(number)),
        None => without_idle_zeros(said).to_owned(),
    }
}

/// A percentage with as many digits as it needs, at most two after the point: `50`, `99.9`, `99.99`.
pub(super) fn digits(value: f64) -> String {
    without_idle_zeros(&format!("{value:.2}")).to_owned()
}

fn without_idle_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// A duration given in seconds.
pub(super) fn seconds(value: Seconds) -> String {
    time(Micros::new(value.get() * 1e6))
}

/// A quotient: `7.12×`.
pub(super) fn ratio(value: Ratio) -> String {
    format!("{}×", significant(value.get()))
}

/// A quotient with its interval: `7.12× (6.90–7.35)`.
pub(super) fn ratio_with_interval(value: Ratio, low: Ratio, high: Ratio) -> String {
    format!("{} ({}–{})", ratio(value), significant(low.get()), significant(high.get()))
}

/// A probability of an error: `p < 0.001`, `p = 0.034`.
pub(super) fn p_value(p: f64) -> String {
    match p {
        p if !p.is_finite() => format!("p {NOT_AVAILABLE}"),
        p if p < 0.001 => "p < 0.001".to_owned(),
        p => format!("p = {p:.3}"),
    }
}

/// A number with four decimals: what others compute again is given with more digits than people need.
pub(super) fn exact(value: f64) -> String {
    if value.is_finite() { format!("{value:.4}") } else { NOT_AVAILABLE.to_owned() }
}

/// The figure of a metric with its unit; records keep latencies in µs and throughput in operations per second.
pub(super) fn figure(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Throughput => format!("{}/s", significant(value)),
        Metric::P50 | Metric::P95 | Metric::P99 | Metric::Mean => time(Micros::new(value)),
    }
}

/// Operations per second, without unit.
pub(super) fn rate(value: Rate) -> String {
    significant(value.get())
}

/// Bytes in binary units: `1.23 MiB`.
pub(super) fn bytes(value: Bytes) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let whole = value.get();
    if whole < 1024 {
        return format!("{whole} B");
    }
    let mut scaled = whole as f64 / 1024.0;
    let mut unit = 0;
    while round_significant(scaled, 3) >= 1e3 && unit + 1 < UNITS.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    format!("{} {}", significant(scaled), UNITS[unit])
}

/// A part of a whole: `42 %`.
pub(super) fn share(value: Share) -> String {
    format!("{:.0} %", value.get() * 100.0)
}

/// A part that is often small: `0 %`, `0.031 %`, `4.2 %`; two digits that mean something.
pub(super) fn small_share(value: Share) -> String {
    format!("{} %", without_idle_zeros(&significant(round_significant(value.get() * 100.0, 2))))
}

/// `1 round`, `2 rounds`.
pub(super) fn plural(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// Neighbouring rounds as people count them, from 1: `4` or `4–6`. Records count from 0.
pub(super) fn rounds(rounds: &[u32]) -> String {
    let said = |round: u32| count(u64::from(round) + 1);
    match rounds {
        [] => String::new(),
        [first, .., last] if first != last => format!("{}–{}", said(*first), said(*last)),
        [first, ..] => said(*first),
    }
}

/// Three significant digits, never in scientific notation; whole digits beyond the third are zeros.
pub(super) fn significant(value: f64) -> String {
    if !value.is_finite() {
        return NOT_AVAILABLE.to_owned();
    }
    let rounded = round_significant(value, 3);
    let decimals = if rounded == 0.0 { 0 } else { (2 - magnitude(rounded)).max(0) };
    grouped(&format!("{rounded:.*}", usize::try_from(decimals).unwrap_or(0)))
}

fn round_significant(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let factor = 10_f64.powi(digits - 1 - magnitude(value));
    if factor.is_finite() && factor > 0.0 { (value * factor).round() / factor } else { value }
}

/// The power of ten of the first digit.
fn magnitude(value: f64) -> i32 {
    value.abs().log10().floor() as i32
}

fn grouped(number: &str) -> String {
    let (sign, unsigned) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (whole, fraction) =
        unsigned.split_once('.').map_or((unsigned, String::new()), |(whole, rest)| (whole, format!(".{rest}")));
    let mut groups = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            groups.push(THIN);
        }
        groups.push(digit);
    }
    format!("{sign}{groups}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figure with ordinary spaces.
    fn plain(text: String) -> String {
        text.replace(THIN, " ")
    }

    #[test]
    fn durations_take_the_unit_that_fits() {
        let said = |micros| plain(time(Micros::new(micros)));
        assert_eq!(said(1.0), "1.00 µs");
        assert_eq!(said(812.4), "812 µs");
        assert_eq!(said(999.6), "1.00 ms");
        assert_eq!(said(3_214.0), "3.21 ms");
        assert_eq!(said(45_678.0), "45.7 ms");
        assert_eq!(said(999_499.0), "999 ms");
        assert_eq!(said(999_600.0), "1.00 s");
        assert_eq!(said(61_000_000.0), "61.0 s");
        assert_eq!(said(1_234_000_000.0), "1 230 s");
    }

    #[test]
    fn ratios_have_three_digits_on_either_side_of_one() {
        let said = |value| plain(ratio(Ratio::new(value)));
        assert_eq!(said(7.1249), "7.12×");
        assert_eq!(said(0.83349), "0.833×");
        assert_eq!(said(9.996), "10.0×");
        assert_eq!(said(12_345.0), "12 300×");
        assert_eq!(said(0.001_234), "0.00123×");
    }

    #[test]
    fn counts_are_exact_and_grouped() {
        assert_eq!(plain(count(0)), "0");
        assert_eq!(plain(count(999)), "999");
        assert_eq!(plain(count(1_234_567)), "1 234 567");
    }

    #[test]
    fn bytes_take_binary_units() {
        let said = |value| plain(bytes(Bytes::new(value)));
        assert_eq!(said(0), "0 B");
        assert_eq!(said(1_023), "1023 B");
        assert_eq!(said(1_024), "1.00 KiB");
        assert_eq!(said(1_048_575), "1.00 MiB");
        assert_eq!(said(1_000 << 20), "0.977 GiB");
        assert_eq!(said(5 << 30), "5.00 GiB");
        assert_eq!(said(u64::MAX), "16.0 EiB");
    }

    #[test]
    fn ticks_say_no_more_than_they_know() {
        assert_eq!(tick(500.0), "500 µs");
        assert_eq!(tick(1_000.0), "1 ms");
        assert_eq!(tick(1_500.0), "1.5 ms");
        assert_eq!(tick(20_000_000.0), "20 s");
    }

    #[test]
    fn probabilities_are_no_finer_than_they_deserve() {
        assert_eq!(p_value(0.000_4), "p < 0.001");
        assert_eq!(p_value(0.034_4), "p = 0.034");
        assert_eq!(p_value(f64::NAN), "p n/a");
    }

    #[test]
    fn small_parts_keep_two_digits() {
        let said = |value| small_share(Share::new(value));
        assert_eq!(said(0.0), "0 %");
        assert_eq!(said(0.000_314), "0.031 %");
        assert_eq!(said(0.42), "42 %");
        assert_eq!(said(1.0), "100 %");
    }

    #[test]
    fn a_metric_brings_its_unit() {
        assert_eq!(figure(Metric::P95, 4_100.0), "4.10 ms");
        assert_eq!(figure(Metric::Throughput, 312.4), "312/s");
    }

    #[test]
    fn what_is_no_number_is_said_to_be_none() {
        assert_eq!(exact(f64::NEG_INFINITY), "n/a");
        assert_eq!(significant(f64::NAN), "n/a");
        assert_eq!(significant(f64::INFINITY), "n/a");
        assert_eq!(significant(0.0), "0");
    }
}
