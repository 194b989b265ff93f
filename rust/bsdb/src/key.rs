//! Keys of typed tables: columns to bytes and back.

use std::borrow::Cow;

use crate::error::{need, Error, Result};
use crate::schema::{Column, Schema, Type};
use crate::value::{big_endian, scalar, Value};

/// Bytes of a DECIMAL in a key that sorts.
fn sorted_decimal_width(precision: u32) -> usize {
    let bits = 128 - (10u128.pow(precision) - 1).leading_zeros() as usize;
    bits / 8 + 1
}

/// The failure of a value that is of another kind than its column. Of a long one the beginning is shown.
fn mismatch<T>(column: &Column, value: &Value) -> Result<T> {
    let kind = match &column.kind {
        Type::Text => "STRING".into(),
        Type::TimestampLtz(precision) => format!("TIMESTAMP_LTZ({precision})"),
        kind => format!("{kind:?}").to_uppercase(),
    };
    let what = match value {
        Value::Null => "null",
        Value::Boolean(_) => "a boolean",
        Value::Integer(_) => "an integer",
        Value::Float(_) | Value::Double(_) => "a floating-point number",
        Value::Decimal(..) => "a decimal",
        Value::Date(_) => "a date",
        Value::Time(_) => "a time",
        Value::Timestamp(..) => "a timestamp",
        Value::Text(_) => "text",
        Value::Bytes(_) => "bytes",
        Value::Array(_) | Value::Map(_) | Value::Row(_) => "a nested value",
    };
    let shown: String = value.json(&column.kind).chars().take(80).collect();
    Err(Error::invalid(format!("key column {:?} of type {kind} cannot be {what}: {shown}", column.name)))
}

/// An unscaled value at another scale; none if digits would be lost or there are too many.
fn rescaled(unscaled: i128, from: u32, to: u32, precision: u32) -> Option<i128> {
    let unscaled = if unscaled == 0 {
        0
    } else if from <= to {
        unscaled.checked_mul(10i128.checked_pow(to - from)?)?
    } else {
        let factor = 10i128.checked_pow(from - to)?;
        if unscaled % factor != 0 {
            return None;
        }
        unscaled / factor
    };
    (unscaled.unsigned_abs() < 10u128.pow(precision)).then_some(unscaled)
}

impl Schema {
    /// Writes the bytes of a key, or of its leading columns; false if there can be no such key in any table.
    pub fn encode_key(&self, values: &[Value], key: &mut Vec<u8>) -> Result<bool> {
        key.clear();
        if values.is_empty() || values.len() > self.key.len() {
            return Err(Error::invalid(format!("{} values for a key of {} columns", values.len(), self.key.len())));
        }
        if values.len() < self.key.len() && !self.ordered_keys {
            return Err(Error::invalid("leading columns of a key that does not sort"));
        }
        for (i, value) in values.iter().enumerate() {
            if matches!(value, Value::Null) || !self.encode_column(i, value, key)? {
                return Ok(false);
            }
        }
        Ok(values.len() < self.key.len() || (1..=65_535).contains(&key.len()))
    }

    fn encode_column(&self, i: usize, value: &Value, key: &mut Vec<u8>) -> Result<bool> {
        let column = &self.columns[self.key[i]];
        let (kind, start) = (&column.kind, key.len());
        let prefixed = !self.ordered_keys && self.key.len() > 1 && kind.key_width() == 0;
        if prefixed {
            key.extend([0, 0]);
        }
        if !encode(column, value, key)? {
            return Ok(false);
        }
        if prefixed {
            let Ok(length) = u16::try_from(key.len() - start - 2) else {
                return Ok(false);
            };
            key[start..start + 2].copy_from_slice(&length.to_be_bytes());
        }
        if self.ordered_keys {
            sort_bytes(kind, start, i + 1 == self.key.len(), key);
        }
        Ok(true)
    }

