//! The report for a pull request.

use patternbench::report::{Export, Exported, Wish};

use crate::markup::elements;
use crate::terminal::{troubled, typical};

/// The report with its charts in a folder beside it.
pub(crate) fn report(run: &patternbench::record::RunRecord) -> Exported {
    Export::Markdown.of(run, &Wish { charts: Some("report-charts".to_owned()), ..Wish::default() })
}

fn text(made: &Exported) -> &str {
    made.main.as_deref().expect("a report is a file")
}

#[test]
fn the_report_of_a_typical_run() {
    insta::assert_snapshot!(text(&report(&typical())));
}

#[test]
fn the_head_of_a_run_in_which_much_went_wrong_says_so() {
    let made = report(&troubled());
    let head = text(&made).split("## Results").next().expect("there is a head");
    insta::assert_snapshot!(head);
}

#[test]
fn the_answer_comes_before_everything_else_and_the_product_right_after() {
    let made = report(&typical());
    let mut lines = text(&made).lines().filter(|line| !line.is_empty());
    assert_eq!(lines.next(), Some("# Product list page"));
    let answer = lines.next().expect("an answer");
    assert!(answer.starts_with("**With page instead of naive: list_page is 7.01× faster at p95"), "{answer}");
    let product = lines.position(|line| line.contains("not mongod's")).expect("the product is told");
    assert!(product < 10, "it stands in the first lines");
}

#[test]
fn what_is_folded_is_closed_again_and_a_comment_of_a_pull_request_holds_it_all() {
    for run in [typical(), troubled()] {
        let made = report(&run);
        let text = text(&made);
        let count = |wanted: &str| text.lines().filter(|line| *line == wanted).count();
        assert!(count("<details>") >= 4);
        assert_eq!(count("<details>"), count("</details>"));
        assert!(text.chars().count() < 65_536, "GitHub takes no longer comments");
    }
}

#[test]
fn every_chart_is_a_drawing_of_its_own_that_the_report_links() {
    let mut run = typical();
    run.scenarios.push(run.scenarios[0].clone());
    run.scenarios[1].name = "chat-conversations".to_owned();
    let made = report(&run);
    assert!(made.beside.len() >= 2, "one at least of each scenario");
    for chart in &made.beside {
        assert!(text(&made).contains(&format!("]({})", chart.path)), "{} is linked", chart.path);
        let drawing = elements(&chart.text);
        assert_eq!(drawing[0].name, "svg");
        assert_eq!(drawing[0].attributes["xmlns"], "http://www.w3.org/2000/svg", "it stands alone");
    }
    let links = text(&made).lines().filter(|line| line.starts_with("![")).count();
    assert_eq!(links, made.beside.len(), "no link leads nowhere");
}

#[test]
fn without_a_place_for_charts_the_report_links_none() {
    let made = Export::Markdown.of(&typical(), &Wish::default());
    assert!(made.beside.is_empty() && !text(&made).contains("!["));
}
