//! Batches of lookups: the memory that a key needs is asked for some keys before it is used.

use crate::error::Result;
use crate::hash::KeyHash;
use crate::partition::Partition;
use crate::record::Scratch;
use crate::table::{with_scratch, Table};

/// Keys that take a step of a lookup together, and wait for their pages at the same time. Of many more, processors would drop
/// prefetches.
const FEW: usize = 8;
const STEPS: usize = 5;
/// Places for groups on their way, a power of two.
const RING: usize = 8;
/// Keys that are read in the order of their blocks.
const GROUP: usize = 128;
const ABSENT: u32 = u32::MAX;

/// How far a key has come.
#[derive(Clone, Copy)]
struct Probe<'a> {
    key: &'a [u8],
    hash: KeyHash,
    partition: &'a Partition,
    /// Rank, then record number; `ABSENT` if the key is known to be absent.
    number: u32,
    block: u32,
}

impl Table {
    /// Looks up keys, and gives their values to a consumer, in the order of the keys, with the number of the key from 0 on.
    pub fn get_many<'k, K>(
        &self,
        keys: impl IntoIterator<Item = &'k K>,
        mut consumer: impl FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()>
    where
        K: AsRef<[u8]> + ?Sized + 'k,
    {
        let (mut hits, mut asked) = (0, 0);
        let consumer = |i, value: Option<&[u8]>| {
            let value = value.filter(|value| !self.hides(value));
            asked += 1;
            hits += value.is_some() as u64;
            consumer(i, value)
        };
        let keys = keys.into_iter().map(AsRef::as_ref).fuse();
        let result = if self.partitions.iter().all(|p| p.n == 0 || p.lends() && p.has_points()) {
            self.lend_many(keys, consumer)
        } else {
            self.collect_many(keys, consumer)
        };
        self.counts.add_batch(hits, asked - hits, result.is_err());
        result
    }

    /// Gives values that are borrowed. Each group takes its next step when the one in front has taken the step after it.
    fn lend_many<'k>(
        &self,
        mut keys: impl Iterator<Item = &'k [u8]>,
        mut consumer: impl FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        let mut groups = [[self.begin(&[]); FEW]; RING];
        let mut counts = [0; RING];
        for turn in 0.. {
            let at = |step: usize| (turn + RING - step) % RING;
            counts[at(0)] = 0;
            for probe in &mut groups[at(0)] {
                let Some(key) = keys.next() else { break };
                *probe = self.begin(key);
                counts[at(0)] += 1;
            }
            groups[at(1)][..counts[at(1)]].iter_mut().for_each(|p| self.rank(p));
            groups[at(2)][..counts[at(2)]].iter_mut().for_each(|p| self.number(p));
            groups[at(3)][..counts[at(3)]].iter_mut().for_each(|p| self.block(p));
            groups[at(4)][..counts[at(4)]].iter().for_each(|p| self.slot(p));
            let ready = &groups[at(STEPS)][..counts[at(STEPS)]];
            for (i, probe) in ready.iter().enumerate() {
                self.lend(probe, |value| consumer((turn - STEPS) * FEW + i, value))?;
            }
            if turn >= STEPS && ready.is_empty() {
                break;
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn begin<'a>(&'a self, key: &'a [u8]) -> Probe<'a> {
        let hash = KeyHash::of(key);
        let partition = &*self.partitions[self.partition_of(key, hash)];
        if let Some(overlay) = &self.overlay {
            overlay.prefetch_slot(hash);
        }
        partition.prefetch_rank(hash);
        Probe { key, hash, partition, number: ABSENT, block: 0 }
    }

    #[inline(always)]
    fn rank(&self, probe: &mut Probe) {
        if let Some(overlay) = &self.overlay {
            overlay.prefetch_change(probe.hash);
        }
        if probe.partition.n > 0 && probe.partition.has_points() && Self::is_key(probe.key) {
            probe.number = probe.partition.rank(probe.hash);
            probe.partition.prefetch_number(probe.number);
        }
    }

    #[inline(always)]
    fn number(&self, probe: &mut Probe) {
        if self.is_ordered() && probe.number != ABSENT {
            probe.number = probe.partition.number(probe.number);
            probe.partition.prefetch_place(probe.number);
        }
    }

    #[inline(always)]
    fn block(&self, probe: &mut Probe) {
        if probe.number == ABSENT {
            return;
        }
        if probe.partition.may_be(probe.number, probe.hash) {
            probe.block = probe.partition.index.block_of(probe.number);
            probe.partition.prefetch_block(probe.block, probe.number);
        } else {
            probe.number = ABSENT;
        }
    }

    #[inline(always)]
    fn slot(&self, probe: &Probe) {
        if probe.number != ABSENT {
            probe.partition.prefetch_slot(probe.block, probe.number);
        }
    }

    #[inline(always)]
    fn lend(&self, probe: &Probe, consumer: impl FnOnce(Option<&[u8]>) -> Result<()>) -> Result<()> {
        if let Some(change) = self.overlay.as_ref().and_then(|o| o.get(probe.key, probe.hash)) {
            return consumer(change.value());
        }
        consumer(match probe.number {
            ABSENT => None,
            number => probe.partition.lent_of_block(probe.block, number, probe.key)?,
        })
    }

    /// Gives values that are decoded, or found by their order.
    fn collect_many<'k>(
        &self,
        mut keys: impl Iterator<Item = &'k [u8]>,
        mut consumer: impl FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        let mut first = 0;
        loop {
            let mut probes: Vec<Probe> = keys.by_ref().take(GROUP).map(|key| self.begin(key)).collect();
            if probes.is_empty() {
                return Ok(());
            }
            probes.iter_mut().for_each(|p| self.rank(p));
            probes.iter_mut().for_each(|p| self.number(p));
            probes.iter_mut().for_each(|p| self.block(p));
            with_scratch(|scratch| self.collect(&probes, first, scratch, &mut consumer))?;
            first += probes.len();
        }
    }

    /// Reads each block and frame once, in their order, and gives the values in the order of the keys.
    fn collect(
        &self,
        probes: &[Probe],
        first: usize,
        scratch: &mut Scratch,
        consumer: &mut impl FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        let mut order: Vec<usize> = (0..probes.len()).collect();
        order.sort_unstable_by_key(|&i| (probes[i].partition.serial, probes[i].number));
        let mut values = Vec::new();
        let mut ranges = [None; GROUP];
        for i in order {
            let probe = &probes[i];
            if !Self::is_key(probe.key) {
                continue;
            }
            let change = self.overlay.as_ref().and_then(|o| o.get(probe.key, probe.hash));
            let value = match (change, probe.number) {
                (Some(change), _) => change.value(),
                (None, ABSENT) if probe.partition.n == 0 || probe.partition.has_points() => None,
                (None, ABSENT) => probe.partition.find(probe.key, probe.hash, scratch)?,
                (None, number) => probe.partition.value(number, probe.key, scratch)?,
            };
            if let Some(value) = value {
                ranges[i] = Some((values.len(), values.len() + value.len()));
                values.extend_from_slice(value);
            }
        }
        for (i, range) in ranges[..probes.len()].iter().enumerate() {
            consumer(first + i, range.map(|(from, to)| &values[from..to]))?;
        }
        Ok(())
    }
}
