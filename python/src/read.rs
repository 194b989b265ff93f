//! Values of Arrow arrays, as keys need them.

use bsdb::{Error, Result, Value};

use crate::arrow::{Data, Field};

/// How the values of an array are read.
#[derive(Debug)]
pub enum Reader {
    Null,
    Boolean,
    Signed(usize),
    Unsigned(usize),
    Float,
    Double,
    /// Bytes of an offset, and whether the bytes are text.
    Bytes(usize, bool),
    View(bool),
    Fixed(usize),
    /// Bytes of the unscaled value, and the scale.
    Decimal(usize, u32),
    Date32,
    Date64,
    /// Bytes of the number, and how many there are in a second.
    Time(usize, i64),
    /// How many there are in a second.
    Timestamp(i64),
    Dictionary(Box<Reader>, Box<Reader>),
}

fn per_second(unit: u8) -> i64 {
    match unit {
        b's' => 1,
        b'm' => 1000,
        b'u' => 1_000_000,
        _ => 1_000_000_000,
    }
}

impl Reader {
    pub fn of(field: &Field) -> Result<Reader> {
        if let Some(dictionary) = &field.dictionary {
            let indices = Field {
                dictionary: None,
                ..field.clone()
            };
            return Ok(Reader::Dictionary(
                Box::new(Reader::of(&indices)?),
                Box::new(Reader::of(dictionary)?),
            ));
        }
        let format = field.format.as_str();
        Ok(match format {
            "n" => Reader::Null,
            "b" => Reader::Boolean,
            "c" => Reader::Signed(1),
            "s" => Reader::Signed(2),
            "i" => Reader::Signed(4),
            "l" => Reader::Signed(8),
            "C" => Reader::Unsigned(1),
            "S" => Reader::Unsigned(2),
            "I" => Reader::Unsigned(4),
            "L" => Reader::Unsigned(8),
            "f" => Reader::Float,
            "g" => Reader::Double,
            "z" => Reader::Bytes(4, false),
            "u" => Reader::Bytes(4, true),
            "Z" => Reader::Bytes(8, false),
            "U" => Reader::Bytes(8, true),
            "vz" => Reader::View(false),
            "vu" => Reader::View(true),
            "tdD" => Reader::Date32,
            "tdm" => Reader::Date64,
            _ => return Reader::of_parameters(format),
        })
    }

    fn of_parameters(format: &str) -> Result<Reader> {
        let unknown = || {
            Error::invalid(format!(
                "keys of the Arrow type {format:?} are not supported"
            ))
        };
        if let Some(width) = format.strip_prefix("w:") {
            return width.parse().map(Reader::Fixed).map_err(|_| unknown());
        }
        if let Some(parameters) = format.strip_prefix("d:") {
            let numbers: Vec<i64> = parameters
                .split(',')
                .map(|n| n.parse().unwrap_or(-1))
                .collect();
            return match numbers[..] {
                [_, scale] if scale >= 0 => Ok(Reader::Decimal(16, scale as u32)),
                [_, scale, bits @ (32 | 64 | 128)] if scale >= 0 => {
                    Ok(Reader::Decimal(bits as usize / 8, scale as u32))
                }
                _ => Err(unknown()),
            };
        }
        match format.as_bytes() {
            [b't', b't', unit @ (b's' | b'm')] => Ok(Reader::Time(4, per_second(*unit))),
            [b't', b't', unit @ (b'u' | b'n')] => Ok(Reader::Time(8, per_second(*unit))),
            [b't', b's', unit, b':', ..] => Ok(Reader::Timestamp(per_second(*unit))),
            _ => Err(unknown()),
        }
    }

