//! A sheet as a page of Markdown, as code hosts show it.

use std::fmt::Write;

use super::facts::expectation_words;
use super::layout::{head, shares};
use super::sheet::{CollectionSheet, ModelSheet, OperationSheet, Sheet, StepsSheet, under};
use crate::scenario::types::Expectation;
use crate::words::Role;

impl Sheet {
    /// The page: what the scenario teaches, its models with their documents, what is done and how, what is expected, and
    /// how to run it. The same sheet gives the same page, byte for byte.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n{}\n", self.title, self.summary.trim_end());
        self.shows(&mut text);
        self.mix(&mut text);
        text.push_str("\n## The models\n");
        for (place, model) in self.models.iter().enumerate() {
            model_section(model, &self.models[..place], &mut text);
        }
        text.push_str("\n## The operations\n");
        self.operations.iter().for_each(|operation| self.operation_section(operation, &mut text));
        self.expectations(&mut text);
        self.sizes(&mut text);
        self.commands(&mut text);
        text
    }

    /// The names of the models in the role `pattern`, as a subject.
    fn pattern_names(&self) -> String {
        let patterns = self.models.iter().filter(|model| model.role == Role::Pattern);
        patterns.map(|model| format!("`{}`", model.name)).collect::<Vec<_>>().join(", ")
    }

    fn shows(&self, text: &mut String) {
        text.push('\n');
        for (what, words) in [("Patterns", &self.patterns), ("Anti-patterns", &self.antipatterns), ("Tags", &self.tags)]
        {
            if !words.is_empty() {
                let _ = writeln!(text, "- {what}: {}", words.join(", "));
            }
        }
        for model in &self.models {
            let title = model.title.as_deref().unwrap_or("see below");
            let _ = writeln!(text, "- `{}` ({}): {title}", model.name, model.role);
        }
    }

    fn mix(&self, text: &mut String) {
        text.push_str("\n## The mix\n\n");
        let heads = self.models.iter().map(|model| format!("`{}`", model.name));
        let heads: Vec<String> =
            ["operation".to_owned(), "of the mix".to_owned(), format!("expected of {}", self.pattern_names())]
                .into_iter()
                .chain(heads)
                .collect();
        row(&heads, text);
        row(&vec!["---"; heads.len()], text);
        for operation in &self.operations {
            let growths = operation.models.iter().map(|done| done.growth.clone().unwrap_or_else(|| "–".to_owned()));
            let cells = [format!("`{}`", operation.name), shares(operation), self.expected_of(operation)];
            row(&cells.into_iter().chain(growths).collect::<Vec<_>>(), text);
        }
        text.push_str("\nUnder each model: how the operation's cost grows with the data, as its author says.\n");
    }

    fn expected_of(&self, operation: &OperationSheet) -> String {
        let expected = self.expected.iter().find(|(name, _)| *name == operation.name);
        expected.map_or_else(|| "–".to_owned(), |(_, expectation)| expectation_words(*expectation))
    }

    fn operation_section(&self, operation: &OperationSheet, text: &mut String) {
        let _ = writeln!(text, "\n### {}", operation.name);
        let args: Vec<String> = operation.args.iter().map(|(name, arg)| under(&format!("{name}:"), arg)).collect();
        if !args.is_empty() {
            let _ = write!(text, "\nArguments, drawn anew for each operation:\n\n```yaml\n{}\n```\n", args.join("\n"));
        }
        if let Some(returns) = &operation.returns {
            let _ = write!(text, "\nCompared between the models:\n\n```yaml\n{returns}\n```\n");
        }
        for (model, done) in self.models.iter().zip(&operation.models) {
            steps_section(model, done, text);
        }
    }

    fn expectations(&self, text: &mut String) {
        let _ = writeln!(text, "\n## What is expected of {}\n", self.pattern_names());
        for (operation, expectation) in &self.expected {
            let sentence = match expectation {
                Expectation::Faster => "faster than naive.".to_owned(),
                Expectation::Slower => "slower than naive: the pattern's bill.".to_owned(),
                Expectation::Equal => "no difference.".to_owned(),
                Expectation::Depends => "it depends, as the text above says.".to_owned(),
                between => format!("{}, compared with naive.", expectation_words(*between)),
            };
            let _ = writeln!(text, "- `{operation}`: {sentence}");
        }
        if !self.claims.is_empty() {
            text.push_str("\nWhat sources say, which a run confirms or refutes:\n\n");
            self.claims.iter().for_each(|claim| text.push_str(&format!("- {claim}\n")));
        }
    }

    fn sizes(&self, text: &mut String) {
        if self.parameters.is_empty() {
            return;
        }
        text.push_str("\n## Sizes\n\n");
        row(&["parameter", "default", "smoke", "nightly", ""], text);
        row(&["---", "--:", "--:", "--:", "---"], text);
        for parameter in &self.parameters {
            let name = format!("`{}`", parameter.name);
            row(&[&name, &parameter.default, &parameter.smoke, &parameter.nightly, &parameter.help], text);
        }
        if !self.sweep.is_empty() {
            text.push_str("\nWorth growing:");
            let grown = self.sweep.iter().map(|(name, values)| format!(" `{name}` ({})", values.join(", ")));
            text.push_str(&grown.collect::<Vec<_>>().join(";"));
            text.push_str(".\n");
        }
    }

    fn commands(&self, text: &mut String) {
        let name = &self.name;
        let _ = write!(text, "\n## Run it\n\n```sh\npatternbench run {name}\n");
        let largest = self.sweep.first().and_then(|(parameter, values)| Some((parameter, values.last()?)));
        if let Some((parameter, value)) = largest {
            let _ = writeln!(text, "patternbench run {name} --set {parameter}={value}");
        }
        text.push_str("```\n");
    }
}

