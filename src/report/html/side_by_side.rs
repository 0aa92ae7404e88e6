//! The page of several runs beside each other.

use maud::{Markup, html as markup};

use super::compare::document;
use super::table;
use crate::record::RunRecord;
use crate::report::view::{RowBeside, RunColumn, ScenarioBeside, SideBySide};

/// Several runs beside each other as an HTML document, made from their records alone: one column group per run.
pub fn side_by_side_html(runs: &[RunRecord]) -> String {
    let view = SideBySide::of(runs);
    document("patternbench report: runs side by side", &body(&view))
}

fn body(view: &SideBySide) -> Markup {
    markup! {
        header {
            p.kicker { "patternbench report" }
            h1 { "Runs side by side" }
            dl.facts {
                @for run in &view.runs { div { dt { (run.letter) " · " (run.name) } dd { (run.facts) } } }
            }
            @for stamp in &view.stamps { p.stamp.warning role="note" { (stamp) } }
            (differences(view))
            @if view.scenarios.len() > 1 {
                nav aria-label="Scenarios" {
                    ol {
                        @for (place, part) in view.scenarios.iter().enumerate() {
                            li { a href=(format!("#s{}", place + 1)) { (part.heading) } }
                        }
                    }
                }
            }
        }
        main {
            @for (place, part) in view.scenarios.iter().enumerate() { (section(view, part, place + 1)) }
            section {
                h2 { "How to read this" }
                p {
                    "Each run stands for itself: its speed-up is naive p95 ÷ the model's p95, with the 95 % interval over its \
                     own rounds. Nothing is judged between runs here; " code { "patternbench compare" } " does that, of runs \
                     that can be compared."
                }
            }
        }
        footer { p { "Made by patternbench from the runs' run.json alone." } }
    }
}

fn differences(view: &SideBySide) -> Markup {
    if view.differences.is_empty() {
        return markup! { p { "The runs do not differ in server, machine, scenario, parameters or load." } };
    }
    let caption = "What differs between the runs";
    markup! {
        div.scroll tabindex="0" role="group" aria-label=(caption) {
            table {
                caption { (caption) }
                thead {
                    tr {
                        th scope="col" { "what" }
                        @for run in &view.runs { th scope="col" { (run.letter) } }
                    }
                }
                tbody {
                    @for (name, values) in &view.differences {
                        tr { th scope="row" { (name) } @for value in values { td { (value) } } }
                    }
                }
            }
        }
    }
}

fn section(view: &SideBySide, part: &ScenarioBeside, number: usize) -> Markup {
    let anchor = format!("s{number}");
    markup! {
        section.scenario id=(anchor) {
            h2 { (part.heading) span.quiet { " – " (part.title) } }
            ul { @for (letter, answer) in &part.answers { li { strong { (letter) } ": " (answer) } } }
            (figures(&view.runs, part, &anchor))
            (table::notes(&part.notes, &anchor))
        }
    }
}

fn figures(runs: &[RunColumn], part: &ScenarioBeside, anchor: &str) -> Markup {
    let caption = format!("{}: p95, speed-up with its 95 % interval, and verdict in each run", part.heading);
    markup! {
        div.scroll tabindex="0" role="group" aria-label=(caption) {
            table {
                caption { (caption) }
                colgroup { col; col; }
                @for _ in runs { colgroup { col; col; col; } }
                thead {
                    tr {
                        th rowspan="2" scope="col" { "operation" }
                        th rowspan="2" scope="col" { "model" }
                        @for run in runs { th colspan="3" scope="colgroup" { (run.letter) " · " (run.name) } }
                    }
                    tr {
                        @for _ in runs {
                            th.right scope="col" { "p95" }
                            th.right scope="col" { "speed-up" }
                            th scope="col" { "verdict" }
                        }
                    }
                }
                @for group in groups(&part.rows) {
                    tbody.group {
                        @for (place, row) in group.iter().enumerate() { (self::row(row, place, group.len(), anchor)) }
                    }
                }
            }
        }
    }
}

/// Rows of one operation.
fn groups(rows: &[RowBeside]) -> Vec<&[RowBeside]> {
    rows.chunk_by(|_, next| !next.opens_group).collect()
}

fn row(row: &RowBeside, place: usize, of: usize, anchor: &str) -> Markup {
    markup! {
        tr {
            @if place == 0 { th.group-name scope="rowgroup" rowspan=(of) { (row.operation) } }
            th scope="row" { (row.model) }
            @for [p95, speedup, verdict] in &row.cells {
                td.right.(table::class(p95.tone)) { (table::text(p95, anchor)) }
                td.right.(table::class(speedup.tone)) { (table::text(speedup, anchor)) }
                td.(table::class(verdict.tone)) { (table::text(verdict, anchor)) }
            }
        }
    }
}
