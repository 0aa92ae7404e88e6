//! The pages of several scenarios as a table of contents, by section.

use std::fmt::Write;

use super::sheet::Sheet;
use crate::words::Role;

/// A part of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Relationships,
    Patterns,
    AntiPatterns,
    WorkedExamples,
}

impl Section {
    const ALL: [Self; 4] = [Self::Relationships, Self::Patterns, Self::AntiPatterns, Self::WorkedExamples];

    const fn title(self) -> &'static str {
        match self {
            Self::Relationships => "Relationships",
            Self::Patterns => "Patterns",
            Self::AntiPatterns => "Anti-patterns and their fixes",
            Self::WorkedExamples => "Worked examples",
        }
    }

    /// Tags say where a scenario stands; one without such a tag shows a pattern.
    fn of(sheet: &Sheet) -> Self {
        let has = |tag: &str| sheet.tags.iter().any(|known| known == tag);
        match () {
            () if has("worked-example") => Self::WorkedExamples,
            () if has("relationships") => Self::Relationships,
            () if has("anti-patterns") => Self::AntiPatterns,
            () => Self::Patterns,
        }
    }
}

/// The table of contents: every scenario in its section, with a link to its page in the folder `pages` and to its file.
pub fn contents(sheets: &[Sheet]) -> String {
    let mut text = "# Scenarios\n\n\
        Each of these files is a benchmark of its own: facts, two or more models of them, and the operations that all of \
        them are driven with. `patternbench run NAME` measures one, `patternbench show NAME` shows its models side by side. \
        The pages are made from the files by `scripts/scenario-pages`.\n"
        .to_owned();
    for section in Section::ALL {
        let mut within = sheets.iter().filter(|sheet| Section::of(sheet) == section).peekable();
        if within.peek().is_none() {
            continue;
        }
        let _ = write!(text, "\n## {}\n\n| scenario | naive | pattern | shows |\n|---|---|---|---|\n", section.title());
        within.for_each(|sheet| line(sheet, &mut text));
    }
    text
}

fn line(sheet: &Sheet, text: &mut String) {
    let name = &sheet.name;
    let of = |role| {
        let models = sheet.models.iter().filter(move |model| model.role == role);
        models.map(|model| model.title.clone().unwrap_or_else(|| model.name.clone())).collect::<Vec<_>>().join("; ")
    };
    let by_antipattern = Section::of(sheet) == Section::AntiPatterns || sheet.patterns.is_empty();
    let shows = if by_antipattern { &sheet.antipatterns } else { &sheet.patterns };
    let cells = [sheet.title.clone(), of(Role::Naive), of(Role::Pattern), shows.join(", ")];
    let [title, naive, pattern, shows] = cells.map(|cell| cell.replace('|', "\\|"));
    let _ =
        writeln!(text, "| **[{title}](pages/{name}.md)**<br>[`{name}`]({name}.yaml) | {naive} | {pattern} | {shows} |");
}
