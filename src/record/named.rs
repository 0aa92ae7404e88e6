//! Names of runs in a results folder: `latest`, `latest~3`, a label, a run's folder; and groups of them.
//!
//! A name costs the heads of the records alone: what says when a run began and how it is called stands before the
//! scenarios, and reading ends there.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::file::RUN_FILE;
use super::types::SCHEMA;

/// The word for the latest run.
const LATEST: &str = "latest";
/// Before how many runs earlier: `latest~3`.
const EARLIER: char = '~';
/// Between the first and the last run of a group.
const RANGE: &str = "..";
/// Before a label that names every run that bears it.
const ALL_OF: &str = "all:";
/// Labels that a message names at most.
const NAMED: usize = 8;

/// What names a run.
#[derive(Debug, Default)]
struct RunHead {
    started_at: String,
    label: Option<String>,
}

/// A run in a results folder.
#[derive(Debug)]
struct NamedRun {
    /// Its record.
    file: PathBuf,
    head: RunHead,
}

/// Why a name means no run.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// The results folder cannot be listed.
    #[error(
        "failed to look for the run `{word}`: {} cannot be listed: {source}; name a run's folder or run.json, or the \
         results folder with --out",
        folder.display()
    )]
    Folder {
        /// What was asked for.
        word: String,
        /// The results folder.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is no such run.
    #[error("there is no run `{word}` in {}: {why}", folder.display())]
    Unknown {
        /// What was asked for.
        word: String,
        /// The results folder.
        folder: PathBuf,
        /// What there is instead.
        why: String,
    },
}

/// The runs of a results folder, from the oldest to the latest. Folders without a record, and records of another layout,
/// are passed over.
fn named_runs(folder: &Path) -> io::Result<Vec<NamedRun>> {
    let mut runs = Vec::new();
    for entry in fs::read_dir(folder)? {
        let file = entry?.path().join(RUN_FILE);
        if let Some(head) = head(&file) {
            runs.push(NamedRun { file, head });
        }
    }
    // Runs of the same moment have their order by their folders' names.
    runs.sort_by(|left, right| (&left.head.started_at, &left.file).cmp(&(&right.head.started_at, &right.file)));
    Ok(runs)
}

/// The records that a word names, from the oldest to the latest; several where it names a group.
///
/// In this order: `latest` and `latest~N` (N runs before the latest); a file or folder that exists; a run's folder in
/// the results folder; a label, which means the latest run that bears it, and `LABEL~N`; `all:LABEL`, every run that
/// bears it; `latest~7..latest~1` or `LABEL~2..LABEL`, all from the one to the other; several names with commas between
/// them.
///
/// # Errors
/// When nothing has that name.
pub fn resolve_runs(word: &str, folder: &Path) -> Result<Vec<PathBuf>, NameError> {
    if !is_latest(word)
        && let Some(file) = existing(Path::new(word)).or_else(|| existing(&folder.join(word)))
    {
        return Ok(vec![file]);
    }
    let runs = named_runs(folder).map_err(|source| NameError::Folder {
        word: word.to_owned(),
        folder: folder.to_owned(),
        source,
    })?;
    let names = Names { runs: &runs };
    names.group(word).map_err(|why| NameError::Unknown { word: word.to_owned(), folder: folder.to_owned(), why })
}

fn is_latest(word: &str) -> bool {
    word == LATEST || word.strip_prefix(LATEST).is_some_and(|rest| rest.starts_with(EARLIER))
}

/// The record at a path that exists.
fn existing(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        let file = path.join(RUN_FILE);
        return file.is_file().then_some(file);
    }
    path.is_file().then(|| path.to_owned())
}

/// The runs that names are looked up among, from the oldest to the latest.
struct Names<'a> {
    runs: &'a [NamedRun],
}

