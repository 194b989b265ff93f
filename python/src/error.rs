//! The exceptions of the module.

use bsdb::{Error, ErrorKind};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    bsdb,
    BsdbError,
    PyException,
    "A table cannot be read; has file, offset, expected and actual."
);
create_exception!(bsdb, CorruptError, BsdbError, "The table is damaged.");
create_exception!(
    bsdb,
    UnsupportedError,
    BsdbError,
    "A later version of bsdb wrote the table."
);
create_exception!(
    bsdb,
    NotFoundError,
    BsdbError,
    "Nothing has been published, or a file is missing."
);

/// The exception of a failure.
pub fn raise(py: Python<'_>, error: Error) -> PyErr {
    let message = error.to_string();
    let raised = match error.kind() {
        ErrorKind::Corrupt => CorruptError::new_err(message),
        ErrorKind::Unsupported => UnsupportedError::new_err(message),
        ErrorKind::NotFound => NotFoundError::new_err(message),
        ErrorKind::Io => return PyOSError::new_err(message),
        _ => return PyValueError::new_err(message),
    };
    let value = raised.value(py);
    let file = error.file().map(|f| f.display().to_string());
    let attributes = value
        .setattr("file", file)
        .and_then(|()| value.setattr("offset", error.offset()))
        .and_then(|()| value.setattr("expected", error.expected()))
        .and_then(|()| value.setattr("actual", error.actual()));
    attributes.err().unwrap_or(raised)
}
