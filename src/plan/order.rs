//! In which order the models run in each round.

use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64;

/// Tells this use of the seed from others.
const ORDER_STREAM: u64 = 0x6f72_6465_7273;

/// For each round, the models (numbered from 0) in the order in which they run.
///
/// A Williams design: over each full cycle (as many rounds as models, twice as many when their number is odd) every
/// model stands equally often in each position and directly after each other model; a cycle that is cut short keeps
/// positions within one of each other. Which model is which in the design, and then the order of the rounds, are
/// shuffled by the seed.
pub fn balanced_order(models: usize, rounds: u32, seed: u64) -> Vec<Vec<usize>> {
    if models == 0 {
        return vec![Vec::new(); rounds as usize];
    }
    let mut rng = Pcg64::new(u128::from(seed), u128::from(ORDER_STREAM));
    let mut labels: Vec<usize> = (0..models).collect();
    labels.shuffle(&mut rng);
    let design = williams(models);
    let mut order: Vec<Vec<usize>> = design
        .iter()
        .cycle()
        .take(rounds as usize)
        .map(|row| row.iter().map(|place| labels[*place]).collect())
        .collect();
    order.shuffle(&mut rng);
    order
}

/// The rows of a Williams design for so many treatments: one Latin square, and its mirror image when the number is odd.
fn williams(models: usize) -> Vec<Vec<usize>> {
    // 0, 1, n-1, 2, n-2, …: the differences of neighbours are all different, so each pair of neighbours occurs once.
    let first: Vec<usize> = (0..models)
        .map(|place| if place % 2 == 1 { place.div_ceil(2) } else { (models - place / 2) % models })
        .collect();
    let square = (0..models).map(|row| first.iter().map(|place| (place + row) % models).collect::<Vec<_>>());
    let mut rows: Vec<Vec<usize>> = square.collect();
    if models % 2 == 1 {
        let mirrored: Vec<Vec<usize>> = rows.iter().map(|row| row.iter().rev().copied().collect()).collect();
        rows.extend(mirrored);
    }
    rows
}
