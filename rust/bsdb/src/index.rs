//! The block index: from a record to its block, and where the block lies.

use crate::bytes::{bits_at, prefetch, u32_at, u64_at};
use crate::error::{need, Result};

/// Blocks that share a sample, on average.
const SAMPLED: u32 = 16;

/// The blocks of a partition. All are checked when it is opened.
#[derive(Default)]
pub(crate) struct BlockIndex {
    pub count: u32,
    n: u32,
    total: u64,
    /// Records of each block but the last; 0 if they differ.
    uniform: u32,
    /// Bytes of each block but the last; 0 if they differ.
    uniform_length: u64,
    /// Each block, then the end; none if both are uniform.
    blocks: Vec<Block>,
    /// The blocks from which on offsets have 4 GiB more.
    carries: Vec<u32>,
    /// Where records differ: the block of each record whose number is a multiple of 2^shift, then the last block.
    samples: Vec<u32>,
    shift: u32,
}

/// Where a block begins. In 8 bytes, so that the caches of a processor hold the blocks of a gigabyte.
#[derive(Clone, Copy)]
struct Block {
    first: u32,
    /// The low bits of the offset; `carries` has the others.
    low: u32,
}

impl BlockIndex {
    pub fn open(section: &[u8], n: u32, alignment: u64, blocks_length: u64, longest: u64) -> Result<BlockIndex> {
        need!(section.len() >= 24, "block index is cut: {} bytes", section.len());
        let (count, uniform) = (u32_at(section, 0), u32_at(section, 4));
        let (uniform_length, total) = (u64_at(section, 8), u64_at(section, 16));
        need!((1..=n).contains(&count), "block count {count} of the block index, with {n} records");
        need!(total == blocks_length, "blocks length {total} of the block index, expected {blocks_length}");
        need!(total % alignment == 0, "blocks length {total} is not aligned");
        let mut index = BlockIndex { count, n, total, uniform, uniform_length, ..BlockIndex::default() };
        let (mut firsts, mut offsets, mut at) = (Vec::new(), Vec::new(), 24);
        if uniform > 0 {
            need!(count == n.div_ceil(uniform), "{count} blocks of {uniform} records each, with {n} records");
            need!(uniform.min(n) <= 65_535, "blocks of {uniform} records");
        } else {
            (firsts, at) = sequence(section, at, count, |value| u32::try_from(value).ok())?;
            need!(firsts[0] == 0, "first block does not begin with record 0");
            firsts.push(n);
            let fits = |pair: &[u32]| pair[0] < pair[1] && pair[1] - pair[0] <= 65_535;
            need!(firsts.windows(2).all(fits), "blocks of no or too many records");
            index.sample(&firsts);
        }
        if uniform_length > 0 {
            need!(uniform_length % alignment == 0, "uniform length {uniform_length} is not aligned");
            let last = uniform_length.checked_mul(count as u64 - 1).and_then(|start| total.checked_sub(start));
            let last = last.unwrap_or(0);
            let lengths = [if count > 1 { uniform_length } else { last }, last];
            need!(lengths.iter().all(|l| (24..=longest).contains(l)), "length of blocks is out of range");
        } else {
            (offsets, _) = sequence(section, at, count, |value| value.checked_mul(alignment))?;
            need!(offsets[0] == 0, "first block does not begin at offset 0");
            offsets.push(total);
            let fits = |pair: &[u64]| pair[1].checked_sub(pair[0]).is_some_and(|l| (24..=longest).contains(&l));
            need!(offsets.windows(2).all(fits), "length of blocks is out of range");
        }
        if uniform == 0 || uniform_length == 0 {
            let block = |i: usize| Block {
                first: firsts.get(i).copied().unwrap_or_else(|| index.first(i as u32)),
                low: offsets.get(i).copied().unwrap_or_else(|| index.offset(i as u32)) as u32,
            };
            index.blocks = (0..=count as usize).map(block).collect();
            // No block is as long as that.
            let carries = |i: &u32| offsets[*i as usize - 1] >> 32 < offsets[*i as usize] >> 32;
            index.carries = (1..offsets.len() as u32).filter(carries).collect();
        }
        Ok(index)
    }