impl Names<'_> {
    fn group(&self, word: &str) -> Result<Vec<PathBuf>, String> {
        if let Some(place) = self.with_label(word).last() {
            return Ok(self.files(&[*place]));
        }
        if let Some(label) = word.strip_prefix(ALL_OF) {
            let places = self.with_label(label);
            return if places.is_empty() { Err(self.no_label(label)) } else { Ok(self.files(&places)) };
        }
        if let Some((from, to)) = word.split_once(RANGE) {
            return self.range(from, to);
        }
        if word.contains(',') {
            let each: Result<Vec<_>, String> = word.split(',').map(|part| self.listed(part.trim())).collect();
            return each.map(|groups| groups.concat());
        }
        Ok(self.files(&[self.one(word)?]))
    }

    /// A name in a list: a run of this folder, or a path.
    fn listed(&self, word: &str) -> Result<Vec<PathBuf>, String> {
        let path = (!is_latest(word)).then(|| existing(Path::new(word)).or_else(|| self.folder(word))).flatten();
        path.map_or_else(|| self.group(word), |file| Ok(vec![file]))
    }

    /// The record of a run by the name of its folder.
    fn folder(&self, word: &str) -> Option<PathBuf> {
        let named = |run: &&NamedRun| run.file.parent().and_then(Path::file_name).is_some_and(|name| name == word);
        self.runs.iter().find(named).map(|run| run.file.clone())
    }

    /// The place of a single run.
    fn one(&self, word: &str) -> Result<usize, String> {
        let (name, earlier) = match word.rsplit_once(EARLIER) {
            Some((name, number)) => match number.parse::<usize>() {
                Ok(earlier) => (name, earlier),
                Err(_) => return Err(format!("after {EARLIER} stands how many runs earlier, as in {LATEST}~3")),
            },
            None => (word, 0),
        };
        let places = self.candidates(name);
        if places.is_empty() {
            return Err(if name == LATEST { "it holds no run".to_owned() } else { self.no_label(name) });
        }
        let place = places.len().checked_sub(earlier + 1).and_then(|place| places.get(place));
        place.copied().ok_or_else(|| match places.len() {
            1 => format!("there is but one: {name}"),
            number => format!("there are {number}, the oldest is {name}{EARLIER}{}", number - 1),
        })
    }

    /// All runs from one to another: of the label, where both ends name the same.
    fn range(&self, from: &str, to: &str) -> Result<Vec<PathBuf>, String> {
        let name = |word: &str| word.rsplit_once(EARLIER).map_or(word, |(name, _)| name).to_owned();
        let (first, last) = (name(from), name(to));
        if first != last {
            return Err(format!("a range runs between two runs of one name, as in {LATEST}~7..{LATEST}~1"));
        }
        let (from, to) = (self.one(from)?, self.one(to)?);
        let (from, to) = (from.min(to), from.max(to));
        let places: Vec<usize> =
            self.candidates(&first).into_iter().filter(|place| (from..=to).contains(place)).collect();
        Ok(self.files(&places))
    }

    /// The places of all runs, or of those that bear a label.
    fn candidates(&self, name: &str) -> Vec<usize> {
        if name == LATEST { (0..self.runs.len()).collect() } else { self.with_label(name) }
    }

    fn with_label(&self, label: &str) -> Vec<usize> {
        let bears = |run: &NamedRun| run.head.label.as_deref() == Some(label);
        self.runs.iter().enumerate().filter(|(_, run)| bears(run)).map(|(place, _)| place).collect()
    }

    fn files(&self, places: &[usize]) -> Vec<PathBuf> {
        places.iter().map(|place| self.runs[*place].file.clone()).collect()
    }

    fn no_label(&self, label: &str) -> String {
        let mut known: Vec<&str> = self.runs.iter().rev().filter_map(|run| run.head.label.as_deref()).collect();
        let mut seen = std::collections::BTreeSet::new();
        known.retain(|label| seen.insert(*label));
        let labels = match known.len() {
            0 => format!("no run bears a label (run --label {label})"),
            some if some > NAMED => format!("the last labels are {} …", known[..NAMED].join(", ")),
            _ => format!("the labels are {}", known.join(", ")),
        };
        format!("neither a file, nor a run's folder, nor a label; {labels}; {LATEST} and {LATEST}~1 always work")
    }
}

/// The head of a record, read up to its scenarios; `None` where there is no record of the layout that is known.
fn head(file: &Path) -> Option<RunHead> {
    let reader = BufReader::new(File::open(file).ok()?);
    let mut found = Found::default();
    // Reading stops at the scenarios with an error of its own; what came before is in `found` then.
    let _ = (Head { found: &mut found }).deserialize(&mut serde_json::Deserializer::from_reader(reader));
    let known = found.schema.as_deref() == Some(SCHEMA) && !found.head.started_at.is_empty();
    known.then_some(found.head)
}

#[derive(Debug, Default)]
struct Found {
    schema: Option<String>,
    head: RunHead,
}

struct Head<'a> {
    found: &'a mut Found,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Field {
    Schema,
    StartedAt,
    Label,
    Scenarios,
    #[serde(other)]
    Other,
}

