//! Batches of lookups: the memory that a group of keys needs is asked for before it is used.

use crate::error::Result;
use crate::hash::KeyHash;
use crate::record::Scratch;
use crate::table::{with_scratch, Table};

/// Keys of which one half is used while the memory of the other is on its way.
const GROUP: usize = 128;
const ABSENT: u32 = u32::MAX;

/// How far a key of a group has come.
#[derive(Clone, Copy)]
struct Probe<'k> {
    key: &'k [u8],
    hash: KeyHash,
    partition: u32,
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
        let result = self.look_up_many(keys, &mut |i, value| {
            asked += 1;
            hits += value.is_some() as u64;
            consumer(i, value)
        });
        self.counts.add_batch(hits, asked - hits, result.is_err());
        result
    }

    fn look_up_many<'k, K>(
        &self,
        keys: impl IntoIterator<Item = &'k K>,
        consumer: &mut impl FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()>
    where
        K: AsRef<[u8]> + ?Sized + 'k,
    {
        let empty = Probe { key: &[], hash: KeyHash::default(), partition: 0, number: 0, block: 0 };
        let (mut group, mut keys, mut first) = ([empty; GROUP], keys.into_iter(), 0);
        let mut fill = |probes: &mut [Probe<'k>]| {
            let asked = probes.iter_mut().zip(keys.by_ref()).map(|(probe, key)| probe.key = key.as_ref());
            asked.count()
        };
        if !self.partitions.iter().all(|p| p.n == 0 || p.lends() && p.has_points()) {
            loop {
                let count = fill(&mut group);
                if count == 0 {
                    return Ok(());
                }
                self.prepare(&mut group[..count]);
                with_scratch(|scratch| self.collect(&group[..count], first, scratch, consumer))?;
                first += count;
            }
        }
        // While one half of the group is used, the memory of the other is on its way.
        let (mut next, mut ready) = group.split_at_mut(GROUP / 2);
        let mut waiting = 0;
        loop {
            let count = fill(next);
            self.prepare(&mut next[..count]);
            self.lend(&ready[..waiting], first, consumer)?;
            if count == 0 {
                return Ok(());
            }
            first += waiting;
            waiting = count;
            std::mem::swap(&mut next, &mut ready);
        }
    }

    /// Finds record and block of each key. Keys with a change keep what they get, and are asked for again later.
    fn prepare(&self, probes: &mut [Probe]) {
        for probe in probes.iter_mut() {
            probe.hash = KeyHash::of(probe.key);
            probe.partition = self.partition_of(probe.key, probe.hash) as u32;
            if let Some(overlay) = &self.overlay {
                overlay.prefetch_slot(probe.hash);
            }
            self.partitions[probe.partition as usize].prefetch_rank(probe.hash);
        }
        for probe in probes.iter_mut() {
            let partition = &*self.partitions[probe.partition as usize];
            if let Some(overlay) = &self.overlay {
                overlay.prefetch_change(probe.hash);
            }
            probe.number = ABSENT;
            if partition.n > 0 && partition.has_points() && Self::is_key(probe.key) {
                probe.number = partition.rank(probe.hash);
                partition.prefetch_number(probe.number);
            }
        }
        if self.is_ordered() {
            for probe in probes.iter_mut().filter(|p| p.number != ABSENT) {
                let partition = &*self.partitions[probe.partition as usize];
                probe.number = partition.number(probe.number);
                partition.prefetch_place(probe.number);
            }
        }
        for probe in probes.iter_mut().filter(|p| p.number != ABSENT) {
            let partition = &*self.partitions[probe.partition as usize];
            if !partition.may_be(probe.number, probe.hash) {
                probe.number = ABSENT;
                continue;
            }
            probe.block = partition.index.block_of(probe.number);
            partition.prefetch_block(probe.block, probe.number);
        }
        for probe in probes.iter().filter(|p| p.number != ABSENT) {
            self.partitions[probe.partition as usize].prefetch_slot(probe.block, probe.number);
        }
    }

    fn lend(
        &self,
        probes: &[Probe],
        first: usize,
        consumer: &mut impl FnMut(usize, Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        for (i, probe) in probes.iter().enumerate() {
            if let Some(change) = self.overlay.as_ref().and_then(|o| o.get(probe.key, probe.hash)) {
                consumer(first + i, change.value())?;
                continue;
            }
            let value = match probe.number {
                ABSENT => None,
                number => self.partitions[probe.partition as usize].lent_of_block(probe.block, number, probe.key)?,
            };
            consumer(first + i, value)?;
        }
        Ok(())
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
        order.sort_unstable_by_key(|&i| (probes[i].partition, probes[i].number));
        let mut values = Vec::new();
        let mut ranges = [None; GROUP];
        for i in order {
            let probe = &probes[i];
            if !Self::is_key(probe.key) {
                continue;
            }
            let change = self.overlay.as_ref().and_then(|o| o.get(probe.key, probe.hash));
            let partition = &*self.partitions[probe.partition as usize];
            let value = match (change, probe.number) {
                (Some(change), _) => change.value(),
                (None, ABSENT) if partition.n == 0 || partition.has_points() => None,
                (None, ABSENT) => partition.find(probe.key, probe.hash, scratch)?,
                (None, number) => partition.value(number, probe.key, scratch)?,
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
