//! The first difference between two answers.

use std::collections::{BTreeMap, BTreeSet};

use super::canonical::Canonical;
use super::rules::{Apart, Rules};

/// A step of a path into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathStep {
    /// A field of a document.
    Key(String),
    /// An element of a list, from 0.
    Index(usize),
}

/// Where two answers differ first, and what stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    /// The item of the left answer, from 0; absent where only the right one has such an item.
    pub(super) left_item: Option<usize>,
    /// The item of the right answer.
    pub(super) right_item: Option<usize>,
    /// The path inside the items.
    pub(super) path: Vec<PathStep>,
    /// What stands there in the left answer, if anything does.
    pub(super) left: Option<Canonical>,
    /// What stands there in the right answer, if anything does.
    pub(super) right: Option<Canonical>,
}

/// What a comparison of two answers comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Comparison {
    /// The first difference that counts.
    pub(super) difference: Option<Difference>,
    /// Differences that are counted apart.
    pub(super) apart: BTreeSet<Apart>,
}

/// Compares the items of two answers, which hold nothing but declared fields.
pub(super) fn compare_items(rules: &Rules, left: &[Canonical], right: &[Canonical]) -> Comparison {
    if rules.count_only {
        let count = |items: &[Canonical]| Some(Canonical::Number((items.len() as i64).into()));
        let difference = (left.len() != right.len()).then(|| Difference {
            left_item: None,
            right_item: None,
            path: Vec::new(),
            left: count(left),
            right: count(right),
        });
        return Comparison { difference, apart: BTreeSet::new() };
    }
    let mut walk = Walk { rules, keys: Vec::new(), apart: BTreeSet::new() };
    let difference = walk.lists(left, right).map(|(left_item, right_item, found)| Difference {
        left_item,
        right_item,
        path: found.path.into_iter().rev().collect(),
        left: found.left,
        right: found.right,
    });
    Comparison { difference, apart: walk.apart }
}

/// A difference on its way up: the path grows from its end.
struct Found {
    path: Vec<PathStep>,
    left: Option<Canonical>,
    right: Option<Canonical>,
}

impl Found {
    fn new(left: Option<&Canonical>, right: Option<&Canonical>) -> Self {
        Self { path: Vec::new(), left: left.cloned(), right: right.cloned() }
    }

    fn below(mut self, step: PathStep) -> Self {
        self.path.push(step);
        self
    }
}

/// A difference in a list, and the elements on either side that it lies in.
type FoundInList = (Option<usize>, Option<usize>, Found);

/// A walk through two values side by side.
struct Walk<'a> {
    rules: &'a Rules,
    /// The fields on the way here; lists do not show in declared paths.
    keys: Vec<&'a str>,
    apart: BTreeSet<Apart>,
}

impl<'a> Walk<'a> {
    fn values(&mut self, left: &'a Canonical, right: &'a Canonical) -> Option<Found> {
        if let Some(kind) = self.rules.apart(&self.keys) {
            if self.normal(left, Soft::Kept) != self.normal(right, Soft::Kept) {
                self.apart.insert(kind);
            }
            return None;
        }
        let same = match (left, right) {
            (Canonical::List(left), Canonical::List(right)) => {
                let (left_element, right_element, found) = self.lists(left, right)?;
                let element = left_element.or(right_element).unwrap_or_default();
                return Some(found.below(PathStep::Index(element)));
            }
            (Canonical::Map(left), Canonical::Map(right)) => return self.maps(left, right),
            (Canonical::Number(left), Canonical::Number(right)) => {
                let tolerance = self.rules.tolerance(&self.keys);
                left == right || tolerance.is_some_and(|tolerance| left.is_near(*right, tolerance))
            }
            _ => left == right,
        };
        (!same).then(|| Found::new(Some(left), Some(right)))
    }

    fn maps(&mut self, left: &'a BTreeMap<String, Canonical>, right: &'a BTreeMap<String, Canonical>) -> Option<Found> {
        let keys: BTreeSet<&str> = left.keys().chain(right.keys()).map(String::as_str).collect();
        let mut keys: Vec<&str> = keys.into_iter().collect();
        keys.sort_by_cached_key(|key| {
            self.keys.push(key);
            let rank = self.rules.rank(&self.keys);
            self.keys.pop();
            rank
        });
        keys.into_iter().find_map(|key| {
            self.keys.push(key);
            let found = self.entries(left.get(key), right.get(key));
            self.keys.pop();
            found.map(|found| found.below(PathStep::Key(key.to_owned())))
        })
    }

    fn entries(&mut self, left: Option<&'a Canonical>, right: Option<&'a Canonical>) -> Option<Found> {
        match (left, right, self.rules.apart(&self.keys)) {
            (Some(left), Some(right), _) => self.values(left, right),
            (_, _, Some(kind)) => {
                self.apart.insert(kind);
                None
            }
            _ => Some(Found::new(left, right)),
        }
    }

