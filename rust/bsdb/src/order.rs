//! Key order within a partition: from a key to how many keys are below it.

use std::cmp::Ordering;

use crate::bytes::{u16_at, u32_at, u64_at};
use crate::error::{need, Error, Result};
use crate::file::Bytes;
use crate::index::BlockIndex;
use crate::partition::Partition;
use crate::record::Scratch;

const FANOUT: u32 = 16;
const HEAD_BITS: u32 = 15;

/// The sections ORDER_INDEX and HEADS.
pub(crate) struct Order {
    section: Bytes,
    first: std::ops::Range<usize>,
    last: std::ops::Range<usize>,
    nodes_at: usize,
    skips_at: usize,
    /// Of each level, from the highest down: the number of its first node, and its entries.
    levels: Vec<(u32, u32)>,
    heads: Option<Bytes>,
}

/// Eight bytes of a key from an offset on, with zeros after its end, as a big-endian number.
fn head(key: &[u8], skip: usize) -> u64 {
    let mut bytes = [0; 8];
    let rest = key.get(skip..).unwrap_or_default();
    let length = rest.len().min(8);
    bytes[..length].copy_from_slice(&rest[..length]);
    u64::from_be_bytes(bytes)
}

/// The head of a record: 15 bits of its key from a bit on.
fn bit_head(key: &[u8], skip: usize) -> u64 {
    head(key, skip / 8) << (skip % 8) >> (64 - HEAD_BITS)
}

impl Order {
    pub fn open(section: Bytes, index: &BlockIndex, bound: &[u8]) -> Result<Order> {
        need!(section.len() >= 16, "order index of {} bytes", section.len());
        let (count, first, last) = (u32_at(&section, 0), u32_at(&section, 4), u32_at(&section, 8));
        need!(count == index.count, "order index of {count} blocks, expected {}", index.count);
        let fits = |length| (1..=65_535).contains(&length);
        need!(fits(first) && fits(last), "first and last key of {first} and {last} bytes");
        let mut sizes = vec![count];
        while *sizes.last().unwrap() > FANOUT {
            sizes.push(sizes.last().unwrap().div_ceil(FANOUT));
        }
        let (mut levels, mut nodes) = (Vec::new(), 0);
        for &entries in sizes.iter().rev() {
            levels.push((nodes, entries));
            nodes += entries.div_ceil(FANOUT);
        }
        let keys_end = 16 + first as usize + last as usize;
        let nodes_at = keys_end.next_multiple_of(8);
        let skips_at = nodes_at + 128 * nodes as usize;
        let length = skips_at + 2 * nodes as usize;
        need!(section.len() == length, "order index of {} bytes, expected {length}", section.len());
        let first = 16..16 + first as usize;
        let order = Order { last: first.end..keys_end, first, section, nodes_at, skips_at, levels, heads: None };
        for &(number, entries) in &order.levels {
            for start in (0..entries).step_by(FANOUT as usize) {
                let node = number + start / FANOUT;
                let used = (entries - start).min(FANOUT);
                let ascend = (1..used).all(|e| order.node_head(node, e - 1) <= order.node_head(node, e));
                need!(ascend, "heads of node {node} of the order index descend");
            }
        }
        need!(bound.is_empty() || bound == order.first_key(), "first key is not the lower bound of the manifest");
        need!(order.first_key() <= order.last_key(), "first key is above the last");
        Ok(order)
    }

    pub fn open_heads(&mut self, section: Bytes, n: u32, index: &BlockIndex) -> Result<()> {
        let length = 2 * index.count as u64 + (HEAD_BITS as u64 * n as u64).div_ceil(8) + 4;
        need!(section.len() as u64 == length, "heads of {} bytes, expected {length}", section.len());
        let heads = section;
        for block in 0..index.count {
            let (from, to) = (index.first(block), index.first(block + 1));
            let ascend =
                (from + 1..to).all(|r| record_head(&heads, index.count, r - 1) <= record_head(&heads, index.count, r));
            need!(ascend, "heads of block {block} descend");
        }
        self.heads = Some(heads);
        Ok(())
    }

    pub fn first_key(&self) -> &[u8] {
        &self.section[self.first.clone()]
    }

