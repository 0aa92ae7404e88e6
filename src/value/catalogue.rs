//! The catalogue of generators and functions: what compiling checks against, and what help is printed from.

mod functions;
mod generators;

pub use functions::FUNCTIONS;

/// A generator or function as a person reads of it.
#[derive(Debug, Clone, Copy)]
pub struct GeneratorDoc {
    /// Its name, without the `^`.
    pub name: &'static str,
    /// Generator, function or reference.
    pub group: Group,
    /// What may stand after its name.
    pub form: Argument,
    /// Its options, for the form with a map of options.
    pub options: &'static [OptionDoc],
    /// What it gives, in a sentence or two.
    pub about: &'static str,
    /// It in use, as it stands in a file.
    pub example: &'static str,
}

/// What kind of thing an entry of the catalogue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// A name that is always known where it makes sense (`^index`).
    Reference,
    /// Draws a value or counts one off; stands in rows and arguments only.
    Generator,
    /// Calculates a value from others; stands anywhere.
    Function,
}

/// What may stand after the name of a generator or function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// Nothing: it is written as a plain string (`^objectId`).
    None,
    /// A map of options.
    Options,
    /// A map of options, or one value that stands for the first option.
    OptionsOrFirst,
    /// As [`OptionsOrFirst`](Self::OptionsOrFirst), and it may be written as a plain string.
    AllOptional,
    /// One value.
    One,
    /// One value which is a list, or a list of values.
    Values,
    /// A list of so many values, at least and at most.
    List(usize, usize),
}

/// An option of a generator or function.
#[derive(Debug, Clone, Copy)]
pub struct OptionDoc {
    /// Its key.
    pub name: &'static str,
    /// What it takes.
    pub kind: OptionKind,
    /// Whether it must stand there.
    pub required: bool,
    /// What it does, in a line.
    pub about: &'static str,
}

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// Any value.
    Any,
    /// A value that is made once for each element, where `^position` (and in `^map` and `^filter` also `^it`) is known.
    Body,
    /// A whole number.
    Whole,
    /// A whole number of at least 0.
    Count,
    /// A number.
    Number,
    /// A number of 0 to 1.
    Share,
    /// `true` or `false`.
    Truth,
    /// A date.
    Date,
    /// A duration such as `10s`.
    Duration,
    /// A text.
    Text,
    /// A list.
    List,
    /// A map of values.
    Map,
    /// The name of a set of the dataset, as it stands.
    Set,
    /// A word of a closed list, as it stands.
    Word(&'static [&'static str]),
    /// A name or path, as it stands (no reference).
    Name,
}

impl OptionKind {
    /// What it takes, in words, with its article.
    pub fn describe(self) -> String {
        match self {
            Self::Any | Self::Body => "a value".to_owned(),
            Self::Whole => "a whole number".to_owned(),
            Self::Count => "a whole number of at least 0".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Share => "a number from 0 to 1".to_owned(),
            Self::Truth => "true or false".to_owned(),
            Self::Date => "a date (2025-01-31 or 2025-01-31T10:00:00Z)".to_owned(),
            Self::Duration => "a duration (100ms, 10s, 5m, 1h, 30d)".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::List => "a list".to_owned(),
            Self::Map => "a map".to_owned(),
            Self::Set => "the name of a set of the dataset".to_owned(),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Name => "a field name or path".to_owned(),
        }
    }
}

pub use generators::GENERATORS;

/// The entry of that name, generator or function.
pub fn generator_doc(name: &str) -> Option<&'static GeneratorDoc> {
    generator_docs().find(|doc| doc.name == name)
}

/// All entries: references, generators, functions.
pub fn generator_docs() -> impl Iterator<Item = &'static GeneratorDoc> {
    GENERATORS.iter().chain(FUNCTIONS)
}

/// Whether a parameter, argument or binding must not have this name.
pub fn is_reserved(name: &str) -> bool {
    generator_doc(name).is_some()
}

const fn required(name: &'static str, kind: OptionKind, about: &'static str) -> OptionDoc {
    OptionDoc { name, kind, required: true, about }
}

const fn optional(name: &'static str, kind: OptionKind, about: &'static str) -> OptionDoc {
    OptionDoc { name, kind, required: false, about }
}
