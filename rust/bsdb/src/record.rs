//! Blocks, frames, bodies and records of a partition.

use zstd_safe::{DCtx, DParameter, FrameFormat};

use crate::bytes::{bound_checksum, check, leb128, prefetch, u16_at, u32_at};
use crate::error::{need, Error, Result};
use crate::partition::{BlockHeader, Codec, Partition, BLOCKS};

const MAX_VALUE: usize = 1 << 28;
const MAX_WINDOW: u64 = 1 << 27;
/// Of a longer record only the beginning is asked for in advance.
const MAX_PREFETCHED: usize = 256;
/// Buffers above this are not kept.
const MAX_KEPT: usize = 1 << 20;

/// Buffers of lookups: the block that was read last, the frame that was decompressed last, the record that was decoded last.
#[derive(Default)]
pub(crate) struct Scratch {
    block: Buffer<u32>,
    frame: Buffer<(u32, u32)>,
    key: Vec<u8>,
    value: Vec<u8>,
    zstd: Option<DCtx<'static>>,
}

/// Bytes, and which part of which partition they are.
#[derive(Default)]
struct Buffer<T> {
    bytes: Vec<u8>,
    of: Option<(u64, T)>,
}

impl Scratch {
    /// Frees buffers that are larger than most lookups need.
    pub fn trim(&mut self) {
        if self.block.bytes.capacity() > MAX_KEPT {
            self.block = Buffer::default();
        }
        if self.frame.bytes.capacity() > MAX_KEPT {
            self.frame = Buffer::default();
        }
        for buffer in [&mut self.key, &mut self.value] {
            if buffer.capacity() > MAX_KEPT {
                *buffer = Vec::new();
            }
        }
    }
}

/// Key and value as they are stored. The key is empty where keys are omitted.
type Stored<'a> = (&'a [u8], &'a [u8]);

impl Partition {
    /// Whether values can be borrowed from the mapping.
    #[inline]
    pub fn lends(&self) -> bool {
        self.codec == Codec::Plain && self.file.mapped().is_some()
    }

    /// The value of a record if it has this key, or if keys are omitted; only where the partition lends.
    #[inline]
    pub fn lent(&self, number: u32, key: &[u8]) -> Result<Option<&[u8]>> {
        let block = self.index.block_of(number);
        // All cache lines of the record at once, not the others after the key.
        self.prefetch_block(block, number);
        self.prefetch_slot(block, number);
        self.lent_of_block(block, number, key)
    }

    /// The same, with the block of the record.
    #[inline]
    pub fn lent_of_block(&self, block: u32, number: u32, key: &[u8]) -> Result<Option<&[u8]>> {
        let (stored, value) =
            self.record_of(self.mapped_block(block)?, block, number).map_err(|e| self.failed(e, block))?;
        Ok((!self.stored || stored == key).then_some(value))
    }

    /// The value of a record if it has this key, or if keys are omitted.
    pub fn value<'a>(&'a self, number: u32, key: &[u8], scratch: &'a mut Scratch) -> Result<Option<&'a [u8]>> {
        let Scratch { block, frame, key: plain_key, value: plain_value, zstd } = scratch;
        let (stored, value) = self.stored(number, block, frame, zstd)?;
        let failed = |e| self.failed(e, self.index.block_of(number));
        let Some(symbols) = &self.symbols else {
            return Ok((!self.stored || stored == key).then_some(value));
        };
        if self.stored {
            symbols.key(stored, plain_key).map_err(failed)?;
            if plain_key != key {
                return Ok(None);
            }
        }
        symbols.value(value, plain_value).map_err(failed)?;
        Ok(Some(plain_value))
    }

