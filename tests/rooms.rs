//! The rooms of the design: an import goes only downwards, and presentation knows records alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up, as in `src/lib.rs`.
const ROOMS: [&str; 20] = [
    "words",
    "units",
    "clock",
    "record",
    "analysis",
    "source",
    "value",
    "scenario",
    "server",
    "backend",
    "plan",
    "operation",
    "guard",
    "load",
    "evidence",
    "parity",
    "run",
    "study",
    "report",
    "cli",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of sources").map(|entry| entry.expect("an entry").path());
    let files = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
}

/// The rooms that the code of a room names, comments aside.
fn imports(room: &str) -> BTreeSet<String> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room);
    let files = if place.is_dir() { sources(&place) } else { vec![place.with_extension("rs")] };
    let texts = files.into_iter().map(|file| fs::read_to_string(file).expect("sources are text"));
    let lines: Vec<String> = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines
        .iter()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| rest.chars().take_while(|character| character.is_ascii_lowercase()).collect::<String>())
        .filter(|named| named != room && ROOMS.contains(&named.as_str()))
        .collect()
}

#[test]
fn an_import_goes_only_downwards() {
    for (place, room) in ROOMS.iter().enumerate() {
        for named in imports(room) {
            let below = ROOMS[..place].contains(&named.as_str());
            assert!(below, "{room} imports {named}, which lies above it");
        }
    }
}

#[test]
fn records_and_their_presentation_know_nothing_of_servers() {
    let known = |room: &str, rooms: &[&str]| {
        let strangers: Vec<_> = imports(room).into_iter().filter(|named| !rooms.contains(&named.as_str())).collect();
        assert!(strangers.is_empty(), "{room} imports {strangers:?}");
    };
    known("record", &["words", "units"]);
    known("analysis", &["words", "units", "record"]);
    known("report", &["words", "units", "record", "analysis"]);
}

#[test]
fn every_folder_is_a_room() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders = fs::read_dir(folder).expect("sources").map(|entry| entry.expect("an entry").path());
    for folder in folders.filter(|path| path.is_dir()) {
        let name = folder.file_name().and_then(|name| name.to_str()).expect("a plain name");
        assert!(ROOMS.contains(&name), "{name} is no room");
        let module = fs::read_to_string(folder.join("mod.rs")).expect("a room has a mod.rs");
        let logic = module.lines().find(|line| line.trim_start().starts_with("fn ") || line.contains(" fn "));
        let logic = logic.filter(|line| !line.trim_start().starts_with("//"));
        assert_eq!(logic, None, "mod.rs of {name} holds logic");
    }
}
