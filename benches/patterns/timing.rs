//! What is timed: sending and receiving alone.

use std::ops::Range;
use std::time::{Duration, Instant};

use patternbench::backend::CallError;
use patternbench::plan::LIGHT_LOAD_FROM;

use crate::data::Loaded;
use crate::selection::tell;

/// A slower operation is left to `patternbench run`.
const SLOWEST: Duration = Duration::from_millis(100);
/// Looks at how long an operation takes.
const LOOKS: u64 = 3;
/// Writing operations in a block, and in a block of slow ones.
const BLOCK: u64 = 50;
const SLOW_BLOCK: u64 = 5;
const SLOW: Duration = Duration::from_millis(5);

/// How the operation numbers of a line are dealt out.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Numbers {
    /// Reading: as many as Criterion wants.
    AsWanted,
    /// Writing: always the same, on data loaded afresh.
    Block(u64),
}

/// Does an operation a few times, under numbers that are not measured, and says how it is to be timed; or why it is not.
pub(crate) async fn look(loaded: &mut Loaded, place: usize, operation: usize) -> Result<Numbers, String> {
    loaded.make_pristine(place).await;
    let writes = !loaded.only_reads(place, operation);
    if writes {
        loaded.use_up(place);
    }
    let mut shortest = Duration::MAX;
    for number in LIGHT_LOAD_FROM..LIGHT_LOAD_FROM + LOOKS {
        let took = once(loaded, place, operation, number).await.map_err(|error| format!("it fails: {error}"))?;
        shortest = shortest.min(took);
        if took > 10 * SLOWEST {
            break;
        }
    }
    if shortest > SLOWEST {
        let took = shortest.as_millis();
        return Err(format!(
            "one operation takes {took} ms, which is for `patternbench run` (over {} ms)",
            SLOWEST.as_millis()
        ));
    }
    Ok(match writes {
        false => Numbers::AsWanted,
        true => Numbers::Block(if shortest > SLOW { SLOW_BLOCK } else { BLOCK }),
    })
}

/// The time that so many operations take. Of writing ones a block is done, whose time stands for all. Operations that fail
/// are said and are in no figure.
pub(crate) async fn timed(
    loaded: &mut Loaded,
    place: usize,
    operation: usize,
    numbers: Numbers,
    iterations: u64,
    id: &str,
) -> Duration {
    loaded.make_pristine(place).await;
    let from = loaded.measured_from();
    let range: Range<u64> = match numbers {
        Numbers::AsWanted => from..from + iterations,
        Numbers::Block(block) => {
            loaded.use_up(place);
            from..from + block
        }
    };
    let (mut total, mut done) = (Duration::ZERO, 0_u32);
    for number in range {
        match once(loaded, place, operation, number).await {
            Ok(took) => {
                total += took;
                done += 1;
            }
            Err(error) => tell(&format!("{id}: operation {number} failed and is in no figure: {error}")),
        }
    }
    assert!(done > 0, "{id}: every operation failed");
    total.mul_f64(iterations as f64 / f64::from(done))
}

async fn once(loaded: &Loaded, place: usize, operation: usize, number: u64) -> Result<Duration, CallError> {
    let (program, backend) = loaded.driven(place);
    let prepared = program.prepare(backend, operation, number)?;
    let started = Instant::now();
    let done = program.execute(backend, prepared, false).await;
    let took = started.elapsed();
    done.map(|_| took)
}
