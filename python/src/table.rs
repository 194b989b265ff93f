//! The class `Table`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bsdb::{Access, Entry, Follower, Options, Table, Value};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrow::{Data, Field};
use crate::capsule::import;
use crate::convert::{dict_of, holds_null, key_of, value_of};
use crate::error::raise;
use crate::input::{encode, input, joined, names};
use crate::lookup::{lookup, Absent, Input, Selection};
use crate::rows::{Batches, Rows};
use crate::signals::Signals;

enum Source {
    Version(Arc<Table>),
    Followed(Follower),
}

/// A table: one version of it, or the version in service.
#[pyclass(name = "Table", module = "bsdb", frozen)]
pub struct PyTable {
    source: Source,
}

fn options(access: &str) -> PyResult<Options> {
    match access {
        "mapped" => Ok(Options::default()),
        "read" => Ok(Options::default().access(Access::Read)),
        _ => Err(PyValueError::new_err(format!(
            "access is 'mapped' or 'read', not {access:?}"
        ))),
    }
}

/// Opens the version of a table that is in service.
#[pyfunction]
#[pyo3(signature = (path, *, access="mapped"))]
pub fn open(py: Python<'_>, path: PathBuf, access: &str) -> PyResult<PyTable> {
    let options = options(access)?;
    let table = py
        .detach(|| Table::open(&path, options))
        .map_err(|e| raise(py, e))?;
    Ok(PyTable {
        source: Source::Version(Arc::new(table)),
    })
}

/// Opens a table, and moves to new versions as they are published.
#[pyfunction]
#[pyo3(signature = (path, *, every=10.0, access="mapped"))]
pub fn follow(py: Python<'_>, path: PathBuf, every: f64, access: &str) -> PyResult<PyTable> {
    let options = options(access)?;
    let every = Duration::try_from_secs_f64(every).map_err(|_| {
        let seconds = every.to_string().to_lowercase();
        PyValueError::new_err(format!(
            "every is a number of seconds from 0 to 10^19, not {seconds}"
        ))
    })?;
    let follower = py
        .detach(|| Follower::new(&path, options, every))
        .map_err(|e| raise(py, e))?;
    Ok(PyTable {
        source: Source::Followed(follower),
    })
}

impl PyTable {
    fn table(&self) -> Arc<Table> {
        match &self.source {
            Source::Version(table) => table.clone(),
            Source::Followed(follower) => follower.current(),
        }
    }

    fn near<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        find: impl Fn(bsdb::Ordered, &[u8]) -> bsdb::Result<Option<Entry>> + Send + Sync,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, table) = (key.py(), self.table());
        let Some(encoded) = key_of(table.schema(), key, true)? else {
            if holds_null(key)? {
                return Ok(None);
            }
            return Err(PyValueError::new_err(
                "no key has these values, so that none is near them",
            ));
        };
        self.found(py, &table, &encoded, find)
    }

    fn found<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        key: &[u8],
        find: impl Fn(bsdb::Ordered, &[u8]) -> bsdb::Result<Option<Entry>> + Send + Sync,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = py
            .detach(|| find(table.ordered()?, key))
            .map_err(|e| raise(py, e))?;
        found
            .map(|entry| record(py, table, &entry.key, &entry.value))
            .transpose()
    }
}

fn column_names(table: &Table) -> Vec<String> {
    match table.schema() {
        Some(schema) => schema.columns.iter().map(|c| c.name.clone()).collect(),
        None => vec!["key".into(), "value".into()],
    }
}

fn key_names(table: &Table) -> Vec<String> {
    match table.schema() {
        Some(schema) => schema
            .key
            .iter()
            .map(|&k| schema.columns[k].name.clone())
            .collect(),
        None => vec!["key".into()],
    }
}

/// A record: a dict, or key and value where the table has no schema.
fn record<'py>(
    py: Python<'py>,
    table: &Table,
    key: &[u8],
    value: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    match table.schema() {
        Some(schema) => Ok(dict_of(py, schema, 0..schema.columns.len(), key, value)?.into_any()),
        None => Ok((PyBytes::new(py, key), PyBytes::new(py, value))
            .into_pyobject(py)?
            .into_any()),
    }
}

/// The value of a key: a dict, or bytes where the table has no schema.
fn answer<'py>(
    py: Python<'py>,
    table: &Table,
    key: &[u8],
    value: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    match table.schema() {
        Some(schema) => Ok(dict_of(py, schema, 0..schema.columns.len(), key, value)?.into_any()),
        None => Ok(PyBytes::new(py, value).into_any()),
    }
}

#[pymethods]
impl PyTable {
    /// The name of the version in use.
    #[getter]
    fn version(&self) -> String {
        self.table().version().to_owned()
    }

    /// The directory of the table.
    #[getter]
    fn path(&self) -> PathBuf {
        self.table().path().to_owned()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        column_names(&self.table())
    }

    /// The names of the columns of the key.
    #[getter]
    fn key(&self) -> Vec<String> {
        key_names(&self.table())
    }

