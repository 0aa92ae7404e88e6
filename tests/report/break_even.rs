//! Break-even from records whose truth is known.

use patternbench::analysis::{analyse, compare_mixes};
use patternbench::record::{BreakEvenRecord, DeclaredOperation, ScenarioRecord};
use patternbench::report::{Style, html, mix, mix_html, terminal};
use patternbench::units::Share;
use patternbench::words::{BreakEvenAnswer, OperationKind, Profile, Role, RoundOutcome};

use crate::known::{Maker, on_naive, run_of, wobble};

/// Medians in µs: of the read and the write, in naive and in the pattern. All operations have the same spread, so means are
/// in the same proportion.
fn scenario(naive: (f64, f64), pattern: (f64, f64), mix: (f64, f64)) -> Maker {
    let each = |(read, write): (f64, f64)| [("find", read), ("save", write)];
    Maker::new("shop", &[("find", mix.0), ("save", mix.1)])
        .model("naive", Role::Naive, &each(naive))
        .model("page", Role::Pattern, &each(pattern))
        .effect(|round, model| 0.3 * wobble(round, model))
}

fn declared(maker: &Maker) -> ScenarioRecord {
    let mut scenario = maker.build();
    for (name, kind) in [("find", OperationKind::Read), ("save", OperationKind::Write)] {
        scenario.declared.insert(name.to_owned(), DeclaredOperation { kind, expect: None });
    }
    analyse(&mut scenario, Profile::Quick);
    scenario
}

fn found(maker: &Maker) -> BreakEvenRecord {
    declared(maker).analysis.break_even.expect("reads and writes are declared")
}

#[test]
fn the_share_is_that_of_the_closed_form() {
    // A read takes 8 and 2 ms, a write 1 and 4: 6 ρ = 3 (1 − ρ), so a third.
    let found = found(&scenario((8_000.0, 1_000.0), (2_000.0, 4_000.0), (95.0, 5.0)));
    assert_eq!((found.answer, found.pays), (BreakEvenAnswer::Share, Some(OperationKind::Read)));
    let share = found.read_share.expect("a share").get();
    assert!((share - 1.0 / 3.0).abs() < 0.02, "{share}");
    let (low, high) = (found.low.expect("an end").get(), found.high.expect("an end").get());
    assert!(low < share && share < high && high - low < 0.1, "{low}–{high}");
    assert_eq!(found.mix, Some(Share::new(0.95)));
    let check = found.jackknife.expect("a cross-check");
    assert!((check.low.get() - low).abs() < 0.02 && (check.high.get() - high).abs() < 0.02, "{check:?}");
    // The mean of a lognormal is exp(σ²/2) times its median.
    let read = found.reads.expect("it reads").naive.get();
    assert!((read / (8_000.0 * 0.08_f64.exp()) - 1.0).abs() < 0.05, "{read}");
}

#[test]
fn a_pattern_that_saves_on_writes_pays_below_the_share() {
    let found = found(&scenario((2_000.0, 4_000.0), (8_000.0, 1_000.0), (50.0, 50.0)));
    assert_eq!((found.answer, found.pays), (BreakEvenAnswer::Share, Some(OperationKind::Write)));
    assert!((found.read_share.expect("a share").get() - 1.0 / 3.0).abs() < 0.02);
}

#[test]
fn always_never_and_undecided() {
    let better = found(&scenario((8_000.0, 4_000.0), (2_000.0, 1_000.0), (50.0, 50.0)));
    assert_eq!((better.answer, better.read_share, better.pays), (BreakEvenAnswer::Always, None, None));
    let worse = found(&scenario((2_000.0, 1_000.0), (8_000.0, 4_000.0), (50.0, 50.0)));
    assert_eq!(worse.answer, BreakEvenAnswer::Never);
    let mut alike = scenario((2_000.0, 1_000.0), (2_000.0, 1_000.0), (50.0, 50.0));
    alike.effect = |round, model| 2.0 * wobble(round + 5, model);
    assert_eq!(found(&alike).answer, BreakEvenAnswer::Undecided);
}

#[test]
fn what_disturbs_both_models_alike_does_not_widen_the_interval() {
    let mut waves = scenario((8_000.0, 1_000.0), (2_000.0, 4_000.0), (95.0, 5.0));
    let calm = found(&waves);
    waves.effect = |round, model| 0.3 * wobble(round, model) + 0.2 * f64::from(round % 3);
    let moved = found(&waves);
    let width = |found: &BreakEvenRecord| found.high.expect("an end").get() - found.low.expect("an end").get();
    assert!(width(&moved) < 1.5 * width(&calm), "{} against {}", width(&moved), width(&calm));
}

