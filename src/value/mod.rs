//! Templates and generators: constant BSON compiled once, arguments spliced in.
//!
//! A [`Template`] is compiled from a node of a scenario file, in a [`Scope`] that says which names are known there. It
//! renders to a value ([`Template::value`]: filters, pipelines, updates) or to raw bytes ([`Template::document`]:
//! documents to be stored), from what a [`Context`] holds. A [`World`] is the dataset with its sizes known; it makes any
//! row alone.
//!
//! # How values are written
//!
//! * A string that begins with `^` is a **reference**: `^product`, `^page.customerId`.
//! * A map whose only key begins with `^` is a **generator** (it draws a value or counts one off) or a **function** (it
//!   calculates one from others): `{^int: {min: 1, max: 5}}`. A `^` key among several keys is a mistake.
//! * `^^` is a literal `^`, in strings (regular expressions!) and in keys.
//! * One-key Extended JSON is converted: `$date`, `$oid`, `$numberLong`, `$numberInt`, `$numberDouble`,
//!   `$numberDecimal`, `$binary`, `$uuid`.
//! * Everything else is constant. Whole numbers are Int32 if they fit, else Int64; beyond is an error. Numbers with point
//!   or exponent are Double. Dates are strings unless `{^date: …}` makes them dates.
//!
//! A **path** (`^order.customer.name`) follows fields; what is missing is null. A path *through* a list maps over its
//! elements, flattens, keeps order, drops duplicates (numbers that are equal are duplicates whatever their type), and
//! leaves out elements without the field. A path *to* a list gives the list as it is. `^orders.total` is therefore no
//! base for a sum: use `^map`.
//!
//! A **duration** is a text such as `100ms`, `10s`, `5m`, `1.5h`, `30d` where one is expected: in arithmetic, and in
//! options of `^date`. In arithmetic it counts as whole milliseconds.
//!
//! **Truth**: everything holds but false, null and 0, as in MongoDB's `$and` and `$not`.
//!
//! # Randomness
//!
//! A drawn value is a pure function of seed, stream, number (of the row or operation) and the place of its generator: the
//! path of keys that leads to it in the template, from [`Scope::place`] down. Nothing is consumed. So any row or operation
//! can be made again alone, in any order, on any worker; fields can be added and reordered without disturbing others; a
//! larger dataset begins with the rows of a smaller one (where they draw from sets of unchanged size).
//!
//! # References
//!
//! | name | what it is | known |
//! |---|---|---|
//! | `^name` | a parameter, an argument or a binding: one name is only one of them | by scope |
//! | `^index` | number of the row in its set, or of the operation, from 0 | in rows and arguments |
//! | `^position` | place of a child among its siblings, or of an element in its list, from 0 | in rows of `children`, in the bodies of `^array`, `^map`, `^filter` |
//! | `^parent` | the row that a row of `children` belongs to (`^parent._id`); only the field asked for is made | in rows of `children`, and where their number is drawn |
//! | `^now` | the scenario's clock: [`NOW_START`] for rows of the dataset, n milliseconds later for operation n | in rows and arguments |
//! | `^it` | the element at hand; in a step's `select`, `assert` and `until` the step's result | in `^map`, `^filter`, `select`, `assert`, `until` |
//! | `^each` | the element of the nearest `forEach` around, or the value of the partition at hand | in a step or block with `forEach`, in a step with `{partition: all}`; in `key` and `name` of an index with `forEach` |
//!
//! # Generators
//!
//! They stand in rows of the dataset and in arguments. Options may be values that are filled in (`max: ^size`), except for
//! names of sets, classes and fields and for closed words.
//!
//! ## Existing rows
//!
//! * `^key`: the `_id` of a row of the set `of` (short form: `{^key: products}`). Uniform; with `zipf` (the exponent) by
//!   Zipf's law, rank r in proportion to 1 / r^exponent. Ranks are dealt to rows by a keyed permutation of the set: hot rows
//!   are no neighbours, and the same ones in every stream. With `class` only rows of that class of
//!   `children: {count: {classes: …}}` (`of` is the parents' set, or the children's: then the class decides the parent, and
//!   a child of it is drawn uniformly). `at` takes the row of that number instead, beyond the last again from the first.
//! * `^row`: the same, but the whole row, so that its fields agree: as an argument `p: {^row: purchases}`, then `^p.bookId`.
//! * `^pairs`: the pair of keys of the sets `left` and `right` that belongs to `^index`: `{left, right}`, or with `take`
//!   one side of it (two fields take the two sides of one pair). All left × right pairs come once each, in scattered order,
//!   before any comes again; a dataset that would repeat one is refused. `after` begins behind the pairs that the rows of
//!   another set have taken, so that operations get new ones.
//!
//! ## Scalars
//!
//! * `^int`: whole number from `min` to `max`, both included; with `zipf` by Zipf's law, `min` the most frequent.
//! * `^double`: from `min` (default 0) up to `max` (default 1, left out), perhaps rounded to `decimals`. `^double` alone too.
//! * `^decimal`: Decimal128 from `min` to `max`, both included, with `scale` digits after the point (default 2).
//! * `^bool`: true with probability `share` (default 0.5). `^bool` alone too.
//! * `^choose`: one element of the list `of` (short form: the list), uniform, or by `weights`, or by `zipf` (the first the
//!   most frequent). Only the chosen element is made.
//! * `^words`: `count` English words (short form: `{^words: 3}`). `^text`: filler of exactly `bytes` bytes (short form too):
//!   sentences of words in the frequencies of English, which zlib compresses about 2.5 to 1.
//! * `^format`: a `text` (short form too) with `{name}` or `{name.path}` filled in, `{name:06}` filled up with zeros, `{{` and `}}`
//!   for braces. `values` are names for this text alone. Texts, numbers, booleans, dates (RFC 3339), ObjectIds and UUIDs can be filled
//!   in. It is a function: it stands anywhere.
//! * `^date`, one of: a `value` (short form; a text, or milliseconds since 1970; of the constant kind it stands anywhere) ·
//!   `from` and `to` (left out): drawn · `start` and `every`: the date of number `^index`, or of `by`; plus a drawn part of
//!   `jitter` · `before_now` or `after_now`: drawn within that duration of `^now`.
//! * `^objectId`: grows with the number, differs by place and list element. `^uuid`: version 4.
//!
//! ## Lists and repetition
//!
//! * `^array`: `count` elements, each `of` made anew; `^position` counts them. With `distinct` (true) elements differ (each gets
//!   a hundred tries; too few different ones are an error).
//! * `^repeat`: `of` is made once for every `count` numbers in a row; in it `^index` counts the values.
//!
//! # Functions
//!
//! They stand anywhere. Arithmetic on whole numbers is exact, in 64 bits; beyond is an error, as is division by 0.
//!
//! * `^add`, `^mul` of two or more, `^sub`, `^div`, `^mod` of two: numbers; `^add` and `^sub` also move a date by durations, and
//!   date less date is milliseconds. `^div` is always a Double; `^mod` has the sign of the first. `^floor` makes a whole number.
//! * `^min`, `^max`, `^sum`: of several values, or of one list. Nulls are passed over.
//! * `^len`: elements of a list, characters of a text. `^at`: `[list, place]`, from the end if negative; `^first`. Where there is
//!   no element they give null.
//! * `^map`: the list `in` with each element turned into `to`. `^filter`: the elements of `in` for which `where` holds. Both
//!   know `^it` and `^position`; null counts as an empty list.
//! * `^range`: `{^range: 3}` is `[0, 1, 2]`, a list to make others from with `^map`.
//! * `^object`: see below.
//! * `^join`: see below. `^concat`: texts, or lists, one after the other. `^split`: `[text, separator]`. `^lower`, `^escapeRegex`:
//!   texts. All give null for null.
//! * `^dateTrunc`: the start of the `unit` (second to year, weeks from Sunday, UTC) in which `date` lies, or of the bin of `size`
//!   units, as `$dateTrunc` has it.
//! * `^eq`: sameness; numbers by value, documents in the order of their fields. `^lt`: order of two numbers, texts, dates,
//!   booleans or ObjectIds. `^and`, `^or`, `^not`: truth; later arguments are looked at only if they matter.
//! * `^if`: `if`, `then`, `else`; only the branch that counts is made.
//!
//! ## `^join`
//!
//! An application's own join: the list `left` in its order, each element with its match among `right`.
//!
//! * The keys: `on`, one path for both sides; or `leftKey` and `rightKey` (default `_id`). Numbers match by value. A list as key
//!   matches with each of its elements, in its order. Null and absent keys match nothing.
//! * The match goes into the field `as`; without `as` its fields are added to the left element, whose own fields stand. With
//!   `many` (true) the field holds the list of all matches (perhaps empty), otherwise the first one.
//! * `fields` names the top-level fields of the right elements that are taken (default all). `unmatched`: `keep` left elements
//!   without match as they are (default), or `drop` them.
//!
//! So `{^join: {left: ^orders, right: ^customers, leftKey: customerId, as: customer}}` after
//! `find orders` and `find customers {_id: {$in: ^orders.customerId}}` answers what `$lookup` with `$first` answers.
//!
//! ## `^object`
//!
//! A document whose field names are calculated, from a list of pairs: `[key, value]`, or `{k: key, v: value}` with these two
//! fields alone, as `$arrayToObject` takes them. The fields stand in the order of the list; null gives null.
//!
//! So `filter: {^object: [[^attribute, ^value]]}` asks for a field whose name is drawn, and
//! `{^object: {^map: {in: ^attributes, to: [^it.name, ^it.value]}}}` is a row with the attributes that it happens to have.
//!
//! Errors: a key that is no text or holds a null character, a key that comes twice, a pair of another form. A key that begins
//! with `$` is one too: operators are written out, so that a file says what it asks, and `check` can look at it.
//!
//! # Bounds
//!
//! Templates nest at most 100 levels. A document has at most 16 MiB, a rendering about 64 MiB, a set 10⁹ rows; numbers of
//! children are drawn for at most 2 × 10⁷ parents. Beyond is an error.

mod catalogue;
mod compile;
mod date;
mod draw;
mod encode;
mod error;
mod evaluate;
mod expression;
mod frame;
mod number;
mod operator;
mod parameter;
mod path;
mod permutation;
mod scope;
mod template;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod vocabulary;
mod world;

pub use catalogue::{
    Argument, FUNCTIONS, GENERATORS, GeneratorDoc, Group, OptionDoc, OptionKind, generator_doc, generator_docs,
    is_reserved,
};
pub use date::{NOW_START, parse_duration};
pub use draw::Draw;
pub use error::{RenderError, WorldError};
pub(crate) use number::identity;
pub use number::is_true;
pub use parameter::parse_parameter;
pub use permutation::Permutation;
pub use scope::{Context, Names, Parameters, Scope};
pub use template::Template;
pub use world::{ChildCount, Population, SetSpec, World};