    /// The key of all columns but the last, as they are written, and of a time.
    pub(crate) fn key_as_of(&self, leading: &[u8], millis: i64, nanos: u32) -> Result<Vec<u8>> {
        if !self.ordered_keys || !self.has_time() {
            return Err(Error::invalid(
                "the key of this table does not end in a time with other columns in front of it",
            ));
        }
        let last = self.key.len() - 1;
        let mut rest = leading;
        let written = self.key_types()[..last].iter().all(|kind| sorted_column(kind, &mut rest, false).is_ok())
            && rest.is_empty();
        if !written {
            let what = "are no values of all columns of a key but the last, which is a time";
            return Err(Error::invalid(format!("{} bytes {what}", leading.len())));
        }
        let kind = &self.columns[self.key[last]].kind;
        let nanos = if kind.width() > 8 { nanos } else { 0 };
        let mut key = leading.to_vec();
        self.encode_column(last, &Value::Timestamp(millis, nanos), &mut key)?;
        Ok(key)
    }

    /// The columns of a key, in key order.
    pub fn decode_key<'a>(&self, key: &'a [u8]) -> Result<Vec<Value<'a>>> {
        let types = self.key_types();
        let mut rest = key;
        let mut values = Vec::with_capacity(types.len());
        for (i, kind) in types.iter().enumerate() {
            let last = i + 1 == types.len();
            values.push(match self.ordered_keys {
                true => sorted_column(kind, &mut rest, last)?,
                false => plain_column(kind, &mut rest, types.len() == 1)?,
            });
        }
        need!(rest.is_empty(), "key of {} bytes is too long for its columns", key.len());
        Ok(values)
    }
}

/// Writes the bytes of a column as in a plain key, without a length; false if the value has none.
fn encode(column: &Column, value: &Value, key: &mut Vec<u8>) -> Result<bool> {
    let kind = &column.kind;
    match (kind, value) {
        (Type::Boolean, Value::Boolean(b)) => key.push(*b as u8),
        (Type::TinyInt | Type::SmallInt | Type::Int | Type::BigInt, _) => {
            let number = match value {
                Value::Integer(number) => *number,
                Value::Double(_) | Value::Float(_) => match exact_double(value).filter(is_long) {
                    Some(number) => number as i64,
                    None => return Ok(false),
                },
                Value::Decimal(unscaled, scale) => match rescaled(*unscaled, *scale, 0, 38).map(i64::try_from) {
                    Some(Ok(number)) => number,
                    _ => return Ok(false),
                },
                _ => return mismatch(column, value),
            };
            let width = kind.width();
            let unused = 64 - 8 * width as u32;
            if number << unused >> unused != number {
                return Ok(false);
            }
            key.extend_from_slice(&number.to_be_bytes()[8 - width..]);
        }
        (Type::Float | Type::Double, Value::Float(_) | Value::Double(_) | Value::Integer(_) | Value::Decimal(_, 0)) => {
            let Some(number) = exact_double(value) else {
                return Ok(false);
            };
            // Zero has one sign, and NaN one form.
            let number = if number.is_nan() { f64::from_bits(0x7FF8_0000_0000_0000) } else { number + 0.0 };
            if *kind == Type::Double {
                key.extend_from_slice(&number.to_bits().to_be_bytes());
            } else {
                let narrow = if number.is_nan() { f32::from_bits(0x7FC0_0000) } else { number as f32 };
                if narrow as f64 != number && !number.is_nan() {
                    return Ok(false);
                }
                key.extend_from_slice(&narrow.to_bits().to_be_bytes());
            }
        }
        (Type::Decimal(precision, scale), Value::Decimal(..) | Value::Integer(_)) => {
            let (unscaled, from) = match value {
                Value::Decimal(unscaled, from) => (*unscaled, *from),
                Value::Integer(number) => (*number as i128, 0),
                _ => (0, 0),
            };
            let Some(unscaled) = rescaled(unscaled, from, *scale, *precision) else {
                return Ok(false);
            };
            let bytes = unscaled.to_be_bytes();
            let sign = if unscaled < 0 { 0xFF } else { 0 };
            let mut skip = 0;
            while skip < 15 && bytes[skip] == sign && (bytes[skip + 1] ^ sign) & 0x80 == 0 {
                skip += 1;
            }
            key.extend_from_slice(&bytes[skip..]);
        }
        (Type::Date, Value::Date(days)) => key.extend_from_slice(&days.to_be_bytes()),
        (Type::Time(_), Value::Time(millis)) => {
            if !(0..86_400_000).contains(millis) {
                return Ok(false);
            }
            key.extend_from_slice(&millis.to_be_bytes());
        }
        (Type::Timestamp(p) | Type::TimestampLtz(p), Value::Timestamp(millis, nanos)) => {
            key.extend_from_slice(&millis.to_be_bytes());
            if *p > 3 {
                key.extend_from_slice(&nanos.to_be_bytes());
            } else if *nanos != 0 {
                return Ok(false);
            }
        }
        (Type::Text | Type::Bytes, Value::Text(bytes) | Value::Bytes(bytes)) => key.extend_from_slice(bytes),
        _ => return mismatch(column, value),
    }
    Ok(true)
}