    pub fn last_key(&self) -> &[u8] {
        &self.section[self.last.clone()]
    }

    fn node_skip(&self, node: u32) -> usize {
        u16_at(&self.section, self.skips_at + 2 * node as usize) as usize
    }

    pub fn check<'a>(&'a self, index: &'a BlockIndex) -> OrderCheck<'a> {
        OrderCheck { order: self, index, starts: vec![Vec::new(); self.levels.len() + 1], blocks: 0 }
    }

    fn node_head(&self, node: u32, entry: u32) -> u64 {
        u64_at(&self.section, self.nodes_at + 128 * node as usize + 8 * entry as usize).swap_bytes()
    }

    /// The entries among the first `used` of a node whose keys may be the last one not above a key: a range.
    fn entries(&self, node: u32, used: u32, key: &[u8]) -> (u32, u32) {
        let wanted = head(key, self.node_skip(node));
        let (mut below, mut through) = (0, 0);
        for entry in 0..used {
            let head = self.node_head(node, entry);
            below += (head < wanted) as u32;
            through += (head <= wanted) as u32;
        }
        (below.saturating_sub(1), through.max(1))
    }
}

/// Compares skips and heads with the ascending keys that they are made from. If they agree, a search ends at the right record for every key,
/// also for one that is not there.
pub(crate) struct OrderCheck<'a> {
    order: &'a Order,
    index: &'a BlockIndex,
    /// The first key of the current node of each level, then that of the current block.
    starts: Vec<Vec<u8>>,
    /// The number of blocks whose first record has been accepted.
    blocks: u32,
}

impl OrderCheck<'_> {
    /// Takes the next record.
    pub fn accept(&mut self, number: u32, key: &[u8]) -> Result<()> {
        if number == self.index.first(self.blocks) {
            self.end_block(key)?;
            self.begin_block(key)?;
        }
        if let Some(heads) = &self.order.heads {
            let expected = bit_head(key, block_skip(heads, self.blocks - 1));
            let actual = record_head(heads, self.index.count, number);
            same("head", expected, actual, || format!("record {number} in HEADS"))?;
        }
        Ok(())
    }

    fn begin_block(&mut self, key: &[u8]) -> Result<()> {
        for level in 0..self.starts.len() {
            if !self.is_edge(level) {
                continue;
            }
            self.starts[level].clear();
            self.starts[level].extend_from_slice(key);
            if level > 0 {
                let number = (self.blocks as u64 / self.span(level)) as u32;
                let (node, entry) = (self.order.levels[level - 1].0 + number / FANOUT, number % FANOUT);
                let (expected, actual) = (head(key, self.order.node_skip(node)), self.order.node_head(node, entry));
                same("head", expected, actual, || format!("entry {entry} of node {node} in ORDER_INDEX"))?;
            }
        }
        self.blocks += 1;
        Ok(())
    }

    /// Checks the skips of the current block, and of the nodes that end with it. The fence is the first key after it, or the last key of
    /// the partition.
    pub fn end_block(&self, fence: &[u8]) -> Result<()> {
        let Some(block) = self.blocks.checked_sub(1) else { return Ok(()) };
        for (level, &(first, _)) in self.order.levels.iter().enumerate() {
            if self.is_edge(level) {
                let node = first + (block as u64 / self.span(level)) as u32;
                let (expected, actual) = (common_bytes(&self.starts[level], fence), self.order.node_skip(node));
                same("skip", expected as u64, actual as u64, || format!("node {node} in ORDER_INDEX"))?;
            }
        }
        if let Some(heads) = &self.order.heads {
            let expected = common_bits(&self.starts[self.order.levels.len()], fence).min(0xFFFF);
            same("skip", expected as u64, block_skip(heads, block) as u64, || format!("block {block} in HEADS"))?;
        }
        Ok(())
    }

    /// How many blocks a node of a level has; at the lowest, a block.
    fn span(&self, level: usize) -> u64 {
        (FANOUT as u64).pow((self.order.levels.len() - level) as u32)
    }

    /// Whether a node of a level ends in front of the next block.
    fn is_edge(&self, level: usize) -> bool {
        self.blocks as u64 % self.span(level) == 0 || self.blocks == self.index.count
    }
}

