//! The Arrow PyCapsule interface.

use std::ffi::{c_void, CStr};

use bsdb::Error;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrow::{ArrowArray, ArrowSchema, ArrowStream, Data, Field};
use crate::signals::Signals;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

unsafe extern "C" fn drop_boxed<T: Named>(capsule: *mut ffi::PyObject) {
    // SAFETY: `capsule` below put a boxed T into it; this runs once.
    unsafe {
        let pointer = ffi::PyCapsule_GetPointer(capsule, T::NAME.as_ptr()) as *mut T;
        if !pointer.is_null() {
            drop(Box::from_raw(pointer));
        }
    }
}

pub trait Named {
    const NAME: &'static CStr;
}

impl Named for ArrowSchema {
    const NAME: &'static CStr = SCHEMA;
}

impl Named for ArrowStream {
    const NAME: &'static CStr = STREAM;
}

/// A capsule that owns a structure of the C data interface.
pub fn capsule<T: Named>(py: Python<'_>, content: T) -> PyResult<Py<PyAny>> {
    let pointer = Box::into_raw(Box::new(content));
    // SAFETY: the pointer is not null; the destructor frees it.
    unsafe {
        let object = ffi::PyCapsule_New(
            pointer as *mut c_void,
            T::NAME.as_ptr(),
            Some(drop_boxed::<T>),
        );
        Bound::from_owned_ptr_or_err(py, object).map(Bound::unbind)
    }
}

fn pointer<T>(capsule: &Bound<PyAny>, name: &CStr) -> PyResult<*mut T> {
    // SAFETY: a capsule of this name holds this structure; of another one the call fails.
    let pointer = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()) };
    if pointer.is_null() {
        return Err(PyErr::take(capsule.py())
            .unwrap_or_else(|| PyTypeError::new_err("not an Arrow capsule")));
    }
    Ok(pointer as *mut T)
}

fn taken_before() -> PyErr {
    PyValueError::new_err("another consumer has taken this Arrow data; give it anew")
}

/// Takes an object's Arrow data: its type, and its batches or chunks.
pub fn import(object: &Bound<PyAny>) -> PyResult<Option<(Field, Vec<Data>)>> {
    if object.hasattr("__arrow_c_stream__")? {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        // SAFETY: the capsule holds a stream, which becomes ours.
        let stream = unsafe { ArrowStream::take(pointer(&capsule, STREAM)?) };
        let mut stream = stream.ok_or_else(taken_before)?;
        // The stream may wait for threads that call Python.
        let mut signals = Signals::new();
        let taken = object.py().detach(|| {
            let field = stream.field()?;
            let mut batches = Vec::new();
            while let Some(batch) = stream.next()? {
                batches.push(batch);
                signals.check().map_err(|e| e.to_string())?;
            }
            Ok((field, batches))
        });
        return taken
            .map(Some)
            .map_err(|text: String| signals.raise(object.py(), Error::invalid(text)));
    }
    if object.hasattr("__arrow_c_array__")? {
        let pair = object
            .call_method0("__arrow_c_array__")?
            .cast_into::<PyTuple>()?;
        let (schema, array) = (pair.get_item(0)?, pair.get_item(1)?);
        // SAFETY: the capsules hold a schema and an array of it, which become ours.
        unsafe {
            let schema = ArrowSchema::take(pointer(&schema, SCHEMA)?).ok_or_else(taken_before)?;
            let array = ArrowArray::take(pointer(&array, ARRAY)?).ok_or_else(taken_before)?;
            return Ok(Some((Field::import(&schema), vec![Data::import(array)])));
        }
    }
    Ok(None)
}
