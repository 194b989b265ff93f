//! Partition files: header, footer, sections, properties.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use zstd_safe::DDict;

use crate::bytes::{bits_at, bound_checksum, check, u16_at, u32_at, u64_at};
use crate::counters::Counts;
use crate::error::{need, Error, Result};
use crate::file::{Bytes, DataFile};
use crate::hash::{KeyHash, PerfectHash};
use crate::index::BlockIndex;
use crate::manifest::PartitionEntry;
use crate::order::Order;
use crate::symbols::Symbols;

const MAX_LENGTH: u32 = (1 << 28) + (1 << 20);
const MAX_SECTION: u64 = 1 << 30;
/// Bytes at the end of a file, after the directory of its sections.
const FOOTER: u64 = 32;

pub(crate) const BLOCKS: u32 = 1;
const PROPERTIES: u32 = 2;
const PERFECT_HASH: u32 = 3;
const SIGNATURES: u32 = 4;
const BLOCK_INDEX: u32 = 5;
const DICTIONARY: u32 = 6;
const SYMBOLS: u32 = 7;
const ORDER_INDEX: u32 = 8;
const POSITIONS: u32 = 9;
const HEADS: u32 = 10;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Codec {
    Plain,
    Zstd,
    Symbols,
}

/// A partition file that is open. What lookups use is verified, but for blocks.
pub(crate) struct Partition {
    pub file: Arc<DataFile>,
    pub id: [u8; 16],
    pub checksum: u32,
    /// Sums of the lengths of keys and of values.
    pub bytes: (u64, u64),
    /// A number that no other open partition of this process has.
    pub serial: u64,
    pub n: u32,
    pub stored: bool,
    pub key_length: i32,
    pub value_length: i32,
    pub alignment: u64,
    pub codec: Codec,
    pub longest_frame: u32,
    /// Length of each record, if all have one.
    pub fixed: Option<usize>,
    pub data_offset: u64,
    pub index: BlockIndex,
    hash: Option<PerfectHash>,
    signature_bits: u32,
    signatures: Option<Signatures>,
    positions: Option<(Bytes, u32)>,
    pub dictionary: Option<DDict<'static>>,
    pub symbols: Option<Symbols>,
    pub order: Option<Order>,
    /// Which blocks of a mapped file have been verified, a bit each.
    verified: Vec<AtomicU64>,
    /// Of the table, in all its versions.
    pub counts: Arc<Counts>,
}

/// Some bits of the hash of each key.
pub(crate) struct Signatures {
    section: Bytes,
    bits: u32,
}

impl Signatures {
    fn open(sections: &Sections, n: u32, bits: u32) -> Result<Signatures> {
        sections.parse(SIGNATURES, |section| {
            let expected = bit_bytes(n, bits) + 8;
            need!(section.len() as u64 == expected, "length {} of the signatures, expected {expected}", section.len());
            Ok(Signatures { section, bits })
        })
    }

    /// Whether the signature of a record allows a key.
    #[inline]
    pub fn allow(&self, number: u32, hash: KeyHash) -> bool {
        let stated = bits_at(&self.section, number as u64 * self.bits as u64, self.bits);
        (stated ^ hash.high) & ((1 << self.bits) - 1) == 0
    }
}

struct Section {
    kind: u32,
    offset: u64,
    length: u64,
    checksum: u32,
}

struct Sections<'a> {
    file: &'a DataFile,
    id: [u8; 16],
    entries: Vec<Section>,
}

impl Sections<'_> {
    fn place(&self, kind: u32) -> Option<&Section> {
        self.entries.iter().find(|s| s.kind == kind)
    }

    fn read(&self, kind: u32) -> Result<Bytes> {
        let Some(section) = self.place(kind) else {
            return Err(Error::corrupt(format!("section {kind} is missing")));
        };
        let content = self.file.bytes(section.offset, section.length as usize)?;
        let actual = bound_checksum(&self.id, kind, section.offset, &content);
        check(&format!("section {kind}"), section.offset, section.checksum, actual)?;
        Ok(content)
    }

    /// Reads a section and gives it to a parser; adds to its failures where the section is.
    fn parse<T>(&self, kind: u32, parser: impl FnOnce(Bytes) -> Result<T>) -> Result<T> {
        let content = self.read(kind)?;
        parser(content).map_err(|e| e.at(self.place(kind).map_or(0, |s| s.offset)))
    }
}

