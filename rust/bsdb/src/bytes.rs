//! Little-endian integers, bit arrays and checksums.

use crate::error::{Error, Result};

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap())
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// Up to 57 bits of a bit array; eight bytes must be readable at the byte of the first.
pub(crate) fn bits_at(bytes: &[u8], bit: u64, width: u32) -> u64 {
    u64_at(bytes, (bit / 8) as usize) >> (bit % 8) & ((1 << width) - 1)
}

/// Asks the processor to load what is at a place; any place is allowed.
#[inline]
pub(crate) fn prefetch<T>(place: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch reads nothing that the program sees, and faults at no address.
    unsafe {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        _mm_prefetch(place as *const i8, _MM_HINT_T0);
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = place;
}

/// The checksum of a part of a file, bound to the file and to the part's place.
pub(crate) fn bound_checksum(id: &[u8; 16], kind: u32, offset: u64, covered: &[u8]) -> u32 {
    let mut prefix = [0; 28];
    prefix[..16].copy_from_slice(id);
    prefix[16..20].copy_from_slice(&kind.to_le_bytes());
    prefix[20..].copy_from_slice(&offset.to_le_bytes());
    crc32c::crc32c_append(crc32c::crc32c(&prefix), covered)
}

/// Compares a checksum with the stated one.
pub(crate) fn check(what: &str, offset: u64, expected: u32, actual: u32) -> Result<()> {
    if expected == actual {
        return Ok(());
    }
    Err(Error::corrupt(format!("checksum of the {what} differs"))
        .at(offset)
        .values(format_args!("{expected:08x}"), format_args!("{actual:08x}")))
}

/// A LEB128 number of at most `most` bytes, and where it ends; none if it is cut or too long.
pub(crate) fn leb128(bytes: &[u8], at: usize, most: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for i in 0..most {
        let byte = *bytes.get(at + i)?;
        value |= ((byte & 127) as u64) << (7 * i);
        if byte < 128 {
            return Some((value, at + i + 1));
        }
    }
    None
}

/// The 16 bytes of a UUID of 36 characters in lower case.
pub(crate) fn uuid(text: &str) -> Option<[u8; 16]> {
    let bytes = text.as_bytes();
    if bytes.len() != 36 {
        return None;
    }
    let mut digits = [0; 32];
    let mut count = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        if [8, 13, 18, 23].contains(&i) {
            if byte != b'-' {
                return None;
            }
            continue;
        }
        digits[count] = hex_digit(byte)?;
        count += 1;
    }
    Some(std::array::from_fn(|i| digits[2 * i] << 4 | digits[2 * i + 1]))
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

/// A number of exactly `digits` hexadecimal digits in lower case.
pub(crate) fn hex(text: &str, digits: usize) -> Option<u64> {
    if text.len() != digits {
        return None;
    }
    text.bytes().try_fold(0u64, |value, byte| Some(value << 4 | hex_digit(byte)? as u64))
}

/// Decodes Base64 in its only form: standard alphabet, padded.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for four in text.as_bytes().chunks(4) {
        let padding = four.iter().rev().take_while(|&&c| c == b'=').count();
        if four.len() < 4 || padding > 2 || (padding > 0 && bytes.len() + 3 != text.len() / 4 * 3) {
            return None;
        }
        let mut word = 0u32;
        for &c in &four[..4 - padding] {
            let six = match c {
                b'A'..=b'Z' => c - b'A',
                b'a'..=b'z' => c - b'a' + 26,
                b'0'..=b'9' => c - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            word = word << 6 | six as u32;
        }
        word <<= 6 * padding as u32;
        if word & ((1 << (8 * padding)) - 1) != 0 {
            return None;
        }
        bytes.extend_from_slice(&word.to_be_bytes()[1..4 - padding]);
    }
    Some(bytes)
}

/// Encodes Base64, padded.
pub(crate) fn to_base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let mut word = 0u32;
        for i in 0..3 {
            word = word << 8 | *three.get(i).unwrap_or(&0) as u32;
        }
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize] as char;
            text.push(if i <= three.len() { digit } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_the_checksum_of_the_specification() {
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
        let id = uuid("5d0f1c2e-7a34-4b89-9c60-d1e2f3a4b5c6").unwrap();
        assert_eq!(bound_checksum(&id, 5, 4096, b"123456789"), 0x8728_5722);
    }

    #[test]
    fn reads_only_canonical_base64() {
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"\xff\xfe\xfd\xfc"] {
            assert_eq!(base64(&to_base64(bytes)).as_deref(), Some(bytes));
        }
        for text in ["YQ", "YR==", "Y===", "YQ==YQ==", "YWI", "Y Q=", "YWJ="] {
            assert_eq!(base64(text), None, "{text}");
        }
    }
}