    /// Key and value of a record, decoded. The key is empty where keys are omitted.
    pub fn record<'a>(&'a self, number: u32, scratch: &'a mut Scratch) -> Result<(&'a [u8], &'a [u8])> {
        let Scratch { block, frame, key: plain_key, value: plain_value, zstd } = scratch;
        let (key, value) = self.stored(number, block, frame, zstd)?;
        let Some(symbols) = &self.symbols else {
            return Ok((key, value));
        };
        let failed = |e| self.failed(e, self.index.block_of(number));
        plain_key.clear();
        if self.stored {
            symbols.key(key, plain_key).map_err(failed)?;
        }
        symbols.value(value, plain_value).map_err(failed)?;
        Ok((plain_key, plain_value))
    }

    fn failed(&self, error: Error, block: u32) -> Error {
        error.in_file(&self.file.path).at(self.block_offset(block))
    }

    fn stored<'a>(
        &'a self,
        number: u32,
        buffer: &'a mut Buffer<u32>,
        frame: &'a mut Buffer<(u32, u32)>,
        zstd: &mut Option<DCtx<'static>>,
    ) -> Result<Stored<'a>> {
        let block = self.index.block_of(number);
        let bytes = match self.file.mapped() {
            Some(_) => self.mapped_block(block)?,
            None => self.read_block(block, buffer)?,
        };
        let stored = match self.codec {
            Codec::Zstd => self.record_of_frame(bytes, block, number, frame, zstd),
            _ => self.record_of(bytes, block, number),
        };
        stored.map_err(|e| self.failed(e, block))
    }

    /// A block of a mapped file, verified when it is first used.
    #[inline]
    fn mapped_block(&self, block: u32) -> Result<&[u8]> {
        let (at, end) = (self.block_offset(block) as usize, self.block_offset(block + 1) as usize);
        let bytes = &self.file.mapped().unwrap_or_default()[at..end];
        if !self.is_verified(block) {
            self.verify_block(bytes, block).map_err(|e| self.failed(e, block))?;
            self.set_verified(block);
        }
        Ok(bytes)
    }

    fn read_block<'a>(&self, block: u32, buffer: &'a mut Buffer<u32>) -> Result<&'a [u8]> {
        if buffer.of != Some((self.serial, block)) {
            buffer.of = None;
            let (at, end) = (self.block_offset(block), self.block_offset(block + 1));
            self.file.read(at, (end - at) as usize, &mut buffer.bytes)?;
            self.counts.add_read(end - at);
            self.verify_block(&buffer.bytes, block).map_err(|e| self.failed(e, block))?;
            buffer.of = Some((self.serial, block));
        }
        Ok(&buffer.bytes)
    }

    #[cold]
    fn verify_block(&self, block: &[u8], number: u32) -> Result<()> {
        let at = self.block_offset(number);
        check("block", at, u32_at(block, 0), bound_checksum(&self.id, BLOCKS, at, &block[4..]))?;
        let header = BlockHeader::of(block);
        let content = header.content_length as u64;
        let fits = content >= 24 && content.next_multiple_of(self.alignment) == block.len() as u64;
        need!(fits, "block of {} bytes has a content of {content}", block.len());
        let (first, next) = (self.index.first(number), self.index.first(number + 1));
        let actual = u32_at(block, 8);
        need!(first == actual && next - first == header.count, "block does not match its index");
        let framed = u16_at(block, 14) & 1 == 1;
        need!(framed == (self.codec == Codec::Zstd), "block with frames, or without");
        let fits = header.per_frame > 0 && header.longest_frame <= self.longest_frame;
        need!(!framed || fits, "frames of {} records, {} bytes", header.per_frame, header.longest_frame);
        if framed {
            return Ok(());
        }
        self.verify_body(&block[24..header.content_length as usize], header.count)
    }

    /// Checks what the place of each record of a body depends on.
    fn verify_body(&self, body: &[u8], count: u32) -> Result<()> {
        let (length, count) = (body.len(), count as usize);
        if let Some(each) = self.fixed {
            need!(length == count * each, "body of {length} bytes, expected {count} records of {each}");
            return Ok(());
        }
        need!(length >= 2 * count, "body of {length} bytes for {count} slots");
        let slots = || (0..count).map(|i| u16_at(body, 2 * i) as usize);
        let first = slots().next().unwrap_or(0);
        need!(first == 2 * count, "first record of {count} at {first} of its body");
        let ascend = slots().zip(slots().skip(1).chain([length])).all(|(start, end)| start <= end);
        need!(ascend, "slots of a body of {length} bytes do not ascend");
        Ok(())
    }

    #[inline]
    fn record_of<'a>(&self, block: &'a [u8], number_of_block: u32, number: u32) -> Result<Stored<'a>> {
        let (first, next) = (self.index.first(number_of_block), self.index.first(number_of_block + 1));
        // The block matches its index. Its header, a cache line that may be missing, is needed only for a last record whose
        // length varies.
        let varies = self.fixed.is_none();
        let end = if varies && number + 1 == next { u32_at(block, 4) as usize } else { block.len() };
        self.record_in(&block[24..end], (next - first) as usize, (number - first) as usize)
    }

    fn record_of_frame<'a>(
        &self,
        block: &[u8],
        number_of_block: u32,
        number: u32,
        buffer: &'a mut Buffer<(u32, u32)>,
        zstd: &mut Option<DCtx<'static>>,
    ) -> Result<Stored<'a>> {
        let header = BlockHeader::of(block);
        let i = number - self.index.first(number_of_block);
        let j = i / header.per_frame;
        let count = header.per_frame.min(header.count - j * header.per_frame);
        let of = Some((self.serial, (number_of_block, j)));
        if buffer.of != of {
            buffer.of = None;
            let frame = frame(&block[24..header.content_length as usize], &header, j as usize)?;
            self.decompress(frame, header.longest_frame as usize, &mut buffer.bytes, zstd)?;
            self.verify_body(&buffer.bytes, count)?;
            buffer.of = of;
        }
        self.record_in(&buffer.bytes, count as usize, (i % header.per_frame) as usize)
    }

    fn decompress(
        &self,
        frame: &[u8],
        longest: usize,
        body: &mut Vec<u8>,
        zstd: &mut Option<DCtx<'static>>,
    ) -> Result<()> {
        let context = zstd.get_or_insert_with(|| {
            let mut context = DCtx::create();
            let _ = context.set_parameter(DParameter::Format(FrameFormat::Magicless));
            context
        });
        body.clear();
        body.try_reserve(longest).map_err(|_| Error::memory(longest))?;
        let result = match &self.dictionary {
            Some(dictionary) => context.decompress_using_ddict(body, frame, dictionary),
            None => context.decompress(body, frame),
        };
        result.map_err(|code| Error::corrupt(format!("frame: {}", zstd_safe::get_error_name(code))))?;
        need!(body.len() <= longest, "frame of {} bytes, longer than stated", body.len());
        Ok(())
    }

    /// A record of a body that is verified, and may go on after its last record if this is another one.
    #[inline]
    fn record_in<'a>(&self, body: &'a [u8], count: usize, i: usize) -> Result<Stored<'a>> {
        if let Some(length) = self.fixed {
            return Ok(body[i * length..(i + 1) * length].split_at(length - self.value_length as usize));
        }
        let start = u16_at(body, 2 * i) as usize;
        let end = if i + 1 < count { u16_at(body, 2 * i + 2) as usize } else { body.len() };
        let fits = 2 * count <= start && start <= end && end <= body.len();
        need!(fits, "slots of record {i} lead out of its body: {start} to {end}");
        self.split(&body[start..end])
    }

    /// Key and value of a record.
    #[inline]
    fn split<'a>(&self, record: &'a [u8]) -> Result<Stored<'a>> {
        let (mut at, mut length) = (0, 0);
        if self.stored {
            let encoded = self.symbols.as_ref().is_some_and(|s| s.has_keys());
            length = self.key_length as usize;
            if self.key_length < 0 || encoded {
                let first = *record.first().unwrap_or(&0);
                (length, at) = (first as usize, 1);
                if first == 0 || first > 127 {
                    let parsed = leb128(record, 0, 3);
                    let minimal = |end: usize| end == 1 || record[end - 1] != 0;
                    let parsed = parsed.filter(|&(length, end)| length > 0 && minimal(end));
                    let Some((long, end)) = parsed else {
                        return Err(Error::corrupt("key length of a record is not minimal or 0"));
                    };
                    (length, at) = (long as usize, end);
                    need!(length <= if encoded { 65_537 } else { 65_535 }, "key of {length} bytes");
                }
            }
            need!(length <= record.len() - at, "key of {length} bytes in a record of {}", record.len());
        }
        let value = &record[at + length..];
        if self.symbols.is_some() {
            need!(value.len() <= MAX_VALUE + 2, "encoded value of {} bytes", value.len());
        } else if self.value_length >= 0 {
            need!(value.len() == self.value_length as usize, "value of {} bytes", value.len());
        } else {
            need!(value.len() <= MAX_VALUE, "value of {} bytes", value.len());
        }
        Ok((&record[at..at + length], value))
    }

    /// Loads into the cache where a record begins, or its slot. The rest follows when the TLB knows the page: a prefetch of each cache line
    /// would look it up.
    #[inline]
    pub fn prefetch_block(&self, block: u32, number: u32) {
        let Some(map) = self.file.mapped() else { return };
        let at = self.block_offset(block) as usize;
        if self.codec == Codec::Zstd {
            return prefetch(map.as_ptr().wrapping_add(at));
        }
        let i = (number - self.index.first(block)) as usize;
        prefetch(map.as_ptr().wrapping_add(at + 24 + i * self.fixed.unwrap_or(2)));
    }

    /// Loads into the cache a record; where it begins, or its slot, should be there by now.
    #[inline]
    pub fn prefetch_slot(&self, block: u32, number: u32) {
        let Some(map) = self.file.mapped() else { return };
        let body = self.block_offset(block) as usize + 24;
        let i = (number - self.index.first(block)) as usize;
        if let Some(length) = self.fixed {
            self.prefetch_record(body + i * length, length);
        } else if let Some(bytes) = map.get(body + 2 * i..body + 2 * i + 4) {
            // Of the last record of a block the next slot is no slot, and the length wraps or is any.
            let (start, end) = (u16_at(bytes, 0) as usize, u16_at(bytes, 2) as usize);
            self.prefetch_record(body + start, end.wrapping_sub(start));
        }
    }

    #[inline]
    fn prefetch_record(&self, at: usize, length: usize) {
        let Some(map) = self.file.mapped() else { return };
        let start = map.as_ptr().wrapping_add(at);
        for line in (0..length.clamp(1, MAX_PREFETCHED)).step_by(64) {
            prefetch(start.wrapping_add(line));
        }
        prefetch(start.wrapping_add(length.clamp(1, MAX_PREFETCHED) - 1));
    }
}

