//! A scenario with another share of reads.

use std::sync::Arc;

use crate::scenario::{Operation, Scenario, Workload};
use crate::words::OperationKind;

/// Blocks of operation numbers in which a mix is to be exact, the shortest first: a round holds whole blocks.
const BLOCKS: [u32; 4] = [100, 200, 500, 1_000];

/// The scenario with this share of reads, in percent. Reads keep their proportions to each other, and so do writes. A
/// workload whose operations an earlier one has is left out: it would be the same mix again.
///
/// # Errors
/// Where a workload has no reads or no writes.
pub(super) fn with_mix(scenario: &Arc<Scenario>, reads: u32) -> Result<Arc<Scenario>, String> {
    let mut mixed = (**scenario).clone();
    let mut seen: Vec<String> = Vec::new();
    mixed.workloads.retain(|workload| {
        let names: Vec<String> = workload.operations.iter().map(|operation| operation.name.clone()).collect();
        let is_new = names.iter().any(|name| !seen.contains(name));
        seen.extend(names);
        is_new
    });
    for workload in &mut mixed.workloads {
        let kinds: Vec<OperationKind> =
            workload.operations.iter().map(|operation| scenario.kind_of(&operation.name)).collect();
        for (kind, what) in [(OperationKind::Read, "write"), (OperationKind::Write, "read")] {
            if !kinds.contains(&kind) {
                return Err(format!(
                    "workload {} of scenario {} does nothing but {what}: there is no mix to vary",
                    workload.name, scenario.name
                ));
            }
        }
        mix(workload, &kinds, reads);
    }
    Ok(Arc::new(mixed))
}

/// Sets the weights: whole ones in the shortest block that holds every operation.
fn mix(workload: &mut Workload, kinds: &[OperationKind], reads: u32) {
    let weights = |kind| -> Vec<f64> {
        let of_kind = workload.operations.iter().zip(kinds).filter(|(_, known)| **known == kind);
        of_kind.map(|(operation, _)| operation.weight).collect()
    };
    let (of_reads, of_writes) = (weights(OperationKind::Read), weights(OperationKind::Write));
    let fitting = |block: u32| {
        let room = |percent: u32| block / 100 * percent;
        let (reads, writes) = (shared(&of_reads, room(reads)), shared(&of_writes, room(100 - reads)));
        let has_all = |shares: &[u32], weights: &[f64]| {
            shares.iter().zip(weights).all(|(share, weight)| *share > 0 || *weight <= 0.0)
        };
        (has_all(&reads, &of_reads) && has_all(&writes, &of_writes)).then_some((reads, writes))
    };
    let (mut reads, mut writes) = match BLOCKS.into_iter().find_map(fitting) {
        Some((reads, writes)) => {
            (reads.into_iter().map(f64::from).collect(), writes.into_iter().map(f64::from).collect())
        }
        // Too many operations for whole numbers: the plan rounds.
        None => (scaled(&of_reads, f64::from(reads)), scaled(&of_writes, f64::from(100 - reads))),
    };
    let mut set = |operation: &mut Operation, kind: OperationKind| {
        let weights: &mut Vec<f64> = if kind == OperationKind::Read { &mut reads } else { &mut writes };
        operation.weight = weights.remove(0);
    };
    workload.operations.iter_mut().zip(kinds).for_each(|(operation, kind)| set(operation, *kind));
}

/// So many places shared out in proportion to weights, by largest remainder; each weight above 0 gets one where there are
/// enough.
fn shared(weights: &[f64], places: u32) -> Vec<u32> {
    let exact = scaled(weights, f64::from(places));
    let least = |share: &f64| if *share > 0.0 { (share.floor() as u32).max(1) } else { 0 };
    let mut shares: Vec<u32> = exact.iter().map(least).collect();
    let mut by_remainder: Vec<usize> = (0..weights.len()).filter(|place| weights[*place] > 0.0).collect();
    by_remainder.sort_by(|one, other| {
        (exact[*other] - f64::from(shares[*other])).total_cmp(&(exact[*one] - f64::from(shares[*one])))
    });
    let given: u32 = shares.iter().sum();
    for place in by_remainder.iter().cycle().take(places.saturating_sub(given) as usize) {
        shares[*place] += 1;
    }
    // Whoever has most gives back what others were rounded up by.
    for _ in places..given {
        if let Some(most) = shares.iter_mut().max() {
            *most = most.saturating_sub(1);
        }
    }
    shares
}

fn scaled(weights: &[f64], sum: f64) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| if total > 0.0 { weight / total * sum } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{builtin, load_scenario};
    use crate::source::SourceText;

    fn scenario(name: &str) -> Arc<Scenario> {
        let text = builtin(name).expect("it is built in");
        Arc::new(load_scenario(SourceText::new(format!("{name}.yaml"), text)).expect("it is valid"))
    }

    #[test]
    fn reads_and_writes_have_the_shares_asked_for_and_keep_their_proportions() {
        for reads in [1, 10, 50, 99] {
            let mixed = with_mix(&scenario("unnecessary-indexes"), reads).expect("it reads and writes");
            let weights: Vec<f64> = mixed.workloads[0].operations.iter().map(|operation| operation.weight).collect();
            let total: f64 = weights.iter().sum();
            // insert_order 50 and set_status 25 write, orders_of_customer reads.
            assert_eq!(weights[2] / total, f64::from(reads) / 100.0, "{weights:?}");
            assert!((weights[0] / weights[1] - 2.0).abs() < 0.1 || reads == 99, "{weights:?}");
            assert!(weights.iter().all(|weight| *weight > 0.0 && weight.fract() == 0.0), "{weights:?}");
        }
    }

    #[test]
    fn workloads_that_differ_in_their_weights_alone_are_one() {
        let scenario = scenario("computed-likes");
        assert!(scenario.workloads.len() > 1);
        let mixed = with_mix(&scenario, 50).expect("it reads and writes");
        assert_eq!(mixed.workloads.len(), 1);
        assert_eq!(mixed.workloads[0].name, scenario.workloads[0].name);
    }

    #[test]
    fn places_are_shared_out_in_whole_numbers() {
        assert_eq!(shared(&[2.0, 1.0], 99), [66, 33]);
        assert_eq!(shared(&[1.0, 1.0, 1.0], 100), [34, 33, 33]);
        assert_eq!(shared(&[98.0, 1.0, 1.0], 10), [8, 1, 1]);
        assert_eq!(shared(&[5.0, 0.0], 7), [7, 0]);
        assert_eq!(shared(&[1.0, 1.0], 1).iter().sum::<u32>(), 1);
    }
}
