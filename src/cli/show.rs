//! `patternbench show`.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::args::ShowArgs;
use super::exit::{Exit, Failure};
use super::{connect, output, select, trial};
use crate::record::RunRecord;
use crate::run::RunFinish;
use crate::scenario::{self, Commands, Samples, Scenario, Sheet};
use crate::server::RunningServer;

/// Prints a scenario's models side by side, or writes a page for each built-in scenario. With a server, each collection's
/// first document at smoke size and the commands of each operation are shown.
///
/// # Errors
/// Usage, or the server cannot be used; for pages, also where a scenario fails on it, or a file cannot be written.
pub(super) async fn run(args: &ShowArgs) -> Result<Exit, Failure> {
    match (&args.scenario, &args.out) {
        (Some(scenario), _) => one(args, scenario).await,
        (None, Some(folder)) => pages(args, folder).await,
        (None, None) => Err(Failure::usage("a scenario is missing; `patternbench list` shows the built-in ones")),
    }
}

async fn one(args: &ShowArgs, word: &str) -> Result<Exit, Failure> {
    let scenario = Arc::new(select::scenario(word)?);
    let mut sheet = Sheet::new(&scenario, &Samples::new(), &Commands::new());
    if !args.no_server {
        let server = connect::open(&args.server, None).await?;
        let finish = trial::compare(&scenario, &server, connect::consent(&args.server)).await?;
        server.stop().await;
        for error in &finish.errors {
            output::tell(&format!("warning: {error}"));
        }
        sheet = sheet_of(&scenario, &finish.record);
    }
    output::print(&if args.markdown { sheet.markdown() } else { sheet.text(output::style().width) })?;
    Ok(Exit::Done)
}

/// Writes `README.md` with the table of contents, and `pages/NAME.md` for each scenario; nothing where one fails.
async fn pages(args: &ShowArgs, folder: &Path) -> Result<Exit, Failure> {
    let scenarios: Vec<_> =
        scenario::builtin_names().map(|name| select::scenario(name).map(Arc::new)).collect::<Result<_, _>>()?;
    let sheets = if args.no_server {
        scenarios.iter().map(|scenario| Sheet::new(scenario, &Samples::new(), &Commands::new())).collect()
    } else {
        let server = connect::open(&args.server, None).await?;
        let sheets = tried(args, &scenarios, &server).await;
        server.stop().await;
        sheets?
    };
    write(&folder.join("README.md"), &scenario::contents(&sheets))?;
    for sheet in &sheets {
        write(&folder.join("pages").join(format!("{}.md", sheet.name)), &sheet.markdown())?;
    }
    output::tell(&format!("{} pages in {}", sheets.len(), folder.display()));
    Ok(Exit::Done)
}

async fn tried(args: &ShowArgs, scenarios: &[Arc<Scenario>], server: &RunningServer) -> Result<Vec<Sheet>, Failure> {
    let mut sheets = Vec::new();
    for scenario in scenarios {
        let RunFinish { record, errors, .. } = trial::compare(scenario, server, connect::consent(&args.server)).await?;
        if let Some(error) = errors.into_iter().next() {
            return Err(Failure::new(error.exit(), format!("{}: {error}", scenario.name)));
        }
        sheets.push(sheet_of(scenario, &record));
    }
    Ok(sheets)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| Failure::new(Exit::Server, format!("failed to write {}: {error}", path.display())))
}

fn sheet_of(scenario: &Scenario, record: &RunRecord) -> Sheet {
    Sheet::new(scenario, &samples_of(record), &commands_of(record))
}

/// The documents that the trial kept, by model and collection.
fn samples_of(record: &RunRecord) -> Samples {
    let models = record.scenarios.iter().flat_map(|scenario| &scenario.models);
    models
        .flat_map(|model| model.collections.iter().map(|collection| (model.name.clone(), collection)))
        .filter_map(|(model, collection)| {
            let sample = collection.sample.as_object()?.clone();
            let document = bson::Document::try_from(sample).ok()?;
            Some(((model, collection.name.clone()), document))
        })
        .collect()
}

/// The commands that each operation sent the first time, by model and operation; of several workloads, in the first.
fn commands_of(record: &RunRecord) -> Commands {
    let mut commands = Commands::new();
    for model in record.scenarios.iter().flat_map(|scenario| &scenario.models) {
        for (operation, seen) in &model.operations {
            let steps = seen.steps.iter().filter_map(|step| bson::Document::try_from(step.as_object()?.clone()).ok());
            let place = (model.name.clone(), operation.clone());
            let known = commands.entry(place).or_default();
            if known.is_empty() {
                known.extend(steps);
            }
        }
    }
    commands
}