/// A number as a DOUBLE, if it is one.
fn exact_double(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number as f64),
        Value::Double(number) => Some(*number),
        Value::Integer(number) => exact_double(&Value::Decimal(*number as i128, 0)),
        // The greatest number of 128 bits is none, but what is above it becomes it again.
        Value::Decimal(number, 0) if *number < i128::MAX => Some(*number as f64).filter(|&d| d as i128 == *number),
        _ => None,
    }
}

/// Whether a number is an integer of 64 bits.
fn is_long(number: &f64) -> bool {
    (-(2f64.powi(63))..2f64.powi(63)).contains(number) && number.trunc() == *number
}

/// Changes the bytes of a column, from `start` on, into bytes that sort.
fn sort_bytes(kind: &Type, start: usize, last: bool, key: &mut Vec<u8>) {
    match kind {
        Type::Boolean => {}
        Type::Text | Type::Bytes => {
            if !last {
                let column = key.split_off(start);
                for byte in column {
                    key.push(byte);
                    if byte == 0 {
                        key.push(0xFF);
                    }
                }
                key.extend([0, 1]);
            }
        }
        Type::Float | Type::Double if key[start] & 0x80 != 0 => key[start..].iter_mut().for_each(|b| *b = !*b),
        Type::Decimal(precision, _) => {
            let sign = if key[start] & 0x80 != 0 { 0xFF } else { 0 };
            let missing = sorted_decimal_width(*precision) - (key.len() - start);
            key.splice(start..start, std::iter::repeat_n(sign, missing));
            key[start] ^= 0x80;
        }
        _ => key[start] ^= 0x80,
    }
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8]> {
    need!(rest.len() >= length, "key is too short for its columns");
    let (bytes, after) = rest.split_at(length);
    *rest = after;
    Ok(bytes)
}

fn plain_column<'a>(kind: &Type, rest: &mut &'a [u8], alone: bool) -> Result<Value<'a>> {
    let width = match kind.key_width() {
        0 if alone => rest.len(),
        0 => {
            let length = take(rest, 2)?;
            u16::from_be_bytes([length[0], length[1]]) as usize
        }
        width => width,
    };
    key_scalar(kind, take(rest, width)?, |word| word)
}

/// The value of big-endian bytes, whose number `change` may alter.
fn key_scalar<'a>(kind: &Type, bytes: &'a [u8], change: impl Fn(u128) -> u128) -> Result<Value<'a>> {
    if matches!(kind, Type::Timestamp(_) | Type::TimestampLtz(_)) && bytes.len() == 12 {
        // Milliseconds and nanoseconds are two numbers.
        let millis = change(big_endian(&bytes[..8])) as u64;
        return scalar(kind, bytes, (big_endian(&bytes[8..]) as u32 as u128) << 64 | millis as u128);
    }
    scalar(kind, bytes, change(big_endian(bytes)))
}

