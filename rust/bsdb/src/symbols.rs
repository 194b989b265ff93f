//! Records encoded with tables of symbols.

use crate::bytes::{u16_at, u32_at};
use crate::error::{need, Result};

const NONE: u16 = 0xFFFF;
const ESCAPE: u8 = 0xFF;
const RAW: u8 = 0xFE;
const VERBATIM: u8 = 0x80;
const MAX_DEPTH: usize = 64;

/// The section SYMBOLS.
pub(crate) struct Symbols {
    keys: u16,
    values: Shape,
    tables: Vec<Table>,
    /// Most bytes of a key and of a value, decoded.
    longest: usize,
}

enum Shape {
    Text(u16),
    Row { fields: usize, fixed: usize, parts: Vec<Shape> },
    Array(Box<Shape>),
}

/// For each code the bytes of its symbol, in a word, and their number.
struct Table {
    words: Vec<[u8; 8]>,
    lengths: Vec<u8>,
}

struct Cursor<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        need!(self.data.len() - self.at >= count, "symbols are cut at {}", self.data.len());
        self.at += count;
        Ok(&self.data[self.at - count..self.at])
    }

    fn u8(&mut self) -> Result<u8> {
        Ok(self.bytes(1)?[0])
    }

    fn u16(&mut self) -> Result<u16> {
        Ok(u16_at(self.bytes(2)?, 0))
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32_at(self.bytes(4)?, 0))
    }

    fn shape(&mut self, tables: u16, depth: usize) -> Result<Shape> {
        match self.u8()? {
            0 => {
                let table = self.u16()?;
                need!(table == NONE || table < tables, "symbols: table {table} of values, of {tables}");
                Ok(Shape::Text(table))
            }
            kind @ 1..=2 if depth >= MAX_DEPTH => {
                need!(false, "symbols: shape {kind} is nested more than {MAX_DEPTH} deep");
                unreachable!()
            }
            1 => {
                let (fields, fixed, variable) = (self.u16()?, self.u32()?, self.u16()?);
                need!(fixed <= 1 << 20, "symbols: row with {fixed} bytes of fixed width");
                need!((1..=fields).contains(&variable), "symbols: {variable} of {fields} fields vary in width");
                let parts = (0..variable).map(|_| self.shape(tables, depth + 1)).collect::<Result<_>>()?;
                Ok(Shape::Row { fields: fields as usize, fixed: fixed as usize, parts })
            }
            2 => Ok(Shape::Array(Box::new(self.shape(tables, depth + 1)?))),
            kind => Err(crate::Error::corrupt(format!("symbols: shape {kind} is unknown"))),
        }
    }

    fn table(&mut self) -> Result<Table> {
        self.u8()?; // what the table saves, for people
        let count = self.u8()?;
        need!(count <= 254, "symbols: table of {count} symbols");
        let lengths = self.bytes(count as usize)?.to_vec();
        need!(lengths.iter().all(|l| (1..=8).contains(l)), "symbols: symbol of 0 or more than 8 bytes");
        let mut words = vec![[0; 8]; count as usize];
        for (word, &length) in words.iter_mut().zip(&lengths) {
            word[..length as usize].copy_from_slice(self.bytes(length as usize)?);
        }
        Ok(Table { words, lengths })
    }
}

impl Symbols {
    pub fn open(section: &[u8], longest: usize) -> Result<Symbols> {
        let mut cursor = Cursor { data: section, at: 0 };
        need!(cursor.u32()? == 0, "symbols: reserved field is not 0");
        let (keys, count) = (cursor.u16()?, cursor.u16()?);
        need!(count != NONE && (keys == NONE || keys < count), "symbols: table {keys} of keys, of {count}");
        let values = cursor.shape(count, 0)?;
        let tables = (0..count).map(|_| cursor.table()).collect::<Result<_>>()?;
        need!(cursor.at == section.len(), "symbols: bytes after the last table");
        Ok(Symbols { keys, values, tables, longest })
    }