fn model_section(model: &ModelSheet, earlier: &[ModelSheet], text: &mut String) {
    let _ = writeln!(text, "\n### {}", head(model));
    if let Some(title) = &model.title {
        let _ = writeln!(text, "\n{title}.");
    }
    for collection in &model.collections {
        let has_same = |other: &&ModelSheet| other.collections.iter().any(|known| is_same(known, collection));
        match earlier.iter().find(has_same) {
            Some(other) => {
                let indexes = indexes(collection);
                let _ = writeln!(text, "\n**`{}`**: documents as in `{}`; {indexes}", collection.name, other.name);
            }
            None => collection_section(collection, text),
        }
    }
}

/// Whether two collections hold the same documents.
fn is_same(one: &CollectionSheet, other: &CollectionSheet) -> bool {
    let CollectionSheet { name, from, pipeline, partitions, options, indexes: _, sample } = one;
    (name, from, pipeline, partitions, options, sample)
        == (&other.name, &other.from, &other.pipeline, &other.partitions, &other.options, &other.sample)
}

fn indexes(collection: &CollectionSheet) -> String {
    let indexes: Vec<String> = collection.indexes.iter().map(|index| format!("`{index}`")).collect();
    match indexes.as_slice() {
        [] => "no index besides `_id`".to_owned(),
        [only] => format!("index {only}"),
        several => format!("indexes {}", several.join(", ")),
    }
}

fn collection_section(collection: &CollectionSheet, text: &mut String) {
    let origin = match (&collection.from, &collection.pipeline) {
        (None, _) => "empty at first",
        (Some(from), None) if *from == collection.name => "as in the dataset",
        (Some(_), None) => "a copy of",
        (Some(_), Some(_)) => "made from",
    };
    let of = collection.from.as_ref().filter(|_| matches!(origin, "a copy of" | "made from"));
    let of = of.map(|from| format!(" `{from}`")).unwrap_or_default();
    let indexes = indexes(collection);
    let partitioned = collection.partitions.iter().map(|partitions| format!(", partitioned {partitions}"));
    let partitioned: String = partitioned.collect();
    let _ = writeln!(text, "\n**`{}`**: {origin}{of}{partitioned}; {indexes}", collection.name);
    if let Some(sample) = &collection.sample {
        let _ = write!(text, "\n```yaml\n{sample}\n```\n");
    }
    if let Some(options) = &collection.options {
        let _ = write!(text, "\nOptions of the collection:\n\n```yaml\n{options}\n```\n");
    }
    if let Some(pipeline) = &collection.pipeline {
        folded("How its documents are made", "yaml", pipeline, text);
    }
}

fn steps_section(model: &ModelSheet, done: &StepsSheet, text: &mut String) {
    let _ = write!(text, "\n**{}**\n\n```yaml\n{}\n```\n", head(model), done.steps);
    if let Some(why) = &done.scan {
        let _ = writeln!(text, "\n{why}.");
    }
    if !done.sent.is_empty() {
        folded("As sent", "js", &done.sent.join("\n"), text);
    }
}

/// Something that the reader may unfold.
fn folded(title: &str, language: &str, body: &str, text: &mut String) {
    let _ = write!(text, "\n<details><summary>{title}</summary>\n\n```{language}\n{body}\n```\n\n</details>\n");
}

fn row(cells: &[impl AsRef<str>], text: &mut String) {
    let cells: Vec<String> = cells.iter().map(|cell| cell.as_ref().replace('|', "\\|")).collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}
