//! The changes over a base, with an index of the newest change of each key.

use std::sync::Arc;

use crate::bytes::prefetch;
use crate::hash::KeyHash;
use crate::segment::{Change, Segment};

const FINGERPRINT: u64 = !0 << 44;

/// The changes that apply. A slot holds 20 bits of the hash, 12 of the segment, 32 of the place in it; 0 is free.
#[derive(Clone, Default)]
pub(crate) struct Overlay {
    segments: Vec<Arc<Segment>>,
    slots: Vec<u64>,
    count: usize,
    /// In key order: all changes by key.
    sorted: Option<Vec<u64>>,
}

impl Overlay {
    /// Indexes segments; `applies` decides of each change. Goes on with an index of the first of the segments, if one is given.
    pub fn new(
        previous: Option<&Overlay>,
        segments: Vec<Arc<Segment>>,
        sorted: bool,
        applies: impl Fn(&Segment, &[u8], KeyHash) -> bool,
    ) -> Overlay {
        let known = previous.map_or(0, |p| p.segments.len());
        let mut overlay = previous.cloned().unwrap_or_default();
        overlay.segments = segments;
        let mut added = Vec::new();
        for number in known..overlay.segments.len() {
            let segment = overlay.segments[number].clone();
            overlay.reserve(segment.changes as usize);
            segment.for_each(|at, change| {
                let hash = KeyHash::of(change.key);
                if applies(&segment, change.key, hash) {
                    overlay.insert((number as u64) << 32 | at as u64, change.key, hash);
                    added.push((number as u64) << 32 | at as u64);
                }
            });
        }
        if sorted {
            let old = overlay.sorted.take().unwrap_or_default();
            overlay.sorted = Some(overlay.merged(old, added));
        }
        overlay
    }

    /// The segments, if an index of them may be continued for others.
    pub fn is_prefix_of(&self, segments: &[Arc<Segment>]) -> bool {
        self.segments.len() <= segments.len() && self.segments.iter().zip(segments).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    pub fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    fn reserve(&mut self, more: usize) {
        let wanted = ((self.count + more) * 3 / 2 + 8).next_power_of_two();
        if wanted > self.slots.len() {
            let old = std::mem::replace(&mut self.slots, vec![0; wanted]);
            for slot in old.into_iter().filter(|&s| s != 0) {
                let low = KeyHash::of(self.at(slot).key).low;
                let mut i = low as usize & (wanted - 1);
                while self.slots[i] != 0 {
                    i = (i + 1) & (wanted - 1);
                }
                self.slots[i] = slot;
            }
        }
    }

    fn insert(&mut self, place: u64, key: &[u8], hash: KeyHash) {
        let slot = hash.low & FINGERPRINT | place;
        let i = self.slot_of(key, hash);
        self.count += (self.slots[i] == 0) as usize;
        self.slots[i] = slot;
    }

    /// The slot of a key, or the free one where it would be.
    #[inline]
    fn slot_of(&self, key: &[u8], hash: KeyHash) -> usize {
        let mask = self.slots.len() - 1;
        let mut i = hash.low as usize & mask;
        loop {
            let slot = self.slots[i];
            if slot == 0 || (slot ^ hash.low) & FINGERPRINT == 0 && self.at(slot).key == key {
                return i;
            }
            i = (i + 1) & mask;
        }
    }

    #[inline]
    fn at(&self, slot: u64) -> Change<'_> {
        self.segments[(slot >> 32) as usize & 0xFFF].change(slot as u32)
    }

    /// The newest change of a key.
    #[inline]
    pub fn get(&self, key: &[u8], hash: KeyHash) -> Option<Change<'_>> {
        if self.slots.is_empty() {
            return None;
        }
        let slot = self.slots[self.slot_of(key, hash)];
        (slot != 0).then(|| self.at(slot))
    }

    /// Loads into the cache the slot of a key.
    #[inline]
    pub fn prefetch_slot(&self, hash: KeyHash) {
        let mask = self.slots.len().wrapping_sub(1);
        prefetch(self.slots.as_ptr().wrapping_add(hash.low as usize & mask));
    }

    /// Loads into the cache the change of a key, if it has one.
    #[inline]
    pub fn prefetch_change(&self, hash: KeyHash) {
        if self.slots.is_empty() {
            return;
        }
        let slot = self.slots[hash.low as usize & (self.slots.len() - 1)];
        if slot != 0 && (slot ^ hash.low) & FINGERPRINT == 0 {
            prefetch(self.segments[(slot >> 32) as usize & 0xFFF].address(slot as u32));
        }
    }

    /// Sorts what was added, newest change of each key only, and merges it with what was sorted before.
    fn merged(&self, old: Vec<u64>, mut added: Vec<u64>) -> Vec<u64> {
        // Later changes have greater places.
        added.sort_by(|&a, &b| self.at(a).key.cmp(self.at(b).key).then(b.cmp(&a)));
        added.dedup_by(|later, kept| self.at(*later).key == self.at(*kept).key);
        let mut merged = Vec::with_capacity(old.len() + added.len());
        let mut rest = &old[..];
        for place in added {
            let key = self.at(place).key;
            let below = rest.partition_point(|&other| self.at(other).key < key);
            merged.extend_from_slice(&rest[..below]);
            rest = &rest[below..];
            if rest.first().is_some_and(|&other| self.at(other).key == key) {
                rest = &rest[1..];
            }
            merged.push(place);
        }
        merged.extend_from_slice(rest);
        merged
    }

    /// In key order: how many changed keys are below a key or, if `through`, not above it.
    pub fn count_below(&self, key: &[u8], through: bool) -> usize {
        let sorted = self.sorted.as_deref().unwrap_or_default();
        sorted.partition_point(|&place| match self.at(place).key.cmp(key) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => through,
            std::cmp::Ordering::Greater => false,
        })
    }

    /// In key order: the change with a number; otherwise in any order, with gaps.
    pub fn by_number(&self, number: usize) -> Option<Change<'_>> {
        match &self.sorted {
            Some(sorted) => sorted.get(number).map(|&place| self.at(place)),
            None => self.slots.get(number).filter(|&&slot| slot != 0).map(|&slot| self.at(slot)),
        }
    }

    /// How many numbers `by_number` knows.
    pub fn numbers(&self) -> usize {
        self.sorted.as_ref().map_or(self.slots.len(), Vec::len)
    }
}
