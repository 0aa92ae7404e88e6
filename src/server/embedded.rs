//! The embedded server: where its program lies and how it is started.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::process::ServerFolder;

/// The embedded server's version; `scripts/server` builds the same.
pub const EMBEDDED_VERSION: &str = include_str!("../../scripts/server-version").trim_ascii();
/// The program's name.
pub(super) const PROGRAM: &str = "secantusd-rs";

/// The user's folder for caches: `XDG_CACHE_HOME`, else what the system's custom is.
pub(super) fn cache_folder(xdg_cache_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let custom = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    xdg_cache_home
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .or_else(|| home.map(|home| PathBuf::from(home).join(custom)))
}

/// Where `scripts/server` puts everything of the embedded server, given the user's folder for caches.
fn install_folder(cache: &Path) -> PathBuf {
    cache.join("patternbench").join(format!("secantusd-{EMBEDDED_VERSION}"))
}

/// Where `scripts/server` puts the program.
pub(super) fn program(cache: &Path) -> PathBuf {
    install_folder(cache).join("bin").join(PROGRAM)
}

/// How to build it without the script.
pub(super) fn install_command(cache: Option<&Path>) -> String {
    let root = cache.map(|cache| format!(" --root {}", install_folder(cache).display())).unwrap_or_default();
    format!("cargo install secantus-mdb --version ={EMBEDDED_VERSION} --locked --ignore-rust-version{root}")
}

/// The flags of a server over a fresh folder on a free loopback port. An empty configuration file keeps it from
/// reading the user's.
pub(super) fn arguments(folder: &ServerFolder, cache_bytes: u64, further: &[String]) -> std::io::Result<Vec<OsString>> {
    let configuration = folder.path().join("empty.toml");
    std::fs::write(&configuration, "")?;
    let mut arguments: Vec<OsString> = vec![
        "--config".into(),
        configuration.into(),
        "--host".into(),
        "127.0.0.1".into(),
        "--port".into(),
        "0".into(),
        "--storage-path".into(),
        folder.path().join("data").into(),
    ];
    arguments.extend(measured_flags(cache_bytes).into_iter().map(OsString::from));
    arguments.extend(further.iter().map(OsString::from));
    Ok(arguments)
}

/// The flags that bear on what is measured, for the record.
pub(super) fn measured_flags(cache_bytes: u64) -> Vec<String> {
    let mebibytes = (cache_bytes >> 20).max(1);
    [
        "--cache-size",
        &format!("{mebibytes}M"),
        "--log-file-max",
        "128MB",
        "--block-compressor",
        "lz4",
        "--checkpoint-seconds",
        "60",
        "--log-level",
        "WARNING",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// The address in the line that says that the server is ready.
pub(super) fn ready_address(log: &str) -> Option<&str> {
    // Only a line that has ended is whole.
    let line = log.split_inclusive('\n').find(|line| line.starts_with("secantusd-rs listening on "))?;
    line.strip_suffix('\n')?.rsplit(' ').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_folder_follows_the_systems_custom() {
        let folder = |xdg: Option<&str>, home: Option<&str>| cache_folder(xdg.map(Into::into), home.map(Into::into));
        assert_eq!(folder(Some("/c"), Some("/home/ann")), Some("/c".into()));
        let own = if cfg!(target_os = "macos") { "/home/ann/Library/Caches" } else { "/home/ann/.cache" };
        assert_eq!(folder(None, Some("/home/ann")), Some(own.into()));
        assert_eq!(folder(Some("relative/is/ignored"), Some("/home/ann")), Some(own.into()));
        assert_eq!(folder(None, None), None);
    }

    #[test]
    fn the_ready_line_is_read_once_it_is_whole() {
        assert_eq!(ready_address("warning\nsecantusd-rs listening on 127.0.0.1:4"), None);
        assert_eq!(ready_address("warning\nsecantusd-rs listening on 127.0.0.1:43487\n"), Some("127.0.0.1:43487"));
        assert_eq!(ready_address("warning: nothing is listening on 127.0.0.1:1\n"), None);
    }

    #[test]
    fn a_cache_is_asked_for_in_whole_mebibytes() {
        let cache = |bytes| measured_flags(bytes)[1].clone();
        assert_eq!(cache(1 << 30), "1024M");
        assert_eq!(cache(256 << 20), "256M");
        assert_eq!(cache(1), "1M");
    }
}
