//! `patternbench show`.

use std::sync::Arc;

use super::args::ShowArgs;
use super::exit::{Exit, Failure};
use super::{connect, output, select, trial};
use crate::record::RunRecord;
use crate::scenario::{Samples, Scenario, Sheet};

/// Prints a scenario's models side by side; with a server, each collection's first document at smoke size.
///
/// # Errors
/// Usage, or the server cannot be used.
pub(super) async fn run(args: &ShowArgs) -> Result<Exit, Failure> {
    let scenario = Arc::new(select::scenario(&args.scenario)?);
    let samples = if args.no_server { Samples::new() } else { samples(args, &scenario).await? };
    let sheet = Sheet::new(&scenario, &samples);
    output::print(&if args.markdown { sheet.markdown() } else { sheet.text(output::style().width) })?;
    Ok(Exit::Done)
}

async fn samples(args: &ShowArgs, scenario: &Arc<Scenario>) -> Result<Samples, Failure> {
    let server = connect::open(&args.server, None).await?;
    let finish = trial::compare(scenario, &server, connect::consent(&args.server)).await?;
    server.stop().await;
    for error in &finish.errors {
        output::tell(&format!("warning: {error}"));
    }
    Ok(samples_of(&finish.record))
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
