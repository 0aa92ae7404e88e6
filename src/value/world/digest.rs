//! The hash of the whole dataset.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sha2::{Digest, Sha256};

use super::{SetId, World};
use crate::value::error::RenderError;

/// Rows hashed together, whatever the number of threads: a part of what the hash is.
const CHUNK: u64 = 4096;

type Hash = [u8; 32];

impl World {
    /// SHA-256 over all rows of all sets, hexadecimal (`dataset_sha256`). Threads share the work; their number does not
    /// change the value.
    ///
    /// # Errors
    /// The first row, in order, that cannot be rendered.
    pub fn sha256(&self) -> Result<String, RenderError> {
        let chunks: Vec<(SetId, u64)> = (0..self.sets.len())
            .map(SetId)
            .flat_map(|set| (0..self.rows(set).div_ceil(CHUNK)).map(move |chunk| (set, chunk)))
            .collect();
        let mut hashes = self.hash_chunks(&chunks)?.into_iter();
        let mut whole = Sha256::new();
        for set in (0..self.sets.len()).map(SetId) {
            whole.update((self.name(set).len() as u64).to_le_bytes());
            whole.update(self.name(set));
            whole.update(self.rows(set).to_le_bytes());
            let of_set = usize::try_from(self.rows(set).div_ceil(CHUNK)).expect("rows are bounded");
            hashes.by_ref().take(of_set).for_each(|hash| whole.update(hash));
        }
        Ok(hexadecimal(&whole.finalize()))
    }

    fn hash_chunks(&self, chunks: &[(SetId, u64)]) -> Result<Vec<Hash>, RenderError> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(chunks.len().max(1));
        let next = AtomicUsize::new(0);
        let found = Mutex::new(vec![None; chunks.len()]);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((number, (set, chunk))) = take(&next, chunks) {
                        let hash = self.hash_chunk(set, chunk);
                        let failed = hash.is_err();
                        found.lock().expect("no thread panics while it holds the lock")[number] = Some(hash);
                        if failed {
                            // Chunks are taken in order, so all before this one are in hand: no need to go on.
                            next.store(chunks.len(), Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        let found = found.into_inner().expect("no thread panics while it holds the lock");
        found.into_iter().flatten().collect()
    }

    fn hash_chunk(&self, set: SetId, chunk: u64) -> Result<Hash, RenderError> {
        let mut hash = Sha256::new();
        let mut row = Vec::new();
        for number in chunk * CHUNK..((chunk + 1) * CHUNK).min(self.rows(set)) {
            self.write(set, number, &mut row)?;
            hash.update(&row);
        }
        Ok(hash.finalize().into())
    }
}

fn take(next: &AtomicUsize, chunks: &[(SetId, u64)]) -> Option<(usize, (SetId, u64))> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    chunks.get(number).map(|chunk| (number, *chunk))
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a String does not fail");
        text
    })
}
