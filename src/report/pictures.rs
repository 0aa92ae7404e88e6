//! The charts of a scenario as files of their own, for what cannot hold drawings inside.

use super::chart::{Chart, charts};
use crate::record::ScenarioRecord;

/// Ground for surroundings that a file cannot know: those of the HTML report.
const GROUND: &str = "svg{background:#FFFFFF}@media screen and (prefers-color-scheme:dark){svg{background:#14171B}}";

/// A chart as an SVG file.
#[derive(Debug, Clone)]
pub(super) struct Picture {
    /// What tells it from the scenario's other charts, fit for a file name.
    pub(super) name: String,
    /// What it shows.
    pub(super) title: String,
    /// How it is read.
    pub(super) reading: String,
    pub(super) svg: String,
}

/// The charts of a scenario that have something to show, the most telling first.
pub(super) fn pictures(scenario: &ScenarioRecord) -> Vec<Picture> {
    let picture = |chart: Chart| Picture {
        name: chart.name(),
        title: chart.title().to_owned(),
        reading: chart.reading().to_owned(),
        svg: alone(&chart.svg()),
    };
    charts(scenario).into_iter().map(picture).collect()
}

/// The drawing as a document of its own.
fn alone(svg: &str) -> String {
    let grounded = svg.replacen("<style>", &format!("<style>{GROUND}"), 1);
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{grounded}")
}