fn sorted_column<'a>(kind: &&Type, rest: &mut &'a [u8], last: bool) -> Result<Value<'a>> {
    match kind {
        Type::Text | Type::Bytes if last => scalar(kind, take(rest, rest.len())?, 0),
        Type::Text | Type::Bytes => {
            let end = rest.windows(2).position(|two| two[0] == 0 && two[1] != 0xFF);
            let end = end.ok_or_else(|| Error::corrupt("key column without end"))?;
            let bytes = take(rest, end)?;
            need!(take(rest, 2)?[1] == 1, "00 in a key column is followed by neither ff nor 01");
            let mut plain = Cow::Borrowed(bytes);
            if bytes.contains(&0) {
                let escape = |i: usize| bytes[i] == 0xFF && i > 0 && bytes[i - 1] == 0;
                plain = (0..bytes.len()).filter(|&i| !escape(i)).map(|i| bytes[i]).collect();
            }
            Ok(if **kind == Type::Text { Value::Text(plain) } else { Value::Bytes(plain) })
        }
        Type::Boolean => key_scalar(kind, take(rest, 1)?, |word| word),
        Type::Float | Type::Double => {
            let bytes = take(rest, kind.width())?;
            let (negative, sign) = (bytes[0] < 128, 1u128 << (8 * bytes.len() - 1));
            key_scalar(kind, bytes, |word| if negative { !word } else { word ^ sign })
        }
        Type::Decimal(precision, _) => {
            let bytes = take(rest, sorted_decimal_width(*precision))?;
            let mut plain = [0; 16];
            plain[..bytes.len()].copy_from_slice(bytes);
            plain[0] ^= 0x80;
            scalar(kind, &bytes[..bytes.len().min(16)], big_endian(&plain[..bytes.len()]))
        }
        _ => {
            let bytes = take(rest, kind.width())?;
            let mut plain = [0; 16];
            plain[..bytes.len()].copy_from_slice(bytes);
            plain[0] ^= 0x80;
            let word = match bytes.len() {
                12 => (big_endian(&plain[8..12]) as u32 as u128) << 64 | big_endian(&plain[..8]) as u64 as u128,
                length => big_endian(&plain[..length]),
            };
            scalar(kind, bytes, word)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    fn schema(types: &[&str], encoding: &str) -> Schema {
        let columns: Vec<String> =
            types.iter().enumerate().map(|(i, t)| format!(r#"{{"name": "c{i}", "type": "{t}"}}"#)).collect();
        let key: Vec<String> = (0..types.len()).map(|i| format!("\"c{i}\"")).collect();
        let (columns, key) = (columns.join(","), key.join(","));
        let text = format!(r#"{{"columns": [{columns}], "primaryKey": [{key}], "keyEncoding": "{encoding}"}}"#);
        Schema::read(&Json::parse(text.as_bytes()).unwrap()).unwrap()
    }

    fn check(types: &[&str], encoding: &str, values: &[Value], hex: &str) {
        let (schema, mut key) = (schema(types, encoding), Vec::new());
        assert!(schema.encode_key(values, &mut key).unwrap(), "{values:?}");
        assert_eq!(key.iter().map(|b| format!("{b:02x}")).collect::<String>(), hex, "{values:?}");
        if !hex.contains("nan") && !format!("{values:?}").contains("NaN") {
            assert_eq!(schema.decode_key(&key).unwrap(), values);
        }
    }

    #[test]
    fn names_the_column_of_a_value_of_another_kind() {
        let message = |values: &[Value]| {
            let schema = schema(&["CHAR(2)", "DATE", "TIMESTAMP_LTZ(3)"], "ordered");
            schema.encode_key(values, &mut Vec::new()).unwrap_err().to_string()
        };
        let text = || Value::Text(b"CH".as_slice().into());
        assert_eq!(
            message(&[text(), Value::Timestamp(0, 0)]),
            r#"key column "c1" of type DATE cannot be a timestamp: "1970-01-01T00:00:00""#
        );
        assert_eq!(
            message(&[text(), Value::Date(0), Value::Date(0)]),
            r#"key column "c2" of type TIMESTAMP_LTZ(3) cannot be a date: "1970-01-01""#
        );
        let long = message(&[text(), Value::Bytes(vec![0; 1 << 20].into())]);
        assert!(long.starts_with(r#"key column "c1" of type DATE cannot be bytes: "AAAA"#) && long.len() < 200);
        let failure = schema(&["CHAR(2)", "DATE"], "ordered").key_as_of(b"CH\x00\x01", 0, 0).unwrap_err();
        assert_eq!(
            failure.to_string(),
            "the key of this table does not end in a time with other columns in front of it"
        );
    }

    #[test]
    fn encodes_the_examples_of_the_specification() {
        let text = || Value::Text(b"CH".as_slice().into());
        check(&["CHAR(2)", "INT"], "plain", &[text(), Value::Integer(7)], "0002434800000007");
        check(&["CHAR(2)", "INT"], "ordered", &[text(), Value::Integer(7)], "4348000180000007");
        check(&["DECIMAL(10, 2)"], "plain", &[Value::Decimal(128, 2)], "0080");
        check(&["DECIMAL(10, 2)"], "plain", &[Value::Decimal(-128, 2)], "80");
        check(&["DECIMAL(10, 2)"], "ordered", &[Value::Decimal(128, 2)], "8000000080");
        check(&["DECIMAL(10, 2)"], "ordered", &[Value::Decimal(-128, 2)], "7fffffff80");
        check(&["BIGINT"], "ordered", &[Value::Integer(-1)], "7fffffffffffffff");
        check(&["DOUBLE"], "ordered", &[Value::Double(1.5)], "bff8000000000000");
        check(&["DOUBLE"], "ordered", &[Value::Double(-1.5)], "4007ffffffffffff");
        check(&["DOUBLE"], "ordered", &[Value::Double(f64::NAN)], "fff8000000000000");
        let zero = Value::Bytes([0].as_slice().into());
        check(&["BYTES", "BOOLEAN"], "ordered", &[zero, Value::Boolean(true)], "00ff000101");
        let before = Value::Timestamp(-1, 999_999);
        check(&["TIMESTAMP(9)"], "plain", std::slice::from_ref(&before), "ffffffffffffffff000f423f");
        check(&["TIMESTAMP(9)", "INT"], "ordered", &[before, Value::Integer(0)], "7fffffffffffffff000f423f80000000");
    }

    #[test]
    fn values_that_no_key_has_are_absent() {
        let absent =
            |kind: &str, value: Value| !schema(&[kind], "plain").encode_key(&[value], &mut Vec::new()).unwrap();
        assert!(absent("TINYINT", Value::Integer(128)));
        assert!(absent("INT", Value::Double(1.5)));
        assert!(absent("DECIMAL(4, 2)", Value::Decimal(1234, 3)));
        assert!(absent("DECIMAL(4, 2)", Value::Integer(100)));
        assert!(absent("TIMESTAMP(3)", Value::Timestamp(0, 1)));
        assert!(absent("FLOAT", Value::Double(0.1)));
        assert!(absent("STRING", Value::Text(b"".as_slice().into())));
        assert!(absent("INT", Value::Null));
        assert!(!absent("INT", Value::Double(3.0)));
    }

    #[test]
    fn numbers_are_keys_in_every_form_in_which_they_are_exact() {
        let key = |kind: &str, value: Value| {
            let mut key = Vec::new();
            schema(&[kind], "plain").encode_key(&[value], &mut key).unwrap().then_some(key)
        };
        let (least, above) = (i64::MIN as f64, i64::MAX as f64);
        for number in [least, -9.1e18, 9.2e18, 2f64.powi(63) - 1024.0] {
            assert_eq!(key("BIGINT", Value::Double(number)), Some((number as i64).to_be_bytes().to_vec()), "{number}");
        }
        assert_eq!(key("BIGINT", Value::Double(above)), None);
        assert_eq!(key("BIGINT", Value::Float(above as f32)), None);
        assert_eq!(key("DOUBLE", Value::Decimal(1 << 70, 0)), Some(2f64.powi(70).to_be_bytes().to_vec()));
        assert_eq!(key("FLOAT", Value::Decimal(-(1 << 70), 0)), Some((-(2f32.powi(70))).to_be_bytes().to_vec()));
        assert_eq!(key("DOUBLE", Value::Decimal((1 << 70) + 1, 0)), None);
        assert_eq!(key("DOUBLE", Value::Decimal(i128::MAX, 0)), None);
        assert_eq!(key("DECIMAL(20, 0)", Value::Decimal(1 << 63, 0)), Some((1i128 << 63).to_be_bytes()[7..].to_vec()));
        assert_eq!(key("BIGINT", Value::Decimal(0, 99)), Some(vec![0; 8]));
    }

    #[test]
    fn another_type_is_an_error() {
        let error = schema(&["INT"], "plain").encode_key(&[Value::Text(b"7".as_slice().into())], &mut Vec::new());
        assert_eq!(error.unwrap_err().kind(), crate::ErrorKind::Invalid);
    }
}
