//! Whether this machine is fit to measure.

use std::path::{Path, PathBuf};

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::record::{MIN_FREE_BYTES, free_bytes};
use crate::server::DEFAULT_CACHE_BYTES;

/// Share of the cores that other programs may keep busy.
const QUIET_SHARE: f64 = 0.25;
/// Memory for patternbench itself, beside the server's cache.
const OWN_MEMORY: u64 = 1 << 30;
/// Disk for the data of a scenario at default size, with log and journal.
const DATA_ROOM: u64 = 2 << 30;

/// What was looked at, and what it means for a measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Check {
    /// What.
    pub(super) name: &'static str,
    /// What was seen.
    pub(super) seen: String,
    /// What it means.
    pub(super) finding: Finding,
}

/// What a check means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Finding {
    /// Nothing to worry about.
    Fit,
    /// Figures may suffer; why, and what to do.
    Doubtful(String),
    /// The system does not tell.
    NotTold,
}

/// What the system tells of itself.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Machine {
    /// Cores that may be used.
    pub(super) cores: usize,
    /// Mean number of programs that wanted a core in the last minute.
    pub(super) load: Option<f64>,
    /// How the cores' clock is governed, each way once; empty where the system does not tell.
    pub(super) governors: Vec<String>,
    /// Memory that programs may have.
    pub(super) memory: Option<Memory>,
    /// Folder for temporary files, where a server that patternbench starts keeps its data, and the room there.
    pub(super) temporary: (PathBuf, Option<u64>),
    /// Kind of the file system that the folder for temporary files lies on (`ext4`, `tmpfs` …), on Linux.
    pub(super) temporary_system: Option<String>,
    /// Folder for results, and the room there.
    pub(super) results: (PathBuf, Option<u64>),
}

/// Memory, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Memory {
    /// All of it.
    pub(super) total: u64,
    /// What is free for programs.
    pub(super) free: u64,
}

impl Machine {
    /// Looks at this machine; results will go to `results`, which need not exist.
    pub(super) fn look(results: &Path) -> Self {
        let temporary = std::env::temp_dir();
        Self {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            load: System::load_average().ok().map(|load| load.one),
            governors: governors(Path::new("/sys/devices/system/cpu")),
            memory: memory(),
            temporary: (temporary.clone(), free_bytes(&temporary)),
            temporary_system: file_system(&temporary, &std::fs::read_to_string("/proc/mounts").unwrap_or_default()),
            results: (results.to_owned(), existing(results).and_then(free_bytes)),
        }
    }

    /// The checks, in the order shown.
    pub(super) fn checks(&self) -> Vec<Check> {
        vec![
            self.check_cores(),
            self.check_load(),
            self.check_governor(),
            self.check_memory(),
            self.check_temporary(),
            check_disk("disk, results", &self.results, MIN_FREE_BYTES, "name another folder with --out"),
        ]
    }

    fn check_cores(&self) -> Check {
        let finding = match self.cores {
            0 | 1 => doubtful("server and load generator share one core: latencies hold the other's time"),
            _ => Finding::Fit,
        };
        Check { name: "cores", seen: self.cores.to_string(), finding }
    }

    fn check_load(&self) -> Check {
        let Some(load) = self.load else { return not_told("load") };
        let quiet = load <= QUIET_SHARE * self.cores as f64;
        let finding = if quiet {
            Finding::Fit
        } else {
            doubtful("other programs are at work; measure when they are not, or expect wide intervals")
        };
        Check { name: "load", seen: format!("{load:.2} in the last minute"), finding }
    }

    fn check_governor(&self) -> Check {
        if self.governors.is_empty() {
            return not_told("CPU governor");
        }
        let finding = if self.governors.iter().all(|governor| governor == "performance") {
            Finding::Fit
        } else {
            doubtful("the clock changes with the load; `sudo cpupower frequency-set -g performance` holds it")
        };
        Check { name: "CPU governor", seen: self.governors.join(", "), finding }
    }

    fn check_memory(&self) -> Check {
        let Some(memory) = self.memory else { return not_told("memory") };
        let finding = if memory.free >= DEFAULT_CACHE_BYTES + OWN_MEMORY {
            Finding::Fit
        } else {
            doubtful("a server with 1 GiB of cache may push something out; close what needs memory")
        };
        let seen = format!("{} free of {}", gibibytes(memory.free), gibibytes(memory.total));
        Check { name: "memory", seen, finding }
    }
}

impl Machine {
    fn check_temporary(&self) -> Check {
        let check = check_disk("disk, temporary", &self.temporary, DATA_ROOM, "set TMPDIR to a folder with more room");
        match (self.temporary_system.as_deref(), &check.finding) {
            (Some("tmpfs" | "ramfs"), Finding::Fit) => Check {
                finding: doubtful(
                    "it lies in memory, so no write meets a disk; set TMPDIR=/var/tmp, or another folder",
                ),
                ..check
            },
            _ => check,
        }
    }
}

fn check_disk(name: &'static str, (folder, free): &(PathBuf, Option<u64>), needed: u64, remedy: &str) -> Check {
    let Some(free) = *free else {
        return Check { name, seen: format!("{}: n/a (not told)", folder.display()), finding: Finding::NotTold };
    };
    let finding = if free >= needed {
        Finding::Fit
    } else {
        Finding::Doubtful(format!("{} are needed; {remedy}", gibibytes(needed)))
    };
    Check { name, seen: format!("{}: {} free", folder.display(), gibibytes(free)), finding }
}

fn doubtful(why: &str) -> Finding {
    Finding::Doubtful(why.to_owned())
}

