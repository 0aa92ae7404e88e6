//! Parity after the last round: the same reads over the state that all models have been brought to. Lost updates and
//! drifting counters of writes in several steps show here.

use std::ops::Range;
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use super::compare::{ParityModel, run};
use super::judge::{Judge, Ran};
use super::outcome::{ParityError, ParityOutcome};
use super::sample::{IN_ALL, Sample, distinct_arguments, in_turn};
use crate::backend::Backend;
use crate::scenario::Operation;

/// How many times its patience a comparison goes on in search of 200 reads.
const END_OF_PATIENCE: u32 = 6;

/// What the comparison after the last round looks at, and how long.
#[derive(Debug, Clone)]
pub struct Closing {
    /// Numbers that arguments are drawn under: a range that nothing else has used.
    pub numbers: Range<u64>,
    /// Reads under way at a time.
    pub workers: usize,
    /// After this time 200 compared reads are enough, and after six times as long any number.
    pub patience: Duration,
    /// Models that left during the rounds, which are not compared.
    pub left: Vec<String>,
}

impl Closing {
    /// Four reads at a time, with a patience of ten seconds, over models of which none has left.
    pub fn new(numbers: Range<u64>) -> Self {
        Self { numbers, workers: 4, patience: Duration::from_secs(10), left: Vec::new() }
    }

    /// Whether so many compared reads are enough by now.
    fn is_content(&self, compared: u64, elapsed: Duration) -> bool {
        elapsed > self.patience && compared >= IN_ALL as u64 || elapsed > self.patience * END_OF_PATIENCE
    }
}

/// Compares the reads of all models: under every distinct argument tuple of an operation where there are at most 2,000,
/// else under 200, as far as time allows. Operations that write in any model are left out, and so is what returns nothing.
///
/// # Errors
/// Where the server is lost, or arguments cannot be drawn. That models differ or fail is an outcome.
pub async fn compare_closing<B: Backend>(
    operations: &[Operation],
    models: &[ParityModel<'_, B>],
    closing: &Closing,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<ParityOutcome, ParityError> {
    let samples = samples(operations, models, closing.numbers.clone())?;
    let judge = Judge::new(operations, true);
    let mut outcome = ParityOutcome { not_compared: closing.left.clone(), ..ParityOutcome::default() };
    let started = Instant::now();
    for chunk in samples.chunks(closing.workers.max(1)) {
        if closing.is_content(outcome.operations, started.elapsed()) {
            break;
        }
        let reads = join_all(chunk.iter().map(|sample| read(operations, models, *sample))).await;
        for (sample, runs) in chunk.iter().zip(reads) {
            judge.judge(*sample, runs?, &mut outcome);
        }
        progress(outcome.operations);
    }
    Ok(outcome)
}

/// The reads to compare, of each operation in turn, so that all have their share wherever the comparison ends.
fn samples<B: Backend>(
    operations: &[Operation],
    models: &[ParityModel<'_, B>],
    numbers: Range<u64>,
) -> Result<Vec<Sample>, ParityError> {
    let Some(first) = models.first() else { return Ok(Vec::new()) };
    let compared = (0..operations.len()).filter(|operation| {
        operations[*operation].returns.is_some() && models.iter().all(|model| model.program.only_reads(*operation))
    });
    let lists = compared.map(|operation| {
        distinct_arguments(first.program, operation, numbers.clone())
            .map_err(|error| ParityError::Arguments { operation: operations[operation].name.clone(), error })
    });
    Ok(in_turn(lists.collect::<Result<_, _>>()?))
}

/// One read on every model, one model after another, since reads of other samples run beside it.
async fn read<'a, B: Backend>(
    operations: &[Operation],
    models: &[ParityModel<'a, B>],
    sample: Sample,
) -> Result<Vec<Ran<'a>>, ParityError> {
    let mut runs = Vec::with_capacity(models.len());
    for model in models {
        let result = run(operations, *model, sample).await?;
        runs.push(Ran { program: model.program, result });
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_ends_with_enough_reads_or_with_its_patience() {
        let closing = Closing { patience: Duration::from_secs(10), ..Closing::new(0..1) };
        let is_content = |compared, seconds| closing.is_content(compared, Duration::from_secs(seconds));
        assert!(!is_content(5_000, 9), "while there is time every read is compared");
        assert!(!is_content(199, 59) && is_content(200, 11));
        assert!(is_content(1, 61), "but no comparison goes on for ever");
    }
}
