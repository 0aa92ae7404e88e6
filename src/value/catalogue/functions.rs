//! Functions.

use super::OptionKind::{Any, Body, Count, Date, List, Name, Truth, Word};
use super::{Argument, GeneratorDoc, Group, OptionDoc, optional, required};
use crate::value::date::UNITS;

const fn function(
    name: &'static str,
    form: Argument,
    options: &'static [OptionDoc],
    about: &'static str,
    example: &'static str,
) -> GeneratorDoc {
    GeneratorDoc { name, group: Group::Function, form, options, about, example }
}

/// The functions.
pub const FUNCTIONS: &[GeneratorDoc] = &[
    function(
        "add",
        Argument::List(2, usize::MAX),
        &[],
        "The sum of numbers; or a date and durations (texts such as 10s, or milliseconds).",
        "due: {^add: [^now, 30d]}",
    ),
    function(
        "sub",
        Argument::List(2, 2),
        &[],
        "The first less the second: numbers; a date less a duration; a date less a date (milliseconds).",
        "since: {^sub: [^now, 30d]}",
    ),
    function("mul", Argument::List(2, usize::MAX), &[], "The product of numbers.", "{^mul: [^price, ^amount]}"),
    function(
        "div",
        Argument::List(2, 2),
        &[],
        "The first divided by the second, always with fraction (a Double); ^floor makes it whole.",
        "{^floor: {^div: [^index, 10]}}",
    ),
    function(
        "mod",
        Argument::List(2, 2),
        &[],
        "The remainder of a division, with the sign of the first as in $mod.",
        "categoryId: {^mod: [^index, 20]}",
    ),
    function(
        "floor",
        Argument::One,
        &[],
        "The largest whole number that is not larger.",
        "{^floor: {^div: [^index, 10]}}",
    ),
    function(
        "min",
        Argument::Values,
        &[],
        "The smallest of several values, or of a list; nulls are passed over, null of nothing.",
        "{^min: [^limit, 20]}",
    ),
    function(
        "max",
        Argument::Values,
        &[],
        "The largest of several values, or of a list; nulls are passed over, null of nothing.",
        "{^max: ^page.prices}",
    ),
    function(
        "len",
        Argument::One,
        &[],
        "How many elements a list has, or characters a text; 0 of null.",
        "{^len: ^orders}",
    ),
    function(
        "at",
        Argument::List(2, 2),
        &[],
        "The element of a list at a place from 0, or from the end if negative; null where there is none.",
        "{^at: [^orders, 0]}",
    ),
    function(
        "first",
        Argument::One,
        &[],
        "The first element of a list; null where there is none.",
        "{^first: ^orders}",
    ),
    function(
        "sum",
        Argument::Values,
        &[],
        "The sum of several numbers, or of a list; nulls are passed over. A path through a list drops duplicates, so sum a ^map, not ^orders.total.",
        "{^sum: {^map: {in: ^orders, to: ^it.total}}}",
    ),
    function(
        "map",
        Argument::Options,
        &[
            required("in", List, "the list; null counts as empty"),
            required("to", Body, "what each element becomes; ^it is the element"),
        ],
        "A list with each element changed; nothing is dropped.",
        "{^map: {in: ^orders, to: {id: ^it._id, city: ^it.customer.city}}}",
    ),
    function(
        "filter",
        Argument::Options,
        &[
            required("in", List, "the list; null counts as empty"),
            required("where", Body, "the condition; ^it is the element"),
        ],
        "The elements of a list for which a condition holds.",
        "{^filter: {in: ^orders, where: {^eq: [^it.status, paid]}}}",
    ),
    function(
        "join",
        Argument::Options,
        &[
            required("left", List, "the list whose elements are kept, in their order"),
            required("right", List, "the list of what is looked up"),
            optional("on", Name, "the path of the key, where it is the same on both sides"),
            optional(
                "leftKey",
                Name,
                "the path of the key in the left elements; a list there matches each of its values",
            ),
            optional("rightKey", Name, "the path of the key in the right elements (default _id)"),
            optional(
                "as",
                Name,
                "the field that takes the match; without it the match's fields are added, those of the left element standing",
            ),
            optional("many", Truth, "whether all matches are taken, as a list (needs `as`; default false: the first)"),
            optional("fields", List, "only these fields of the right elements (default all)"),
            optional(
                "unmatched",
                Word(&["keep", "drop"]),
                "what becomes of left elements without match (default keep, as they are)",
            ),
        ],
        "Joins two lists by key, as an application does after two finds.",
        "{^join: {left: ^orders, right: ^customers, leftKey: customerId, as: customer, fields: [name, city]}}",
    ),
    function(
        "range",
        Argument::One,
        &[],
        "The whole numbers from 0 up to a number, which is left out: so many elements to make others from.",
        "days: {^map: {in: {^range: 90}, to: {^add: [{^date: 2025-01-01}, {^mul: [^it, 1d]}]}}}",
    ),
    function(
        "object",
        Argument::One,
        &[],
        "A document of the pairs of a list, [key, value] or {k: key, v: value}, in their order: field names that are calculated. Null of null.",
        "filter: {^object: [[^name, 5]]}",
    ),
    function(
        "concat",
        Argument::List(1, usize::MAX),
        &[],
        "Texts one after the other, or lists; null where one of them is null.",
        "{^concat: [\"^^\", {^escapeRegex: ^name}]}",
    ),
    function(
        "split",
        Argument::List(2, 2),
        &[],
        "The parts of a text between a separator.",
        "{^split: [^name, \" \"]}",
    ),
    function("lower", Argument::One, &[], "A text in lower case.", "nameLower: {^lower: ^name}"),
    function(
        "escapeRegex",
        Argument::One,
        &[],
        "A text with a backslash before all that means something in a regular expression.",
        "{$regex: {^concat: [\"^^\", {^escapeRegex: ^name}, $]}}",
    ),
    function(
        "dateTrunc",
        Argument::Options,
        &[
            required("date", Date, "the date"),
            required("unit", Word(UNITS), "the unit; weeks begin on Sunday"),
            optional("size", Count, "so many units together, counted from 2000-01-01 (default 1)"),
        ],
        "The start of the hour, day, quarter … in which a date lies, in UTC, as $dateTrunc has it.",
        "hour: {^dateTrunc: {date: ^reading.at, unit: hour}}",
    ),
    function(
        "eq",
        Argument::List(2, 2),
        &[],
        "Whether two values are the same; numbers by value.",
        "{^eq: [^it.status, paid]}",
    ),
    function(
        "lt",
        Argument::List(2, 2),
        &[],
        "Whether the first is less: numbers, texts, dates, booleans, ObjectIds.",
        "{^lt: [^book.count, 1000]}",
    ),
    function(
        "and",
        Argument::List(1, usize::MAX),
        &[],
        "Whether all hold; all but false, null and 0 hold.",
        "{^and: [^a, ^b]}",
    ),
    function(
        "or",
        Argument::List(1, usize::MAX),
        &[],
        "Whether one holds; all but false, null and 0 hold.",
        "{^or: [^a, ^b]}",
    ),
    function(
        "not",
        Argument::One,
        &[],
        "Whether it does not hold; all but false, null and 0 hold.",
        "{^not: ^book.hasOverflow}",
    ),
    function(
        "if",
        Argument::Options,
        &[
            required("if", Any, "the condition"),
            required("then", Any, "the value if it holds"),
            required("else", Any, "the value if it does not"),
        ],
        "One of two values; only that one is made.",
        "{^if: {if: {^lt: [^index, 10]}, then: hot, else: cold}}",
    ),
];
