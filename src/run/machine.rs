//! The machine that generates the load.

use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use crate::record::Client;
use crate::units::Bytes;

/// What the record keeps of this machine.
pub fn this_machine() -> Client {
    let wanted =
        RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()).with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(wanted).ok();
    let brand = system.as_ref().and_then(|system| system.cpus().first()).map(|cpu| cpu.brand().trim().to_owned());
    let unknown = || "unknown".to_owned();
    Client {
        os: System::long_os_version().unwrap_or_else(|_| unknown()),
        cpu: brand.filter(|brand| !brand.is_empty()).unwrap_or_else(unknown),
        cores: std::thread::available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX)),
        memory_bytes: Bytes::new(system.map_or(0, |system| system.total_memory())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_core_and_memory() {
        let machine = this_machine();
        assert!(machine.cores >= 1 && machine.memory_bytes.get() > 0, "{machine:?}");
        assert!(!machine.os.is_empty() && !machine.cpu.is_empty(), "{machine:?}");
    }
}