    /// Whether keys are encoded.
    pub fn has_keys(&self) -> bool {
        self.keys != NONE
    }

    /// Decodes a key into a buffer.
    pub fn key(&self, data: &[u8], plain: &mut Vec<u8>) -> Result<()> {
        plain.clear();
        self.text(data, self.keys, plain)?;
        need!((1..=65_535).contains(&plain.len()), "key of {} bytes", plain.len());
        Ok(())
    }

    /// Decodes a value into a buffer.
    pub fn value(&self, data: &[u8], plain: &mut Vec<u8>) -> Result<()> {
        plain.clear();
        match &self.values {
            Shape::Text(table) => self.text(data, *table, plain)?,
            _ if data.first() == Some(&VERBATIM) => plain.extend_from_slice(&data[1..]),
            shape => self.part(data, shape, plain)?,
        }
        let most = self.longest.max(data.len());
        need!(plain.len() <= most, "value of {} bytes, longer than stated", plain.len());
        Ok(())
    }

    fn text(&self, data: &[u8], table: u16, plain: &mut Vec<u8>) -> Result<()> {
        if table == NONE {
            plain.extend_from_slice(data);
            return Ok(());
        }
        let table = &self.tables[table as usize];
        // Each code makes at most eight bytes, which are written at once and counted singly.
        let start = plain.len();
        let most = start + (8 * data.len()).min(self.longest.max(data.len()));
        plain.resize(most + 8, 0);
        let mut to = start;
        let mut at = 0;
        while at < data.len() {
            let code = data[at];
            at += 1;
            if let Some(word) = table.words.get(code as usize) {
                plain[to..to + 8].copy_from_slice(word);
                to += table.lengths[code as usize] as usize;
                need!(to <= most, "symbols: string is longer than stated");
                continue;
            }
            need!(code == ESCAPE || code == RAW, "symbols: code {code} has no symbol");
            need!(at < data.len(), "symbols: string ends within an escape");
            let mut length = 1;
            if code == RAW {
                length = if data[at] == 0 { data.len() - at - 1 } else { data[at] as usize };
                at += 1;
            }
            need!(data.len() - at >= length, "symbols: string ends within an escape");
            need!(most - to >= length, "symbols: string is longer than stated");
            plain[to..to + length].copy_from_slice(&data[at..at + length]);
            to += length;
            at += length;
        }
        plain.truncate(to);
        Ok(())
    }

    fn part(&self, data: &[u8], shape: &Shape, plain: &mut Vec<u8>) -> Result<()> {
        if let Shape::Text(table) = shape {
            return self.text(data, *table, plain);
        }
        need!(!data.is_empty(), "symbols: row without a header");
        let header = data[0];
        let reserved = if matches!(shape, Shape::Row { .. }) { 0xF8 } else { 0xE0 };
        need!(header & reserved == 0 && header & 3 != 3, "symbols: header {header:02x}");
        let width = 1 << (header & 3);
        let (fields, variable, mut kept) = match shape {
            Shape::Row { fields, fixed, parts } => (*fields, parts.len(), *fixed),
            _ => {
                let kept = 1usize << (header >> 3 & 3);
                need!(kept < 8 && kept < data.len(), "symbols: count of an array");
                let count = little_endian(&data[1..1 + kept]);
                need!(count <= data.len(), "symbols: array of {count} elements in {} bytes", data.len());
                (count, count, kept)
            }
        };
        if header & 4 != 0 {
            kept += fields.div_ceil(8);
        }
        let ends_at = 1 + kept;
        let area_at = ends_at + width * variable;
        need!(area_at <= data.len(), "symbols: row of {} bytes is too short", data.len());
        let area = &data[area_at..];
        need!(width == width_of(area.len()), "symbols: offsets of {width} bytes for {}", area.len());
        let header_at = plain.len();
        plain.extend_from_slice(&data[..ends_at]);
        // Offsets of four bytes are written first, and moved together when their width is known.
        let plain_ends = plain.len();
        plain.resize(plain_ends + 4 * variable, 0);
        let plain_area = plain.len();
        let mut start = 0;
        for i in 0..variable {
            let end = little_endian(&data[ends_at + i * width..ends_at + (i + 1) * width]);
            need!(start <= end && end <= area.len(), "symbols: end offset {end} of field {i}");
            if start < end {
                let part = match shape {
                    Shape::Row { parts, .. } => &parts[i],
                    Shape::Array(element) => element,
                    Shape::Text(_) => unreachable!(),
                };
                self.part(&area[start..end], part, plain)?;
            }
            let plain_end = (plain.len() - plain_area) as u32;
            plain[plain_ends + 4 * i..][..4].copy_from_slice(&plain_end.to_le_bytes());
            start = end;
        }
        need!(start == area.len(), "symbols: bytes after the last field");
        let length = plain.len() - plain_area;
        let width = width_of(length);
        if width < 4 {
            for i in 0..variable {
                plain.copy_within(plain_ends + 4 * i..plain_ends + 4 * i + width, plain_ends + width * i);
            }
            let moved = plain_ends + width * variable;
            plain.copy_within(plain_area.., moved);
            plain.truncate(moved + length);
        }
        plain[header_at] = header & !3 | (width >> 1) as u8;
        Ok(())
    }
}

