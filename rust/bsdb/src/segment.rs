//! Segments: files of changes.

use std::path::PathBuf;

use crate::bytes::{bound_checksum, check, leb128, u32_at, u64_at};
use crate::error::{need, Error, Result};
use crate::file::{Access, Bytes, DataFile};
use crate::hash::KeyHash;
use crate::manifest::SegmentEntry;

const HEADER: usize = 64;
const FRAME_HEADER: usize = 32;
const FRAME_KIND: u32 = 16;
const MAX_FRAME: u64 = 32 + (256 << 10) + 9 + 65_535 + (256 << 20);
const RECORDS: u32 = 1;
const LAST: u32 = 2;
const START: u32 = 3;
const PUT: u8 = 1;
const DELETE: u8 = 2;
const POSITION: u8 = 3;

/// A segment, all of it verified.
pub(crate) struct Segment {
    pub id: [u8; 16],
    pub number: u64,
    pub changes: u64,
    pub path: PathBuf,
    pub checksum: u32,
    bytes: Bytes,
}

/// A change as it lies in its segment.
pub(crate) struct Change<'a> {
    kind: u8,
    pub key: &'a [u8],
    value: &'a [u8],
    end: usize,
}

impl<'a> Change<'a> {
    /// The value of a put, none of a delete.
    pub fn value(&self) -> Option<&'a [u8]> {
        (self.kind == PUT).then_some(self.value)
    }

    /// Reads the record at a place; none if it is no record that ends before `limit`.
    fn read(bytes: &'a [u8], at: usize, limit: usize) -> Option<Change<'a>> {
        let bytes = &bytes[..limit];
        let kind = *bytes.get(at)?;
        let (key_length, at) = leb128(bytes, at + 1, 5)?;
        let (value_length, at) = if kind == DELETE { (0, at) } else { leb128(bytes, at, 5)? };
        let fits = (PUT..=POSITION).contains(&kind)
            && (1..=65_535).contains(&key_length)
            && value_length <= 256 << 20
            && key_length + value_length <= (limit - at) as u64;
        if !fits {
            return None;
        }
        let (key_end, end) = (at + key_length as usize, at + (key_length + value_length) as usize);
        Some(Change { kind, key: &bytes[at..key_end], value: &bytes[key_end..end], end })
    }
}

impl Segment {
    pub fn open(path: PathBuf, entry: &SegmentEntry, access: Access) -> Result<Segment> {
        let file = DataFile::open(path.clone(), entry.length, access)?;
        let bytes = file.bytes(0, entry.length as usize)?;
        let segment = Segment {
            id: entry.id,
            number: entry.number,
            changes: entry.puts + entry.deletes,
            checksum: entry.checksum,
            bytes,
            path,
        };
        segment.verify(entry).map_err(|e| e.in_file(&segment.path))?;
        Ok(segment)
    }

    fn verify(&self, entry: &SegmentEntry) -> Result<()> {
        self.verify_header().map_err(|e| e.at(0))?;
        let mut at = HEADER;
        self.verify_frames(entry, &mut at).map_err(|e| e.at(at as u64))
    }

    /// Verifies frames from a place on, which moves to the one that fails.
    fn verify_frames(&self, entry: &SegmentEntry, at: &mut usize) -> Result<()> {
        let data = &self.bytes[..];
        let (mut counts, mut frames) = ([0u64; 4], 0);
        loop {
            let cut = || Error::corrupt("segment without its last frame");
            let header = data.get(*at..*at + FRAME_HEADER).ok_or_else(cut)?;
            let length = u32_at(header, 4) as usize;
            let fits = length >= FRAME_HEADER && length <= data.len() - *at && length as u64 <= MAX_FRAME;
            need!(fits, "frame has a length of {length}");
            let end = *at + length;
            let actual = bound_checksum(&self.id, FRAME_KIND, *at as u64, &data[*at + 4..end]);
            check("frame", *at as u64, u32_at(header, 0), actual)?;
            need!(u64_at(header, 8) == frames + 1, "frame is not number {}", frames + 1);
            let after = end.next_multiple_of(8).min(data.len());
            need!(data[end..after].iter().all(|&b| b == 0), "padding of a frame is not zero");
            let (records, kind) = (u32_at(header, 24), u32_at(header, 28));
            let first = kind == START && frames == 0 && self.is_of_log();
            let other = (kind == RECORDS || kind == LAST) && (frames > 0 || !self.is_of_log());
            need!(first || other, "frame has type {kind}");
            if kind == LAST {
                need!(length == 64 && after == data.len(), "segment goes on after its last frame");
                break;
            }
            if kind == RECORDS {
                self.verify_records(*at + FRAME_HEADER, end, records, entry, &mut counts)?;
            }
            frames += 1;
            *at = after;
        }
        let stated: [u64; 4] = std::array::from_fn(|i| u64_at(data, *at + FRAME_HEADER + 8 * i));
        let actual = [frames, counts[1], counts[2], counts[3]];
        need!(stated == actual, "last frame counts {stated:?} frames, puts, deletes and positions, not {actual:?}");
        let stated = (entry.puts, entry.deletes);
        need!(stated == (counts[1], counts[2]), "manifest counts {stated:?} puts and deletes");
        Ok(())
    }

