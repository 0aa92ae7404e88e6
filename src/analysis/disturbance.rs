//! When a window counts as disturbed, and when too many do: the rule, as data that a report can quote.

use crate::record::{CpuRecord, ScenarioRecord};
use crate::units::{Micros, Share};
use crate::words::{Phase, Role, RoundOutcome};

/// Steal time above this part of the machine's processor time disturbs a window. An undisturbed guest loses a few
/// thousandths; from a twentieth on, waiting for a core shows in the upper quantiles.
pub const STEAL_ABOVE: Share = Share::new(0.05);
/// Other processes that use more than this part of the machine's processor time disturb a window. An idle machine's
/// background takes up to three hundredths of two cores, and load generator and server seldom fill the last tenth.
pub const OTHERS_ABOVE: Share = Share::new(0.10);
/// Less processor time than this disturbs nothing: it is told in hundredths of a second, and a short window holds few of
/// them.
pub const LEAST: Micros = Micros::new(50_000.0);
/// Rounds that must be left of those in which naive and a pattern ran; with fewer, too many windows are disturbed.
pub const ROUNDS_LEFT_AT_LEAST: Share = Share::new(0.5);

/// What disturbed a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Disturbance {
    /// The hypervisor took this part of the machine's processor time away.
    Steal(Share),
    /// Processes other than load generator and server used this part of it.
    Others(Share),
    /// The server that answers is not the one that answered before.
    Restarted,
}

impl std::fmt::Display for Disturbance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = |share: Share| share.get() * 100.0;
        match self {
            Self::Steal(share) => write!(f, "steal {:.0} % of CPU time", percent(*share)),
            Self::Others(share) => write!(f, "other processes used {:.0} % of the machine", percent(*share)),
            Self::Restarted => f.write_str("the server restarted"),
        }
    }
}

/// What disturbed a window. `capacity` is the processor time that all cores of the machine had in it; what is unknown
/// disturbs nothing.
pub fn disturbances(cpu: &CpuRecord, capacity: Option<Micros>, restarted: bool) -> Vec<Disturbance> {
    let part = |used: Option<Micros>, above: Share| {
        let (used, capacity) = (used?.get(), capacity?.get());
        let share = used / capacity;
        (share > above.get() && used >= LEAST.get() && share.is_finite()).then(|| Share::new(share.min(1.0)))
    };
    let steal = part(cpu.steal, STEAL_ABOVE).map(Disturbance::Steal);
    let others = part(cpu.foreign, OTHERS_ABOVE).map(Disturbance::Others);
    steal.into_iter().chain(others).chain(restarted.then_some(Disturbance::Restarted)).collect()
}

/// The rule in words.
pub fn disturbance_rule() -> String {
    format!(
        "A window counts as disturbed where the hypervisor took away more than {:.0} % of the machine's processor time, \
         processes other than load generator and server used more than {:.0} % of it, or the server restarted. Its round \
         is left out for the models concerned, as a whole pair.",
        STEAL_ABOVE.get() * 100.0,
        OTHERS_ABOVE.get() * 100.0
    )
}

/// A comparison that disturbances have left with too few rounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooDisturbed {
    /// The model that is compared with naive.
    pub model: String,
    /// Rounds in which both ran undisturbed.
    pub left: usize,
    /// Rounds in which both ran.
    pub rounds: usize,
}

/// The patterns whose comparison with naive has fewer than half of its rounds left, since one of both windows was
/// disturbed in the others. All operations of a model run in the same windows, so what holds for one holds for all.
pub fn too_disturbed(scenario: &ScenarioRecord) -> Vec<TooDisturbed> {
    let of_role = |role| scenario.models.iter().filter(move |model| model.role == role).map(|model| &model.name);
    let Some(naive) = of_role(Role::Naive).next() else { return Vec::new() };
    let of_pattern = |pattern: &String| {
        let pairs = pairs(scenario, naive, pattern);
        let left = pairs.iter().filter(|undisturbed| **undisturbed).count();
        let rounds = pairs.len();
        let too_few = (left as f64) < rounds as f64 * ROUNDS_LEFT_AT_LEAST.get();
        too_few.then(|| TooDisturbed { model: pattern.clone(), left, rounds })
    };
    of_role(Role::Pattern).filter_map(of_pattern).collect()
}

/// For each round that both models ran to its end, whether neither window was disturbed.
fn pairs(scenario: &ScenarioRecord, naive: &str, model: &str) -> Vec<bool> {
    let windows = |name: String| {
        let measured = scenario.rounds.iter().filter(|round| round.phase == Phase::Measured);
        measured.filter(move |round| round.model == name && round.outcome == RoundOutcome::Complete)
    };
    windows(naive.to_owned())
        .filter_map(|naive| {
            let other = windows(model.to_owned()).find(|other| other.round == naive.round)?;
            Some(naive.disturbed.is_empty() && other.disturbed.is_empty())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Option<Micros> = Some(Micros::new(2_000_000.0));

    fn told(cpu: CpuRecord, capacity: Option<Micros>) -> Vec<String> {
        disturbances(&cpu, capacity, false).iter().map(ToString::to_string).collect()
    }

    fn steal(micros: f64) -> CpuRecord {
        CpuRecord { steal: Some(Micros::new(micros)), ..CpuRecord::default() }
    }

    fn others(micros: f64) -> CpuRecord {
        CpuRecord { foreign: Some(Micros::new(micros)), ..CpuRecord::default() }
    }

    #[test]
    fn a_window_is_disturbed_beyond_a_part_of_the_machine() {
        // Two cores for a second have two million microseconds: a twentieth are 100,000, a tenth are 200,000.
        assert!(told(steal(100_000.0), SECOND).is_empty());
        assert_eq!(told(steal(240_000.0), SECOND), ["steal 12 % of CPU time"]);
        assert!(told(others(200_000.0), SECOND).is_empty());
        assert_eq!(told(others(680_000.0), SECOND), ["other processes used 34 % of the machine"]);
        let both = CpuRecord { steal: steal(240_000.0).steal, ..others(680_000.0) };
        assert_eq!(told(both, SECOND).len(), 2);
        assert_eq!(disturbances(&CpuRecord::default(), None, true), [Disturbance::Restarted]);
    }

    #[test]
    fn what_is_unknown_or_too_short_to_tell_disturbs_nothing() {
        assert!(told(CpuRecord::default(), SECOND).is_empty());
        assert!(told(others(680_000.0), None).is_empty());
        assert!(told(others(680_000.0), Some(Micros::new(0.0))).is_empty(), "the system counts nothing");
        // Four hundredths of a second are half of a window of 40 ms on two cores, and may be chance.
        assert!(told(others(40_000.0), Some(Micros::new(80_000.0))).is_empty());
    }

    #[test]
    fn the_rule_names_its_bounds() {
        let rule = disturbance_rule();
        assert!(rule.contains("more than 5 %") && rule.contains("more than 10 %"), "{rule}");
    }
}