impl Partition {
    /// Opens a file; `ordered` if the snapshot is in key order.
    pub fn open(file: DataFile, entry: &PartitionEntry, ordered: bool, counts: Arc<Counts>) -> Result<Partition> {
        let file = Arc::new(file);
        let mut partition = Self::read(&file, entry, ordered).map_err(|e| e.in_file(&file.path))?;
        partition.counts = counts;
        Ok(partition)
    }

    fn read(file: &Arc<DataFile>, entry: &PartitionEntry, ordered: bool) -> Result<Partition> {
        need!(entry.length >= 96, "file of {} bytes is too short", entry.length);
        let data_offset = header(file, entry).map_err(|e| e.at(0))?;
        let sections = footer(file, entry.id, data_offset).map_err(|e| e.at(entry.length - FOOTER))?;
        let blocks_length = sections.place(BLOCKS).map_or(0, |s| s.length);
        let properties = sections.read(PROPERTIES)?;
        let mut partition = sections.parse(PROPERTIES, |_| properties_of(file, &properties, entry))?;
        let (n, longest_block) = (partition.n, u32_at(&properties, 36));
        need!(n > 0 || blocks_length == 0, "blocks of {blocks_length} bytes without records");
        need!(data_offset % partition.alignment == 0, "data offset {data_offset} is not aligned");
        partition.data_offset = data_offset;
        if n > 0 {
            partition.index = sections.parse(BLOCK_INDEX, |s| {
                BlockIndex::open(&s, n, partition.alignment, blocks_length, longest_block as u64)
            })?;
            partition.open_points(&sections, ordered, file.mapped().is_none())?;
            if partition.codec == Codec::Zstd && sections.place(DICTIONARY).is_some() {
                partition.dictionary = Some(sections.parse(DICTIONARY, |s| {
                    DDict::try_create(&s).ok_or_else(|| Error::corrupt("dictionary is none of zstd"))
                })?);
            }
            if partition.codec == Codec::Symbols {
                partition.symbols =
                    Some(sections.parse(SYMBOLS, |s| Symbols::open(&s, partition.longest_frame as usize))?);
            }
            need!(ordered || sections.place(ORDER_INDEX).is_none(), "file in key order, expected hash order");
            if ordered {
                need!(partition.stored && partition.codec != Codec::Symbols, "key order without plain keys");
                let mut order =
                    sections.parse(ORDER_INDEX, |s| Order::open(s, &partition.index, &entry.lower_bound))?;
                if partition.codec == Codec::Zstd {
                    sections.parse(HEADS, |s| order.open_heads(s, n, &partition.index))?;
                }
                partition.order = Some(order);
            }
        }
        if file.mapped().is_some() {
            partition.verified = (0..partition.index.count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        }
        Ok(partition)
    }

    /// Opens what leads from a single key to its record.
    fn open_points(&mut self, sections: &Sections, ordered: bool, reads: bool) -> Result<()> {
        if ordered && sections.place(PERFECT_HASH).is_none() {
            return Ok(());
        }
        let n = self.n;
        self.hash = Some(sections.parse(PERFECT_HASH, |s| PerfectHash::open(s, n))?);
        if ordered {
            let width = 32 - (n - 1).leading_zeros();
            self.positions = Some(sections.parse(POSITIONS, |s| {
                need!(s.len() as u64 == bit_bytes(n, width) + 8, "length {} of the positions", s.len());
                let out = (0..n).find(|&rank| bits_at(&s, rank as u64 * width as u64, width) >= n as u64);
                need!(out.is_none(), "position of rank {} is out of range", out.unwrap_or(0));
                Ok((s, width))
            })?);
        }
        // Where a wrong record costs no read and is compared anyway, signatures save nothing.
        if self.signature_bits > 0 && (!self.stored || self.codec == Codec::Zstd || reads) {
            self.signatures = Some(Signatures::open(sections, n, self.signature_bits)?);
        }
        Ok(())
    }

    /// Opens the signatures that this partition makes no use of, but others of the same file do; none if it has none.
    pub fn unused_signatures(&self) -> Result<Option<Signatures>> {
        if self.signatures.is_some() || self.signature_bits == 0 || !self.has_points() {
            return Ok(None);
        }
        let signatures = footer(&self.file, self.id, self.data_offset)
            .and_then(|sections| Signatures::open(&sections, self.n, self.signature_bits));
        signatures.map(Some).map_err(|e| e.in_file(&self.file.path))
    }

    /// Loads into the cache what `rank` will read.
    #[inline]
    pub fn prefetch_rank(&self, hash: KeyHash) {
        if let Some(function) = &self.hash {
            function.prefetch(hash);
        }
    }

    /// Whether single keys are found by the perfect hash.
    pub fn has_points(&self) -> bool {
        self.hash.is_some()
    }

    /// The rank of a key. There are records and a perfect hash.
    #[inline]
    pub fn rank(&self, hash: KeyHash) -> u32 {
        self.hash.as_ref().map_or(0, |function| function.rank(hash))
    }

    /// Loads into the cache what `number` will read.
    #[inline]
    pub fn prefetch_number(&self, rank: u32) {
        if let Some((positions, width)) = &self.positions {
            crate::bytes::prefetch(positions.as_ptr().wrapping_add((rank as u64 * *width as u64 / 8) as usize));
        } else {
            self.prefetch_place(rank);
        }
    }

    /// Loads into the cache what signature and block index hold of a record.
    #[inline]
    pub fn prefetch_place(&self, number: u32) {
        if let Some(Signatures { section, bits }) = &self.signatures {
            crate::bytes::prefetch(section.as_ptr().wrapping_add((number as u64 * *bits as u64 / 8) as usize));
        }
        self.index.prefetch(number);
    }

    /// The record number of a rank.
    #[inline]
    pub fn number(&self, rank: u32) -> u32 {
        match &self.positions {
            Some((positions, width)) => bits_at(positions, rank as u64 * *width as u64, *width) as u32,
            None => rank,
        }
    }

    /// Whether the signature of a record allows a key.
    #[inline]
    pub fn may_be(&self, number: u32, hash: KeyHash) -> bool {
        self.signatures.as_ref().is_none_or(|signatures| signatures.allow(number, hash))
    }

    #[inline]
    pub fn is_verified(&self, block: u32) -> bool {
        self.verified[block as usize / 64].load(Ordering::Relaxed) >> (block % 64) & 1 == 1
    }

    pub fn set_verified(&self, block: u32) {
        self.verified[block as usize / 64].fetch_or(1 << (block % 64), Ordering::Relaxed);
    }

    /// Where a block begins in the file.
    #[inline]
    pub fn block_offset(&self, block: u32) -> u64 {
        self.data_offset + self.index.offset(block)
    }
}

fn bit_bytes(n: u32, bits: u32) -> u64 {
    (n as u64 * bits as u64).div_ceil(8)
}

fn header(file: &DataFile, entry: &PartitionEntry) -> Result<u64> {
    let data = file.bytes(0, 64)?;
    need!(data[..8] == *b"\x89BSDB\r\n\x1a", "magic of the file header differs");
    let version = u32_at(&data, 8);
    if version > 1 {
        return Err(Error::unsupported("format version of the file is unknown").at(8).values(1, version));
    }
    let id: [u8; 16] = data[16..32].try_into().unwrap();
    check("file header", 0, u32_at(&data, 60), bound_checksum(&id, 0, 0, &data[..60]))?;
    need!(version == 1, "format version 0 of the file");
    need!(id == entry.id, "file of another build or partition");
    Ok(u64_at(&data, 32))
}

fn footer(file: &DataFile, id: [u8; 16], data_offset: u64) -> Result<Sections<'_>> {
    let tail_at = file.length - FOOTER;
    let tail = file.bytes(tail_at, FOOTER as usize)?;
    need!(tail[24..] == *b"\x89BSDBEND", "magic of the footer differs");
    let (directory, length, count) = (u64_at(&tail, 0), u64_at(&tail, 8), u32_at(&tail, 16));
    need!(length == file.length, "file length {length} of the footer, expected {}", file.length);
    need!(count <= 256, "footer of {count} sections");
    let expected = tail_at.checked_sub(32 * count as u64).filter(|&at| at >= 64);
    need!(expected == Some(directory), "directory offset {directory} of the footer");
    let content = file.bytes(directory, (file.length - directory) as usize)?;
    let covered = &content[..content.len() - 12];
    check("footer", directory, u32_at(&tail, 20), bound_checksum(&id, u32::MAX, directory, covered))?;
    let mut entries: Vec<Section> = Vec::new();
    for at in (0..32 * count as usize).step_by(32) {
        let (kind, flags) = (u32_at(&content, at), u32_at(&content, at + 4));
        let (offset, length) = (u64_at(&content, at + 8), u64_at(&content, at + 16));
        need!(kind != 0 && kind != u32::MAX, "section of kind {kind}");
        let fits = (64..=directory).contains(&offset) && length <= directory - offset;
        need!(fits, "section {kind} is out of range: offset {offset}, length {length}");
        need!(kind == BLOCKS || length <= MAX_SECTION, "section {kind} of {length} bytes");
        if kind > HEADS && flags & 1 == 1 {
            return Err(Error::unsupported(format!("required section {kind} is unknown")));
        }
        need!(entries.iter().all(|s| s.kind != kind), "section {kind} is given twice");
        entries.push(Section { kind, offset, length, checksum: u32_at(&content, at + 24) });
    }
    let mut taken: Vec<(u64, u64)> =
        entries.iter().filter(|s| s.length > 0).map(|s| (s.offset, s.offset + s.length)).collect();
    taken.sort_unstable();
    need!(taken.windows(2).all(|two| two[0].1 <= two[1].0), "sections overlap");
    let blocks = entries.iter().find(|s| s.kind == BLOCKS);
    need!(blocks.is_some_and(|s| s.offset == data_offset), "data offset {data_offset} is not that of the blocks");
    Ok(Sections { file, id, entries })
}

