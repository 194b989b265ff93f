//! Signals that arrive during a call.

use std::ffi::{c_int, c_void};
use std::time::{Duration, Instant};

use bsdb::Error;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::error::raise;

/// To check takes the GIL, which other threads may hold.
const INTERVAL: Duration = Duration::from_millis(100);

/// Has Python handle signals, such as Ctrl-C, while a call has much to do: else they would wait for its end. The first check of
/// `default` looks for them at once, that of `new` after a while.
#[derive(Default)]
pub struct Signals {
    checked: Option<Instant>,
    raised: Option<PyErr>,
}

impl Signals {
    pub fn new() -> Signals {
        Signals {
            checked: Some(Instant::now()),
            raised: None,
        }
    }

    /// Fails if the handler of a signal raised an exception; called about every thousand keys or mebibyte.
    pub fn check(&mut self) -> bsdb::Result<()> {
        if self.checked.is_some_and(|at| at.elapsed() < INTERVAL) {
            return Ok(());
        }
        // None: Python is ending.
        let raised = Python::try_attach(|py| py.check_signals().err()).flatten();
        self.checked = Some(Instant::now());
        match raised {
            Some(raised) => {
                self.raised = Some(raised);
                Err(Error::invalid("interrupted by a signal"))
            }
            None => Ok(()),
        }
    }

    /// The exception of a failure: the handler's, if it raised one.
    pub fn raise(&mut self, py: Python<'_>, error: Error) -> PyErr {
        self.raised.take().unwrap_or_else(|| raise(py, error))
    }

    /// The text of a failure, for who takes no exception; Python raises the handler's as soon as it goes on.
    pub fn raise_later(&mut self, error: Error) -> String {
        extern "C" fn restore(raised: *mut c_void) -> c_int {
            // SAFETY: it is the box below, and Python calls this once, attached.
            let (raised, py) = unsafe {
                (
                    Box::from_raw(raised as *mut PyErr),
                    Python::assume_attached(),
                )
            };
            raised.restore(py);
            -1
        }
        if let Some(raised) = self.raised.take() {
            let raised = Box::into_raw(Box::new(raised)) as *mut c_void;
            // SAFETY: any thread may call it; it fails where too many calls wait, and then leaves the box.
            unsafe {
                if ffi::Py_AddPendingCall(Some(restore), raised) != 0 {
                    drop(Box::from_raw(raised as *mut PyErr));
                }
            }
        }
        error.to_string()
    }
}