    /// Why the version in service was refused, if it was.
    #[getter]
    fn refused(&self) -> Option<String> {
        match &self.source {
            Source::Version(_) => None,
            Source::Followed(follower) => follower.refused(),
        }
    }

    /// How many keys were looked up, and blocks read.
    #[getter]
    fn counters(&self) -> BTreeMap<&'static str, u64> {
        let counters = self.table().counters();
        BTreeMap::from([
            ("hits", counters.hits),
            ("misses", counters.misses),
            ("failures", counters.failures),
            ("block_reads", counters.block_reads),
            ("bytes_read", counters.bytes_read),
        ])
    }

    /// Records in the partition files, without changes over them.
    fn __len__(&self) -> usize {
        self.table().record_count() as usize
    }

    fn __repr__(&self) -> String {
        let table = self.table();
        format!(
            "<bsdb.Table {} of {}: {} records>",
            table.version(),
            table.path().display(),
            table.record_count()
        )
    }

    /// Moves to the version in service; true if that is another one.
    fn refresh(&self, py: Python<'_>) -> PyResult<bool> {
        match &self.source {
            Source::Version(_) => Err(PyValueError::new_err(
                "this is one version; use bsdb.follow to move to new ones",
            )),
            Source::Followed(follower) => {
                py.detach(|| follower.refresh()).map_err(|e| raise(py, e))
            }
        }
    }

    /// Reads everything, and compares all checksums.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let (table, mut signals) = (self.table(), Signals::new());
        py.detach(|| table.verify_checking(&mut || signals.check()))
            .map_err(|e| signals.raise(py, e))
    }

    /// The value of a key: bytes, or a dict where there is a schema; None if the key is absent.
    fn get<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, table) = (key.py(), self.table());
        let Some(key) = key_of(table.schema(), key, false)? else {
            return Ok(None);
        };
        let value = table.get(&key).map_err(|e| raise(py, e))?;
        value
            .map(|value| answer(py, &table, &key, &value))
            .transpose()
    }

    fn __contains__(&self, key: &Bound<PyAny>) -> PyResult<bool> {
        let table = self.table();
        let Some(encoded) = key_of(table.schema(), key, false)? else {
            return Ok(false);
        };
        table.contains(&encoded).map_err(|e| raise(key.py(), e))
    }

    /// The values of a sequence of keys, as a list in their order.
    fn get_many<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        let (py, table) = (keys.py(), self.table());
        let mut encoded = Vec::new();
        encode(&table, keys, |key| {
            encoded.push(key);
            Ok(())
        })?;
        let mut answers = Vec::with_capacity(encoded.len());
        let mut failed = None;
        let mut signals = Signals::new();
        let found = table.get_many(&encoded, |i, value| {
            if i % 1024 == 0 {
                signals.check()?;
            }
            if failed.is_none() {
                match value
                    .map(|value| answer(py, &table, &encoded[i], value))
                    .transpose()
                {
                    Ok(value) => answers.push(value),
                    Err(e) => failed = Some(e),
                }
            }
            Ok(())
        });
        found.map_err(|e| signals.raise(py, e))?;
        failed.map_or(Ok(answers), Err)
    }

    /// The rows of keys, in their order, as Arrow data; a row of nulls for an absent key.
    #[pyo3(signature = (keys, columns=None, *, on=None, threads=1))]
    fn lookup(
        &self,
        keys: &Bound<PyAny>,
        #[pyo3(from_py_with = names)] columns: Option<Vec<String>>,
        #[pyo3(from_py_with = names)] on: Option<Vec<String>>,
        threads: usize,
    ) -> PyResult<Batches> {
        let (py, table) = (keys.py(), self.table());
        let columns = columns.or_else(|| table.schema().is_none().then(|| vec!["value".into()]));
        let selection = Selection::new(&table, columns).map_err(|e| raise(py, e))?;
        let input = input(&table, keys, on)?;
        let mut signals = Signals::new();
        let parts = py.detach(|| {
            lookup(
                &table,
                &selection,
                &input,
                Absent::Null,
                threads,
                &mut || signals.check(),
            )
        });
        let parts = parts.map_err(|e| signals.raise(py, e))?;
        let batches = parts
            .into_iter()
            .map(|p| Data::batch(p.length, p.columns))
            .collect();
        Ok(Batches {
            field: Field::new("", "+s", selection.fields),
            batches: Arc::new(batches),
        })
    }

    /// The columns of a frame and those of the table for its keys. `how` is left, inner, semi or anti.
    #[pyo3(signature = (frame, on=None, how="left", *, columns=None, suffix="_right", threads=1))]
    fn join(
        &self,
        frame: &Bound<PyAny>,
        #[pyo3(from_py_with = names)] on: Option<Vec<String>>,
        how: &str,
        #[pyo3(from_py_with = names)] columns: Option<Vec<String>>,
        suffix: &str,
        threads: usize,
    ) -> PyResult<Batches> {
        let (py, table) = (frame.py(), self.table());
        if !["left", "inner", "semi", "anti"].contains(&how) {
            return Err(PyValueError::new_err(format!(
                "how is left, inner, semi or anti, not {how:?}"
            )));
        }
        let columns = match (how, columns) {
            ("semi" | "anti", _) => vec![],
            (_, Some(columns)) => columns,
            _ => {
                let key = key_names(&table);
                let mut columns = column_names(&table);
                columns.retain(|column| !key.contains(column));
                columns
            }
        };
        let selection = Selection::new(&table, Some(columns)).map_err(|e| raise(py, e))?;
        let Some((field, frames)) = import(frame)?.filter(|(field, _)| field.format == "+s") else {
            return Err(PyTypeError::new_err(
                "the frame has no Arrow stream of record batches",
            ));
        };
        let input = Input::columns(&table, field, frames, on).map_err(|e| raise(py, e))?;
        let absent = if how == "left" {
            Absent::Null
        } else {
            Absent::Nothing
        };
        let mut signals = Signals::new();
        let work = || -> bsdb::Result<Vec<Data>> {
            let parts = lookup(&table, &selection, &input, absent, threads, &mut || {
                signals.check()
            })?;
            parts
                .into_iter()
                .map(|part| {
                    signals.check()?;
                    joined(&input, part, how)
                })
                .collect()
        };
        let batches = py.detach(work).map_err(|e| signals.raise(py, e))?;
        let mut fields = input.field.children.clone();
        for field in &selection.fields {
            let taken = input.field.children.iter().any(|f| f.name == field.name);
            fields.push(if taken {
                field.renamed(&format!("{}{suffix}", field.name))
            } else {
                field.clone()
            });
        }
        Ok(Batches {
            field: Field::new("", "+s", fields),
            batches: Arc::new(batches),
        })
    }

    /// The record with the greatest key that is not above a key.
    fn floor<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.near(key, |ordered, key| ordered.floor(key))
    }

    /// The record that was valid at a time, of those with the values of all columns of the key but the last.
    fn as_of<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        time: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Value::Timestamp(millis, nanos) = value_of(time)? else {
            return Err(PyTypeError::new_err("the time is a datetime"));
        };
        let (py, table) = (key.py(), self.table());
        let Some(leading) = key_of(table.schema(), key, true)? else {
            return Ok(None);
        };
        self.found(py, &table, &leading, |ordered, leading| {
            ordered.as_of(leading, millis, nanos)
        })
    }

    /// The record with the greatest key below a key.
    fn lower<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.near(key, |ordered, key| ordered.lower(key))
    }

    /// The record with the least key that is not below a key.
    fn ceiling<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.near(key, |ordered, key| ordered.ceiling(key))
    }

    /// The record with the least key above a key.
    fn higher<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.near(key, |ordered, key| ordered.higher(key))
    }

    /// The record with the longest key that a key begins with.
    fn longest_prefix<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.near(key, |ordered, key| ordered.longest_prefix(key))
    }

    /// The records whose keys are in a range, start included, end excluded, by key.
    #[pyo3(signature = (start=None, end=None, columns=None, *, reverse=false))]
    fn range(
        &self,
        py: Python<'_>,
        start: Option<&Bound<PyAny>>,
        end: Option<&Bound<PyAny>>,
        #[pyo3(from_py_with = names)] columns: Option<Vec<String>>,
        reverse: bool,
    ) -> PyResult<Rows> {
        use std::ops::Bound::{Excluded, Included, Unbounded};
        let table = self.table();
        let bound = |key: Option<&Bound<PyAny>>| match key {
            None => Ok(None),
            Some(key) => key_of(table.schema(), key, true)?
                .map(Some)
                .ok_or_else(|| PyValueError::new_err("an end of the range has no key")),
        };
        let (start, end) = (bound(start)?, bound(end)?);
        Rows::new(py, table.clone(), columns, |table| {
            let from = start.as_deref().map_or(Unbounded, Included);
            let to = end.as_deref().map_or(Unbounded, Excluded);
            let cursor = table.ordered()?.range((from, to))?;
            Ok(if reverse { cursor.reversed() } else { cursor })
        })
    }

    /// The records whose keys begin with bytes, or with the values of leading columns, by key.
    #[pyo3(signature = (prefix, columns=None, *, reverse=false))]
    fn prefix(
        &self,
        prefix: &Bound<PyAny>,
        #[pyo3(from_py_with = names)] columns: Option<Vec<String>>,
        reverse: bool,
    ) -> PyResult<Rows> {
        let table = self.table();
        let key = key_of(table.schema(), prefix, true)?;
        let key = key.ok_or_else(|| PyValueError::new_err("no key begins with this"))?;
        Rows::new(prefix.py(), table.clone(), columns, |table| {
            let cursor = table.ordered()?.prefix(&key)?;
            Ok(if reverse { cursor.reversed() } else { cursor })
        })
    }

    /// All records: by key if the table is in key order, else in no order.
    #[pyo3(signature = (columns=None))]
    fn scan(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = names)] columns: Option<Vec<String>>,
    ) -> PyResult<Rows> {
        Rows::new(py, self.table(), columns, |table| Ok(table.scan()))
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Rows> {
        self.scan(py, None)
    }
}
