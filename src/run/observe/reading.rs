//! Processor time and memory at one moment, and what was used between two.

use std::time::Duration;

use super::procfs::{self, MachineTicks, ProcessFacts};
use crate::record::{CpuRecord, MemoryRecord};
use crate::units::{Bytes, Micros};

/// What the operating system tells at one moment; what it does not tell is absent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reading {
    machine: Option<MachineTicks>,
    client: Option<ProcessFacts>,
    client_cpu: Option<Duration>,
    server: Option<ProcessFacts>,
}

/// What was used between two readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Usage {
    pub(super) cpu: CpuRecord,
    pub(super) memory: MemoryRecord,
    /// Processor time that all cores of the machine had.
    pub(super) capacity: Option<Micros>,
    /// Whether the number of the server's process now belongs to another.
    pub(super) server_replaced: bool,
}

impl Reading {
    /// Looks now. `server` is the server's process, where it is one of ours.
    pub(super) fn now(server: Option<u32>) -> Self {
        let text = |path: &str| std::fs::read_to_string(path).ok();
        let process = |path: &str| procfs::process(&text(path)?);
        Self {
            machine: text("/proc/stat").and_then(|text| procfs::machine(&text)),
            client: process("/proc/self/stat"),
            client_cpu: own_cpu(),
            server: server.and_then(|id| process(&format!("/proc/{id}/stat"))),
        }
    }

    /// What was used since `before`. Other processes are told only where `tells_others` says that the server is not among
    /// them.
    pub(super) fn since(&self, before: &Self, tells_others: bool, units: Units) -> Usage {
        let machine = before.machine.zip(self.machine);
        let rose = |part: fn(&MachineTicks) -> u64| {
            machine.map(|(before, after)| units.time(part(&after).saturating_sub(part(&before))))
        };
        let same_server = before.server.zip(self.server).filter(|(before, after)| before.started == after.started);
        let client = before.client_cpu.zip(self.client_cpu).map(|(before, after)| after.saturating_sub(before));
        let client =
            client.or_else(|| before.client.zip(self.client).map(|(before, after)| units.between(before, after)));
        let server = same_server.map(|(before, after)| units.between(before, after));
        let others = client.filter(|_| tells_others).and_then(|client| {
            Some(rose(|ticks| ticks.processes)?.saturating_sub(client).saturating_sub(server.unwrap_or_default()))
        });
        let memory = |process: Option<ProcessFacts>| process.map(|process| units.memory(process.pages));
        // A system that counts no ticks at all does not tell.
        let capacity = rose(|ticks| ticks.all).filter(|capacity| !capacity.is_zero());
        Usage {
            cpu: CpuRecord {
                client: client.map(Into::into),
                pacer: None,
                server: server.map(Into::into),
                foreign: others.filter(|_| capacity.is_some()).map(Into::into),
                steal: rose(|ticks| ticks.steal).filter(|_| capacity.is_some()).map(Into::into),
            },
            memory: MemoryRecord { client_bytes: memory(self.client), server_bytes: memory(self.server) },
            capacity: capacity.map(Into::into),
            server_replaced: before.server.is_some() && self.server.is_some() && same_server.is_none(),
        }
    }
}

/// The units in which Linux tells time and memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    ticks_per_second: u64,
    page_bytes: u64,
}

impl Units {
    /// This system's.
    pub(super) fn of_this_system() -> Self {
        Self {
            ticks_per_second: configured(Wanted::Ticks).unwrap_or(100),
            page_bytes: configured(Wanted::Page).unwrap_or(4_096),
        }
    }

    fn time(self, ticks: u64) -> Duration {
        Duration::from_secs_f64(ticks as f64 / self.ticks_per_second as f64)
    }

    fn between(self, before: ProcessFacts, after: ProcessFacts) -> Duration {
        self.time(after.ticks.saturating_sub(before.ticks))
    }

    fn memory(self, pages: u64) -> Bytes {
        Bytes::new(pages.saturating_mul(self.page_bytes))
    }
}

#[derive(Debug, Clone, Copy)]
enum Wanted {
    Ticks,
    Page,
}

#[cfg(unix)]
fn configured(wanted: Wanted) -> Option<u64> {
    use nix::unistd::{SysconfVar, sysconf};
    let variable = match wanted {
        Wanted::Ticks => SysconfVar::CLK_TCK,
        Wanted::Page => SysconfVar::PAGE_SIZE,
    };
    u64::try_from(sysconf(variable).ok()??).ok().filter(|value| *value > 0)
}