    fn lists(&mut self, left: &'a [Canonical], right: &'a [Canonical]) -> Option<FoundInList> {
        if self.rules.order { self.in_order(left, right) } else { self.as_sets(left, right) }
    }

    fn in_order(&mut self, left: &'a [Canonical], right: &'a [Canonical]) -> Option<FoundInList> {
        (0..left.len().max(right.len())).find_map(|index| {
            let found = match (left.get(index), right.get(index)) {
                (Some(left), Some(right)) => self.values(left, right),
                (left, right) => Some(Found::new(left, right)),
            };
            let at = |list: &[Canonical]| (index < list.len()).then_some(index);
            found.map(|found| (at(left), at(right), found))
        })
    }

    /// Pairs equal elements, wherever they stand, and compares what remains with what is most like it.
    fn as_sets(&mut self, left: &'a [Canonical], right: &'a [Canonical]) -> Option<FoundInList> {
        let mut pairing = self.paired(left, right);
        for (left_index, right_index) in pairing.pairs {
            if let Some(found) = self.values(&left[left_index], &right[right_index]) {
                return Some((Some(left_index), Some(right_index), found));
            }
        }
        let Some(left_index) = pairing.left.first().copied() else {
            let right_index = pairing.right.first().copied()?;
            return Some((None, Some(right_index), Found::new(None, Some(&right[right_index]))));
        };
        let alone = &left[left_index];
        pairing.right.sort_by_key(|index| std::cmp::Reverse(likeness(alone, &right[*index])));
        let only_two = pairing.left.len() == 1 && pairing.right.len() == 1;
        let counterpart = pairing.right.first().copied();
        let counterpart = counterpart.filter(|index| only_two || likeness(alone, &right[*index]) > 0);
        let difference = counterpart.and_then(|index| self.values(alone, &right[index]));
        Some(match difference {
            Some(found) => (Some(left_index), counterpart, found),
            None => (Some(left_index), None, Found::new(Some(alone), None)),
        })
    }

    /// Elements that are equal but for what may differ, paired; within tolerance where there is a choice.
    fn paired(&mut self, left: &'a [Canonical], right: &'a [Canonical]) -> Pairing {
        let mut groups: BTreeMap<Canonical, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for (index, element) in left.iter().enumerate() {
            groups.entry(self.normal(element, Soft::LeftOut)).or_default().0.push(index);
        }
        for (index, element) in right.iter().enumerate() {
            groups.entry(self.normal(element, Soft::LeftOut)).or_default().1.push(index);
        }
        let mut pairing = Pairing::default();
        for (mut lefts, mut rights) in groups.into_values() {
            lefts.sort_by_key(|index| &left[*index]);
            rights.sort_by_key(|index| &right[*index]);
            let mut open = Vec::new();
            for left_index in lefts {
                match rights.iter().position(|index| self.is_near(&left[left_index], &right[*index])) {
                    Some(position) => pairing.pairs.push((left_index, rights.remove(position))),
                    None => open.push(left_index),
                }
            }
            let common = open.len().min(rights.len());
            pairing.left.extend(open.split_off(common));
            pairing.right.extend(rights.split_off(common));
            pairing.pairs.extend(open.into_iter().zip(rights));
        }
        pairing.left.sort_unstable();
        pairing.right.sort_unstable();
        pairing
    }

    fn is_near(&mut self, left: &'a Canonical, right: &'a Canonical) -> bool {
        let apart = self.apart.clone();
        let near = self.values(left, right).is_none();
        self.apart = apart;
        near
    }

    /// The value with its lists sorted unless their order counts: equal values have equal ones.
    fn normal(&mut self, value: &'a Canonical, soft: Soft) -> Canonical {
        match value {
            Canonical::Map(entries) => {
                let mut kept = BTreeMap::new();
                for (key, value) in entries {
                    self.keys.push(key);
                    if soft == Soft::Kept || !self.rules.is_soft(&self.keys) {
                        kept.insert(key.clone(), self.normal(value, soft));
                    }
                    self.keys.pop();
                }
                Canonical::Map(kept)
            }
            Canonical::List(elements) => {
                let mut elements: Vec<_> = elements.iter().map(|element| self.normal(element, soft)).collect();
                if !self.rules.order {
                    elements.sort();
                }
                Canonical::List(elements)
            }
            other => other.clone(),
        }
    }
}

/// Whether a normal form holds the fields that may differ without making a mismatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Soft {
    Kept,
    LeftOut,
}

/// Elements of two lists that belong together, and those that are alone.
#[derive(Default)]
struct Pairing {
    pairs: Vec<(usize, usize)>,
    left: Vec<usize>,
    right: Vec<usize>,
}

/// How many fields two values have in common.
fn likeness(left: &Canonical, right: &Canonical) -> usize {
    match (left, right) {
        (Canonical::Map(left), Canonical::Map(right)) => {
            left.iter().filter_map(|(key, value)| Some(likeness(value, right.get(key)?))).sum()
        }
        _ => usize::from(left == right),
    }
}
