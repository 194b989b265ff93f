//! Rows: from the bytes of a value to its columns.

use std::borrow::Cow;

use crate::error::{need, Error, Result};
use crate::schema::{Place, Schema, Type};

const DAY: i32 = 86_400_000;

/// The value of a column.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Value<'a> {
    Null,
    Boolean(bool),
    /// TINYINT to BIGINT.
    Integer(i64),
    Float(f32),
    Double(f64),
    /// The unscaled value and its scale.
    Decimal(i128, u32),
    /// Days since 1970-01-01.
    Date(i32),
    /// Milliseconds of the day.
    Time(i32),
    /// Milliseconds since 1970-01-01 00:00:00, and nanoseconds of the millisecond. Of a TIMESTAMP_LTZ in UTC.
    Timestamp(i64, u32),
    /// UTF-8, which nobody has checked.
    Text(Cow<'a, [u8]>),
    Bytes(Cow<'a, [u8]>),
    Array(Vec<Value<'a>>),
    Map(Vec<(Value<'a>, Value<'a>)>),
    Row(Vec<Value<'a>>),
}

/// Where the fields of rows lie.
#[derive(Clone, Debug)]
pub struct RowLayout {
    fields: Vec<Field>,
    fixed: usize,
    variable: usize,
}

#[derive(Clone, Debug)]
struct Field {
    kind: Type,
    width: usize,
    /// Offset of the slot, or number of the end offset.
    at: usize,
}

/// The parts of a row or array, checked to be there.
struct Parts<'a> {
    nulls: &'a [u8],
    slots: &'a [u8],
    ends: &'a [u8],
    width: usize,
    area: &'a [u8],
}

impl<'a> Parts<'a> {
    /// Cuts what follows a header.
    fn cut(header: u8, data: &'a [u8], fields: usize, fixed: usize, variable: usize) -> Result<Parts<'a>> {
        need!(header & 3 != 3, "header {header:02x} of a row or array");
        let width = 1 << (header & 3);
        let nulls = if header & 4 != 0 { fields.div_ceil(8) } else { 0 };
        let kept = nulls + fixed + width * variable;
        need!(data.len() >= kept, "row or array of {} bytes, expected at least {kept}", data.len());
        let (nulls, rest) = data.split_at(nulls);
        let (slots, rest) = rest.split_at(fixed);
        let (ends, area) = rest.split_at(width * variable);
        Ok(Parts { nulls, slots, ends, width, area })
    }

    fn is_null(&self, field: usize) -> bool {
        self.nulls.get(field / 8).is_some_and(|bits| bits >> (field % 8) & 1 == 1)
    }

    fn end(&self, i: usize) -> usize {
        let bytes = &self.ends[i * self.width..(i + 1) * self.width];
        bytes.iter().rev().fold(0, |value, &byte| value << 8 | byte as usize)
    }

    fn variable(&self, i: usize) -> Result<&'a [u8]> {
        let (start, end) = (if i == 0 { 0 } else { self.end(i - 1) }, self.end(i));
        need!(start <= end && end <= self.area.len(), "end offset {end} of a field that begins at {start}");
        Ok(&self.area[start..end])
    }
}

impl RowLayout {
    /// The layout of rows of these types.
    pub fn new<'t>(types: impl IntoIterator<Item = &'t Type>) -> RowLayout {
        let (mut fixed, mut variable, mut fields) = (0, 0, Vec::new());
        for kind in types {
            let width = kind.width();
            fields.push(Field { kind: kind.clone(), width, at: if width > 0 { fixed } else { variable } });
            fixed += width;
            variable += (width == 0) as usize;
        }
        RowLayout { fields, fixed, variable }
    }

    /// Gives the fields of the given numbers to a consumer, in that order.
    pub fn fields<'a>(
        &self,
        row: &'a [u8],
        numbers: impl IntoIterator<Item = usize>,
        mut consumer: impl FnMut(Value<'a>) -> Result<()>,
    ) -> Result<()> {
        if self.fields.is_empty() {
            need!(row.is_empty(), "row of no fields has {} bytes", row.len());
            return Ok(());
        }
        need!(!row.is_empty() && row[0] < 8, "header of a row");
        let parts = Parts::cut(row[0], &row[1..], self.fields.len(), self.fixed, self.variable)?;
        for number in numbers {
            let field = &self.fields[number];
            let bytes = match field.width {
                0 => parts.variable(field.at)?,
                width => &parts.slots[field.at..field.at + width],
            };
            consumer(if parts.is_null(number) { Value::Null } else { decode(&field.kind, bytes)? })?;
        }
        Ok(())
    }

    /// All fields of a row.
    pub fn row<'a>(&self, row: &'a [u8]) -> Result<Vec<Value<'a>>> {
        let mut values = Vec::with_capacity(self.fields.len());
        self.fields(row, 0..self.fields.len(), |value| {
            values.push(value);
            Ok(())
        })?;
        Ok(values)
    }
}