fn properties_of(file: &Arc<DataFile>, section: &[u8], entry: &PartitionEntry) -> Result<Partition> {
    need!(section.len() >= 64, "properties of {} bytes", section.len());
    let word = |at| u32_at(section, at);
    let (n, storage, bits, alignment) = (word(0), word(4), word(16), word(24));
    let (key_length, value_length) = (word(8) as i32, word(12) as i32);
    need!(storage <= 1, "key storage {storage}");
    need!((-1..=65_535).contains(&key_length), "key length {key_length}");
    need!((-1..=1 << 28).contains(&value_length), "value length {value_length}");
    need!(key_length != 0 || n == 0, "key length 0 of {n} records");
    need!(bits <= 32, "{bits} signature bits");
    need!(word(20) > 0, "block size 0");
    need!(alignment == 1 || alignment == 4096, "alignment {alignment}");
    need!(word(32) <= MAX_LENGTH && word(36) <= MAX_LENGTH, "longest frame or block is out of range");
    let stated = (entry.record_count, entry.key_bytes, entry.value_bytes);
    let actual = (n, u64_at(section, 40), u64_at(section, 48));
    need!(stated == actual, "records, bytes of keys and values are {actual:?}, in the manifest {stated:?}");
    let codec = match word(28) {
        0 => Codec::Plain,
        1 => Codec::Zstd,
        2 => Codec::Symbols,
        other => return Err(Error::corrupt(format!("codec {other}"))),
    };
    let stored = storage == 0;
    let is_fixed = codec != Codec::Symbols && value_length >= 0 && (!stored || key_length >= 0);
    static SERIAL: AtomicU64 = AtomicU64::new(1);
    Ok(Partition {
        file: file.clone(),
        id: entry.id,
        checksum: entry.checksum,
        bytes: (entry.key_bytes, entry.value_bytes),
        serial: SERIAL.fetch_add(1, Ordering::Relaxed),
        n,
        stored,
        key_length,
        value_length,
        alignment: alignment as u64,
        codec,
        longest_frame: word(32),
        fixed: is_fixed.then(|| value_length as usize + if stored { key_length as usize } else { 0 }),
        data_offset: 0,
        index: BlockIndex::default(),
        hash: None,
        signature_bits: bits,
        signatures: None,
        positions: None,
        dictionary: None,
        symbols: None,
        order: None,
        verified: Vec::new(),
        counts: Arc::default(),
    })
}

/// The fields of a block's header.
pub(crate) struct BlockHeader {
    pub content_length: u32,
    pub count: u32,
    pub longest_frame: u32,
    pub per_frame: u32,
}

impl BlockHeader {
    #[inline]
    pub fn of(block: &[u8]) -> BlockHeader {
        BlockHeader {
            content_length: u32_at(block, 4),
            count: u16_at(block, 12) as u32,
            longest_frame: u32_at(block, 16),
            per_frame: u16_at(block, 20) as u32,
        }
    }
}
