//! What options must hold together.

use bson::Bson;

use super::Compiler;
use super::call::Arguments;
use crate::source::{Entry, Span};
use crate::value::catalogue::GeneratorDoc;
use crate::value::expression::Expression;
use crate::value::frame::MAX_DOCUMENT;
use crate::value::number::{as_double, as_whole};
use crate::value::operator::{DateForm, Operator, date_option as date};

fn given(arguments: &Arguments, place: usize) -> Option<&(Expression, Span)> {
    arguments.get(place).and_then(Option::as_ref)
}

fn constant(arguments: &Arguments, place: usize) -> Option<(&Bson, Span)> {
    given(arguments, place).and_then(|(value, span)| Some((value.constant()?, *span)))
}

impl Compiler<'_> {
    /// Checks what single options cannot show; gives the operator with its particulars.
    pub(super) fn checked(
        &mut self,
        operator: Operator,
        doc: &GeneratorDoc,
        entry: &Entry,
        arguments: &Arguments,
    ) -> Option<Operator> {
        match operator {
            Operator::Int | Operator::Double | Operator::Decimal => {
                let ordered = self.ordered(arguments, operator.name());
                let zipf = !matches!(operator, Operator::Int) || self.exponent(arguments, 2);
                let digits =
                    matches!(operator, Operator::Int) || self.at_most(arguments, 2, 15, "digits after the point");
                (ordered && zipf && digits).then_some(operator)
            }
            Operator::Key | Operator::Row => self.exponent(arguments, 1).then_some(operator),
            Operator::Choose => (self.weights(arguments) && self.exponent(arguments, 2)).then_some(operator),
            Operator::Words | Operator::Text => {
                self.at_most(arguments, 0, MAX_DOCUMENT as i64, "bytes in a document").then_some(operator)
            }
            Operator::Array => {
                self.at_most(arguments, 1, MAX_DOCUMENT as i64 / 3, "elements in a document").then_some(operator)
            }
            Operator::Repeat => self.at_least_one(arguments, 1).then_some(operator),
            Operator::DateTrunc => self.at_least_one(arguments, 2).then_some(operator),
            Operator::Join => self.join_options(doc, entry, arguments).then_some(operator),
            Operator::Date(_) => self.date_form(doc, entry, arguments).map(Operator::Date),
            _ => Some(operator),
        }
    }

    fn ordered(&mut self, arguments: &Arguments, name: &str) -> bool {
        let (Some((min, span)), Some((max, _))) = (constant(arguments, 0), constant(arguments, 1)) else { return true };
        let fine = match (as_whole(min), as_whole(max)) {
            (Some(min), Some(max)) => min <= max,
            _ => as_double(min) <= as_double(max),
        };
        if !fine {
            self.problem(span, format!("`min` {min} of `^{name}` is larger than `max` {max}"), None);
        }
        fine
    }

    fn exponent(&mut self, arguments: &Arguments, place: usize) -> bool {
        let Some((value, span)) = constant(arguments, place) else { return true };
        let fine = as_double(value).is_some_and(|exponent| exponent >= 0.0);
        if !fine {
            let help = "0 is uniform; 0.99 is usual for web traffic";
            self.problem(
                span,
                format!("the exponent of Zipf's law must be at least 0, not {value}"),
                Some(help.to_owned()),
            );
        }
        fine
    }

    fn at_most(&mut self, arguments: &Arguments, place: usize, most: i64, what: &str) -> bool {
        let Some((value, span)) = constant(arguments, place) else { return true };
        let fine = as_whole(value).is_some_and(|count| count <= most);
        if !fine {
            self.problem(span, format!("{value} is too much: there are at most {most} {what}"), None);
        }
        fine
    }

    fn at_least_one(&mut self, arguments: &Arguments, place: usize) -> bool {
        let Some((value, span)) = constant(arguments, place) else { return true };
        let fine = as_whole(value).is_some_and(|count| count >= 1);
        if !fine {
            self.problem(span, format!("this must be at least 1, not {value}"), None);
        }
        fine
    }

    fn weights(&mut self, arguments: &Arguments) -> bool {
        if let (Some(_), Some((_, span))) = (given(arguments, 1), given(arguments, 2)) {
            self.problem(*span, "`^choose` goes by `weights` or by `zipf`, not by both", None);
            return false;
        }
        let elements = match given(arguments, 0).map(|(list, _)| list) {
            Some(Expression::List(fields)) => fields.len(),
            Some(Expression::Constant(Bson::Array(list))) => list.len(),
            _ => return true,
        };
        if elements == 0 {
            let span = given(arguments, 0).map_or_else(Span::default, |(_, span)| *span);
            self.problem(span, "there is nothing to choose from: the list is empty", None);
            return false;
        }
        let Some((Bson::Array(weights), span)) = constant(arguments, 1) else { return true };
        let numbers: Vec<f64> = weights.iter().filter_map(as_double).filter(|weight| *weight >= 0.0).collect();
        let fine = weights.len() == elements && numbers.len() == elements && numbers.iter().sum::<f64>() > 0.0;
        if !fine {
            let message =
                format!("`weights` must be {elements} numbers of at least 0, one for each element, and not all 0");
            self.problem(span, message, None);
        }
        fine
    }

    fn join_options(&mut self, doc: &GeneratorDoc, entry: &Entry, arguments: &Arguments) -> bool {
        let [on, left_key, right_key, field, many] = [2, 3, 4, 5, 6].map(|place| given(arguments, place).is_some());
        let message = match () {
            () if on && (left_key || right_key) => "`on` stands for both keys; give it, or `leftKey` and `rightKey`",
            () if !on && !left_key => {
                "`^join` lacks the key: give `on`, or `leftKey` (and `rightKey`, if that is not _id)"
            }
            () if many && !field => "`many` needs `as`: the field that takes the list of matches",
            () => return true,
        };
        self.problem(entry.key_span, message, Some(format!("for example `{}`", doc.example)));
        false
    }

    fn date_form(&mut self, doc: &GeneratorDoc, entry: &Entry, arguments: &Arguments) -> Option<DateForm> {
        let has = |place: usize| given(arguments, place).is_some();
        let named: Vec<usize> = (0..doc.options.len()).filter(|place| has(*place)).collect();
        let form = match &named[..] {
            [date::VALUE] => Some(DateForm::Value),
            [date::FROM, date::TO] => Some(DateForm::Between),
            [date::START, date::EVERY, rest @ ..]
                if rest.iter().all(|place| matches!(*place, date::BY | date::JITTER)) =>
            {
                Some(DateForm::Series)
            }
            [date::BEFORE_NOW] | [date::AFTER_NOW] => Some(DateForm::NearNow),
            _ => None,
        };
        if form.is_none() {
            let help = "`^date` takes a date, or {from, to}, or {start, every} with by and jitter if wanted, or {before_now}, or {after_now}";
            self.problem(entry.key_span, "these options of `^date` do not belong together", Some(help.to_owned()));
            return None;
        }
        if let (Some((from, _)), Some((to, span))) = (constant(arguments, date::FROM), constant(arguments, date::TO))
            && let (Bson::DateTime(from), Bson::DateTime(to)) = (from, to)
            && from >= to
        {
            self.problem(span, "`to` must lie after `from`", None);
            return None;
        }
        form
    }
}