impl<'de> DeserializeSeed<'de> for Head<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Head<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the record of a run")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Found { schema, head } = self.found;
        while let Some(field) = map.next_key()? {
            match field {
                Field::Schema => *schema = Some(map.next_value()?),
                Field::StartedAt => head.started_at = map.next_value()?,
                Field::Label => head.label = map.next_value()?,
                Field::Scenarios => return Err(A::Error::custom("enough was read")),
                Field::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A results folder with runs of these days of January and labels; what stands in the scenarios is not JSON, so that
    /// whoever reads on finds out.
    fn results(runs: &[(u32, Option<&str>)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (day, label) in runs {
            let run = folder.path().join(format!("202601{day:02}T000000Z-run"));
            fs::create_dir(&run).expect("a fresh folder");
            let label = label.map(|label| format!("\"label\": \"{label}\", ")).unwrap_or_default();
            let text = format!(
                "{{\"schema\": \"{SCHEMA}\", \"tool\": {{\"version\": \"0.1.0\"}}, \"complete\": true, \
                 \"started_at\": \"2026-01-{day:02}T00:00:00.000Z\", {label}\"server\": {{\"host\": [1, {{}}]}}, \
                 \"scenarios\": [ nothing of this is read"
            );
            fs::write(run.join(RUN_FILE), text).expect("written");
        }
        folder
    }

    /// The days of the runs that a word names.
    fn days(word: &str, folder: &Path) -> Result<Vec<u32>, String> {
        let files = resolve_runs(word, folder).map_err(|error| error.to_string())?;
        let day = |file: &PathBuf| {
            let name = file.parent().and_then(Path::file_name).expect("a run's folder").to_string_lossy().into_owned();
            name[6..8].parse().expect("the day")
        };
        Ok(files.iter().map(day).collect())
    }

    #[test]
    fn the_latest_is_the_one_that_began_last_and_others_are_counted_back_from_it() {
        let folder = results(&[(3, None), (1, None), (2, None)]);
        fs::create_dir(folder.path().join("no-run")).expect("a folder");
        fs::write(folder.path().join("notes.txt"), "nothing").expect("written");
        assert_eq!(days("latest", folder.path()), Ok(vec![3]));
        assert_eq!(days("latest~0", folder.path()), Ok(vec![3]));
        assert_eq!(days("latest~2", folder.path()), Ok(vec![1]));
        let far = days("latest~3", folder.path()).expect_err("there are three");
        assert!(far.contains("there are 3, the oldest is latest~2"), "{far}");
        let odd = days("latest~x", folder.path()).expect_err("x is no number");
        assert!(odd.contains("how many runs earlier"), "{odd}");
    }

    #[test]
    fn a_label_is_its_latest_run_and_can_be_counted_back_or_taken_whole() {
        let runs = [(1, Some("main")), (2, Some("index")), (3, Some("main")), (4, None), (5, Some("main"))];
        let folder = results(&runs);
        assert_eq!(days("main", folder.path()), Ok(vec![5]));
        assert_eq!(days("main~1", folder.path()), Ok(vec![3]));
        assert_eq!(days("all:main", folder.path()), Ok(vec![1, 3, 5]));
        assert_eq!(days("main~1..main", folder.path()), Ok(vec![3, 5]));
        assert_eq!(days("latest~3..latest~1", folder.path()), Ok(vec![2, 3, 4]));
        assert_eq!(days("index, latest", folder.path()), Ok(vec![2, 5]));
        let unknown = days("mian", folder.path()).expect_err("no such label");
        assert!(unknown.contains("the labels are main, index"), "{unknown}");
        let mixed = days("main..index", folder.path()).expect_err("two names");
        assert!(mixed.contains("two runs of one name"), "{mixed}");
    }

    #[test]
    fn a_run_is_named_by_its_folder_or_its_file_wherever_it_is() {
        let folder = results(&[(1, Some("x")), (2, None)]);
        let run = folder.path().join("20260101T000000Z-run");
        for word in [run.to_str(), run.join(RUN_FILE).to_str()] {
            assert_eq!(days(word.expect("UTF-8"), Path::new("nowhere")), Ok(vec![1]));
        }
        assert_eq!(days("20260102T000000Z-run", folder.path()), Ok(vec![2]));
        let listed = format!("{},latest", run.display());
        assert_eq!(days(&listed, folder.path()), Ok(vec![1, 2]));
    }

    #[test]
    fn a_label_that_looks_like_a_name_is_taken_at_its_word() {
        let folder = results(&[(1, Some("v1~2")), (2, Some("a,b")), (3, Some("v1..v2")), (4, None)]);
        assert_eq!(days("v1~2", folder.path()), Ok(vec![1]));
        assert_eq!(days("a,b", folder.path()), Ok(vec![2]));
        assert_eq!(days("v1..v2", folder.path()), Ok(vec![3]));
    }

    #[test]
    fn where_there_is_nothing_it_is_said_what_to_do() {
        let empty = results(&[]);
        let nothing = days("latest", empty.path()).expect_err("no run");
        assert!(nothing.contains("it holds no run"), "{nothing}");
        let unlabelled = days("main", results(&[(1, None)]).path()).expect_err("no label");
        assert!(unlabelled.contains("no run bears a label"), "{unlabelled}");
        let absent = days("latest", Path::new("no/such/folder")).expect_err("no folder");
        assert!(absent.contains("--out"), "{absent}");
    }

    #[test]
    fn records_of_another_layout_are_passed_over() {
        let folder = results(&[(1, None)]);
        let run = folder.path().join("20260201T000000Z-run");
        fs::create_dir(&run).expect("a fresh folder");
        fs::write(run.join(RUN_FILE), r#"{"schema": "patternbench.run/9", "started_at": "2026-02-01T00:00:00.000Z"}"#)
            .expect("written");
        assert_eq!(days("latest", folder.path()), Ok(vec![1]));
    }
}