    fn sample(&mut self, firsts: &[u32]) {
        self.shift = (SAMPLED as u64 * self.n as u64 / self.count as u64).ilog2().min(31);
        let mut block = 0;
        for record in (0..self.n as u64).step_by(1 << self.shift) {
            while firsts[block + 1] as u64 <= record {
                block += 1;
            }
            self.samples.push(block as u32);
        }
        self.samples.push(self.count - 1);
    }

    /// Where a block is likely to be that has a record: between the samples around it, in proportion.
    #[inline]
    fn guess(&self, record: u32) -> usize {
        let at = (record >> self.shift) as usize;
        let (low, high) = (self.samples[at], self.samples[at + 1]);
        let rest = record as u64 & ((1 << self.shift) - 1);
        low as usize + (rest * (high - low) as u64 >> self.shift) as usize
    }

    /// Loads into the cache what `block_of`, `first` and `offset` will read.
    #[inline]
    pub fn prefetch(&self, record: u32) {
        if self.blocks.is_empty() {
            return;
        }
        let block = record.checked_div(self.uniform).map_or_else(|| self.guess(record), |block| block as usize);
        prefetch(&self.blocks[block]);
    }

    /// The block of a record below n: a guess, then steps that double.
    #[inline]
    pub fn block_of(&self, record: u32) -> u32 {
        if let Some(block) = record.checked_div(self.uniform) {
            return block;
        }
        let blocks = &self.blocks[..];
        let guess = self.guess(record);
        let (mut low, mut high);
        if blocks[guess].first <= record {
            (low, high) = (guess, guess + 1);
            let mut step = 1;
            while high < blocks.len() && blocks[high].first <= record {
                low = high;
                high += step;
                step *= 2;
            }
            high = high.min(blocks.len() - 1);
        } else {
            (low, high) = (guess - 1, guess);
            let mut step = 1;
            while blocks[low].first > record {
                high = low;
                low = low.saturating_sub(step);
                step *= 2;
            }
        }
        while high - low > 1 {
            let middle = (low + high) / 2;
            if blocks[middle].first <= record {
                low = middle;
            } else {
                high = middle;
            }
        }
        low as u32
    }

    /// First record of a block; n for the end.
    #[inline]
    pub fn first(&self, block: u32) -> u32 {
        if self.uniform > 0 {
            return (block as u64 * self.uniform as u64).min(self.n as u64) as u32;
        }
        self.blocks[block as usize].first
    }

    /// Offset of a block from the first; the end for the number of blocks.
    #[inline]
    pub fn offset(&self, block: u32) -> u64 {
        if self.uniform_length > 0 {
            return if block == self.count { self.total } else { block as u64 * self.uniform_length };
        }
        let low = self.blocks[block as usize].low as u64;
        if self.carries.is_empty() {
            return low;
        }
        (self.carries.partition_point(|&carry| carry <= block) as u64) << 32 | low
    }
}