/// The bytes of a frame of a block's content: exactly one frame of zstd, without magic number, content size and checksum.
fn frame<'a>(content: &'a [u8], header: &BlockHeader, j: usize) -> Result<&'a [u8]> {
    let m = header.count.div_ceil(header.per_frame) as usize;
    need!(content.len() >= 2 * m, "block of {} bytes for {m} starts of frames", content.len());
    let frames = &content[2 * m..];
    let start = u16_at(content, 2 * j) as usize;
    let end = if j + 1 < m { u16_at(content, 2 * j + 2) as usize } else { frames.len() };
    let fits = u16_at(content, 0) == 0 && start <= end && end <= frames.len();
    need!(fits, "frame {j} leads out of its block: {start} to {end}");
    let frame = &frames[start..end];
    need!(frame.len() > 2 && frame[0] == 0, "header of frame {j}");
    let base = 1u64 << (10 + (frame[1] >> 3));
    need!(base + base / 8 * (frame[1] & 7) as u64 <= MAX_WINDOW, "window of frame {j}");
    let mut at = 2;
    loop {
        need!(at + 3 <= frame.len(), "frame {j} is cut");
        let block = frame[at] as usize | (frame[at + 1] as usize) << 8 | (frame[at + 2] as usize) << 16;
        at += 3 + if block >> 1 & 3 == 1 { 1 } else { block >> 3 };
        if block & 1 == 1 {
            break;
        }
    }
    need!(at == frame.len(), "frame {j} has {} bytes, expected {at}", frame.len());
    Ok(frame)
}
