//! The process of a server that patternbench started.
//!
//! It must not outlive patternbench, however that ends. A normal end, an error and a panic drop [`ServerProcess`], which
//! kills it. For the rest (Ctrl-C without a handler, SIGKILL, `exit`) a *watchdog* stands by: a shell that reads from a
//! pipe whose other end only patternbench holds. When the pipe closes, patternbench is gone, and the watchdog kills the
//! server and deletes its folder. That needs no unsafe code and works on Linux and macOS alike, which the kernel's
//! parent-death signal does not (it also follows the thread that spawned, not the process).
//!
//! The server is killed, not asked to stop: its folder goes with it, so a last checkpoint would be work for nothing. That
//! ends a server that stands still, too.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::memory::MemoryGroup;

/// How many of the log's last lines are quoted when a server dies.
const QUOTED_LINES: usize = 20;
/// How much of the log's end is read for that.
const QUOTED_BYTES: u64 = 16 * 1024;
/// How long a killed process may take to be gone.
const REAP_LIMIT: Duration = Duration::from_secs(10);

/// `$1` is the server's process, `$2` its folder.
const WATCHDOG: &str = r#"
while read -r _; do :; done
kill -KILL "$1" 2>/dev/null
tries=0
while kill -0 "$1" 2>/dev/null && [ "$tries" -lt 50 ]; do tries=$((tries + 1)); sleep 0.1 || sleep 1; done
rm -rf -- "$2"
"#;

/// The folder in which a server lives: its data, its log, whatever else it needs.
#[derive(Debug)]
pub(super) struct ServerFolder(TempDir);

impl ServerFolder {
    /// A fresh folder in the system's folder for temporary files.
    pub(super) fn create() -> io::Result<Self> {
        Ok(Self(tempfile::Builder::new().prefix("patternbench-server-").tempdir()?))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    fn log(&self) -> PathBuf {
        self.path().join("server.log")
    }
}

/// A running server of ours with its folder.
#[derive(Debug)]
pub(super) struct ServerProcess {
    program: PathBuf,
    id: u32,
    state: Mutex<State>,
    /// What limits its memory; it can be removed once the process is gone.
    _group: Option<MemoryGroup>,
    /// Dropped last: the processes are gone by then.
    folder: ServerFolder,
}

#[derive(Debug)]
struct State {
    server: Child,
    /// `None` once the server is gone: from then on its process number may be another's.
    watchdog: Option<Child>,
    ended: Option<Ended>,
    /// Whether we ended it.
    stopped: bool,
}

/// How a server of ours ended before it was stopped.
#[derive(Debug, Clone)]
pub(super) struct Ended {
    /// Exit code or signal, in words.
    pub(super) status: String,
    /// The log's last lines.
    pub(super) log_tail: String,
    /// Where the whole log was kept, if it could be.
    pub(super) log: Option<PathBuf>,
}

impl ServerProcess {
    /// Starts `program` with nothing of our environment but `PATH`, in a control group if it is to have one; both its
    /// outputs go to the log.
    pub(super) fn spawn(
        program: &Path,
        arguments: &[OsString],
        path: Option<&OsStr>,
        folder: ServerFolder,
        group: Option<MemoryGroup>,
    ) -> io::Result<Self> {
        let log = File::create(folder.log())?;
        let mut command = standing_back(program);
        command.args(arguments);
        if let Some(group) = &group {
            command = group.join(&command);
        }
        command
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .env_clear()
            .envs(path.map(|path| ("PATH", path)));
        own_group(&mut command);
        let mut server = command.spawn()?;
        let watchdog = match watch(server.id(), folder.path()) {
            Ok(watchdog) => watchdog,
            Err(error) => {
                kill_and_reap(&mut server);
                return Err(error);
            }
        };
        let state = Mutex::new(State { watchdog: Some(watchdog), server, ended: None, stopped: false });
        let id = lock(&state).server.id();
        Ok(Self { program: program.to_owned(), id, state, _group: group, folder })
    }

