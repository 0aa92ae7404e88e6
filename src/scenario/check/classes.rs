//! Classes of rows, where values are drawn from one of them.

use super::checker::Checker;
use super::dataset::Dataset;
use crate::source::{NodeId, NodeKind};
use crate::value::{ChildCount, Population};

/// The generators that may draw from a class.
const DRAWING: [&str; 2] = ["^key", "^row"];

impl Checker<'_> {
    /// Checks that every class that is drawn from is declared for its set. Says nothing where a set is broken: its
    /// classes are not known.
    pub(super) fn drawn_classes(&mut self, within: NodeId, dataset: &Dataset) {
        if dataset.sets.len() == dataset.names.len() {
            self.classes_within(within, dataset);
        }
    }

    fn classes_within(&mut self, node: NodeId, dataset: &Dataset) {
        match self.arena.kind(node) {
            NodeKind::Seq(items) => items.iter().for_each(|item| self.classes_within(*item, dataset)),
            NodeKind::Map(entries) => {
                for entry in entries {
                    if DRAWING.contains(&entry.key.as_str()) {
                        self.drawn_class(entry.value, dataset);
                    }
                    self.classes_within(entry.value, dataset);
                }
            }
            _ => {}
        }
    }

    fn drawn_class(&mut self, options: NodeId, dataset: &Dataset) {
        let option = |key| Some((self.arena.get(options, key)?, self.text(self.arena.get(options, key)?)?));
        let (Some((_, set)), Some((place, class))) = (option("of"), option("class")) else { return };
        let known = classes_of(set, dataset);
        if dataset.names.iter().any(|name| name == set) && !known.contains(&class) {
            self.unknown(self.arena.span(place), &format!("class of `{set}`"), class, known);
        }
    }
}

/// Classes belong to the parents; the children of a class are drawn from by the same name.
fn classes_of<'d>(set: &str, dataset: &'d Dataset) -> Vec<&'d str> {
    let mut classes = Vec::new();
    for candidate in &dataset.sets {
        if let Population::Children { of, count: ChildCount::Classes(declared) } = &candidate.population
            && [of.as_str(), candidate.name.as_str()].contains(&set)
        {
            classes.extend(declared.iter().filter_map(|(_, _, name)| name.as_deref()));
        }
    }
    classes
}
