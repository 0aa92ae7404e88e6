//! A limit on the memory of a server that patternbench starts: a control group (cgroup v2) of its own.
//!
//! The limit counts the pages of files that the operating system keeps for the server too, so that data beyond the cache
//! are read from the disk and not from memory. Groups can be made where the system lets us: as root, or below a group that
//! was given to us, as a user's session is by systemd.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where the system shows control groups.
const HIERARCHY: &str = "/sys/fs/cgroup";
/// What joins a group (`$0`) before it becomes the program.
const JOIN: &str = r#"echo $$ > "$0/cgroup.procs" && exec "$@""#;

/// A control group with a limit; it is removed when dropped.
#[derive(Debug)]
pub(super) struct MemoryGroup {
    folder: PathBuf,
}

impl MemoryGroup {
    /// A group that may have so many bytes.
    ///
    /// # Errors
    /// Why the system does not let us.
    pub(super) fn create(bytes: u64) -> Result<Self, String> {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::create_in(Path::new(HIERARCHY), &own, bytes)
    }

    /// The same in a hierarchy; `own` is what the system says of the groups of this process.
    fn create_in(hierarchy: &Path, own: &str, bytes: u64) -> Result<Self, String> {
        if !hierarchy.join("cgroup.controllers").exists() {
            return Err("this system has no unified hierarchy of control groups (cgroup v2)".to_owned());
        }
        let mut why = "the group of this process is not known".to_owned();
        for parent in parents(own) {
            match Self::below(&hierarchy.join(parent.trim_start_matches('/')), bytes) {
                Ok(group) => return Ok(group),
                Err(refused) => why = refused,
            }
        }
        Err(why)
    }

    fn below(parent: &Path, bytes: u64) -> Result<Self, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let enabled = fs::read_to_string(parent.join("cgroup.subtree_control")).unwrap_or_default();
        if !enabled.split_whitespace().any(|controller| controller == "memory") {
            return Err(format!("{} does not pass the control of memory on", parent.display()));
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("patternbench-{}-{number}", std::process::id()));
        let refused = |what: &Path, error: std::io::Error| format!("{}: {error}", what.display());
        fs::create_dir(&folder).map_err(|error| refused(&folder, error))?;
        let group = Self { folder };
        let limit = group.folder.join("memory.max");
        fs::write(&limit, bytes.to_string()).map_err(|error| refused(&limit, error))?;
        // Where there is no swap there is nothing to forbid.
        let _ = fs::write(group.folder.join("memory.swap.max"), "0");
        Ok(group)
    }

    /// The command that joins the group and then becomes this program, under the same process number.
    pub(super) fn join(&self, program: &Command) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", JOIN]).arg(&self.folder).arg(program.get_program()).args(program.get_args());
        command
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // It is empty once its process is gone; one that cannot be removed does nothing.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// The groups below which ours could be, the nearest first: a group with processes in it cannot have groups below it,
/// except for the root.
fn parents(own: &str) -> Vec<&str> {
    let Some(path) = own.lines().find_map(|line| line.strip_prefix("0::")) else { return Vec::new() };
    if path == "/" {
        return vec!["/"];
    }
    let ends = path.char_indices().rev().filter(|(_, c)| *c == '/').map(|(place, _)| place);
    ends.map(|place| if place == 0 { "/" } else { &path[..place] }).collect()
}

/// Why a server cannot be started with a limit on its memory; `None` where it can.
pub fn refuses_memory_limit(bytes: u64) -> Option<String> {
    let why = MemoryGroup::create(bytes).err()?;
    Some(format!(
        "the memory of a server cannot be limited here: {why}; run it as root or in a session whose control group systemd \
         has handed over, or leave --server-memory out"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hierarchy(passed_on: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let group = folder.path().join("user/app");
        fs::create_dir_all(group.join("ours")).expect("it is writable");
        fs::write(folder.path().join("cgroup.controllers"), "cpu memory").expect("it is writable");
        fs::write(group.join("cgroup.subtree_control"), passed_on).expect("it is writable");
        folder
    }

    #[test]
    fn a_group_stands_beside_our_own_with_its_limit() {
        let folder = hierarchy("cpu memory\n");
        let own = "5:memory:/old\n0::/user/app/ours\n";
        let group = MemoryGroup::create_in(folder.path(), own, 512 << 20).expect("memory is passed on");
        assert_eq!(group.folder.parent(), Some(folder.path().join("user/app").as_path()));
        assert_eq!(fs::read_to_string(group.folder.join("memory.max")).expect("it was written"), "536870912");
        let mut program = Command::new("/usr/bin/nice");
        program.args(["-n", "5", "mongod"]);
        let joining = group.join(&program);
        let arguments: Vec<_> = joining.get_args().map(|argument| argument.to_string_lossy().into_owned()).collect();
        assert_eq!(arguments[2..], [&group.folder.to_string_lossy(), "/usr/bin/nice", "-n", "5", "mongod"]);
    }

    #[test]
    fn where_the_system_does_not_let_us_the_reason_is_told() {
        let own = "0::/user/app/ours\n";
        let refused =
            |folder: &Path, own: &str| MemoryGroup::create_in(folder, own, 1 << 30).expect_err("it is refused");
        let empty = tempfile::tempdir().expect("a temporary folder");
        assert!(refused(empty.path(), own).contains("cgroup v2"));
        let closed = hierarchy("cpu\n");
        assert!(refused(closed.path(), own).contains("does not pass the control of memory on"));
        assert!(refused(closed.path(), "").contains("is not known"));
    }

    #[test]
    fn groups_above_ours_are_tried_from_the_nearest_up() {
        assert_eq!(parents("0::/a/b/c\n"), ["/a/b", "/a", "/"]);
        assert_eq!(parents("0::/\n"), ["/"]);
        assert!(parents("4:memory:/x\n").is_empty());
    }

    #[test]
    fn a_program_that_joins_a_group_becomes_the_program() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let group = MemoryGroup { folder: folder.path().to_owned() };
        let mut program = Command::new("/bin/sh");
        program.args(["-c", "echo $$"]);
        let output = group.join(&program).output().expect("there is a shell");
        let joined = fs::read_to_string(folder.path().join("cgroup.procs")).expect("it joined");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), joined.trim(), "the same process");
    }
}
