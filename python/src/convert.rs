//! Values of Python.

use std::borrow::Cow;

use bsdb::{Place, RowLayout, Schema, Type, Value};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::error::raise;

/// A number that no key has.
const TOO_LARGE: Value<'static> = Value::Decimal(i128::MAX, 0);

/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = year - (month <= 2) as i64;
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn number(object: &Bound<PyAny>, name: &str) -> PyResult<i64> {
    object.getattr(name)?.extract()
}

fn micros_of_day(object: &Bound<PyAny>) -> PyResult<i64> {
    let seconds =
        number(object, "hour")? * 3600 + number(object, "minute")? * 60 + number(object, "second")?;
    Ok(seconds * 1_000_000 + number(object, "microsecond")?)
}

/// A value of a key column.
pub fn value_of(object: &Bound<PyAny>) -> PyResult<Value<'static>> {
    if object.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(b) = object.cast::<PyBool>() {
        return Ok(Value::Boolean(b.is_true()));
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(match object.extract::<i64>() {
            Ok(number) => Value::Integer(number),
            Err(_) => object
                .extract::<i128>()
                .map_or(TOO_LARGE, |number| Value::Decimal(number, 0)),
        });
    }
    if let Ok(f) = object.cast::<PyFloat>() {
        return Ok(Value::Double(f.value()));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::Text(Cow::Owned(text.to_cow()?.as_bytes().to_vec())));
    }
    if let Ok(bytes) = object.extract::<Vec<u8>>() {
        return Ok(Value::Bytes(Cow::Owned(bytes)));
    }
    let name = object.get_type().name()?.to_string();
    if object.hasattr("as_tuple")? {
        return decimal_of(object);
    }
    if object.hasattr("hour")? && object.hasattr("year")? {
        if object.ne(object)? {
            return Ok(Value::Null); // NaT of pandas
        }
        let days = days_of(
            number(object, "year")?,
            number(object, "month")?,
            number(object, "day")?,
        );
        let mut micros = days * DAY + micros_of_day(object)?;
        // Python's own conversion knows no year before 1 or after 9999.
        let offset = object.call_method0("utcoffset")?;
        if !offset.is_none() {
            let seconds = number(&offset, "seconds")?;
            micros -= number(&offset, "days")? * DAY
                + seconds * 1_000_000
                + number(&offset, "microseconds")?;
        }
        let nanos = if object.hasattr("nanosecond")? {
            number(object, "nanosecond")?
        } else {
            0
        };
        return Ok(Value::Timestamp(
            micros.div_euclid(1000),
            (micros.rem_euclid(1000) * 1000 + nanos) as u32,
        ));
    }
    if object.hasattr("year")? {
        let days = days_of(
            number(object, "year")?,
            number(object, "month")?,
            number(object, "day")?,
        );
        return Ok(Value::Date(days as i32));
    }
    if object.hasattr("hour")? {
        let micros = micros_of_day(object)?;
        return Ok(if micros % 1000 == 0 {
            Value::Time((micros / 1000) as i32)
        } else {
            Value::Time(-1) // which no key has
        });
    }
    if object.hasattr("item")? {
        let item = object.call_method0("item")?;
        let is_time = name == "datetime64" || name == "timedelta64";
        if is_time && item.is_instance_of::<PyInt>() {
            // What Python has no type for comes as a number; nanoseconds since 1970 are a time nevertheless.
            if object.getattr("dtype")?.getattr("str")?.eq("<M8[ns]")? {
                let nanos: i64 = item.extract()?;
                return Ok(Value::Timestamp(
                    nanos.div_euclid(1_000_000),
                    nanos.rem_euclid(1_000_000) as u32,
                ));
            }
        } else if !item.get_type().is(object.get_type()) {
            // A long double, for which Python has no type either, stays what it is.
            return value_of(&item);
        }
    }
    Err(PyTypeError::new_err(format!("{name} cannot be a key")))
}