fn not_told(name: &'static str) -> Check {
    Check { name, seen: "n/a (not told by this system)".to_owned(), finding: Finding::NotTold }
}

/// `1.5 GiB`.
pub(super) fn gibibytes(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64)
}

fn memory() -> Option<Memory> {
    let wanted = RefreshKind::nothing().with_memory(MemoryRefreshKind::everything());
    let system = System::new_with_specifics(wanted).ok()?;
    // A container may have less than the machine.
    Some(match system.cgroup_limits() {
        Some(limits) if limits.total_memory > 0 => Memory { total: limits.total_memory, free: limits.free_memory },
        _ => Memory { total: system.total_memory(), free: system.available_memory() },
    })
}

/// The kind of file system that holds a folder: that of the innermost mount above it, the last one where several are
/// mounted on each other.
fn file_system(folder: &Path, mounts: &str) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let mounted = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        // Spaces in a path are written as octal codes; such a mount is passed over.
        Some((Path::new(fields.next()?), fields.next()?))
    });
    let above = mounted.filter(|(point, _)| folder.starts_with(point));
    above.max_by_key(|(point, _)| point.components().count()).map(|(_, kind)| kind.to_owned())
}

/// The folder, or the nearest one above it that exists.
fn existing(folder: &Path) -> Option<&Path> {
    let here = Path::new(".");
    let above = folder.ancestors().map(|folder| if folder.as_os_str().is_empty() { here } else { folder });
    above.into_iter().find(|folder| folder.is_dir())
}

/// The governors of all cores, each once.
fn governors(folder: &Path) -> Vec<String> {
    let cores = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut governors: Vec<String> = cores
        .filter_map(|core| std::fs::read_to_string(core.path().join("cpufreq/scaling_governor")).ok())
        .map(|governor| governor.trim().to_owned())
        .collect();
    governors.sort_unstable();
    governors.dedup();
    governors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit() -> Machine {
        Machine {
            cores: 8,
            load: Some(0.3),
            governors: vec!["performance".to_owned()],
            memory: Some(Memory { total: 16 << 30, free: 8 << 30 }),
            temporary: ("/tmp".into(), Some(50 << 30)),
            temporary_system: Some("ext4".to_owned()),
            results: ("results".into(), Some(50 << 30)),
        }
    }

    fn doubts(machine: &Machine) -> Vec<&'static str> {
        let checks = machine.checks().into_iter();
        checks.filter(|check| matches!(check.finding, Finding::Doubtful(_))).map(|check| check.name).collect()
    }

    #[test]
    fn a_quiet_machine_with_room_is_fit() {
        assert!(fit().checks().iter().all(|check| check.finding == Finding::Fit));
    }

    #[test]
    fn each_shortcoming_is_named() {
        assert_eq!(doubts(&Machine { cores: 1, load: Some(0.0), ..fit() }), ["cores"]);
        assert_eq!(doubts(&Machine { load: Some(2.1), ..fit() }), ["load"]);
        let governors = vec!["performance".to_owned(), "powersave".to_owned()];
        assert_eq!(doubts(&Machine { governors, ..fit() }), ["CPU governor"]);
        let memory = Some(Memory { total: 16 << 30, free: (2 << 30) - 1 });
        assert_eq!(doubts(&Machine { memory, ..fit() }), ["memory"]);
        assert_eq!(doubts(&Machine { temporary: ("/tmp".into(), Some(1 << 30)), ..fit() }), ["disk, temporary"]);
        assert_eq!(doubts(&Machine { temporary_system: Some("tmpfs".to_owned()), ..fit() }), ["disk, temporary"]);
        assert_eq!(doubts(&Machine { results: ("r".into(), Some(1 << 20)), ..fit() }), ["disk, results"]);
    }

    #[test]
    fn what_the_system_does_not_tell_is_neither_fit_nor_doubtful() {
        let silent = Machine { load: None, governors: Vec::new(), temporary: ("/tmp".into(), None), ..fit() };
        assert!(doubts(&silent).is_empty());
        assert_eq!(silent.checks().iter().filter(|check| check.finding == Finding::NotTold).count(), 3);
    }

    #[test]
    fn governors_are_read_from_every_core() {
        let folder = tempfile::tempdir().unwrap();
        for (core, governor) in [("cpu0", "schedutil\n"), ("cpu1", "performance\n"), ("cpu2", "schedutil\n")] {
            let core = folder.path().join(core).join("cpufreq");
            std::fs::create_dir_all(&core).unwrap();
            std::fs::write(core.join("scaling_governor"), governor).unwrap();
        }
        std::fs::create_dir(folder.path().join("power")).unwrap();
        assert_eq!(governors(folder.path()), ["performance", "schedutil"]);
        assert!(governors(Path::new("/nowhere")).is_empty());
    }

    #[test]
    fn the_innermost_mount_decides_what_a_folder_lies_on() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().canonicalize().unwrap();
        let mounts =
            format!("/dev/sda1 / ext4 rw 0 0\ntmpfs {} tmpfs rw 0 0\nproc /proc proc rw 0 0\n", inner.display());
        assert_eq!(file_system(&inner, &mounts).as_deref(), Some("tmpfs"));
        assert_eq!(file_system(Path::new("/"), &mounts).as_deref(), Some("ext4"));
        assert_eq!(file_system(&inner, ""), None);
    }

    #[test]
    fn a_results_folder_that_does_not_exist_yet_has_the_room_of_the_one_above() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(existing(&folder.path().join("a/b")), Some(folder.path()));
        assert_eq!(existing(Path::new("surely/not/there")), Some(Path::new(".")));
    }
}
