//! The hash of a key, and the two perfect hashes that lead from it to a rank.

use crate::bytes::{prefetch, u16_at, u32_at, u64_at};
use crate::error::{need, Result};
use crate::file::Bytes;

/// The two words of XXH3-128.
#[derive(Clone, Copy, Default)]
pub(crate) struct KeyHash {
    pub high: u64,
    pub low: u64,
}

impl KeyHash {
    #[inline]
    pub fn of(key: &[u8]) -> KeyHash {
        let hash = xxhash_rust::xxh3::xxh3_128(key);
        KeyHash { high: (hash >> 64) as u64, low: hash as u64 }
    }

    /// The partition of this key in hash order.
    #[inline]
    pub fn partition(self, count: usize) -> usize {
        (self.high as u128 * count as u128 >> 64) as usize
    }
}

pub(crate) enum PerfectHash {
    Pilot(Pilot),
    Sux4j(Sux4j),
}

impl PerfectHash {
    pub fn open(section: Bytes, n: u32) -> Result<PerfectHash> {
        need!(section.len() >= 24, "perfect hash is cut: {} bytes", section.len());
        let (kind, version) = (section[0], section[1]);
        need!(version == 1 && u16_at(&section, 2) == 0, "version {version} of the perfect hash, or reserved bits");
        let size = u32_at(&section, 4);
        need!(size == n, "perfect hash of {size} keys, expected {n}");
        match kind {
            1 => Ok(PerfectHash::Sux4j(Sux4j::open(section, n)?)),
            2 => Ok(PerfectHash::Pilot(Pilot::open(section, n)?)),
            _ => Err(crate::Error::corrupt(format!("kind {kind} of the perfect hash is unknown"))),
        }
    }

    #[inline]
    pub fn rank(&self, hash: KeyHash) -> u32 {
        match self {
            PerfectHash::Pilot(pilot) => pilot.rank(hash),
            PerfectHash::Sux4j(sux4j) => sux4j.rank(hash),
        }
    }

    /// Loads into the cache what `rank` will read.
    #[inline]
    pub fn prefetch(&self, hash: KeyHash) {
        if let PerfectHash::Pilot(pilot) = self {
            let (_, part, bucket) = pilot.place(hash);
            prefetch(pilot.section.as_ptr().wrapping_add(pilot.pilots_at + part * pilot.buckets as usize + bucket));
            prefetch(pilot.section.as_ptr().wrapping_add(32 + 8 * part));
        }
    }
}

/// Parts of buckets, and a byte for each bucket.
pub(crate) struct Pilot {
    section: Bytes,
    seed: u64,
    parts: u32,
    buckets: u32,
    remap_at: usize,
    pilots_at: usize,
}

impl Pilot {
    fn open(section: Bytes, n: u32) -> Result<Pilot> {
        need!(section.len() >= 32, "perfect hash is cut: {} bytes", section.len());
        let (seed, parts, buckets) = (u64_at(&section, 8), u32_at(&section, 16), u32_at(&section, 20));
        let (remaps, reserved) = (u32_at(&section, 24), u32_at(&section, 28));
        need!((1..=n).contains(&parts), "part count {parts} of the perfect hash");
        need!((1..=65_536).contains(&buckets), "bucket count {buckets} of the perfect hash");
        need!(remaps <= n.min((1 << 24) - 1), "remap count {remaps} of the perfect hash");
        need!(reserved == 0, "reserved field of the perfect hash is {reserved}");
        let remap_at = 32 + 8 * (parts as usize + 1);
        let pilots_at = remap_at + 2 * remaps as usize;
        let length = pilots_at as u64 + parts as u64 * buckets as u64;
        need!(section.len() as u64 == length, "length {} of the perfect hash, expected {length}", section.len());
        let pilot = Pilot { section, seed, parts, buckets, remap_at, pilots_at };
        need!(pilot.entry(0) & ((1 << 56) - 1) == 0, "first entry of the perfect hash is not 0");
        let end = n as u64 | (remaps as u64) << 32;
        need!(pilot.entry(parts as usize) == end, "last entry of the perfect hash");
        for part in 0..parts as usize {
            let (entry, next) = (pilot.entry(part), pilot.entry(part + 1));
            let keys = (next as u32).saturating_sub(entry as u32);
            let spare = position(next).wrapping_sub(position(entry));
            need!((1..=65_536).contains(&keys) && spare <= keys, "part {part} of the perfect hash is out of range");
        }
        Ok(pilot)
    }