fn decimal_of(object: &Bound<PyAny>) -> PyResult<Value<'static>> {
    let (sign, mut digits, exponent): (u8, Vec<u8>, Bound<PyAny>) =
        object.call_method0("as_tuple")?.extract()?;
    let Ok(mut exponent) = exponent.extract::<i64>() else {
        return Ok(TOO_LARGE); // or no number
    };
    while digits.last() == Some(&0) {
        digits.pop();
        exponent = exponent.saturating_add(1);
    }
    if digits.is_empty() {
        exponent = 0;
    }
    let mut unscaled: Option<i128> = Some(0);
    let zeros = exponent.clamp(0, 60) as usize;
    for digit in digits.into_iter().chain(std::iter::repeat_n(0, zeros)) {
        unscaled = unscaled
            .and_then(|u| u.checked_mul(10))
            .and_then(|u| u.checked_add(digit as i128));
    }
    let unscaled = unscaled.map(|u| if sign == 1 { -u } else { u });
    let scale = exponent.saturating_neg().clamp(0, u32::MAX as i64) as u32;
    Ok(unscaled.map_or(TOO_LARGE, |u| Value::Decimal(u, scale)))
}

/// The bytes of a key, or of its leading columns and of empty text, which no key is but others are near; none if there can be no
/// such key.
pub fn key_of(
    schema: Option<&Schema>,
    object: &Bound<PyAny>,
    leading: bool,
) -> PyResult<Option<Vec<u8>>> {
    let Some(schema) = schema else {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Some(bytes.as_bytes().to_vec()));
        }
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Some(text.to_cow()?.as_bytes().to_vec()));
        }
        return object
            .extract::<Vec<u8>>()
            .map(Some)
            .map_err(|_| PyTypeError::new_err("keys of this table are bytes or str"));
    };
    let mut values = Vec::with_capacity(schema.key.len());
    if let Ok(members) = object.cast::<PyDict>() {
        let mut missing = None;
        for &column in &schema.key {
            let name = &schema.columns[column].name;
            match (members.get_item(name)?, missing) {
                (Some(value), None) => values.push(value_of(&value)?),
                (None, None) => missing = Some(name),
                (None, _) => {}
                (Some(_), Some(missing)) => {
                    return Err(PyKeyError::new_err(format!(
                        "key column {missing:?} is missing in front of {name:?}"
                    )))
                }
            }
        }
        if let Some(name) = missing.filter(|_| !leading || values.is_empty()) {
            return Err(PyKeyError::new_err(format!(
                "key column {name:?} is missing"
            )));
        }
    } else if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        for value in object.try_iter()? {
            values.push(value_of(&value?)?);
        }
    } else {
        values.push(value_of(object)?);
    }
    if values.len() > schema.key.len() || values.len() < schema.key.len() && !leading {
        let names: Vec<&str> = schema
            .key
            .iter()
            .map(|&k| schema.columns[k].name.as_str())
            .collect();
        return Err(PyValueError::new_err(format!(
            "{} values for the key columns {}",
            values.len(),
            names.join(", ")
        )));
    }
    let mut key = Vec::new();
    let is_key = schema
        .encode_key(&values, &mut key)
        .map_err(|e| raise(object.py(), e))?;
    let is_empty =
        |value: &Value| matches!(value, Value::Text(t) | Value::Bytes(t) if t.is_empty());
    let near = leading && schema.key.len() == 1 && is_empty(&values[0]);
    Ok((is_key || near).then_some(key))
}