    /// The bytes of an element of binary or text.
    pub fn bytes<'d>(&self, data: &'d Data, i: usize) -> Option<&'d [u8]> {
        if !data.is_valid(i) {
            return None;
        }
        // SAFETY: the array is of this type: offsets, views and bytes are where the C data interface has them.
        unsafe {
            let (start, from, to) = match self {
                Reader::Bytes(4, _) => (
                    data.buffers[2].start(),
                    data.number::<i32>(1, i) as usize,
                    data.number::<i32>(1, i + 1) as usize,
                ),
                Reader::Bytes(..) => (
                    data.buffers[2].start(),
                    data.number::<i64>(1, i) as usize,
                    data.number::<i64>(1, i + 1) as usize,
                ),
                Reader::Fixed(width) => {
                    let from = (data.offset + i) * width;
                    (data.buffers[1].start(), from, from + width)
                }
                Reader::View(_) => {
                    let view = data.buffers[1].start().add(16 * (data.offset + i));
                    let word = |at: usize| (view.add(at) as *const i32).read_unaligned() as usize;
                    match word(0) {
                        length @ 0..=12 => (view, 4, 4 + length),
                        length => (
                            data.buffers[2 + word(8)].start(),
                            word(12),
                            word(12) + length,
                        ),
                    }
                }
                Reader::Dictionary(indices, values) => {
                    let index = indices.index(data, i)?;
                    return data
                        .dictionary
                        .as_ref()
                        .and_then(|d| values.bytes(d, index));
                }
                _ => return None,
            };
            if from == to {
                return Some(&[]);
            }
            Some(std::slice::from_raw_parts(start.add(from), to - from))
        }
    }

    fn index(&self, data: &Data, i: usize) -> Option<usize> {
        match self.value(data, i) {
            Value::Integer(index) => usize::try_from(index).ok(),
            _ => None,
        }
    }

    /// Whether `bytes` reads the elements; where there is no type, all are null.
    pub fn is_bytes(&self) -> bool {
        match self {
            Reader::Null | Reader::Bytes(..) | Reader::View(_) | Reader::Fixed(_) => true,
            Reader::Dictionary(_, values) => values.is_bytes(),
            _ => false,
        }
    }

    /// An element. What no key can be is null.
    pub fn value<'d>(&self, data: &'d Data, i: usize) -> Value<'d> {
        if !data.is_valid(i) {
            return Value::Null;
        }
        // SAFETY: the array is of this type, so that its buffer has numbers of this width.
        unsafe {
            match self {
                Reader::Null => Value::Null,
                Reader::Boolean => {
                    let bit = data.offset + i;
                    Value::Boolean(*data.buffers[1].start().add(bit / 8) >> (bit % 8) & 1 == 1)
                }
                Reader::Signed(1) => Value::Integer(data.number::<i8>(1, i) as i64),
                Reader::Signed(2) => Value::Integer(data.number::<i16>(1, i) as i64),
                Reader::Signed(4) => Value::Integer(data.number::<i32>(1, i) as i64),
                Reader::Signed(_) => Value::Integer(data.number::<i64>(1, i)),
                Reader::Unsigned(1) => Value::Integer(data.number::<u8>(1, i) as i64),
                Reader::Unsigned(2) => Value::Integer(data.number::<u16>(1, i) as i64),
                Reader::Unsigned(4) => Value::Integer(data.number::<u32>(1, i) as i64),
                Reader::Unsigned(_) => {
                    let number = data.number::<u64>(1, i);
                    i64::try_from(number).map_or(Value::Decimal(number as i128, 0), Value::Integer)
                }
                Reader::Float => Value::Float(data.number::<f32>(1, i)),
                Reader::Double => Value::Double(data.number::<f64>(1, i)),
                Reader::Bytes(_, true) | Reader::View(true) => self
                    .bytes(data, i)
                    .map_or(Value::Null, |b| Value::Text(b.into())),
                Reader::Bytes(..) | Reader::View(_) | Reader::Fixed(_) => self
                    .bytes(data, i)
                    .map_or(Value::Null, |b| Value::Bytes(b.into())),
                Reader::Decimal(4, scale) => {
                    Value::Decimal(data.number::<i32>(1, i) as i128, *scale)
                }
                Reader::Decimal(8, scale) => {
                    Value::Decimal(data.number::<i64>(1, i) as i128, *scale)
                }
                Reader::Decimal(_, scale) => Value::Decimal(data.number::<i128>(1, i), *scale),
                Reader::Date32 => Value::Date(data.number::<i32>(1, i)),
                Reader::Date64 => {
                    let days = data.number::<i64>(1, i).div_euclid(86_400_000);
                    i32::try_from(days).map_or(Value::Null, Value::Date)
                }
                Reader::Time(width, per_second) => {
                    let number = if *width == 4 {
                        data.number::<i32>(1, i) as i64
                    } else {
                        data.number::<i64>(1, i)
                    };
                    let millis = number as i128 * 1000;
                    let exact = millis % *per_second as i128 == 0;
                    match i32::try_from(millis / *per_second as i128) {
                        Ok(millis) if exact => Value::Time(millis),
                        _ => Value::Null,
                    }
                }
                Reader::Timestamp(per_second) => {
                    let nanos =
                        data.number::<i64>(1, i) as i128 * (1_000_000_000 / per_second) as i128;
                    let millis = nanos.div_euclid(1_000_000);
                    i64::try_from(millis).map_or(Value::Null, |millis| {
                        Value::Timestamp(millis, nanos.rem_euclid(1_000_000) as u32)
                    })
                }
                Reader::Dictionary(indices, values) => {
                    match (indices.index(data, i), &data.dictionary) {
                        (Some(index), Some(dictionary)) => values.value(dictionary, index),
                        _ => Value::Null,
                    }
                }
            }
        }
    }
}