fn little_endian(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | byte as usize)
}

fn width_of(length: usize) -> usize {
    match length {
        0..=0xFF => 1,
        0x100..=0xFFFF => 2,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTION: &[u8] = b"\0\0\0\0\xff\xff\x02\0\x01\x03\0\x08\0\0\0\x02\0\0\0\0\0\x01\0\x50\x02\x02\x02Bern\x14\x02\x07\x06Europe/Zurich";

    #[test]
    fn decodes_the_example_of_the_specification() {
        let symbols = Symbols::open(SECTION, 100).unwrap();
        let mut plain = Vec::new();
        symbols.value(b"\0\xbf\x0d\x02\0\0\0\0\0\x02\x04\0\x01\0\x01", &mut plain).unwrap();
        assert_eq!(plain, b"\0\xbf\x0d\x02\0\0\0\0\0\x04\x11BernEurope/Zurich");
        plain.clear();
        symbols.text(b"\xfe\0Genf", 0, &mut plain).unwrap();
        symbols.text(b"\0\xffx", 0, &mut plain).unwrap();
        assert_eq!(plain, b"GenfBex");
    }

    #[test]
    fn takes_no_more_memory_than_the_longest_record() {
        let long = 1 << 20;
        let symbols = Symbols::open(SECTION, long).unwrap();
        let (mut raw, mut plain) = (vec![b'x'; long + 2], Vec::new());
        raw[..2].copy_from_slice(&[RAW, 0]);
        symbols.text(&raw, 1, &mut plain).unwrap();
        assert!(plain == raw[2..] && plain.capacity() < 2 * long, "{} bytes", plain.capacity());
        // Seven bytes each.
        let symbols = Symbols::open(SECTION, 100).unwrap();
        for (count, fits) in [(14, true), (15, false), (99, false)] {
            assert_eq!(symbols.text(&vec![0; count], 1, &mut Vec::new()).is_ok(), fits, "{count}");
        }
        assert!(symbols.text(&[0; 101], 1, &mut Vec::new()).is_err());
    }

    #[test]
    fn rejects_every_cut_of_section_and_value() {
        for length in 0..SECTION.len() {
            assert!(Symbols::open(&SECTION[..length], 100).is_err());
        }
        let symbols = Symbols::open(SECTION, 100).unwrap();
        let value = b"\0\xbf\x0d\x02\0\0\0\0\0\x02\x04\0\x01\0\x01";
        for length in 0..value.len() {
            assert!(symbols.value(&value[..length], &mut Vec::new()).is_err());
        }
    }
}
