//! How to get a mongod for this system.

use std::fmt::Write;
use std::path::Path;

/// What decides how a mongod is got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Surrounding {
    /// `macos`, `linux`, …
    pub(super) system: String,
    /// The distribution's id and those it is like (`ubuntu debian`), on Linux.
    pub(super) distribution: String,
    /// The distribution's name for people.
    pub(super) name: String,
    /// Whether the processor has what mongod 5 and newer need.
    pub(super) has_avx: bool,
    /// Whether `docker` is there.
    pub(super) has_docker: bool,
}

impl Surrounding {
    /// This machine's.
    pub(super) fn look() -> Self {
        let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        let value = |key: &str| {
            let line = release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
            line.unwrap_or_default().trim_matches('"').to_owned()
        };
        Self {
            system: std::env::consts::OS.to_owned(),
            distribution: format!("{} {}", value("ID"), value("ID_LIKE")).trim().to_owned(),
            name: value("PRETTY_NAME"),
            has_avx: has_avx(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
            has_docker: std::env::var_os("PATH")
                .is_some_and(|path| std::env::split_paths(&path).any(|folder| is_file(&folder.join("docker")))),
        }
    }

    fn is_like(&self, distributions: &[&str]) -> bool {
        self.distribution.split_whitespace().any(|id| distributions.contains(&id))
    }
}

fn is_file(file: &Path) -> bool {
    file.is_file()
}

/// Whether the processor has AVX; taken for granted where the system does not list its flags.
fn has_avx(cpuinfo: &str) -> bool {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"));
    flags.is_none_or(|flags| flags.split_whitespace().any(|flag| flag == "avx"))
}

/// The ways, in lines.
pub(super) fn advice(surrounding: &Surrounding) -> String {
    let mut text = String::new();
    let mut line = |line: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {line}");
    };
    if !surrounding.has_avx {
        line("This processor has no AVX, which mongod 5.0 and newer need; measure on another machine with --uri.");
        return text;
    }
    for way in install(surrounding) {
        line(&way);
    }
    if surrounding.has_docker {
        line("With Docker:");
        line("  docker run --rm -d --name patternbench-mongod -p 127.0.0.1:27017:27017 mongo:8 --replSet rs0");
        line(
            "  docker exec patternbench-mongod mongosh --quiet --eval \
             'rs.initiate({_id: \"rs0\", members: [{_id: 0, host: \"localhost:27017\"}]})'",
        );
        line("  patternbench run … --uri 'mongodb://localhost:27017/?directConnection=true'");
    }
    line("A mongod on PATH is started and stopped by patternbench itself; --server mongod=PATH names another.");
    text
}

fn install(surrounding: &Surrounding) -> Vec<String> {
    let docs = "https://www.mongodb.com/docs/manual/administration/install-community/";
    let on = |what: &str| format!("On {}: {what}", surrounding.name);
    match surrounding.system.as_str() {
        "macos" => vec![
            "On macOS, with Homebrew:".to_owned(),
            "  brew tap mongodb/brew && brew install mongodb-community".to_owned(),
        ],
        "linux" if surrounding.is_like(&["debian", "ubuntu"]) => vec![
            on("add MongoDB's own apt repository (the distribution has no mongod), then"),
            "  sudo apt-get install mongodb-org-server".to_owned(),
            format!("  {docs}"),
        ],
        "linux" if surrounding.is_like(&["rhel", "fedora", "centos", "amzn", "rocky", "almalinux"]) => vec![
            on("add MongoDB's own yum repository, then"),
            "  sudo dnf install mongodb-org-server".to_owned(),
            format!("  {docs}"),
        ],
        "linux" if surrounding.is_like(&["sles", "suse", "opensuse"]) => vec![
            on("add MongoDB's own zypper repository, then"),
            "  sudo zypper install mongodb-org-server".to_owned(),
            format!("  {docs}"),
        ],
        _ => vec![
            "Unpack MongoDB's archive for this system and put its bin folder on PATH:".to_owned(),
            "  https://www.mongodb.com/try/download/community".to_owned(),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(system: &str, distribution: &str) -> Surrounding {
        Surrounding {
            system: system.to_owned(),
            distribution: distribution.to_owned(),
            name: "Some OS 1".to_owned(),
            has_avx: true,
            has_docker: false,
        }
    }

    #[test]
    fn each_system_is_told_its_own_way() {
        for (system, distribution, command) in [
            ("macos", "", "brew install mongodb-community"),
            ("linux", "debian", "apt-get install mongodb-org-server"),
            ("linux", "linuxmint ubuntu debian", "apt-get install mongodb-org-server"),
            ("linux", "rocky rhel centos fedora", "dnf install mongodb-org-server"),
            ("linux", "opensuse-leap suse opensuse", "zypper install mongodb-org-server"),
            ("linux", "alpine", "try/download/community"),
        ] {
            assert!(advice(&on(system, distribution)).contains(command), "{distribution}");
        }
    }

    #[test]
    fn docker_is_named_where_it_is() {
        assert!(!advice(&on("linux", "debian")).contains("docker"));
        assert!(advice(&Surrounding { has_docker: true, ..on("linux", "debian") }).contains("docker run"));
    }

    #[test]
    fn a_processor_without_avx_is_told_that_mongod_does_not_run_on_it() {
        let text = advice(&Surrounding { has_avx: false, ..on("linux", "debian") });
        assert!(text.contains("AVX") && !text.contains("apt-get"), "{text}");
        assert!(!has_avx("processor : 0\nflags : fpu sse4_2\n"));
        assert!(has_avx("flags : fpu avx avx2\n"));
        assert!(has_avx("Features : fp asimd\n"), "another kind of processor");
    }
}
