//! Keys and frames as they are given, and results of joins.

use std::sync::Arc;

use bsdb::Table;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::arrow::{Buffer, Data, Field};
use crate::build::Builder;
use crate::capsule::import;
use crate::convert::key_of;
use crate::error::raise;
use crate::lookup::{Input, Part};
use crate::signals::Signals;
use crate::take::take;

/// Names of columns, or that of one.
pub fn names(given: &Bound<PyAny>) -> PyResult<Option<Vec<String>>> {
    match given.cast::<PyString>() {
        Ok(name) => Ok(Some(vec![name.extract()?])),
        Err(_) => given.extract(),
    }
}

/// A column of a NumPy array of numbers or times; none of other arrays.
fn numpy(object: &Bound<PyAny>) -> PyResult<Option<(Field, Vec<Data>)>> {
    if !object.hasattr("__array_interface__")? {
        return Ok(None);
    }
    if object.hasattr("mask")? {
        return Err(PyTypeError::new_err(
            "keys are a masked array; give pyarrow.array(keys)",
        ));
    }
    let interface = object.getattr("__array_interface__")?;
    let dimensions = interface.get_item("shape")?.len()?;
    if dimensions != 1 {
        return Err(PyTypeError::new_err(format!(
            "keys are an array of one dimension, not {dimensions}"
        )));
    }
    let kind: String = interface.get_item("typestr")?.extract()?;
    let format = match kind.as_str() {
        "|i1" => "c",
        "<i2" => "s",
        "<i4" => "i",
        "<i8" => "l",
        "|u1" => "C",
        "<u2" => "S",
        "<u4" => "I",
        "<u8" => "L",
        "<f4" => "f",
        "<f8" => "g",
        "<M8[s]" => "tss:",
        "<M8[ms]" => "tsm:",
        "<M8[us]" => "tsu:",
        "<M8[ns]" => "tsn:",
        _ => return Ok(None),
    };
    let bytes: Vec<u8> = object.call_method0("tobytes")?.extract()?;
    let (length, width) = (object.len()?, (kind.as_bytes()[2] - b'0') as usize);
    if bytes.len() != length.saturating_mul(width) {
        return Err(PyTypeError::new_err(format!(
            "keys are an array of {length} elements of {width} bytes, yet it has {} bytes",
            bytes.len()
        )));
    }
    let buffers = vec![Buffer::Missing, Buffer::Own(Arc::new(bytes))];
    let data = Data {
        length,
        offset: 0,
        nulls: 0,
        buffers,
        children: vec![],
        dictionary: None,
    };
    Ok(Some((Field::new("key", format, vec![]), vec![data])))
}

/// Keys in any form: Arrow data, a NumPy array, or Python objects.
pub fn input(table: &Table, keys: &Bound<PyAny>, on: Option<Vec<String>>) -> PyResult<Input> {
    let py = keys.py();
    if let Some((field, batches)) =
        import(keys)?.map_or_else(|| numpy(keys), |found| Ok(Some(found)))?
    {
        return Input::columns(table, field, batches, on).map_err(|e| raise(py, e));
    }
    if keys.is_instance_of::<PyBytes>()
        || keys.is_instance_of::<PyString>()
        || keys.cast::<PyDict>().is_ok()
    {
        return Err(PyTypeError::new_err(
            "keys are Arrow data, a NumPy array or a sequence of keys; use get for one key",
        ));
    }
    let mut builder = Builder::new(&bsdb::Type::Bytes, 0);
    encode(table, keys, |key| {
        builder.append_bytes(&key).map_err(|e| raise(py, e))
    })?;
    Ok(Input::encoded(builder.finish()))
}

/// Encodes keys one after the other; those that no record can have are empty.
pub fn encode(
    table: &Table,
    keys: &Bound<PyAny>,
    mut take: impl FnMut(Vec<u8>) -> PyResult<()>,
) -> PyResult<()> {
    let mut signals = Signals::new();
    for (i, key) in keys.try_iter()?.enumerate() {
        if i % 1024 == 0 {
            signals.check().map_err(|e| signals.raise(keys.py(), e))?;
        }
        take(key_of(table.schema(), &key?, false)?.unwrap_or_default())?;
    }
    Ok(())
}

/// The rows of a frame that a part of the result is for, and the table's columns beside them.
pub fn joined(input: &Input, part: Part, how: &str) -> bsdb::Result<Data> {
    let batch = input.batches[part.batch].slice(part.from, part.length);
    let mut rows = part.found;
    if how == "anti" {
        let mut found = rows.iter().copied().peekable();
        rows = (0..part.length)
            .filter(|&row| found.next_if_eq(&row).is_none())
            .collect();
    }
    let mut columns = Vec::new();
    for (number, field) in input.field.children.iter().enumerate() {
        let column = batch.column(number);
        columns.push(Arc::new(if how == "left" {
            column
        } else {
            take(field, &column, &rows)?
        }));
    }
    columns.extend(part.columns);
    Ok(Data::batch(
        if how == "left" {
            part.length
        } else {
            rows.len()
        },
        columns,
    ))
}
