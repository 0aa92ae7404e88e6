//! A scenario tried at smoke size: its data loaded, its models' answers compared, nothing measured.

use std::sync::Arc;

use super::exit::Failure;
use crate::guard::Consent;
use crate::plan::{self, RunOptions};
use crate::run::{self, Event, Extent, Interrupt, Listener, RunFinish, RunRequest, Target};
use crate::scenario::Scenario;
use crate::server::RunningServer;
use crate::words::Profile;

/// Hears nothing but warnings.
struct Warnings;

impl Listener for Warnings {
    fn hear(&mut self, event: &Event) {
        if let Event::Warning(text) = event {
            super::output::tell(&format!("warning: {text}"));
        }
    }
}

/// Compares the models' answers, each workload on fresh small data.
///
/// # Errors
/// Usage, where a parameter's value does not fit.
pub(super) async fn compare(
    scenario: &Arc<Scenario>,
    server: &RunningServer,
    consent: Consent,
) -> Result<RunFinish, Failure> {
    let options = RunOptions { profile: Profile::Smoke, ..RunOptions::default() };
    let plans = plan::plan_scenario(scenario, &options).map_err(Failure::usage)?;
    let target = Target::Server { server, consent, ends: false };
    let request = RunRequest { target, plans, options, folder: None, extent: Extent::Answers };
    Ok(run::run(&request, &mut Warnings, Interrupt::new()).await)
}