    /// Whether it was a file of a log, whose first frame records what the log continues there.
    fn is_of_log(&self) -> bool {
        u64_at(&self.bytes, 32) != 0
    }

    fn verify_header(&self) -> Result<()> {
        let data = &self.bytes[..];
        need!(data.len() >= HEADER && data[..8] == *b"\x89BSDBSEG", "magic of the segment differs");
        let version = u32_at(data, 8);
        if version > 3 {
            return Err(Error::unsupported("format version of the segment is unknown").at(8).values(3, version));
        }
        let id: [u8; 16] = data[16..32].try_into().unwrap();
        check("segment header", 0, u32_at(data, 60), bound_checksum(&id, 0, 0, &data[..60]))?;
        let expected = if self.is_of_log() { 3 } else { 2 };
        need!(version == expected, "format version {version} of the segment");
        need!(id == self.id, "another segment");
        Ok(())
    }

    fn verify_records(
        &self,
        mut at: usize,
        end: usize,
        records: u32,
        entry: &SegmentEntry,
        counts: &mut [u64; 4],
    ) -> Result<()> {
        for _ in 0..records {
            let Some(change) = Change::read(&self.bytes, at, end) else {
                return Err(Error::corrupt("record of a segment is cut or of an unknown kind").at(at as u64));
            };
            counts[change.kind as usize] += 1;
            if change.kind != POSITION {
                let high = KeyHash::of(change.key).high;
                let fits = (entry.first_hash..=entry.last_hash).contains(&high);
                need!(fits, "hash {high:016x} of a key is out of the segment's range");
            }
            at = change.end;
        }
        need!(at == end, "records of a frame end at {at}, expected {end}");
        Ok(())
    }

    /// The change at a place that `for_each` named.
    #[inline]
    pub fn change(&self, at: u32) -> Change<'_> {
        let change = Change::read(&self.bytes, at as usize, self.bytes.len());
        change.unwrap_or(Change { kind: DELETE, key: &[], value: &[], end: 0 })
    }

    /// Where a change begins in memory.
    #[inline]
    pub fn address(&self, at: u32) -> *const u8 {
        self.bytes.as_ptr().wrapping_add(at as usize)
    }

    /// Gives all puts and deletes with their places, in their order.
    pub fn for_each(&self, mut consumer: impl FnMut(u32, &Change)) {
        let data = &self.bytes[..];
        let mut at = HEADER;
        if self.is_of_log() {
            at = (at + u32_at(data, at + 4) as usize).next_multiple_of(8);
        }
        while u32_at(data, at + 28) == RECORDS {
            let end = at + u32_at(data, at + 4) as usize;
            let mut record = at + FRAME_HEADER;
            while let Some(change) = Change::read(data, record, end).filter(|_| record < end) {
                if change.kind != POSITION {
                    consumer(record as u32, &change);
                }
                record = change.end;
            }
            at = end.next_multiple_of(8);
        }
    }

    /// The plain checksum of the file, which full verification compares.
    pub fn verify_file(&self, go_on: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let mut crc = 0;
        for bytes in self.bytes.chunks(1 << 20) {
            go_on()?;
            crc = crc32c::crc32c_append(crc, bytes);
        }
        check("segment", 0, self.checksum, crc).map_err(|e| e.in_file(&self.path))
    }
}