    #[inline]
    fn entry(&self, part: usize) -> u64 {
        u64_at(&self.section, 32 + 8 * part)
    }

    /// The mixed hash, part and bucket.
    #[inline]
    fn place(&self, hash: KeyHash) -> (u64, usize, usize) {
        let mixed = (hash.low ^ self.seed)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .wrapping_add((hash.high ^ self.seed).wrapping_mul(0xFF51_AFD7_ED55_8CCD).rotate_left(32));
        let t = (mixed >> 32) * self.parts as u64;
        let x = (t & 0xFFFF_FFFF) >> 1;
        let skewed = ((x * x >> 31) * (x + (1 << 31))) >> 32;
        (mixed, (t >> 32) as usize, (skewed * self.buckets as u64 >> 31) as usize)
    }

    #[inline]
    fn rank(&self, hash: KeyHash) -> u32 {
        let (mixed, part, bucket) = self.place(hash);
        let pilot = self.section[self.pilots_at + part * self.buckets as usize + bucket];
        let (entry, next) = (self.entry(part), self.entry(part + 1));
        let first = entry as u32;
        let keys = next as u32 - first;
        let slots = keys + position(next) - position(entry);
        let factor = (pilot as u64 | entry >> 56 << 8).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        let slot = ((mixed ^ mixed >> 32) ^ factor).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32;
        let mut slot = (slot * slots as u64 >> 32) as u32;
        if slot >= keys {
            let at = self.remap_at + 2 * (position(entry) + slot - keys) as usize;
            slot = (u16_at(&self.section, at) as u32).min(keys - 1);
        }
        first + slot
    }
}

#[inline]
fn position(entry: u64) -> u32 {
    (entry >> 32) as u32 & 0xFF_FFFF
}

/// Groups of keys as edges of three vertices.
pub(crate) struct Sux4j {
    section: Bytes,
    n: u32,
    seed: u64,
    groups: u32,
    values_at: usize,
}

const K: u64 = 0x9E37_79B9_7F4A_7C13;
const FIRST: u64 = (1 << 56) - 1;

impl Sux4j {
    fn open(section: Bytes, n: u32) -> Result<Sux4j> {
        let (seed, groups, reserved) = (u64_at(&section, 8), u32_at(&section, 16), u32_at(&section, 20));
        need!(groups == n / 1500 + 1 && reserved == 0, "group count {groups} of the perfect hash, or reserved bits");
        let values_at = 24 + 8 * (groups as usize + 1);
        let length = values_at as u64 + (vertices(n as u64) + 32) / 32 * 8;
        need!(section.len() as u64 == length, "length {} of the perfect hash, expected {length}", section.len());
        let sux4j = Sux4j { section, n, seed, groups, values_at };
        need!(sux4j.entry(0) & FIRST == 0, "first group of the perfect hash does not begin at 0");
        need!(sux4j.entry(groups as usize) & FIRST == n as u64, "last group of the perfect hash");
        for group in 0..groups as usize {
            let keys = (sux4j.entry(group + 1) & FIRST).wrapping_sub(sux4j.entry(group) & FIRST);
            need!(keys <= 16_384, "group {group} of the perfect hash has {keys} keys");
        }
        Ok(sux4j)
    }

    fn entry(&self, group: usize) -> u64 {
        u64_at(&self.section, 24 + 8 * group)
    }

    fn value(&self, vertex: u64) -> u8 {
        self.section[self.values_at + (vertex / 4) as usize] >> (vertex % 4 * 2) & 3
    }