#[cfg(not(unix))]
fn configured(_: Wanted) -> Option<u64> {
    None
}

/// Processor time of this process, to the microsecond.
#[cfg(unix)]
fn own_cpu() -> Option<Duration> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike as _;
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    let microseconds = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    u64::try_from(microseconds).ok().map(Duration::from_micros)
}

#[cfg(not(unix))]
fn own_cpu() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: Units = Units { ticks_per_second: 100, page_bytes: 4_096 };

    fn process(ticks: u64, started: u64) -> Option<ProcessFacts> {
        Some(ProcessFacts { ticks, started, pages: 10 })
    }

    fn reading(all: u64, processes: u64, client: u64, server: u64) -> Reading {
        Reading {
            machine: Some(MachineTicks { processes, steal: all / 10, all }),
            client: process(client, 1),
            client_cpu: Some(Duration::from_millis(client * 10)),
            server: process(server, 2),
        }
    }

    #[test]
    fn what_neither_client_nor_server_used_was_used_by_others() {
        // 200 ticks of two cores: 150 in processes, of them 60 here and 70 in the server.
        let usage = reading(200, 150, 60, 70).since(&reading(0, 0, 0, 0), true, UNITS);
        let milliseconds = |milliseconds: f64| Some(Micros::new(milliseconds * 1e3));
        let cpu = CpuRecord {
            client: milliseconds(600.0),
            pacer: None,
            server: milliseconds(700.0),
            foreign: milliseconds(200.0),
            steal: milliseconds(200.0),
        };
        assert_eq!(usage.cpu, cpu);
        assert_eq!(usage.capacity, milliseconds(2_000.0));
        assert_eq!(usage.memory.server_bytes, Some(Bytes::new(40_960)));
    }

    #[test]
    fn others_are_unknown_where_a_server_not_ours_may_be_among_them() {
        let before = Reading { server: None, ..reading(0, 0, 0, 0) };
        let after = Reading { server: None, ..reading(200, 150, 60, 0) };
        assert_eq!(after.since(&before, false, UNITS).cpu.foreign, None);
        let elsewhere = after.since(&before, true, UNITS).cpu;
        assert_eq!((elsewhere.server, elsewhere.foreign), (None, Some(Micros::new(900_000.0))));
    }

    #[test]
    fn counts_that_are_rounded_apart_never_fall_below_nothing() {
        let usage = reading(200, 129, 60, 70).since(&reading(0, 0, 0, 0), true, UNITS);
        assert_eq!(usage.cpu.foreign, Some(Micros::new(0.0)));
    }

    #[test]
    fn a_process_of_the_same_number_that_started_later_is_another() {
        let before = reading(0, 0, 0, 50);
        let after = Reading { server: process(3, 999), ..reading(200, 150, 60, 0) };
        let usage = after.since(&before, true, UNITS);
        assert!(usage.server_replaced);
        assert_eq!(usage.cpu.server, None);
    }

    #[test]
    fn a_system_that_tells_nothing_leaves_everything_out() {
        let usage = Reading::default().since(&Reading::default(), true, UNITS);
        assert!(usage.cpu.is_empty() && usage.memory.is_empty() && usage.capacity.is_none());
        let silent = reading(0, 0, 0, 0);
        let usage = silent.since(&silent, true, UNITS);
        assert_eq!((usage.capacity, usage.cpu.foreign, usage.cpu.steal), (None, None, None), "it counts no ticks");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_system_tells_of_this_process() {
        let before = Reading::now(Some(std::process::id()));
        let begin = std::time::Instant::now();
        while begin.elapsed() < Duration::from_millis(60) {
            std::hint::black_box(begin);
        }
        let usage = Reading::now(Some(std::process::id())).since(&before, true, Units::of_this_system());
        assert!(usage.cpu.client.is_some_and(|cpu| cpu.get() > 0.0), "{usage:?}");
        assert!(usage.memory.client_bytes.is_some_and(|bytes| bytes.get() > 1 << 20), "{usage:?}");
        assert!(usage.memory.server_bytes.is_some() && !usage.server_replaced, "{usage:?}");
        assert_eq!(Reading::now(Some(u32::MAX)).server, None, "there is no such process");
    }
}
