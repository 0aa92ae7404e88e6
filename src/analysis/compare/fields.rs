//! Collects the fields that changed.

use serde_json::Value;

use crate::record::EvidenceChange;

/// Means of counts that differ by less are the same: they were added up in another order.
const ROUNDING: f64 = 1e-9;

/// The changes found in one place.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    pub(super) model: &'a str,
    pub(super) operation: Option<&'a str>,
    pub(super) found: Vec<EvidenceChange>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(model: &'a str, operation: Option<&'a str>) -> Self {
        Self { model, operation, found: Vec::new() }
    }

    /// Keeps a field if it changed.
    pub(super) fn field(&mut self, place: &str, what: &str, base: Value, new: Value, worse: Option<bool>) {
        if base != new {
            self.found.push(EvidenceChange {
                model: self.model.to_owned(),
                operation: self.operation.map(str::to_owned),
                place: place.to_owned(),
                what: what.to_owned(),
                base,
                new,
                worse,
            });
        }
    }

    /// A text that is neither better nor worse.
    pub(super) fn text(&mut self, place: &str, what: &str, base: Option<&str>, new: Option<&str>) {
        self.field(place, what, base.into(), new.into(), None);
    }

    /// A number of which more is worse.
    pub(super) fn cost(&mut self, place: &str, what: &str, base: Option<u64>, new: Option<u64>) {
        let worse = base.zip(new).map(|(base, new)| new > base);
        self.field(place, what, base.into(), new.into(), worse);
    }

    /// A number of which more is worse, and fewer may be better or not: without an index no key is examined.
    pub(super) fn effort(&mut self, place: &str, what: &str, base: Option<u64>, new: Option<u64>) {
        let more = base.zip(new).is_some_and(|(base, new)| new > base);
        self.field(place, what, base.into(), new.into(), more.then_some(true));
    }

    /// A number that is neither better nor worse.
    pub(super) fn number(&mut self, place: &str, what: &str, base: Option<u64>, new: Option<u64>) {
        self.field(place, what, base.into(), new.into(), None);
    }

    /// A mean number of which more is worse.
    pub(super) fn mean(&mut self, place: &str, what: &str, base: Option<f64>, new: Option<f64>) {
        if let Some((base, new)) = base.zip(new)
            && (base - new).abs() <= ROUNDING * base.abs().max(new.abs())
        {
            return;
        }
        let worse = base.zip(new).map(|(base, new)| new > base);
        self.field(place, what, base.into(), new.into(), worse);
    }

    /// A number of which more is worse, that comes out a little different each time: told from this share on.
    pub(super) fn about(&mut self, place: &str, what: &str, (base, new): (Option<u64>, Option<u64>), share: f64) {
        if let Some((base, new)) = base.zip(new)
            && base.abs_diff(new) as f64 <= share * base.max(new) as f64
        {
            return;
        }
        self.cost(place, what, base, new);
    }
}