    /// How many values in a range of vertices are not 0.
    fn count(&self, from: u64, to: u64) -> u64 {
        let (mut at, mut count) = (from, 0);
        while at < to && at % 32 != 0 {
            count += (self.value(at) != 0) as u64;
            at += 1;
        }
        while at + 32 <= to {
            let word = u64_at(&self.section, self.values_at + (at / 4) as usize);
            count += ((word | word >> 1) & 0x5555_5555_5555_5555).count_ones() as u64;
            at += 32;
        }
        count + (at..to).filter(|&v| self.value(v) != 0).count() as u64
    }

    fn rank(&self, hash: KeyHash) -> u32 {
        let mut s = mix([self.seed, self.seed, K.wrapping_add(hash.high), K.wrapping_add(hash.low)]);
        s = end([s[0].wrapping_add(128), s[1], s[2].wrapping_add(K), s[3].wrapping_add(K)]);
        let group = ((s[0] & !1) as u128 * self.groups as u128 >> 64) as usize;
        let entry = self.entry(group);
        let first = entry & FIRST;
        let start = vertices(first);
        let count = vertices(self.entry(group + 1) & FIRST) - start;
        if count == 0 {
            return first.min(self.n as u64 - 1) as u32;
        }
        let t = mix([entry & !FIRST, K.wrapping_add(s[0]), K.wrapping_add(s[1]), K]);
        let z = count.leading_zeros();
        let mask = if z == 0 { 0 } else { u64::MAX >> (64 - z) };
        let vertex: [u64; 3] = std::array::from_fn(|i| ((t[i] & mask) as u128 * count as u128 >> z) as u64);
        let sum: u8 = vertex.iter().map(|&v| self.value(start + v)).sum();
        let own = vertex[sum as usize % 3];
        (first + self.count(start, start + own)).min(self.n as u64 - 1) as u32
    }
}

fn vertices(rank: u64) -> u64 {
    rank * 281 / 256
}

fn mix(mut s: [u64; 4]) -> [u64; 4] {
    const TURNS: [u32; 12] = [50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36];
    for (i, &turn) in TURNS.iter().enumerate() {
        let (a, b, c) = ((i + 2) % 4, (i + 3) % 4, i % 4);
        s[a] = s[a].rotate_left(turn).wrapping_add(s[b]);
        s[c] ^= s[a];
    }
    s
}

fn end(mut s: [u64; 4]) -> [u64; 4] {
    const TURNS: [u32; 11] = [15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63];
    for (i, &turn) in TURNS.iter().enumerate() {
        let (a, b) = ((i + 3) % 4, (i + 2) % 4);
        s[a] ^= s[b];
        s[b] = s[b].rotate_left(turn);
        s[a] = s[a].wrapping_add(s[b]);
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_as_the_specification_says() {
        let hash = KeyHash::of(b"Europe/Zurich");
        assert_eq!((hash.high, hash.low), (0xa18d_ab9f_52ed_7b9e, 0x616f_5321_1d12_7b1d));
        let long: Vec<u8> = (0..512).map(|i| i as u8).collect();
        assert_eq!(KeyHash::of(&long).high, 0x111d_5771_df64_cbcb);
    }

    #[test]
    fn rejects_parts_whose_ranks_go_round() {
        // 65,536 parts of 65,536 keys are 2^32, which is 0 in a directory entry; 64 of 1,025 keys are all there can be.
        let (n, whole) = (65_600u32, 65_536u32);
        let first = |part: u32| (part.min(whole) as u64 * 65_536 + part.saturating_sub(whole) as u64 * 1025) as u32;
        let mut section = vec![2, 1, 0, 0];
        [n, 0, 0, n, 1, 0, 0].iter().for_each(|word| section.extend(word.to_le_bytes()));
        (0..=n).for_each(|part| section.extend((first(part) as u64).to_le_bytes()));
        section.extend(vec![0; n as usize]);
        assert_eq!(first(n), n);
        assert_eq!(PerfectHash::open(section.into(), n).err().map(|e| e.kind()), Some(crate::ErrorKind::Corrupt));
    }
}
