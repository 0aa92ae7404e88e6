//! Who owns a database: a run of a process on a host.

use bson::{Document, doc};

/// The run that writes to a database, and the process that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The run's id.
    pub run: String,
    /// The host's name.
    pub host: String,
    /// The process's number.
    pub process: u32,
    /// When the process began and in which space its number counts (boot and process namespace), where the system tells:
    /// with it, a process that has ended is known to have ended.
    birth: Option<Birth>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Birth {
    space: String,
    began: String,
}

impl Owner {
    /// This process, for the run of that id.
    pub fn this_process(run: &str) -> Self {
        let process = std::process::id();
        Self {
            run: run.to_owned(),
            host: sysinfo::System::host_name().unwrap_or_else(|_| "unknown".to_owned()),
            process,
            birth: space().zip(began(process)).map(|(space, began)| Birth { space, began }),
        }
    }

    /// Whether the process is known to have ended. Of another host's, or in doubt, it is not.
    pub(super) fn has_ended(&self) -> bool {
        match &self.birth {
            Some(birth) if space().is_some_and(|space| space == birth.space) => {
                began(self.process).is_none_or(|began| began != birth.began)
            }
            _ => false,
        }
    }

    pub(super) fn to_document(&self) -> Document {
        let mut document = doc! {"run": &self.run, "host": &self.host, "process": i64::from(self.process)};
        if let Some(birth) = &self.birth {
            document.insert("space", &birth.space);
            document.insert("began", &birth.began);
        }
        document
    }

    pub(super) fn from_document(document: &Document) -> Option<Self> {
        let text = |key: &str| document.get_str(key).ok().map(str::to_owned);
        Some(Self {
            run: text("run")?,
            host: text("host")?,
            process: u32::try_from(document.get_i64("process").ok()?).ok()?,
            birth: text("space").zip(text("began")).map(|(space, began)| Birth { space, began }),
        })
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "run {} (process {} on {})", self.run, self.process, self.host)
    }
}

/// Which boot of the machine and which process namespace this is. Hosts can share a name, and containers a host.
#[cfg(target_os = "linux")]
fn space() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), namespace.display()))
}

#[cfg(not(target_os = "linux"))]
fn space() -> Option<String> {
    None
}

/// When a process began, in the kernel's ticks; `None` when there is none of that number (or it is a zombie).
#[cfg(target_os = "linux")]
fn began(process: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The command's name, in parentheses, may hold anything; fields are counted behind it. The first is the state.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    if matches!(fields.first(), Some(&"Z" | &"X")) {
        return None;
    }
    fields.get(19).map(|&ticks| ticks.to_owned())
}

#[cfg(not(target_os = "linux"))]
fn began(_: u32) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_not_ended() {
        assert!(!Owner::this_process("r1").has_ended());
    }

    #[test]
    fn an_owner_survives_storing() {
        let owner = Owner::this_process("r1");
        assert_eq!(Owner::from_document(&owner.to_document()), Some(owner));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_ended_is_known_to_have_ended_and_so_is_one_whose_number_is_used_again() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let mut owner = Owner { process: child.id(), ..Owner::this_process("r1") };
        child.wait().unwrap();
        assert!(owner.has_ended());

        owner = Owner::this_process("r1");
        owner.birth.as_mut().unwrap().began = "1".to_owned();
        assert!(owner.has_ended(), "the number is ours, but it was another process's");
    }

    #[test]
    fn of_another_machine_nothing_is_known() {
        let mut owner = Owner { process: u32::MAX, ..Owner::this_process("r1") };
        owner.birth = Some(Birth { space: "another boot".to_owned(), began: "1".to_owned() });
        assert!(!owner.has_ended());
        owner.birth = None;
        assert!(!owner.has_ended());
    }
}