fn same(what: &str, expected: u64, actual: u64, place: impl Fn() -> String) -> Result<()> {
    if expected == actual {
        return Ok(());
    }
    let message = format!("{what} of {} differs from the keys", place());
    Err(Error::corrupt(message).values(format_args!("{expected:x}"), format_args!("{actual:x}")))
}

/// How many leading bytes two keys share.
fn common_bytes(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// How many leading bits two keys share; zeros stand after their ends.
fn common_bits(a: &[u8], b: &[u8]) -> usize {
    let longest = a.len().max(b.len());
    let octet = |key: &[u8], at: usize| key.get(at).copied().unwrap_or(0);
    let different = (common_bytes(a, b)..longest).find(|&at| octet(a, at) != octet(b, at));
    different.map_or(8 * longest, |at| 8 * at + (octet(a, at) ^ octet(b, at)).leading_zeros() as usize)
}

fn block_skip(heads: &[u8], block: u32) -> usize {
    u16_at(heads, 2 * block as usize) as usize
}

fn record_head(heads: &[u8], blocks: u32, record: u32) -> u64 {
    let bit = 16 * blocks as u64 + HEAD_BITS as u64 * record as u64;
    let at = (bit / 8) as usize;
    // A head spans at most three bytes, and four bytes of zeros follow the last.
    u32_at(heads, at) as u64 >> (bit % 8) & ((1 << HEAD_BITS) - 1)
}

impl Partition {
    /// How many keys are below a key or, if `through`, not above it. The partition is in key order.
    pub fn count_below(&self, key: &[u8], through: bool, scratch: &mut Scratch) -> Result<u32> {
        let Some(order) = &self.order else {
            return Ok(0);
        };
        if key < order.first_key() {
            return Ok(0);
        }
        if key > order.last_key() {
            return Ok(self.n);
        }
        let block = self.block_of_key(order, key, scratch)?;
        let (mut low, mut high) = (self.index.first(block), self.index.first(block + 1));
        if let Some(heads) = &order.heads {
            let wanted = bit_head(key, block_skip(heads, block));
            let blocks = self.index.count;
            let from = low;
            low = first_above(from, high, |r| record_head(heads, blocks, r) < wanted);
            high = first_above(low, high, |r| record_head(heads, blocks, r) <= wanted);
        }
        while low < high {
            let middle = low + (high - low) / 2;
            match self.compare(middle, key, scratch)? {
                Ordering::Less => low = middle + 1,
                Ordering::Equal if through => low = middle + 1,
                _ => high = middle,
            }
        }
        Ok(low)
    }

    /// The block whose first key is the last one not above a key.
    fn block_of_key(&self, order: &Order, key: &[u8], scratch: &mut Scratch) -> Result<u32> {
        let mut node = 0;
        for (depth, &(number, entries)) in order.levels.iter().enumerate() {
            let used = (entries - FANOUT * node).min(FANOUT);
            let (mut low, mut high) = order.entries(number + node, used, key);
            let span = 16u32.pow((order.levels.len() - 1 - depth) as u32);
            while high - low > 1 {
                let middle = (low + high) / 2;
                let block = (FANOUT * node + middle) * span;
                if self.compare(self.index.first(block), key, scratch)? == Ordering::Greater {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            node = FANOUT * node + low;
        }
        Ok(node)
    }

    fn compare(&self, record: u32, key: &[u8], scratch: &mut Scratch) -> Result<Ordering> {
        Ok(self.record(record, scratch)?.0.cmp(key))
    }
}

fn first_above(mut low: u32, mut high: u32, below: impl Fn(u32) -> bool) -> u32 {
    while low < high {
        let middle = low + (high - low) / 2;
        if below(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_the_heads_of_the_specification() {
        assert_eq!(bit_head(b"geneva", 12), 0x2b73);
        assert_eq!(bit_head(b"grenchen", 11), 0x4995);
        let heads = [0x0c, 0, 0x0b, 0, 0x73, 0xab, 0xc9, 0x55, 0x61, 0xac, 0x32, 0x09, 0, 0, 0, 0];
        let all: Vec<u64> = (0..4).map(|r| record_head(&heads, 2, r)).collect();
        assert_eq!(all, [0x2b73, 0x2b93, 0x3185, 0x4995]);
    }
}
