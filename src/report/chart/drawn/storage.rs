//! The storage bill as bars from zero.

use super::super::dress::Chart;
use super::super::rows::{Mark, Row, Rows};
use super::super::scale::Scale;
use crate::analysis::Cast;
use crate::record::{ScenarioRecord, StorageRecord};
use crate::report::format;
use crate::report::text::clean;
use crate::report::view::series_of;
use crate::units::Bytes;

/// A part of the bill.
type Part = (&'static str, fn(&StorageRecord) -> Option<Bytes>);

const PARTS: [Part; 3] = [
    ("data, uncompressed", |bill| Some(bill.data_bytes)),
    ("data on disk", |bill| bill.storage_bytes),
    ("indexes", |bill| Some(bill.index_bytes)),
];

/// The chart; `None` where no model's sizes are known.
pub(in super::super) fn storage(scenario: &ScenarioRecord) -> Option<Chart> {
    let cast = Cast::of(&scenario.models);
    let mut rows = Vec::new();
    for (name, of) in PARTS {
        let known = cast.shown().filter_map(|model| Some((model, of(model.storage.as_ref()?)?)));
        for (place, (model, bytes)) in known.enumerate() {
            rows.push(Row {
                heading: (place == 0).then(|| name.to_owned()),
                name: clean(&model.name),
                series: series_of(scenario, &model.name),
                mark: Mark::Bar { to: bytes.get() as f64 },
                value: format::bytes(bytes),
            });
        }
    }
    let mut part = String::new();
    let mut said = Vec::new();
    for row in &rows {
        part = row.heading.clone().unwrap_or(part);
        said.push(format!("{part}, {}: {}", row.name, row.value));
    }
    let most = rows.iter().flat_map(|row| row.mark.values()).fold(0.0, f64::max);
    let rows = Rows { rows, axis_name: "bytes, from zero".to_owned(), band: None };
    let drawing = rows.drawn(|room| Scale::bytes(most, room))?;
    Some(Chart::new(
        "storage",
        format!("Storage by model: {}", scenario.title),
        said.join("; "),
        "Bytes after loading, on a linear axis from zero: shorter costs less to keep.",
        &drawing,
    ))
}