/// Decodes a sequence in Elias-Fano form; returns its values and where it ends.
fn sequence<T>(data: &[u8], at: usize, count: u32, map: impl Fn(u64) -> Option<T>) -> Result<(Vec<T>, usize)> {
    need!(data.len() - at >= 16, "sequence is cut at {at}");
    let (m, width, max) = (u32_at(data, at), u32_at(data, at + 4), u64_at(data, at + 8));
    need!(m == count, "sequence of {m} numbers, expected {count}");
    need!(width <= 56, "sequence with low parts of {width} bits");
    let (m, length) = (m as u64, data.len() as u64);
    let high = max >> width;
    need!(high < 8 * length, "sequence is longer than its section");
    let lows_at = at as u64 + 16;
    let highs_at = lows_at + 8 * ((m * width as u64).div_ceil(64) + 1);
    let samples_at = highs_at + 8 * (m + high + 1).div_ceil(64);
    let end = samples_at + 4 * m.div_ceil(64) + 4 * (high + 1).div_ceil(64);
    need!(end <= length, "sequence is longer than its section");
    let lows = &data[lows_at as usize..highs_at as usize];
    let mut values = Vec::with_capacity(m as usize);
    for word_at in (highs_at as usize..samples_at as usize).step_by(8) {
        let base = 8 * (word_at as u64 - highs_at);
        let mut word = u64_at(data, word_at);
        while word != 0 && (values.len() as u64) < m {
            let i = values.len() as u64;
            let position = base + word.trailing_zeros() as u64;
            word &= word - 1;
            let low = bits_at(lows, i * width as u64, width);
            let value = (position - i).checked_mul(1 << width).map(|v| v | low).and_then(&map);
            match value {
                Some(value) if position <= m + high => values.push(value),
                _ => return Err(crate::Error::corrupt(format!("sequence: number {i} is out of range"))),
            }
        }
        need!(word == 0, "sequence has more ones than numbers");
    }
    need!(values.len() as u64 == m, "sequence has {} ones, expected {m}", values.len());
    Ok((values, end as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Vec<u8> {
        let mut bytes = Vec::new();
        for word in [5u32, 0] {
            bytes.extend(word.to_le_bytes());
        }
        for word in [512u64, 2460, 5 | 2 << 32, 30, 0x284, 0, 0x865, 1 << 32] {
            bytes.extend(word.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn reads_the_example_of_the_specification() {
        let index = BlockIndex::open(&example(), 40, 1, 2460, 4096).unwrap();
        assert_eq!(index.blocks.iter().map(|b| b.first).collect::<Vec<_>>(), [0, 5, 12, 14, 30, 40]);
        assert_eq!(index.block_of(13), 2);
        let starts = [0, 5, 12, 14, 30];
        for record in 0..40 {
            let expected = starts.iter().rposition(|&s| s <= record).unwrap() as u32;
            assert_eq!(index.block_of(record), expected, "{record}");
        }
        assert_eq!((index.offset(4), index.offset(5)), (2048, 2460));
    }

    /// A sequence in Elias-Fano form, without what its samples say.
    fn encoded(values: &[u64], width: u32) -> Vec<u8> {
        let (m, max) = (values.len() as u64, values[values.len() - 1]);
        let high = max >> width;
        let mut lows = vec![0u64; ((m * width as u64).div_ceil(64) + 1) as usize];
        let mut highs = vec![0u64; (m + high + 1).div_ceil(64) as usize];
        for (i, value) in values.iter().enumerate() {
            let low = value & ((1 << width) - 1);
            let (word, shift) = (i * width as usize / 64, i * width as usize % 64);
            let wide = (low as u128) << shift;
            lows[word] |= wide as u64;
            lows[word + 1] |= (wide >> 64) as u64;
            let position = (value >> width) as usize + i;
            highs[position / 64] |= 1 << (position % 64);
        }
        let mut bytes = (m as u32).to_le_bytes().to_vec();
        bytes.extend(width.to_le_bytes());
        bytes.extend(max.to_le_bytes());
        lows.iter().chain(&highs).for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes.resize(bytes.len() + 4 * (m.div_ceil(64) + (high + 1).div_ceil(64)) as usize, 0);
        bytes
    }

    #[test]
    fn knows_offsets_of_many_gigabytes() {
        let longest = 1 << 28;
        let offsets: Vec<u64> = (0..100).map(|i| i * longest - i * i % 4000).collect();
        let total = 100 * longest - 50;
        let mut section = Vec::new();
        for word in [100u32, 7] {
            section.extend(word.to_le_bytes());
        }
        for word in [0, total] {
            section.extend(word.to_le_bytes());
        }
        section.extend(encoded(&offsets, 27));
        let index = BlockIndex::open(&section, 700, 1, total, longest + 4000).unwrap();
        assert_eq!((0..100).map(|i| index.offset(i)).collect::<Vec<_>>(), offsets);
        assert_eq!(index.offset(100), total);
    }

    #[test]
    fn rejects_every_cut_and_survives_every_flipped_bit() {
        let bytes = example();
        for length in 0..bytes.len() {
            assert!(BlockIndex::open(&bytes[..length], 40, 1, 2460, 4096).is_err());
        }
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(index) = BlockIndex::open(&bytes, 40, 1, 2460, 4096) {
                for record in 0..40 {
                    assert!(index.block_of(record) < index.count);
                }
            }
        }
    }
}
