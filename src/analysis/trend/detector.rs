//! Where a history changed.

use super::noise::noise;
use super::partition::partition;

/// Runs that lie on either side of a step, at least.
pub const LEAST_SEGMENT: usize = 3;
/// A shorter history has no steps.
pub const LEAST_RUNS: usize = 2 * LEAST_SEGMENT;
/// The share of flat histories that bear a mark.
pub const FLAT_MARKED: f64 = 0.01;

/// What each step must save, in standard deviations of the noise, by the length of the history: the penalty with which
/// [`FLAT_MARKED`] of 400,000 simulated histories (fewer of the longest) of independent normal noise have a step. It is
/// uneven where the number of differences that count as noise makes a step. Between lengths the logarithm of the length
/// counts; beyond the last, the last stands, which marks a little more.
const PENALTY: [(usize, f64); 22] = [
    (6, 5.50),
    (7, 5.15),
    (8, 5.33),
    (9, 6.47),
    (10, 6.35),
    (11, 5.90),
    (12, 5.82),
    (13, 6.62),
    (14, 6.46),
    (15, 6.14),
    (16, 6.07),
    (18, 6.51),
    (20, 6.19),
    (22, 6.58),
    (25, 6.66),
    (30, 6.56),
    (40, 6.52),
    (50, 6.75),
    (70, 6.81),
    (100, 6.93),
    (200, 7.15),
    (400, 7.61),
];

/// A step in a history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The place of the first value after it.
    pub at: usize,
    /// The median before it, back to the step before.
    pub before: f64,
    /// The median after it, up to the next step.
    pub after: f64,
}

/// The steps of a figure, in the order of nights. Figures are positive; they are compared by their ratios.
pub fn steps(figures: &[f64]) -> Vec<Step> {
    let logs: Vec<f64> = figures.iter().map(|figure| figure.ln()).collect();
    if logs.len() < LEAST_RUNS || logs.iter().any(|log| !log.is_finite()) {
        return Vec::new();
    }
    let places = partition(&logs, penalty(logs.len()) * noise(&logs));
    let ends: Vec<usize> = std::iter::once(0).chain(places.iter().copied()).chain([logs.len()]).collect();
    let step = |around: &[usize]| Step {
        at: around[1],
        before: median(&figures[around[0]..around[1]]),
        after: median(&figures[around[1]..around[2]]),
    };
    ends.windows(3).map(step).collect()
}

/// What each step of a history of that length must save, in standard deviations of the noise.
fn penalty(runs: usize) -> f64 {
    let last = PENALTY[PENALTY.len() - 1];
    let Some(next) = PENALTY.iter().position(|(length, _)| *length >= runs) else { return last.1 };
    let (length, here) = PENALTY[next];
    let Some((shorter, before)) = next.checked_sub(1).map(|place| PENALTY[place]) else { return here };
    let share = (runs as f64 / shorter as f64).ln() / (length as f64 / shorter as f64).ln();
    before + share * (here - before)
}

fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { f64::midpoint(sorted[half - 1], sorted[half]) }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand_distr::{Distribution as _, StandardNormal};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    /// The seed of every truth; the first that was tried.
    const SEED: u64 = 1;

    fn normal(generator: &mut Pcg64Mcg) -> f64 {
        StandardNormal.sample(generator)
    }

    /// Nights of a figure of one thousand with a standard deviation of 2 % from night to night.
    fn nights(generator: &mut Pcg64Mcg, nights: usize) -> Vec<f64> {
        let night = |_| 1_000.0 * (1.0 + 0.02 * normal(generator));
        (0..nights).map(night).collect()
    }

    #[test]
    fn a_step_of_ten_percent_is_marked_on_its_night() {
        let mut generator = Pcg64Mcg::seed_from_u64(SEED);
        for (name, factor) in [("slower", 1.1), ("faster", 0.9)] {
            let mut found = 0;
            for _ in 0..200 {
                let mut history = nights(&mut generator, 30);
                history[20..].iter_mut().for_each(|night| *night *= factor);
                let marked = steps(&history);
                let near = marked.iter().filter(|step| step.at.abs_diff(20) <= 1).count();
                found += near;
                if near == 1 {
                    let step = marked.iter().find(|step| step.at.abs_diff(20) <= 1).expect("it was just counted");
                    assert!((step.after / step.before / factor - 1.0).abs() < 0.06, "{step:?}");
                }
            }
            assert!(found >= 180, "{name}: marked within a night in {found} of 200 histories");
        }
    }

    #[test]
    fn few_flat_histories_bear_a_mark() {
        let mut generator = Pcg64Mcg::seed_from_u64(SEED);
        let marked = (0..200).filter(|_| !steps(&nights(&mut generator, 30)).is_empty()).count();
        assert!(marked <= 10, "{marked} of 200 flat histories bear a mark");
    }

    #[test]
    fn one_flat_history_in_a_hundred_bears_a_mark_whatever_its_length() {
        let mut generator = Pcg64Mcg::seed_from_u64(SEED);
        for (length, histories) in [(6, 4_000), (9, 4_000), (14, 4_000), (30, 4_000), (40, 2_000), (90, 1_000)] {
            let marked = (0..histories).filter(|_| !steps(&nights(&mut generator, length)).is_empty()).count() as f64;
            let expected = FLAT_MARKED * f64::from(histories);
            // Four standard errors, for six lengths.
            let bound = 4.0 * expected.sqrt();
            assert!(
                (marked - expected).abs() <= bound,
                "{length} nights: {marked} of {histories}, not {expected} ± {bound}"
            );
        }
    }

    #[test]
    fn a_wild_night_is_no_step_and_hides_none() {
        let mut generator = Pcg64Mcg::seed_from_u64(SEED);
        let (mut marked, mut found) = (0, 0);
        for history in 0..200 {
            let mut nights = nights(&mut generator, 30);
            nights[history % 30] *= 3.0;
            marked += usize::from(!steps(&nights).is_empty());
            nights[20..].iter_mut().for_each(|night| *night *= 1.1);
            found += usize::from(steps(&nights).iter().any(|step| step.at.abs_diff(20) <= 1));
        }
        assert!(marked <= 10, "{marked} of 200 flat histories with a wild night bear a mark");
        assert!(found >= 180, "the step is found in {found} of 200 histories with a wild night");
    }

    #[test]
    fn a_step_shows_with_its_third_night() {
        let mut generator = Pcg64Mcg::seed_from_u64(SEED);
        let mut history = nights(&mut generator, 33);
        history[30..].iter_mut().for_each(|night| *night *= 1.2);
        assert_eq!(steps(&history[..31]), [], "one night can be a wild one");
        assert_eq!(steps(&history).iter().map(|step| step.at).collect::<Vec<_>>(), [30]);
    }

    #[test]
    fn there_and_back_are_two_steps_and_each_has_the_medians_around_it() {
        let mut history = vec![100.0, 101.0, 99.0, 100.0, 101.0, 99.0, 100.0, 100.0, 101.0, 99.0];
        history.extend(history.clone().iter().map(|night| night * 2.0));
        history.extend(history[..10].to_vec());
        let found = steps(&history);
        assert_eq!(found.iter().map(|step| step.at).collect::<Vec<_>>(), [10, 20]);
        assert_eq!((found[0].before, found[0].after), (100.0, 200.0));
        assert_eq!((found[1].before, found[1].after), (200.0, 100.0));
    }

    #[test]
    fn short_histories_and_figures_that_are_none_have_no_steps() {
        assert_eq!(steps(&[]), []);
        assert_eq!(steps(&[1.0, 1.0, 1.0, 9.0, 9.0]), [], "five nights");
        assert_eq!(steps(&[1.0, 1.0, 1.0, 0.0, 9.0, 9.0, 9.0]), [], "nothing takes no time");
        assert_eq!(steps(&[5.0; 100]), []);
    }

    #[test]
    fn the_penalty_stands_for_every_length_and_has_no_jumps() {
        for length in LEAST_RUNS..500 {
            let (here, next) = (penalty(length), penalty(length + 1));
            assert!((here / next - 1.0).abs() < 0.25, "{length}: {here}, then {next}");
        }
        assert_eq!((penalty(6), penalty(30), penalty(1_000)), (PENALTY[0].1, 6.56, 7.61));
        assert!(penalty(30) > penalty(35) && penalty(35) > penalty(40));
    }
}
