//! What is said of break-even, whichever way it points.

use super::*;

fn cost(naive: f64, pattern: f64) -> Option<KindCost> {
    let (naive, pattern) = (Micros::new(naive), Micros::new(pattern));
    Some(KindCost { operations: vec!["one".to_owned()], naive, pattern })
}

fn record(answer: BreakEvenAnswer, share: Option<f64>, ends: (Option<f64>, Option<f64>)) -> BreakEvenRecord {
    BreakEvenRecord {
        answer,
        read_share: share.map(Share::new),
        low: ends.0.map(Share::new),
        high: ends.1.map(Share::new),
        pays: share.map(|_| OperationKind::Read),
        mix: Some(Share::new(0.95)),
        reads: cost(4_000.0, 1_000.0),
        writes: cost(1_000.0, 3_000.0),
        units: 10,
        jackknife: None,
        limited: Vec::new(),
        reason: Some("too few rounds".to_owned()),
        others: std::collections::BTreeMap::new(),
    }
}

fn said(record: &BreakEvenRecord) -> String {
    sentence("page", "naive", record)
}

#[test]
fn a_share_says_on_which_side_the_pattern_pays() {
    let mut above = record(BreakEvenAnswer::Share, Some(0.71), (Some(0.64), Some(0.77)));
    assert_eq!(said(&above), "page pays off when at least 71 % (64–77 %) of operations read; this mix: 95 %");
    above.pays = Some(OperationKind::Write);
    assert_eq!(said(&above), "page pays off when at most 71 % (64–77 %) of operations read; this mix: 95 %");
}

#[test]
fn an_open_end_is_said_to_be_one() {
    let open = record(BreakEvenAnswer::Share, Some(0.4), (Some(0.2), None));
    assert!(said(&open).contains("at least 40 % (20 % or more: the interval has no upper end)"), "{}", said(&open));
}

#[test]
fn always_never_and_undecided_are_answers() {
    let of = |answer| said(&record(answer, None, (None, None)));
    assert!(of(BreakEvenAnswer::Always).starts_with("page always pays off"));
    assert!(of(BreakEvenAnswer::Never).starts_with("page never pays off"));
    assert_eq!(of(BreakEvenAnswer::Undecided), "when page pays off cannot be told: too few rounds");
}

#[test]
fn what_is_sure_of_an_undecided_pattern_is_said() {
    let sure_of_reads = record(BreakEvenAnswer::Undecided, None, (None, Some(0.3)));
    let expected = "page costs less when more than 30 % of operations read; for fewer of them it cannot be told";
    assert!(said(&sure_of_reads).starts_with(expected), "{}", said(&sure_of_reads));
    let sure_of_writes = record(BreakEvenAnswer::Undecided, None, (Some(0.3), None));
    assert!(said(&sure_of_writes).starts_with("page costs more when fewer than 30 % of operations read"));
}

#[test]
fn a_mix_at_which_the_pattern_loses_is_called_so() {
    let point = |share, ratio: f64| crate::record::MixPoint {
        read_share: Share::new(share),
        ratio: Some(crate::units::Ratio::new(ratio)),
        naive: None,
        low: Some(crate::units::Ratio::new(ratio / 1.1)),
        high: Some(crate::units::Ratio::new(ratio * 1.1)),
        reads: None,
        writes: None,
        loses: ratio < 0.9,
    };
    let comparison = MixComparison {
        points: vec![point(0.05, 0.5), point(0.5, 1.0), point(0.95, 2.0)],
        answer: BreakEvenAnswer::Share,
        read_share: Some(Share::new(0.5)),
        low: Some(Share::new(0.44)),
        high: Some(Share::new(0.57)),
        pays: Some(OperationKind::Read),
        predicted: Some(record(BreakEvenAnswer::Share, Some(0.4), (Some(0.35), Some(0.45)))),
        agree: Some(true),
        reason: None,
    };
    let view = MixView::of(&comparison, "page", "naive");
    let lines: Vec<&str> = view.lines.iter().map(|(said, _)| said.as_str()).collect();
    assert_eq!(
        lines,
        [
            "measured: page pays off when at least 50 % (44–57 %) of operations read",
            "predicted (from the run with 95 % reads): page pays off when at least 40 % (35–45 %) of operations read",
            "prediction and measurement agree within their intervals",
            "page loses against naive where 5 % of operations read",
        ]
    );
    let svg = view.chart.expect("there are points").svg("mix").expect("it can be drawn");
    assert!(svg.contains("measured: 50 %") && svg.contains("predicted: 40 %"));
}
