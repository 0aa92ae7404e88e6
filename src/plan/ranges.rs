//! Which operation numbers each phase has. Nothing is numbered twice.

use std::ops::Range;

/// First number of calibration; parity, on databases of its own, has those below.
pub const CALIBRATION_FROM: u64 = 1_000_000;
/// First number of the rounds at light load, up to the start of a block of the mix.
pub const LIGHT_LOAD_FROM: u64 = 1_800_000;
/// First number of the measured rounds, up to the start of a block of the mix.
pub const MEASURED_FROM: u64 = 2_000_000;

/// The number ranges of a phase's rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranges {
    from: u64,
    block: u64,
    lead_in: u64,
    operations: u64,
}

impl Ranges {
    /// Ranges from `from` on for rounds of `operations`, after lead-ins of `lead_in` operations, in a mix of blocks of
    /// `block` numbers. Each range starts with a block, so that windows of whole blocks have the mix exactly.
    pub const fn new(from: u64, block: u64, lead_in: u64, operations: u64) -> Self {
        Self { from: from.next_multiple_of(block), block, lead_in, operations }
    }

    /// The numbers of parity before measuring.
    pub const fn parity() -> Range<u64> {
        0..CALIBRATION_FROM
    }

    /// The numbers of calibration in a mix of such blocks.
    pub const fn calibration(block: u64) -> Range<u64> {
        CALIBRATION_FROM.next_multiple_of(block)..LIGHT_LOAD_FROM
    }

    /// The numbers of light load, its calibration included, in a mix of such blocks.
    pub const fn light_load(block: u64) -> Range<u64> {
        LIGHT_LOAD_FROM.next_multiple_of(block)..MEASURED_FROM
    }

    /// The first number of the measured rounds in a mix of such blocks.
    pub const fn measured_from(block: u64) -> u64 {
        MEASURED_FROM.next_multiple_of(block)
    }

    /// The untimed numbers before the window of a round.
    pub const fn lead_in(&self, round: u32) -> Range<u64> {
        let start = self.round_from(round);
        start..start + self.lead_in
    }

    /// The numbers of a round's window.
    pub const fn window(&self, round: u32) -> Range<u64> {
        let start = self.round_from(round) + self.lead_in.next_multiple_of(self.block);
        start..start + self.operations
    }

    /// The first number of a round, lead-in included; so the first that so many rounds leave free.
    pub const fn round_from(&self, round: u32) -> u64 {
        let stride = self.lead_in.next_multiple_of(self.block) + self.operations.next_multiple_of(self.block);
        self.from + round as u64 * stride
    }
}
