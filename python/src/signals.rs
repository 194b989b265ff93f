//! Signals that arrive during a call.

use std::time::{Duration, Instant};

use bsdb::Error;
use pyo3::prelude::*;

use crate::error::raise;

/// To check takes the GIL, which other threads may hold.
const INTERVAL: Duration = Duration::from_millis(100);

/// Has Python handle signals, such as Ctrl-C, while a call works on many keys: else they would wait for its end.
pub struct Signals {
    checked: Instant,
    raised: Option<PyErr>,
}

impl Signals {
    pub fn new() -> Signals {
        Signals {
            checked: Instant::now(),
            raised: None,
        }
    }

    /// Fails if the handler of a signal raised an exception; called about every thousand keys or more.
    pub fn check(&mut self) -> bsdb::Result<()> {
        if self.checked.elapsed() < INTERVAL {
            return Ok(());
        }
        // None: Python is ending.
        let raised = Python::try_attach(|py| py.check_signals().err()).flatten();
        self.checked = Instant::now();
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
}
