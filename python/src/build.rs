//! Arrow arrays of the values of a table.

use std::sync::Arc;

use bsdb::{Error, Result, Type, Value};

use crate::arrow::{Buffer, Data, Field};

/// The Arrow type of a column. Text that would not fit one array in 31 bits makes an error, not a larger type.
pub fn field_of(name: &str, kind: &Type) -> Field {
    let format = match kind {
        Type::Boolean => "b",
        Type::TinyInt => "c",
        Type::SmallInt => "s",
        Type::Int => "i",
        Type::BigInt => "l",
        Type::Float => "f",
        Type::Double => "g",
        Type::Decimal(precision, scale) => {
            return Field::new(name, &format!("d:{precision},{scale}"), vec![])
        }
        Type::Date => "tdD",
        Type::Time(_) => "ttm",
        Type::Timestamp(p) => return Field::new(name, &format!("ts{}:", unit(*p)), vec![]),
        Type::TimestampLtz(p) => return Field::new(name, &format!("ts{}:UTC", unit(*p)), vec![]),
        Type::Text => "u",
        Type::Bytes => "z",
        Type::Array(element) => return Field::new(name, "+l", vec![field_of("item", element)]),
        Type::Row(fields) => {
            return Field::new(
                name,
                "+s",
                fields
                    .iter()
                    .map(|(name, kind)| field_of(name, kind))
                    .collect(),
            )
        }
        Type::Map(key, value) => {
            let mut entries = Field::new(
                "entries",
                "+s",
                vec![field_of("key", key), field_of("value", value)],
            );
            entries.flags = 0;
            entries.children[0].flags = 0;
            return Field::new(name, "+m", vec![entries]);
        }
    };
    Field::new(name, format, vec![])
}

fn unit(precision: u32) -> char {
    match precision {
        0..=3 => 'm',
        4..=6 => 'u',
        _ => 'n',
    }
}

/// Makes an array, value by value.
pub struct Builder {
    kind: Type,
    length: usize,
    nulls: usize,
    validity: Vec<u8>,
    /// Numbers, bits or bytes.
    data: Vec<u8>,
    /// Ends of texts and lists.
    offsets: Vec<u8>,
    children: Vec<Builder>,
}

fn push_bit(bits: &mut Vec<u8>, length: usize, bit: bool) {
    if length % 8 == 0 {
        bits.push(0);
    }
    if let Some(last) = bits.last_mut() {
        *last |= (bit as u8) << (length % 8);
    }
}

impl Builder {
    pub fn new(kind: &Type, capacity: usize) -> Builder {
        let children = match kind {
            Type::Array(element) => vec![Builder::new(element, 0)],
            Type::Row(fields) => fields.iter().map(|f| Builder::new(&f.1, 0)).collect(),
            Type::Map(key, value) => vec![Builder::new(key, 0), Builder::new(value, 0)],
            _ => vec![],
        };
        let mut offsets = Vec::new();
        if matches!(
            kind,
            Type::Text | Type::Bytes | Type::Array(_) | Type::Map(..)
        ) {
            offsets.reserve(4 * (capacity + 1));
            offsets.extend(0i32.to_le_bytes());
        }
        Builder {
            kind: kind.clone(),
            length: 0,
            nulls: 0,
            validity: Vec::with_capacity(capacity / 8 + 1),
            data: Vec::with_capacity(16 * capacity),
            offsets,
            children,
        }
    }

    fn end(&mut self, end: usize) -> Result<()> {
        let end = i32::try_from(end).map_err(|_| {
            Error::invalid("a column has 2 GiB or more of data in one batch; use smaller batches")
        })?;
        self.offsets.extend_from_slice(&end.to_le_bytes());
        Ok(())
    }

