//! A record as large as they come: every built-in scenario in twenty rounds under open load.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use patternbench::analysis::analyse;
use patternbench::record::{RunRecord, ScenarioRecord};
use patternbench::words::{Profile, Role};

use crate::known::{Maker, on_naive, on_secantusd, run_of, wobble};

const SCENARIOS: usize = 35;
/// Megabytes of the page.
const LARGEST_PAGE: u64 = 10;
/// Mebibytes that the program may have resident.
#[cfg(target_os = "linux")]
const MOST_MEMORY: u64 = 300;

/// So many of the first models and operations; wide distributions, windows as long as the standard profile's.
fn scenario(models: usize, operations: usize) -> ScenarioRecord {
    let mix = [("list_page", 60.0), ("product", 25.0), ("add_review", 10.0), ("rename_brand", 5.0)];
    let mix = &mix[..operations];
    let mut maker = Maker::new("scenario", mix).effect(wobble).rounds(20, 3_600).light_load(5, 300).open();
    let named = [("naive", Role::Naive, 1.0), ("page", Role::Pattern, 0.2), ("tuned", Role::Alternative, 0.6)];
    for (name, role, factor) in named.into_iter().take(models) {
        let medians: Vec<_> = mix.iter().map(|(name, weight)| (*name, factor * (4_000.0 - 30.0 * weight))).collect();
        maker = maker.model(name, role, &medians);
    }
    maker.truths.values_mut().for_each(|truth| truth.spread = 0.9);
    maker.waiting = |round, model| on_naive(model, 1.5) + wobble(round + 7, model);
    maker.lag = Some(20.0);
    let mut scenario = maker.build();
    analyse(&mut scenario, Profile::Standard);
    scenario
}

/// The catalogue's scenarios have 2.7 models and 3.5 operations on average.
fn record() -> RunRecord {
    let (small, large) = (scenario(2, 3), scenario(3, 4));
    let named = |number: usize| {
        let one = if number.is_multiple_of(4) { &small } else { &large };
        ScenarioRecord { name: format!("scenario-{number:02}"), ..one.clone() }
    };
    on_secantusd(run_of(Profile::Standard, (1..=SCENARIOS).map(named).collect()))
}

/// The folder of the record, which stays, for whoever wants to time the program on it.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("large-record")
}

#[test]
fn its_page_stays_small_and_so_does_the_program_that_makes_it() {
    let folder = folder();
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let text = serde_json::to_vec(&record()).expect("it serialises");
    std::fs::write(folder.join("run.json"), text).expect("the folder can be written to");
    let output = Command::new(env!("CARGO_BIN_EXE_patternbench"))
        .args(["report", "--html"])
        .arg(&folder)
        .stdin(Stdio::null())
        .output()
        .expect("the program was built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::metadata(folder.join("report.html")).expect("there is a page").len();
    assert!(page < LARGEST_PAGE * 1_000_000, "{page} bytes");
    #[cfg(target_os = "linux")]
    {
        let peak = peak_of_children();
        assert!(peak < MOST_MEMORY, "{peak} MiB");
    }
}

/// The most that any child of this process has had resident so far, in MiB.
#[cfg(target_os = "linux")]
fn peak_of_children() -> u64 {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system tells");
    // Linux tells it in KiB.
    u64::try_from(usage.max_rss()).expect("memory is not negative") / 1_024
}
