//! What a window's place in its round, and the model before it, did to latencies.

use super::table::{Cell, Column, Row, Table, Tone};
use crate::record::{OrderEffect, ScenarioRecord};
use crate::report::format;

const COLUMNS: [Column; 4] = [
    Column::left("effect of", "The place in the round, or the model that ran directly before", 9),
    Column::right("windows", "Windows that it is estimated from", 9),
    Column::right("latency", "Latency ÷ what model and round make expect, with its 95 % interval", 9),
    Column::left("so", "Whether the interval holds 1: no effect", 9),
];

/// The effects of order; `None` where none was estimated.
pub(super) fn effects(scenario: &ScenarioRecord) -> Option<Table> {
    let effects = &scenario.analysis.order_effects;
    let rows: Vec<Row> = effects.iter().map(|effect| Row { cells: cells(effect), opens_group: false }).collect();
    let caption = "Effects of order on the p95 of the whole mix, naive and the models compared with it taken \
                   together. Orders are balanced, so what is shown here falls on every model alike; it widens \
                   intervals and shifts no ratio."
        .to_owned();
    (!rows.is_empty()).then(|| Table { caption, columns: COLUMNS.to_vec(), rows })
}

fn cells(effect: &OrderEffect) -> Vec<Cell> {
    let of = match (effect.position, &effect.after) {
        (Some(position), _) => format!("place {}", u64::from(position) + 1),
        (None, Some(model)) => format!("running after {model}"),
        (None, None) => "order".to_owned(),
    };
    let none = effect.low.get() <= 1.0 && effect.high.get() >= 1.0;
    vec![
        Cell::new(of),
        Cell::new(format::count(effect.windows)),
        Cell::new(format::ratio_with_interval(effect.factor, effect.low, effect.high)),
        if none { Cell::new("none shown").toned(Tone::Quiet) } else { Cell::new("an effect").toned(Tone::Open) },
    ]
}
