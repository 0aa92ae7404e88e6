//! Answers reduced to the fields that their operation declares.

use std::collections::BTreeMap;

use super::canonical::Canonical;

/// Declared field paths as a tree.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields {
    /// Whether a path ends here: the whole value counts.
    whole: bool,
    below: BTreeMap<String, Self>,
}

impl Fields {
    /// The tree of these dotted paths; without any, whole answers count.
    pub(super) fn new(paths: &[String]) -> Self {
        let mut root = Self { whole: paths.is_empty(), below: BTreeMap::new() };
        for path in paths {
            let end = path.split('.').fold(&mut root, |node, key| node.below.entry(key.to_owned()).or_default());
            end.whole = true;
        }
        root
    }

    /// The value with its declared fields alone. A path goes through lists: it applies to each element. What is no
    /// document where a document was declared stays, so that it shows as a difference.
    pub(super) fn project(&self, value: &Canonical) -> Canonical {
        match value {
            _ if self.whole => value.clone(),
            Canonical::Map(entries) => Canonical::Map(
                entries
                    .iter()
                    .filter_map(|(key, value)| Some((key.clone(), self.below.get(key)?.project(value))))
                    .collect(),
            ),
            Canonical::List(elements) => {
                Canonical::List(elements.iter().map(|element| self.project(element)).collect())
            }
            other => other.clone(),
        }
    }
}

/// Whether a value holds something at this path, in any element of the lists on the way. Where it goes through what is no
/// document, there is something to compare.
pub(super) fn holds(value: &Canonical, path: &[String]) -> bool {
    match (value, path) {
        (Canonical::Map(entries), [key, below @ ..]) => entries.get(key).is_some_and(|value| holds(value, below)),
        (Canonical::List(elements), [_, ..]) => elements.iter().any(|element| holds(element, path)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, bson};

    use super::*;

    fn projected(paths: &[&str], value: &Bson) -> Canonical {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        Fields::new(&paths).project(&value.into())
    }

    #[test]
    fn a_value_holds_a_path_that_leads_to_something_in_any_element() {
        let order = Canonical::from(&bson!({ "lines": [{ "qty": 1 }, { "sku": null }], "none": [] }));
        let holds = |path: &str| holds(&order, &path.split('.').map(str::to_owned).collect::<Vec<_>>());
        assert!(holds("lines.sku") && holds("lines.qty") && holds("lines") && holds("none"));
        assert!(!holds("lines.x") && !holds("none.x") && !holds("total"));
    }

    #[test]
    fn paths_go_through_lists() {
        let order = bson!({ "_id": 1, "lines": [{ "sku": "a", "qty": 1, "x": 0 }, { "sku": "b", "qty": 2 }], "n": 2 });
        let expected = bson!({ "lines": [{ "sku": "a", "qty": 1 }, { "sku": "b", "qty": 2 }] });
        assert_eq!(projected(&["lines.sku", "lines.qty"], &order), Canonical::from(&expected));
    }

    #[test]
    fn a_field_that_is_absent_stays_absent_and_one_of_another_shape_stays_visible() {
        assert_eq!(projected(&["a", "b.c"], &bson!({ "z": 1 })), Canonical::from(&bson!({})));
        assert_eq!(projected(&["b.c"], &bson!({ "b": 3 })), Canonical::from(&bson!({ "b": 3 })));
        assert_eq!(projected(&["a"], &bson!("x")), Canonical::from(&bson!("x")), "a distinct value has no fields");
    }

    #[test]
    fn a_path_covers_what_lies_below_it_and_no_path_covers_all() {
        let value = bson!({ "a": { "b": 1, "c": 2 }, "d": 3 });
        assert_eq!(projected(&["a"], &value), Canonical::from(&bson!({ "a": { "b": 1, "c": 2 } })));
        assert_eq!(projected(&["a", "a.b"], &value), Canonical::from(&bson!({ "a": { "b": 1, "c": 2 } })));
        assert_eq!(projected(&[], &value), Canonical::from(&value));
    }
}