    /// Appends bytes that need no check.
    pub fn append_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        push_bit(&mut self.validity, self.length, true);
        self.length += 1;
        self.data.extend_from_slice(bytes);
        self.end(self.data.len())
    }

    /// Appends a value of the builder's type, or null.
    pub fn append(&mut self, value: &Value) -> Result<()> {
        let valid = !matches!(value, Value::Null);
        push_bit(&mut self.validity, self.length, valid);
        self.nulls += !valid as usize;
        self.length += 1;
        match (&self.kind, value) {
            (Type::Boolean, _) => {
                push_bit(
                    &mut self.data,
                    self.length - 1,
                    matches!(value, Value::Boolean(true)),
                );
                return Ok(());
            }
            (_, Value::Integer(number)) => self.push(&number.to_le_bytes()),
            (_, Value::Float(number)) => self.push(&number.to_le_bytes()),
            (_, Value::Double(number)) => self.push(&number.to_le_bytes()),
            (_, Value::Decimal(unscaled, _)) => self.push(&unscaled.to_le_bytes()),
            (_, Value::Date(days)) => self.push(&days.to_le_bytes()),
            (_, Value::Time(millis)) => self.push(&millis.to_le_bytes()),
            (Type::Timestamp(p) | Type::TimestampLtz(p), Value::Timestamp(millis, nanos)) => {
                let number = timestamp(*p, *millis, *nanos)?;
                self.push(&number.to_le_bytes());
            }
            (_, Value::Text(text)) => {
                match std::str::from_utf8(text) {
                    Ok(_) => self.data.extend_from_slice(text),
                    Err(_) => self
                        .data
                        .extend_from_slice(String::from_utf8_lossy(text).as_bytes()),
                }
                return self.end(self.data.len());
            }
            (_, Value::Bytes(bytes)) => {
                self.data.extend_from_slice(bytes);
                return self.end(self.data.len());
            }
            (_, Value::Array(values)) => {
                for value in values {
                    self.children[0].append(value)?;
                }
                return self.end(self.children[0].length);
            }
            (_, Value::Map(entries)) => {
                for (key, value) in entries {
                    if matches!(key, Value::Null) {
                        return Err(Error::invalid(
                            "a MAP with a null key cannot be an Arrow map; leave out the column",
                        ));
                    }
                    self.children[0].append(key)?;
                    self.children[1].append(value)?;
                }
                return self.end(self.children[0].length);
            }
            (_, Value::Row(values)) => {
                for (child, value) in self.children.iter_mut().zip(values) {
                    child.append(value)?;
                }
            }
            (Type::Row(_), _) => {
                for child in &mut self.children {
                    child.append(&Value::Null)?;
                }
            }
            (Type::Text | Type::Bytes, _) => return self.end(self.data.len()),
            (Type::Array(_) | Type::Map(..), _) => return self.end(self.children[0].length),
            _ => self.push(&[0; 16]),
        }
        Ok(())
    }

    /// Appends the leading bytes of a number, as many as the type has.
    fn push(&mut self, bytes: &[u8]) {
        let width = match self.kind {
            Type::TinyInt => 1,
            Type::SmallInt => 2,
            Type::Int | Type::Float | Type::Date | Type::Time(_) => 4,
            Type::Decimal(..) => 16,
            _ => 8,
        };
        self.data.extend_from_slice(&bytes[..width]);
    }

    /// The array.
    pub fn finish(self) -> Data {
        let own = |bytes: Vec<u8>| Buffer::Own(Arc::new(bytes));
        let validity = if self.nulls > 0 {
            own(self.validity)
        } else {
            Buffer::Missing
        };
        let mut children: Vec<Arc<Data>> = self
            .children
            .into_iter()
            .map(|c| Arc::new(c.finish()))
            .collect();
        let buffers = match self.kind {
            Type::Text | Type::Bytes => vec![validity, own(self.offsets), own(self.data)],
            Type::Array(_) => vec![validity, own(self.offsets)],
            Type::Map(..) => {
                let length = children.first().map_or(0, |c| c.length);
                children = vec![Arc::new(Data::batch(length, children))];
                vec![validity, own(self.offsets)]
            }
            Type::Row(_) => vec![validity],
            _ => vec![validity, own(self.data)],
        };
        Data {
            length: self.length,
            offset: 0,
            nulls: self.nulls as i64,
            buffers,
            children,
            dictionary: None,
        }
    }
}

fn timestamp(precision: u32, millis: i64, nanos: u32) -> Result<i64> {
    let out = || {
        Error::invalid(format!(
            "TIMESTAMP({precision}) of {millis} ms is out of the range of Arrow; leave out the column"
        ))
    };
    match precision {
        0..=3 => Ok(millis),
        4..=6 => millis
            .checked_mul(1000)
            .and_then(|m| m.checked_add(nanos as i64 / 1000))
            .ok_or_else(out),
        _ => millis
            .checked_mul(1_000_000)
            .and_then(|m| m.checked_add(nanos as i64))
            .ok_or_else(out),
    }
}
