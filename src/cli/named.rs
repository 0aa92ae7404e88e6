//! What the arguments of `run` name: what of it can be measured, and what cannot.

use std::sync::Arc;

use super::args::RunArgs;
use super::exit::Failure;
use super::{output, select};
use crate::plan::{self, Plan, RunOptions};
use crate::scenario::{self, Scenario};

const NOTHING_NAMED: &str = "nothing to run was named; try one of

  patternbench list                     what can be measured
  patternbench run product-list-page    two models of a product list page, about a minute
  patternbench new my-models            a scenario of your own to start from";

/// What the arguments name.
#[derive(Debug)]
pub(super) struct Named {
    /// The scenarios that can be measured.
    pub(super) scenarios: Vec<Arc<Scenario>>,
    /// Their plans: one for each workload, in order.
    pub(super) plans: Vec<Plan>,
    /// What cannot be measured, by the word that names it.
    pub(super) broken: Vec<(String, Failure)>,
}

impl Named {
    /// Reads and plans everything that is named. What cannot be read or planned is told at once; where more is named, the
    /// rest can be measured all the same.
    ///
    /// # Errors
    /// Usage: nothing is named, or nothing of it can be measured.
    pub(super) fn by(args: &RunArgs, options: &RunOptions) -> Result<Self, Failure> {
        let words = words(args)?;
        let mut named = Self { scenarios: Vec::new(), plans: Vec::new(), broken: Vec::new() };
        for word in &words {
            match planned(word, options) {
                Ok((scenario, plans)) => {
                    named.scenarios.push(scenario);
                    named.plans.extend(plans);
                }
                Err(failure) => named.broken.push(((*word).to_owned(), failure)),
            }
        }
        if named.scenarios.is_empty()
            && let Some((_, failure)) = named.broken.pop()
        {
            named.tell_broken();
            return Err(failure);
        }
        named.tell_broken();
        Ok(named)
    }

    fn tell_broken(&self) {
        self.broken.iter().for_each(|(_, failure)| output::tell(&format!("error: {}\n", failure.message)));
    }
}

fn words(args: &RunArgs) -> Result<Vec<&str>, Failure> {
    let words: Vec<&str> = match args.all {
        true => scenario::builtin_names().collect(),
        false => args.scenarios.iter().map(String::as_str).collect(),
    };
    if words.is_empty() { Err(Failure::usage(NOTHING_NAMED)) } else { Ok(words) }
}

fn planned(word: &str, options: &RunOptions) -> Result<(Arc<Scenario>, Vec<Plan>), Failure> {
    let scenario = Arc::new(select::scenario(word)?);
    let plans = plan::plan_scenario(&scenario, options).map_err(Failure::usage)?;
    Ok((scenario, plans))
}
