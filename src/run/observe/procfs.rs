//! The texts in which Linux tells processor time and memory (proc(5)). Whatever does not look as described tells nothing.

/// Ticks of all cores together since the machine started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MachineTicks {
    /// Spent in processes. Interrupts are left out: those of connections over loopback are caused by the load itself.
    pub(super) processes: u64,
    /// Taken away by the hypervisor.
    pub(super) steal: u64,
    /// All of them, idle ones too.
    pub(super) all: u64,
}

/// Reads `/proc/stat`.
pub(super) fn machine(text: &str) -> Option<MachineTicks> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_ascii_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    // user, nice, system, idle, iowait, irq, softirq, steal; guests come after it and are in `user` and `nice` too.
    let [user, nice, system, .., steal] = *ticks.get(..8)? else { return None };
    let sum = |ticks: &[u64]| ticks.iter().fold(0_u64, |sum, more| sum.saturating_add(*more));
    Some(MachineTicks { processes: sum(&[user, nice, system]), steal, all: sum(&ticks[..8]) })
}

/// What is told of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessFacts {
    /// Ticks spent in it, by all its threads.
    pub(super) ticks: u64,
    /// When it started, in ticks since the machine did: tells a process from a later one of the same number.
    pub(super) started: u64,
    /// Pages of memory that it holds.
    pub(super) pages: u64,
}

/// Reads `/proc/PID/stat`.
pub(super) fn process(text: &str) -> Option<ProcessFacts> {
    // The program's name stands in parentheses and may hold blanks and parentheses itself.
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // The first of them is the third of all.
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let (user, system) = (field(14)?, field(15)?);
    Some(ProcessFacts { ticks: user.saturating_add(system), started: field(22)?, pages: field(24)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_ticks_are_those_of_the_first_line() {
        let text = "cpu  116999 5 20934 120250 1809 7 116 102 40 0\ncpu0 1 2 3 4 5 6 7 8 9 0\nintr 5 0 0\n";
        let ticks = MachineTicks {
            processes: 116_999 + 5 + 20_934,
            steal: 102,
            all: 116_999 + 5 + 20_934 + 120_250 + 1_809 + 7 + 116 + 102,
        };
        assert_eq!(machine(text), Some(ticks));
    }

    #[test]
    fn a_processs_name_may_hold_anything() {
        let tail = "S 1 77 77 0 -1 4194304 99 0 0 0 250 50 9 9 20 0 8 0 130918 3133440 390 18446744073709551615 1 1";
        let facts = Some(ProcessFacts { ticks: 300, started: 130_918, pages: 390 });
        for name in ["mongod", "a b", "x) R 1 (", ""] {
            assert_eq!(process(&format!("4711 ({name}) {tail}\n")), facts, "{name}");
        }
    }

    #[test]
    fn what_does_not_look_as_described_tells_nothing() {
        for text in
            ["", "cpu", "cpu  1 2 3", "cpu  1 2 3 4 5 6 seven 8", "cpu0 1 2 3 4 5 6 7 8", "cpu  -1 2 3 4 5 6 7 8"]
        {
            assert_eq!(machine(text), None, "{text}");
        }
        for text in ["", "1", "1 (a)", "1 (a) S 1 2", "1 (a) S a b c d e f g h i j k l m n o p q r s t u v"] {
            assert_eq!(process(text), None, "{text}");
        }
        let largest = "cpu  18446744073709551615 18446744073709551615 1 1 1 1 1 1";
        assert_eq!(machine(largest).map(|ticks| ticks.all), Some(u64::MAX), "sums stop at the largest number");
    }
}
