//! A history for Apache Otava: a CSV file for each line, operation and model, and the configuration that names them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::named;
use crate::record::{TrendLine, TrendOperation, TrendRecord, TrendRun, TrendScenario, TrendSeries};
use crate::words::{Role, Tracked};

/// The name of Otava's configuration.
pub const OTAVA_CONFIG: &str = "otava.yaml";

/// The columns of the files; Otava follows the last three.
const HEAD: &str = "time,run,label,patternbench,server,speedup,naive_p95_us,p95_us";

/// Files by name: the configuration with a test for each CSV file. Rows are the runs that have all three figures, from
/// the oldest to the newest. File names in the configuration are relative: Otava is run in the folder of the files.
pub fn otava(record: &TrendRecord) -> BTreeMap<String, String> {
    let mut tests = Tests::default();
    for scenario in &record.scenarios {
        let mut lines: Vec<&TrendLine> = scenario.lines.iter().collect();
        // From the oldest on, so that a new line leaves the names of the others as they are.
        lines.sort_by_key(|line| line.runs.first().copied());
        for line in lines {
            for operation in &line.operations {
                for series in operation.series.iter().filter(|series| series.of == Tracked::Speedup) {
                    tests.add(record, scenario, line, operation, series);
                }
            }
        }
    }
    tests.files.insert(OTAVA_CONFIG.to_owned(), tests.config());
    tests.files
}

/// Tests of Otava, each with its file.
#[derive(Default)]
struct Tests {
    files: BTreeMap<String, String>,
    /// Names of tests with their files.
    named: BTreeMap<String, String>,
}

impl Tests {
    fn add(
        &mut self,
        record: &TrendRecord,
        scenario: &TrendScenario,
        line: &TrendLine,
        operation: &TrendOperation,
        speedup: &TrendSeries,
    ) {
        let p95 = |wanted: &dyn Fn(&TrendSeries) -> bool| {
            operation.series.iter().find(|series| series.of == Tracked::P95 && wanted(series))
        };
        let naive = p95(&|series| series.role == Role::Naive);
        let Some((naive, model)) = naive.zip(p95(&|series| series.model == speedup.model)) else { return };
        let rows: Vec<String> = speedup
            .points
            .iter()
            .filter_map(|point| {
                let at = |series: &TrendSeries| series.points.iter().find(|known| known.run == point.run).copied();
                Some(row(&record.runs[point.run], [point.value, at(naive)?.value, at(model)?.value]))
            })
            .collect();
        let scenario = named::scenario(&scenario.name, &scenario.workload).replace('/', ".");
        let server = format!("{}-{}", line.product, line.version);
        let name = self.free(&format!("{scenario}.{}.{}@{server}", operation.operation, speedup.model));
        let file = format!("{}.csv", file_name(&name));
        self.files.insert(file.clone(), format!("{HEAD}\n{}", rows.concat()));
        self.named.insert(name, file);
    }

    /// The name, with a number behind it where another line has it.
    fn free(&self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        names.find(|name| !self.named.contains_key(name)).unwrap_or_else(|| name.to_owned())
    }

    fn config(&self) -> String {
        let mut config = "# Written by `patternbench trend --export otava`. Run Otava in this folder.\n".to_owned();
        config.push_str(if self.named.is_empty() { "tests: {}\n" } else { "tests:\n" });
        for (name, file) in &self.named {
            config.push_str(&format!(
                "  {}:\n    type: csv\n    file: {}\n    time_column: time\n    attributes: [run, label, patternbench, \
                 server]\n    metrics:\n      speedup: {{direction: 1}}\n      naive_p95_us: {{direction: -1}}\n      \
                 p95_us: {{direction: -1}}\n",
                quoted(name),
                quoted(file)
            ));
        }
        config
    }
}

/// As JSON writes it, which YAML reads.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn row(run: &TrendRun, figures: [f64; 3]) -> String {
    let server = format!("{} {}", run.product, run.version);
    let label = run.label.as_deref().unwrap_or_default();
    let texts = [&run.started_at, &run.folder, label, &run.tool_version, &server];
    let cells = texts.into_iter().map(cell).chain(figures.map(|figure| figure.to_string()));
    format!("{}\n", cells.collect::<Vec<_>>().join(","))
}

/// In quotation marks where it needs them; on one line, and no formula to a spreadsheet.
fn cell(text: &str) -> String {
    let text = text.replace(|character: char| character.is_control(), " ");
    let text = if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text };
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

fn file_name(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '@') { c } else { '-' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_others_stay_in_their_cell() {
        assert_eq!(cell("a plain one"), "a plain one");
        assert_eq!(cell("two, \"three\""), "\"two, \"\"three\"\"\"");
        assert_eq!(cell("a\nb"), "a b");
        assert_eq!(cell("=1+1"), "'=1+1");
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let mut tests = Tests::default();
        for _ in 0..2 {
            let name = tests.free("a");
            tests.named.insert(name, String::new());
        }
        assert_eq!(tests.free("a"), "a-3");
    }
}