/// The value of bytes of a row; those of scalars are little-endian, but for long decimals.
fn decode<'a>(kind: &Type, bytes: &'a [u8]) -> Result<Value<'a>> {
    match kind {
        Type::Array(element) => Ok(Value::Array(array(element, bytes)?)),
        Type::Row(fields) => Ok(Value::Row(RowLayout::new(fields.iter().map(|f| &f.1)).row(bytes)?)),
        Type::Map(key, value) => {
            need!(!bytes.is_empty() && bytes[0] < 8, "header of a map");
            let parts = Parts::cut(bytes[0], &bytes[1..], 2, 0, 2)?;
            need!(!parts.is_null(0) && !parts.is_null(1), "map without keys or values");
            let (keys, values) = (array(key, parts.variable(0)?)?, array(value, parts.variable(1)?)?);
            need!(keys.len() == values.len(), "map of {} keys and {} values", keys.len(), values.len());
            Ok(Value::Map(keys.into_iter().zip(values).collect()))
        }
        Type::Decimal(..) if kind.width() == 0 => scalar(kind, bytes, big_endian(bytes)),
        _ => scalar(kind, bytes, bytes.iter().rev().fold(0, |value, &byte| value << 8 | byte as u128)),
    }
}

fn array<'a>(element: &Type, bytes: &'a [u8]) -> Result<Vec<Value<'a>>> {
    need!(!bytes.is_empty() && bytes[0] < 32 && bytes[0] >> 3 != 3, "header of an array");
    let width = 1usize << (bytes[0] >> 3);
    need!(bytes.len() > width, "array of {} bytes", bytes.len());
    let count = bytes[1..1 + width].iter().rev().fold(0, |value, &byte| value << 8 | byte as usize);
    need!(count <= bytes.len(), "array of {count} elements in {} bytes", bytes.len());
    let slot = element.width();
    let variable = if slot == 0 { count } else { 0 };
    let parts = Parts::cut(bytes[0], &bytes[1 + width..], count, slot * count, variable)?;
    (0..count)
        .map(|i| match parts.is_null(i) {
            true => Ok(Value::Null),
            false if slot == 0 => decode(element, parts.variable(i)?),
            false => decode(element, &parts.slots[slot * i..slot * (i + 1)]),
        })
        .collect()
}

/// Two's complement, big-endian, of up to 16 bytes.
pub(crate) fn big_endian(bytes: &[u8]) -> u128 {
    let sign = if bytes.first().is_some_and(|&b| b > 127) { u128::MAX } else { 0 };
    bytes.iter().take(16).fold(sign, |value, &byte| value << 8 | byte as u128)
}

/// The value of a scalar; `word` is the number that its bytes are.
pub(crate) fn scalar<'a>(kind: &Type, bytes: &'a [u8], word: u128) -> Result<Value<'a>> {
    Ok(match kind {
        Type::Boolean => {
            need!(word <= 1, "BOOLEAN {word}");
            Value::Boolean(word == 1)
        }
        Type::TinyInt => Value::Integer(word as i8 as i64),
        Type::SmallInt => Value::Integer(word as i16 as i64),
        Type::Int => Value::Integer(word as i32 as i64),
        Type::BigInt => Value::Integer(word as i64),
        Type::Float => Value::Float(f32::from_bits(word as u32)),
        Type::Double => Value::Double(f64::from_bits(word as u64)),
        Type::Date => Value::Date(word as i32),
        Type::Time(_) => {
            let millis = word as i32;
            need!((0..DAY).contains(&millis), "TIME of {millis} ms");
            Value::Time(millis)
        }
        Type::Timestamp(p) | Type::TimestampLtz(p) if *p <= 3 => Value::Timestamp(word as i64, 0),
        Type::Timestamp(_) | Type::TimestampLtz(_) => {
            let nanos = (word >> 64) as u32;
            need!(nanos < 1_000_000, "TIMESTAMP with {nanos} ns of a millisecond");
            Value::Timestamp(word as i64, nanos)
        }
        Type::Decimal(precision, scale) => {
            need!((1..=16).contains(&bytes.len()), "DECIMAL of {} bytes", bytes.len());
            let unscaled = if kind.width() == 8 && bytes.len() == 8 { word as i64 as i128 } else { word as i128 };
            need!(unscaled.unsigned_abs() < 10u128.pow(*precision), "DECIMAL of more than {precision} digits");
            Value::Decimal(unscaled, *scale)
        }
        Type::Text => Value::Text(bytes.into()),
        Type::Bytes => Value::Bytes(bytes.into()),
        Type::Array(_) | Type::Map(..) | Type::Row(_) => return Err(Error::invalid("not a scalar")),
    })
}

impl Schema {
    /// All columns of a record, in declared order.
    pub fn decode<'a>(&self, key: &'a [u8], value: &'a [u8]) -> Result<Vec<Value<'a>>> {
        let mut keys = self.decode_key(key)?;
        let mut row = RowLayout::new(self.row_types()).row(value)?;
        let take = |value: &mut Value<'a>| std::mem::replace(value, Value::Null);
        Ok((0..self.columns.len())
            .map(|column| match self.place(column) {
                Place::Key(at) => take(&mut keys[at]),
                Place::Row(at) => take(&mut row[at]),
            })
            .collect())
    }
}
