//! Results: record batches, and records one after the other.

use std::sync::{Arc, Mutex};
use std::thread;

use bsdb::{Cursor, Entry, Place, Table};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrow::{ArrowStream, Data, Field};
use crate::capsule::capsule;
use crate::convert::dict_of;
use crate::error::raise;
use crate::lookup::Selection;
use crate::signals::Signals;

/// Records of one batch of a stream.
const BATCH: usize = 1 << 16;
/// Bytes of records after which a batch of a stream ends, so that no column of it reaches 2 GiB.
const BATCH_BYTES: usize = 64 << 20;

/// Record batches in memory, which Polars, pandas, pyarrow, DuckDB and others take as they are.
#[pyclass(module = "bsdb", frozen)]
pub struct Batches {
    pub field: Field,
    pub batches: Arc<Vec<Data>>,
}

#[pymethods]
impl Batches {
    /// Gives the Arrow schema, as a capsule.
    fn __arrow_c_schema__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        capsule(py, self.field.export())
    }

    /// Gives the batches as an Arrow stream, any number of times.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__(
        &self,
        py: Python<'_>,
        requested_schema: Option<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let _ = requested_schema; // a consumer casts what it wants otherwise
        let (batches, mut next) = (self.batches.clone(), 0);
        let source = move || {
            next += 1;
            Ok(batches.get(next - 1).cloned())
        };
        capsule(py, ArrowStream::of(self.field.clone(), source))
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(|b| b.length).sum()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.field.children.iter().map(|f| f.name.clone()).collect()
    }

    fn __repr__(&self) -> String {
        format!(
            "<bsdb.Batches of {} rows: {}>",
            self.__len__(),
            self.columns().join(", ")
        )
    }
}

/// A cursor and the version that it reads.
struct OwnedCursor {
    cursor: Cursor<'static>,
    table: Arc<Table>,
}

impl OwnedCursor {
    fn new(
        table: Arc<Table>,
        make: impl FnOnce(&'static Table) -> bsdb::Result<Cursor<'static>>,
    ) -> bsdb::Result<Self> {
        // SAFETY: the cursor is dropped before the table: it is the field before it, and never leaves this struct.
        let forever: &'static Table = unsafe { &*Arc::as_ptr(&table) };
        Ok(OwnedCursor {
            cursor: make(forever)?,
            table,
        })
    }
}

/// Records, one after the other; or all that are left as an Arrow stream, which can be taken once.
#[pyclass(module = "bsdb", frozen)]
pub struct Rows {
    state: Mutex<Option<(OwnedCursor, Selection)>>,
    field: Field,
    /// Of a table with a schema: numbers of the columns.
    columns: Vec<usize>,
}

impl Rows {
    pub fn new(
        py: Python<'_>,
        table: Arc<Table>,
        columns: Option<Vec<String>>,
        make: impl FnOnce(&'static Table) -> bsdb::Result<Cursor<'static>>,
    ) -> PyResult<Rows> {
        let selection = Selection::new(&table, columns).map_err(|e| raise(py, e))?;
        let field = Field::new("", "+s", selection.fields.clone());
        let names = field.children.iter().map(|field| &field.name);
        let columns = match table.schema() {
            Some(schema) => names.map(|name| schema.column(name)).collect(),
            None => Ok(vec![]),
        };
        let columns = columns.map_err(|e| raise(py, e))?;
        if let (Some(schema), false) = (table.schema(), table.stores_keys()) {
            let of_key = |&&number: &&usize| matches!(schema.place(number), Place::Key(_));
            if let Some(&number) = columns.iter().find(of_key) {
                return Err(PyValueError::new_err(format!(
                    "the table does not store its keys, of which column {} is one; name others",
                    schema.columns[number].name
                )));
            }
        }
        let cursor = OwnedCursor::new(table, make).map_err(|e| raise(py, e))?;
        Ok(Rows {
            state: Mutex::new(Some((cursor, selection))),
            field,
            columns,
        })
    }

    /// Copies a record, and makes no object of Python meanwhile: that may run other code of Python, which asks for these rows.
    fn next(&self, py: Python<'_>) -> PyResult<Option<(Arc<Table>, Entry)>> {
        let mut state = self
            .state
            .lock()
            .map_err(|_| PyRuntimeError::new_err("rows are in use"))?;
        let Some((owned, _)) = state.as_mut() else {
            return Err(PyRuntimeError::new_err(
                "the rows have been taken as an Arrow stream",
            ));
        };
        let copied = |(key, value): (&[u8], &[u8])| {
            let (key, value) = (key.to_vec(), value.to_vec());
            (owned.table.clone(), Entry { key, value })
        };
        let next = owned.cursor.next().map(|found| found.map(copied));
        drop(state);
        next.map_err(|e| raise(py, e))
    }
}

#[pymethods]
impl Rows {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// The next record: a dict, or key and value where the table has no schema.
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        // `list` and others of C take all rows without a look at signals.
        py.check_signals()?;
        let Some((table, Entry { key, value })) = self.next(py)? else {
            return Ok(None);
        };
        let Some(schema) = table.schema() else {
            return Ok(Some(
                (PyBytes::new(py, &key), PyBytes::new(py, &value))
                    .into_pyobject(py)?
                    .into_any(),
            ));
        };
        let columns = self.columns.iter().copied();
        Ok(Some(dict_of(py, schema, columns, &key, &value)?.into_any()))
    }

    /// Gives the Arrow schema, as a capsule.
    fn __arrow_c_schema__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        capsule(py, self.field.export())
    }

    /// Gives the records that are left as an Arrow stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__(
        &self,
        py: Python<'_>,
        requested_schema: Option<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let _ = requested_schema;
        let taken = self
            .state
            .lock()
            .map_err(|_| PyRuntimeError::new_err("rows are in use"))?
            .take();
        let Some((mut owned, selection)) = taken else {
            return Err(PyRuntimeError::new_err(
                "the rows have been taken as an Arrow stream",
            ));
        };
        let (mut signals, taker) = (Signals::default(), thread::current().id());
        let next = move || {
            // Another thread may be one that the taker waits for with the GIL.
            if thread::current().id() == taker {
                signals.check().map_err(|e| signals.raise_later(e))?;
            }
            let OwnedCursor { cursor, table } = &mut owned;
            let batch = selection.batch(table, cursor, BATCH, BATCH_BYTES);
            batch.map_err(|e| e.to_string())
        };
        capsule(py, ArrowStream::of(self.field.clone(), next))
    }
}
