//! Chosen rows of arrays.

use std::sync::Arc;

use bsdb::{Error, Result};

use crate::arrow::{Buffer, Data, Field};

/// The elements of an array at some places, in their order.
pub fn take(field: &Field, data: &Data, rows: &[usize]) -> Result<Data> {
    let mut nulls = 0;
    let mut validity = vec![0u8; rows.len().div_ceil(8)];
    for (to, &from) in rows.iter().enumerate() {
        if data.is_valid(from) {
            validity[to / 8] |= 1 << (to % 8);
        } else {
            nulls += 1;
        }
    }
    let own = |bytes: Vec<u8>| Buffer::Own(Arc::new(bytes));
    let validity = if nulls > 0 {
        own(validity)
    } else {
        Buffer::Missing
    };
    let mut taken = Data {
        length: rows.len(),
        offset: 0,
        nulls,
        buffers: vec![validity],
        children: vec![],
        dictionary: data.dictionary.clone(),
    };
    let format = field.format.as_str();
    let unsupported = || {
        Error::invalid(format!(
            "rows of the Arrow type {format:?} cannot be chosen; leave out column {:?}",
            field.name
        ))
    };
    match format {
        "n" => {
            taken.buffers.clear();
            taken.nulls = rows.len() as i64;
        }
        "b" => {
            let mut bits = vec![0u8; rows.len().div_ceil(8)];
            for (to, &from) in rows.iter().enumerate() {
                let bit = data.offset + from;
                // SAFETY: the buffer has a bit for each element.
                bits[to / 8] |=
                    unsafe { *data.buffers[1].start().add(bit / 8) >> (bit % 8) & 1 } << (to % 8);
            }
            taken.buffers.push(own(bits));
        }
        "u" | "z" => variable::<i32>(data, rows, &mut taken)?,
        "U" | "Z" => variable::<i64>(data, rows, &mut taken)?,
        "vu" | "vz" => {
            taken.buffers.push(own(fixed(data, rows, 16)));
            taken.buffers.extend_from_slice(&data.buffers[2..]);
        }
        "+s" => {
            let rows: Vec<usize> = rows.iter().map(|r| data.offset + r).collect();
            for (field, child) in field.children.iter().zip(&data.children) {
                taken.children.push(Arc::new(take(field, child, &rows)?));
            }
        }
        "+l" | "+m" | "+L" => {
            let (mut ends, mut elements) = (vec![0i64], Vec::new());
            for &row in rows {
                // SAFETY: a list has one offset more than elements.
                let (from, to) = unsafe {
                    match format {
                        "+L" => (data.number::<i64>(1, row), data.number::<i64>(1, row + 1)),
                        _ => (
                            data.number::<i32>(1, row) as i64,
                            data.number::<i32>(1, row + 1) as i64,
                        ),
                    }
                };
                elements.extend(from as usize..to as usize);
                ends.push(elements.len() as i64);
            }
            let width = if format == "+L" { 8 } else { 4 };
            if width == 4 && elements.len() > i32::MAX as usize {
                return Err(unsupported());
            }
            taken.buffers.push(own(ends
                .iter()
                .flat_map(|e| e.to_le_bytes().into_iter().take(width))
                .collect()));
            taken.children.push(Arc::new(take(
                &field.children[0],
                &data.children[0],
                &elements,
            )?));
        }
        _ => {
            let width = width_of(format).ok_or_else(unsupported)?;
            taken.buffers.push(own(fixed(data, rows, width)));
        }
    }
    Ok(taken)
}

/// Bytes of an element; none for types whose elements cannot be copied alone.
fn width_of(format: &str) -> Option<usize> {
    if let Some(width) = format.strip_prefix("w:") {
        return width.parse().ok();
    }
    if let Some(parameters) = format.strip_prefix("d:") {
        return parameters
            .split(',')
            .nth(2)
            .map_or(Some(16), |bits| bits.parse::<usize>().ok().map(|b| b / 8));
    }
    match format.as_bytes() {
        [b'c' | b'C'] => Some(1),
        [b's' | b'S' | b'e'] => Some(2),
        [b'i' | b'I' | b'f'] => Some(4),
        [b'l' | b'L' | b'g'] => Some(8),
        [b't', b'd', b'D'] | [b't', b't', b's' | b'm'] | [b't', b'i', b'M'] => Some(4),
        [b't', b'i', b'n'] => Some(16),
        [b't', ..] => Some(8),
        _ => None,
    }
}

fn fixed(data: &Data, rows: &[usize], width: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(rows.len() * width);
    for &row in rows {
        // SAFETY: the buffer has an element of this width for each row.
        let element = unsafe {
            std::slice::from_raw_parts(
                data.buffers[1].start().add((data.offset + row) * width),
                width,
            )
        };
        bytes.extend_from_slice(element);
    }
    bytes
}

trait Offset: Copy + TryFrom<usize> + TryInto<usize> {
    fn append(self, to: &mut Vec<u8>);
}

impl Offset for i32 {
    fn append(self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.to_le_bytes());
    }
}

impl Offset for i64 {
    fn append(self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.to_le_bytes());
    }
}

fn variable<T: Offset>(data: &Data, rows: &[usize], taken: &mut Data) -> Result<()> {
    let long =
        || Error::invalid("a column has 2 GiB or more of data in one batch; use smaller batches");
    let (mut offsets, mut bytes) = (Vec::new(), Vec::new());
    T::try_from(0).map_err(|_| long())?.append(&mut offsets);
    for &row in rows {
        // SAFETY: there is one offset more than elements, and the bytes are between two of them.
        unsafe {
            let (from, to) = (data.number::<T>(1, row), data.number::<T>(1, row + 1));
            let (from, to) = (
                from.try_into().map_err(|_| long())?,
                to.try_into().map_err(|_| long())?,
            );
            if from < to {
                bytes.extend_from_slice(std::slice::from_raw_parts(
                    data.buffers[2].start().add(from),
                    to - from,
                ));
            }
        }
        T::try_from(bytes.len())
            .map_err(|_| long())?
            .append(&mut offsets);
    }
    taken.buffers.push(Buffer::Own(Arc::new(offsets)));
    taken.buffers.push(Buffer::Own(Arc::new(bytes)));
    Ok(())
}