/// Whether a key, or one of its columns, is null.
pub fn holds_null(key: &Bound<PyAny>) -> PyResult<bool> {
    let columns = match key.cast::<PyDict>() {
        Ok(members) => members.values().into_any(),
        Err(_) => key.clone(),
    };
    if columns.is_instance_of::<PyTuple>() || columns.is_instance_of::<PyList>() {
        for column in columns.try_iter()? {
            if value_of(&column?)? == Value::Null {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    Ok(value_of(&columns)? == Value::Null)
}

/// A record as a dict of the given columns.
pub fn dict_of<'py>(
    py: Python<'py>,
    schema: &Schema,
    columns: impl Iterator<Item = usize> + Clone,
    key: &[u8],
    value: &[u8],
) -> PyResult<Bound<'py, PyDict>> {
    let failed = |e| raise(py, e);
    let of_key = |number| matches!(schema.place(number), Place::Key(_));
    // The key may not be there where none of its columns is wanted.
    let keys = match columns.clone().any(of_key) {
        true => schema.decode_key(key).map_err(failed)?,
        false => vec![],
    };
    let row = RowLayout::new(schema.row_types())
        .row(value)
        .map_err(failed)?;
    let dict = PyDict::new(py);
    for number in columns {
        let column = &schema.columns[number];
        let value = match schema.place(number) {
            Place::Key(at) => &keys[at],
            Place::Row(at) => &row[at],
        };
        dict.set_item(
            &column.name,
            object_of(py, &column.name, &column.kind, value)?,
        )?;
    }
    Ok(dict)
}

/// A value as Python has it. Nanoseconds are cut to microseconds.
fn object_of<'py>(
    py: Python<'py>,
    column: &str,
    kind: &Type,
    value: &Value,
) -> PyResult<Bound<'py, PyAny>> {
    let no_year = |_| {
        PyValueError::new_err(format!(
            "column '{column}': {} is no date or time of Python's, whose years are 1 to 9999; \
             read it as Arrow, by lookup or a stream, or leave it out with columns",
            value.json(kind).trim_matches('"')
        ))
    };
    Ok(match (kind, value) {
        (_, Value::Boolean(b)) => PyBool::new(py, *b).to_owned().into_any(),
        (_, Value::Integer(number)) => number.into_pyobject(py)?.into_any(),
        (_, Value::Float(number)) => (*number as f64).into_pyobject(py)?.into_any(),
        (_, Value::Double(number)) => number.into_pyobject(py)?.into_any(),
        (_, Value::Decimal(unscaled, scale)) => py
            .import(intern!(py, "decimal"))?
            .getattr(intern!(py, "Decimal"))?
            .call1((bsdb::decimal(*unscaled, *scale),))?,
        (_, Value::Date(days)) => {
            let date = py
                .import(intern!(py, "datetime"))?
                .getattr(intern!(py, "date"))?;
            date.call_method1(intern!(py, "fromordinal"), (*days as i64 + 719_163,))
                .map_err(no_year)?
        }
        (_, Value::Time(millis)) => {
            let (seconds, micros) = (millis / 1000, millis % 1000 * 1000);
            let time = py
                .import(intern!(py, "datetime"))?
                .getattr(intern!(py, "time"))?;
            time.call1((seconds / 3600, seconds / 60 % 60, seconds % 60, micros))?
        }
        (_, Value::Timestamp(millis, nanos)) => {
            let module = py.import(intern!(py, "datetime"))?;
            let zone = match kind {
                Type::TimestampLtz(_) => module.getattr("timezone")?.getattr("utc")?,
                _ => py.None().into_bound(py),
            };
            let epoch = module
                .getattr("datetime")?
                .call1((1970, 1, 1, 0, 0, 0, 0, zone))?;
            let micros = millis.rem_euclid(1000) * 1000 + (*nanos / 1000) as i64;
            let since = module
                .getattr("timedelta")?
                .call1((0, millis.div_euclid(1000), micros))
                .map_err(no_year)?;
            epoch.add(since).map_err(no_year)?
        }
        (_, Value::Text(text)) => PyString::new(py, &String::from_utf8_lossy(text)).into_any(),
        (_, Value::Bytes(bytes)) => PyBytes::new(py, bytes).into_any(),
        (Type::Array(element), Value::Array(values)) => {
            let list = PyList::empty(py);
            for value in values {
                list.append(object_of(py, column, element, value)?)?;
            }
            list.into_any()
        }
        (Type::Row(fields), Value::Row(values)) => {
            let dict = PyDict::new(py);
            for ((name, kind), value) in fields.iter().zip(values) {
                dict.set_item(name, object_of(py, column, kind, value)?)?;
            }
            dict.into_any()
        }
        (Type::Map(key, kind), Value::Map(entries)) => {
            let dict = PyDict::new(py);
            let hashable = !matches!(**key, Type::Array(_) | Type::Map(..) | Type::Row(_));
            let list = PyList::empty(py);
            for (k, v) in entries {
                let (k, v) = (
                    object_of(py, column, key, k)?,
                    object_of(py, column, kind, v)?,
                );
                list.append((&k, &v))?;
                if hashable {
                    dict.set_item(k, v)?;
                }
            }
            // Keys that Python cannot hash, or that are equal: pairs.
            if hashable && dict.len() == entries.len() {
                dict.into_any()
            } else {
                list.into_any()
            }
        }
        _ => py.None().into_bound(py),
    })
}