#[test]
fn too_few_rounds_have_a_share_and_no_interval() {
    let found = found(&scenario((8_000.0, 1_000.0), (2_000.0, 4_000.0), (95.0, 5.0)).rounds(3, 2_000));
    assert_eq!((found.answer, found.low, found.high), (BreakEvenAnswer::Undecided, None, None));
    assert!(found.read_share.is_some() && found.reason.expect("a reason").contains("5 units"));
}

#[test]
fn restarts_are_the_units_where_there_are_several() {
    let mut maker = scenario((8_000.0, 1_000.0), (2_000.0, 4_000.0), (50.0, 50.0)).rounds(20, 1_000).restarts(4);
    maker.effect = |round, model| 0.3 * wobble(round, model) + on_naive(model, 1.0 + 0.05 * f64::from(round / 5));
    assert_eq!(found(&maker).units, 4);
}

#[test]
fn a_mix_without_writes_has_no_break_even_and_says_so() {
    let maker = Maker::new("reads", &[("find", 1.0)]).model("naive", Role::Naive, &[("find", 2_000.0)]).model(
        "page",
        Role::Pattern,
        &[("find", 1_000.0)],
    );
    let mut scenario = maker.build();
    scenario.declared.insert("find".to_owned(), DeclaredOperation { kind: OperationKind::Read, expect: None });
    analyse(&mut scenario, Profile::Quick);
    let found = scenario.analysis.break_even.expect("a reason");
    assert_eq!(found.reason.as_deref(), Some("no operation of the mix that writes was timed"));
}

#[test]
fn models_that_share_no_whole_round_are_not_compared() {
    let mut record = declared(&scenario((8_000.0, 1_000.0), (2_000.0, 4_000.0), (95.0, 5.0)));
    record.rounds.iter_mut().filter(|round| round.model == "page").for_each(|round| {
        round.outcome = RoundOutcome::Saturated;
    });
    analyse(&mut record, Profile::Quick);
    let found = record.analysis.break_even.expect("a reason");
    assert_eq!((found.answer, found.read_share), (BreakEvenAnswer::Undecided, None));
}

#[test]
fn reports_say_it_in_words() {
    let record = declared(&scenario((8_000.0, 1_000.0), (2_000.0, 4_000.0), (95.0, 5.0)));
    let run = run_of(Profile::Quick, vec![record]);
    let text = terminal(&run, &Style::default());
    assert!(text.contains("break-even: page pays off when at least 33 % ("), "{text}");
    assert!(text.contains("of operations read; this mix: 95 %"), "{text}");
    let page = html(&run);
    for part in
        ["<h3 id=\"s1-break-even\">Break-even</h3>", "s1-break-even-chart-title", "page pays off when at least 33 %"]
    {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_sweep_over_mixes_agrees_with_the_prediction_and_names_the_mixes_that_lose() {
    let runs: Vec<ScenarioRecord> = [1.0, 10.0, 25.0, 50.0, 75.0, 90.0, 99.0]
        .map(|reads| {
            declared(&scenario((8_000.0, 1_000.0), (2_000.0, 4_000.0), (reads, 100.0 - reads)).rounds(10, 5_000))
        })
        .to_vec();
    let runs: Vec<&ScenarioRecord> = runs.iter().collect();
    let comparison = compare_mixes(&runs, Share::new(0.9));
    assert_eq!(comparison.points.len(), 7);
    assert_eq!((comparison.answer, comparison.agree), (BreakEvenAnswer::Share, Some(true)), "{:?}", comparison.reason);
    assert_eq!(comparison.predicted.as_ref().and_then(|predicted| predicted.mix), Some(Share::new(0.9)));
    let share = comparison.read_share.expect("a share").get();
    assert!((share - 1.0 / 3.0).abs() < 0.02, "{share}");
    let loses: Vec<f64> =
        comparison.points.iter().filter(|point| point.loses).map(|point| point.read_share.get()).collect();
    assert_eq!(loses, [0.01, 0.1, 0.25]);
    let text = mix(&comparison, "page", "naive", &Style::default());
    assert!(text.contains("page loses against naive where 1 %, 10 %, 25 % of operations read"), "{text}");
    assert!(text.contains("prediction and measurement agree within their intervals"), "{text}");
    assert!(mix_html(&comparison, "page", "naive", "mix").contains("mix-chart-title"));
}
