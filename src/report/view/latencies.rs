//! Response and service time side by side.

use super::facts::{is_measured, operations_shown};
use super::table::{Cell, Column, Row, Table, Tone};
use crate::analysis::{ALL, Cast, Latency};
use crate::record::{ComparisonRecord, ModelRecord, ScenarioRecord, SideRecord};
use crate::report::format;
use crate::units::{Micros, Ratio};
use crate::words::Metric;

const COLUMNS: [Column; 5] = [
    Column::left("operation", "What the application does", 9),
    Column::left("model", "How the data are laid out", 9),
    Column::right("response p95", "Intended start to complete reply", 9),
    Column::right("service p95", "Request sent to complete reply", 9),
    Column::right("response ÷ service", "How much longer users wait than the server works", 9),
];

/// Both p95 of every operation and model; `None` where no response time was measured.
pub(super) fn side_by_side(scenario: &ScenarioRecord) -> Option<Table> {
    if Latency::of(scenario) != Latency::Response {
        return None;
    }
    let cast = Cast::of(&scenario.models);
    let models: Vec<&ModelRecord> = cast.shown().filter(|model| is_measured(scenario, model)).collect();
    let mut rows = Vec::new();
    for operation in operations_shown(scenario) {
        let p95 = scenario.analysis.operations.get(operation).and_then(|metrics| metrics.get(&Metric::P95));
        for (place, model) in models.iter().enumerate() {
            let name = if operation == ALL { "all (whole mix)" } else { operation };
            let mut cells = vec![
                if place == 0 { Cell::new(name).toned(Tone::Strong) } else { Cell::empty() },
                Cell::new(model.name.clone()),
            ];
            cells.extend(figures(p95.and_then(|p95| both(&cast, model, p95))));
            rows.push(Row { cells, opens_group: place == 0 });
        }
    }
    let caption = "Response time counts from the moment at which an operation was due. Service time counts from the \
                   moment at which it was sent: operations that a stall held back do not show in it (coordinated \
                   omission), so it looks better than what users get. n/a: too few operations."
        .to_owned();
    (!rows.is_empty()).then(|| Table { caption, columns: COLUMNS.to_vec(), rows })
}

/// Response and service time of a model.
type Both = (Option<f64>, Option<f64>);

fn both(cast: &Cast<'_>, model: &ModelRecord, p95: &ComparisonRecord) -> Option<Both> {
    let is = |other: Option<&ModelRecord>| other.is_some_and(|other| std::ptr::eq(other, model));
    let naive = |side: &SideRecord| side.naive;
    let pattern = |side: &SideRecord| side.pattern;
    Some(if is(cast.naive) {
        (p95.naive, p95.service.as_ref().and_then(naive))
    } else if is(cast.pattern) {
        (p95.pattern, p95.service.as_ref().and_then(pattern))
    } else {
        let other = p95.others.get(&model.name)?;
        (other.pattern, other.service.as_ref().and_then(pattern))
    })
}

fn figures(both: Option<Both>) -> [Cell; 3] {
    let (response, service) = both.unwrap_or_default();
    let time =
        |micros: Option<f64>| micros.map_or_else(Cell::unknown, |micros| Cell::new(format::time(Micros::new(micros))));
    let factor =
        response.zip(service).map(|(response, service)| response / service).filter(|factor| factor.is_finite());
    let factor = factor.map_or_else(Cell::unknown, |factor| Cell::new(format::ratio(Ratio::new(factor))));
    [time(response), time(service), factor]
}
