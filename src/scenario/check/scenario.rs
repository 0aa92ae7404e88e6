//! The file as a whole: what must stand there, and how the parts come together.

use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::checker::{Checker, given};
use super::models::Facts;
use super::workloads::Declared;
use crate::scenario::file::ScenarioFile;
use crate::scenario::types::Scenario;
use crate::source::{At, Dict, List, Problem, Problems, Soft, SourceFile, Span};
use crate::units::Bytes;
use crate::words::Isolation;

/// The version of the format that this program reads.
const FORMAT: i64 = 1;

/// Checks a file and compiles it; problems are added to `problems`, and a scenario comes out only where there is none.
pub(in crate::scenario) fn check(file: &SourceFile, problems: &mut Problems) -> Option<Scenario> {
    let root = file.arena.root()?;
    let mut checker = Checker { arena: &file.arena, problems };
    let written = checker.decode::<ScenarioFile>(root)?;
    let name = Path::new(file.text.name()).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    checker.scenario_name(&name);
    let scenario = checker.scenario(&written, name, file);
    scenario.filter(|_| problems.is_empty())
}

impl Checker<'_> {
    fn scenario(&mut self, file: &ScenarioFile, name: String, source: &SourceFile) -> Option<Scenario> {
        let top = self.top();
        self.format(file, top);
        let title = self.line(&file.title, top, "title", "one line for people");
        let summary = self.line(&file.summary, top, "summary", "what is compared and why, in a few sentences");
        let parameters = self.parameters(given(&file.parameters));
        self.required(&file.dataset, top, "dataset", "the facts: `dataset: {products: {count: 1000, document: {…}}}`");
        let no_sets = Dict::default();
        let dataset = self.dataset(given(&file.dataset).unwrap_or(&no_sets), &parameters);
        let workloads = self.workloads(file, top, &parameters, &dataset.names);
        self.required(&file.models, top, "models", "one model in the role `naive`, at least one in the role `pattern`");
        for part in ["dataset", "workload", "workloads"] {
            if let Some(node) = source.arena.root().and_then(|root| source.arena.get(root, part)) {
                self.drawn_classes(node, &dataset);
            }
        }
        let facts =
            Facts { scenario: &name, parameters: &parameters, dataset: &dataset, operations: &workloads.declared };
        let models = given(&file.models).map(|models| self.models(models, self.place_of("models", top), &facts));
        self.eventual_without_actor(file, &workloads.declared);
        let claims = given(&file.claims).map(|claims| self.claims(claims, &parameters, &workloads.declared));
        let expect = given(&file.expect).map(|expect| self.expect(expect, &workloads.declared));
        let sweep = self.sweep(given(&file.sweep), &parameters);
        let cache_bytes = given(&file.cache).and_then(|cache| self.cache(cache));
        Some(Scenario {
            name,
            title: title?,
            summary: summary?,
            patterns: words(&file.patterns),
            antipatterns: words(&file.antipatterns),
            tags: words(&file.tags),
            claims: claims.unwrap_or_default(),
            expect: expect.unwrap_or_default(),
            sweep,
            parameters: parameters.known,
            dataset: dataset.sets,
            models: models?,
            workloads: workloads.workloads,
            isolation: given(&file.isolation).copied().unwrap_or(Isolation::Shared),
            cache_bytes,
            file_sha256: sha256(source.text.text()),
            source: Arc::new(source.text.clone()),
        })
    }

    /// What follows the truth after a delay needs somebody who brings it up to date.
    fn eventual_without_actor(&mut self, file: &ScenarioFile, declared: &[Declared]) {
        let models = given(&file.models).into_iter().flat_map(|models| &models.0);
        let mut has_actor = models.map(|entry| entry.value.0.as_ref().is_none_or(|model| model.background.is_some()));
        if has_actor.any(|has_actor| has_actor) {
            return;
        }
        for place in declared.iter().filter_map(|operation| operation.returns.as_ref()?.eventual) {
            self.report(
                Problem::new(
                    place,
                    "`eventual` fields follow the truth after a delay, but no model has a `background` actor",
                )
                .help("give the model that brings them up to date later an actor, or leave `eventual` out"),
            );
        }
    }

    /// Where what is missing at the top level is told: the first key of the file.
    fn top(&self) -> Span {
        let first = self.arena.root().and_then(|root| self.arena.entries(root).first());
        first.map_or(Span::default(), |entry| entry.key_span)
    }

    fn place_of(&self, key: &str, otherwise: Span) -> Span {
        let entry = self.arena.root().and_then(|root| self.arena.entry(root, key));
        entry.map_or(otherwise, |entry| entry.key_span)
    }

    fn format(&mut self, file: &ScenarioFile, top: Span) {
        self.required(&file.format, top, "format", "the version of the format: `format: 1`");
        if let Some(format) = given(&file.format)
            && format.value != FORMAT
        {
            self.report(
                Problem::new(
                    format.span,
                    format!("format {} is not known to this version of patternbench", format.value),
                )
                .help(format!("this version reads `format: {FORMAT}`")),
            );
        }
    }

    fn required<T>(&mut self, field: &Option<Soft<T>>, top: Span, name: &str, help: &str) {
        if field.is_none() {
            self.missing(top, name, "the scenario", help);
        }
    }

    /// A text that must stand there and say something.
    fn line(&mut self, field: &Option<Soft<At<String>>>, top: Span, name: &str, help: &str) -> Option<String> {
        self.required(field, top, name, help);
        let text = given(field)?;
        if text.value.trim().is_empty() {
            self.report(Problem::new(text.span, format!("`{name}` is empty")).help(help));
        }
        Some(text.value.trim_end().to_owned())
    }

    fn cache(&mut self, text: &At<String>) -> Option<u64> {
        let bytes = text.value.parse::<Bytes>().ok();
        if bytes.is_none() {
            self.report(
                Problem::new(text.span, format!("`{}` is no size", text.value))
                    .help("write a whole number and `KiB`, `MiB` or `GiB`, such as `256MiB`"),
            );
        }
        bytes.map(Bytes::get)
    }
}

fn words(list: &Option<Soft<List<At<String>>>>) -> Vec<String> {
    given(list).into_iter().flat_map(|list| &list.0).map(|word| word.value.clone()).collect()
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_hexadecimal() {
        // SHA-256 of nothing, from FIPS 180-4.
        assert_eq!(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
