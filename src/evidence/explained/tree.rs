//! Plans and executions as trees of stages, read from documents of many shapes.

use bson::{Bson, Document};

use crate::evidence::number::number;

/// Keys under which servers put the inputs of a stage, one document or a list of them.
const INPUTS: [&str; 8] =
    ["inputStage", "inputStages", "outerStage", "innerStage", "thenStage", "elseStage", "executionStages", "queryPlan"];

/// A stage and its inputs.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    /// Its name, in the server's spelling.
    pub(super) stage: &'a str,
    pub(super) fields: &'a Document,
    pub(super) inputs: Vec<Node<'a>>,
}

impl<'a> Node<'a> {
    /// The tree below a document; `None` where it names no stage.
    pub(super) fn of(document: &'a Document) -> Option<Self> {
        let inputs = || INPUTS.iter().filter_map(|key| document.get(*key)).flat_map(documents).filter_map(Self::of);
        match document.get_str("stage") {
            // Some versions append the key pattern, and a further stage after a comma.
            Ok(stage) => {
                let stage = stage.split([' ', ',']).next().unwrap_or(stage);
                Some(Self { stage, fields: document, inputs: inputs().collect() })
            }
            Err(_) => inputs().next(),
        }
    }

    /// A number that the stage reports.
    pub(super) fn number(&self, key: &str) -> Option<u64> {
        number(self.fields, key)
    }

    /// The name of the index that the stage uses.
    pub(super) fn index(&self) -> Option<&'a str> {
        match self.stage {
            "IDHACK" => Some("_id_"),
            "CLUSTERED_IXSCAN" | "EXPRESS_CLUSTERED_IXSCAN" => Some("_id (clustered)"),
            _ => self.fields.get_str("indexName").ok(),
        }
    }

    /// The stage and all below it, each before its inputs.
    pub(super) fn all(&self) -> Vec<&Self> {
        let mut found = vec![self];
        found.extend(self.inputs.iter().flat_map(Self::all));
        found
    }

    /// Whether a stage of one of these names is below it, or it is one.
    pub(super) fn has(&self, stages: &[&str]) -> bool {
        self.all().iter().any(|node| stages.contains(&node.stage))
    }

    /// The stages that read the collection.
    pub(super) fn leaves(&self) -> Vec<&Self> {
        self.all().into_iter().filter(|node| node.inputs.is_empty()).collect()
    }
}

/// The documents of a value: itself, or the elements of a list.
fn documents(value: &Bson) -> Vec<&Document> {
    match value {
        Bson::Document(document) => vec![document],
        Bson::Array(values) => values.iter().filter_map(Bson::as_document).collect(),
        _ => Vec::new(),
    }
}
