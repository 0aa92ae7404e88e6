//! `^format`: texts with places to fill in.

use super::{Compiler, Spot, marked};
use crate::source::{Entry, NodeId, NodeKind, Span};
use crate::value::catalogue::GeneratorDoc;
use crate::value::expression::{Call, Expression};
use crate::value::operator::{Operator, Piece};

/// More zeros than any number needs.
const MAX_WIDTH: usize = 64;

/// Values by name, for one text.
type Locals = Vec<(String, Expression)>;

impl Compiler<'_> {
    pub(super) fn format(&mut self, entry: &Entry, doc: &GeneratorDoc, spot: Spot) -> Option<Expression> {
        let (text, values) = match self.arena.kind(entry.value) {
            NodeKind::Map(entries) if !entries.iter().any(|entry| marked(&entry.key).is_some()) => {
                let wrong = entries.iter().find(|entry| !matches!(entry.key.as_str(), "text" | "values"));
                if let Some(wrong) = wrong {
                    let message = format!("`^format` has no option `{}`", wrong.key);
                    self.problem(wrong.key_span, message, Some("its options are text, values".to_owned()));
                    return None;
                }
                (self.arena.get(entry.value, "text"), self.arena.get(entry.value, "values"))
            }
            _ => (Some(entry.value), None),
        };
        let locals = values.map_or(Some(Vec::new()), |values| self.locals(values, spot.child("values")));
        let Some((NodeKind::Str(text), node)) = text.map(|node| (self.arena.kind(node), node)) else {
            let help = format!("the text stands there as it is, for example `{}`", doc.example);
            self.problem(entry.key_span, "`^format` needs a text", Some(help));
            return None;
        };
        self.pieces(text, self.arena.span(node), &locals?, entry, spot)
    }

    fn locals(&mut self, node: NodeId, spot: Spot) -> Option<Locals> {
        let NodeKind::Map(entries) = self.arena.kind(node) else {
            let found = self.arena.kind(node).describe();
            self.problem(self.arena.span(node), format!("`values` of `^format` must be a map, not {found}"), None);
            return None;
        };
        let values: Vec<_> = entries
            .iter()
            .map(|entry| Some((entry.key.clone(), self.value(entry.value, spot.child(&entry.key))?)))
            .collect();
        values.into_iter().collect()
    }

    fn pieces(&mut self, text: &str, span: Span, locals: &Locals, entry: &Entry, spot: Spot) -> Option<Expression> {
        let mut pieces = Vec::new();
        let mut arguments = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(brace) = rest.find(['{', '}']) {
            literal.push_str(&rest[..brace]);
            let (mark, behind) = (&rest[brace..=brace], &rest[brace + 1..]);
            if let Some(behind) = behind.strip_prefix(mark) {
                literal.push_str(mark);
                rest = behind;
                continue;
            }
            let Some((inside, behind)) = behind.split_once('}').filter(|_| mark == "{") else {
                let help = "a place to fill in reads `{name}`; braces themselves are written `{{` and `}}`";
                self.problem(span, "a brace in this text has no counterpart", Some(help.to_owned()));
                return None;
            };
            let (value, width) = self.placeholder(inside, span, locals, spot)?;
            if !literal.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut literal)));
            }
            pieces.push(Piece::Value { argument: arguments.len(), width });
            arguments.push(Some(value));
            rest = behind;
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            pieces.push(Piece::Text(literal));
        }
        let call = Call { operator: Operator::Format(pieces.into()), place: spot.place, arguments: arguments.into() };
        self.folded(call, entry)
    }

    fn placeholder(&mut self, inside: &str, span: Span, locals: &Locals, spot: Spot) -> Option<(Expression, usize)> {
        let (name, width) = inside.split_once(':').map_or((inside, None), |(name, width)| (name, Some(width)));
        let width = match width {
            None => 0,
            Some(width) => match width.strip_prefix('0').and_then(|width| width.parse().ok()) {
                Some(width) if width <= MAX_WIDTH => width,
                _ => {
                    let help = format!("`{{{name}:06}}` fills a number up with zeros to six digits");
                    self.problem(span, format!("`:{width}` in `{{{inside}}}` is no width"), Some(help));
                    return None;
                }
            },
        };
        if let Some((_, value)) = locals.iter().find(|(local, _)| local == name) {
            return Some((value.clone(), width));
        }
        Some((self.reference(name, span, spot)?, width))
    }
}