    /// The process's number.
    pub(super) fn id(&self) -> u32 {
        self.id
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// `None` while it runs, and when it was stopped. When it has ended by itself, its log is kept outside its folder.
    pub(super) fn ended(&self) -> Option<Ended> {
        let mut state = lock(&self.state);
        if state.ended.is_none()
            && !state.stopped
            && let Ok(Some(status)) = state.server.try_wait()
        {
            state.dismiss_watchdog();
            state.ended = Some(Ended { status: in_words(status), log_tail: self.log_tail(), log: self.keep_log() });
        }
        state.ended.clone()
    }

    /// The log so far.
    pub(super) fn log(&self) -> String {
        std::fs::read(self.folder.log()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// The log's last lines.
    pub(super) fn log_tail(&self) -> String {
        let bytes = read_end(&self.folder.log(), QUOTED_BYTES).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(QUOTED_LINES)..].join("\n")
    }

    /// Kills the process and waits until it is gone.
    pub(super) fn stop(&self) {
        let mut state = lock(&self.state);
        state.stopped = true;
        kill_and_reap(&mut state.server);
        state.dismiss_watchdog();
    }

    /// Kills the process and deletes what its folder holds.
    pub(super) fn stop_and_clear(&self) {
        self.stop();
        // What cannot be deleted now is tried again when the folder is dropped.
        let _ = std::fs::remove_dir_all(self.folder.path());
    }

    /// Makes the process stand still, or go on.
    ///
    /// # Errors
    /// What the system says. A process that has ended is none.
    #[cfg(unix)]
    pub(super) fn stand_still(&self, still: bool) -> io::Result<()> {
        use nix::sys::signal::{Signal, kill};

        let mut state = lock(&self.state);
        // Its number is its own until it was waited for.
        if state.stopped || state.server.try_wait()?.is_some() {
            return Ok(());
        }
        let id = i32::try_from(self.id).map_err(io::Error::other)?;
        let signal = if still { Signal::SIGSTOP } else { Signal::SIGCONT };
        kill(nix::unistd::Pid::from_raw(id), signal).map_err(io::Error::from)
    }

    /// Makes the process stand still, or go on.
    ///
    /// # Errors
    /// Always: this system has no such thing.
    #[cfg(not(unix))]
    pub(super) fn stand_still(&self, _still: bool) -> io::Result<()> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    fn keep_log(&self) -> Option<PathBuf> {
        let name = self.folder.path().file_name()?.to_string_lossy().into_owned();
        let kept = std::env::temp_dir().join(format!("{name}.log"));
        std::fs::copy(self.folder.log(), &kept).ok().map(|_| kept)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.stop();
    }
}

impl State {
    fn dismiss_watchdog(&mut self) {
        if let Some(mut watchdog) = self.watchdog.take() {
            kill_and_reap(&mut watchdog);
        }
    }
}

fn lock(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a server that shares the machine's processors with the load generator stands back behind it, and how far. A server
/// that takes every processor would make the generator late, and its lateness would pass for the models' response time.
const STANDING_BACK: [&str; 3] = ["/usr/bin/nice", "-n", "5"];

/// What makes a server stand back, for the record; `None` where the system has no such program.
pub(super) fn stands_back() -> Option<String> {
    let [nice, option, degree] = STANDING_BACK;
    Path::new(nice).exists().then(|| format!("nice {option} {degree}"))
}

fn standing_back(program: &Path) -> Command {
    let [nice, option, degree] = STANDING_BACK;
    if stands_back().is_none() {
        return Command::new(program);
    }
    // It becomes the server, under the same process number.
    let mut command = Command::new(nice);
    command.args([option, degree]).arg(program);
    command
}

/// Starts the watchdog over a server. It reads from a pipe that closes when this process ends.
fn watch(server: u32, folder: &Path) -> io::Result<Child> {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", WATCHDOG, "patternbench-watchdog"])
        .arg(server.to_string())
        .arg(folder)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .env_clear()
        .env("PATH", "/usr/bin:/bin");
    own_group(&mut command);
    command.spawn()
}

/// Keeps the terminal's Ctrl-C away from the process: patternbench alone decides when a server stops.
#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

fn kill_and_reap(child: &mut Child) {
    // An error says that it has ended already.
    let _ = child.kill();
    let begin = Instant::now();
    while matches!(child.try_wait(), Ok(None)) && begin.elapsed() < REAP_LIMIT {
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(unix)]
fn in_words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => match nix::sys::signal::Signal::try_from(signal) {
            Ok(signal) => format!("signal {signal}"),
            Err(_) => format!("signal {signal}"),
        },
        (None, None) => status.to_string(),
    }
}

#[cfg(not(unix))]
fn in_words(status: ExitStatus) -> String {
    status.to_string()
}

fn read_end(file: &Path, at_most: u64) -> io::Result<Vec<u8>> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = File::open(file)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(at_most)))?;
    let mut bytes = Vec::new();
    file.take(at_most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
