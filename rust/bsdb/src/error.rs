//! The classes of failures.

use std::fmt;
use std::path::{Path, PathBuf};

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The class of a failure, as the format's specification defines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The table is damaged: take another version, a sound copy, or build it again.
    Corrupt,
    /// A later version of bsdb wrote the table: upgrade the reader.
    Unsupported,
    /// Nothing has been published, or a file is not there.
    NotFound,
    /// The machine failed: I/O, memory, permissions.
    Io,
    /// The caller asked for something that this table cannot answer.
    Invalid,
}

/// A failure: what, in which file and where, what was expected and what was found.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    what: String,
    file: Option<PathBuf>,
    offset: Option<u64>,
    values: Option<(String, String)>,
    cause: Option<std::io::Error>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, what: impl Into<String>) -> Error {
        Error(Box::new(Inner { kind, what: what.into(), file: None, offset: None, values: None, cause: None }))
    }

    pub(crate) fn corrupt(what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Corrupt, what)
    }

    pub(crate) fn unsupported(what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Unsupported, what)
    }

    /// A failure of the caller, for those who build on this crate.
    pub fn invalid(what: impl Into<String>) -> Error {
        Error::new(ErrorKind::Invalid, what)
    }

    pub(crate) fn io(file: &Path, cause: std::io::Error) -> Error {
        let (kind, what) = match cause.kind() {
            std::io::ErrorKind::NotFound => (ErrorKind::NotFound, "file is missing"),
            _ => (ErrorKind::Io, "file cannot be read"),
        };
        let mut error = Error::new(kind, what).in_file(file);
        error.0.cause = Some(cause);
        error
    }

    pub(crate) fn memory(bytes: usize) -> Error {
        Error::new(ErrorKind::Io, format!("there is no memory for {bytes} bytes"))
    }

    pub(crate) fn in_file(mut self, file: &Path) -> Error {
        self.0.file.get_or_insert_with(|| file.to_owned());
        self
    }

    pub(crate) fn at(mut self, offset: u64) -> Error {
        self.0.offset.get_or_insert(offset);
        self
    }

    pub(crate) fn values(mut self, expected: impl fmt::Display, actual: impl fmt::Display) -> Error {
        self.0.values = Some((expected.to_string(), actual.to_string()));
        self
    }

    /// The class of the failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The file that failed, if one did.
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// Where in the file, in bytes.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// What should have been there.
    pub fn expected(&self) -> Option<&str> {
        self.0.values.as_ref().map(|v| v.0.as_str())
    }

    /// What was there.
    pub fn actual(&self) -> Option<&str> {
        self.0.values.as_ref().map(|v| v.1.as_str())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.0;
        f.write_str(&inner.what)?;
        let mut separator = ": ";
        if let Some(file) = &inner.file {
            write!(f, "{separator}file={}", file.display())?;
            separator = " ";
        }
        if let Some(offset) = inner.offset {
            write!(f, "{separator}offset={offset}")?;
            separator = " ";
        }
        if let Some((expected, actual)) = &inner.values {
            write!(f, "{separator}expected={expected} actual={actual}")?;
        }
        match &inner.cause {
            Some(cause) => write!(f, ": {cause}"),
            None => Ok(()),
        }
    }
}

/// As it is displayed, for `main` and `unwrap`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.kind())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_ref().map(|c| c as _)
    }
}

/// Returns a `Corrupt` failure with a formatted message unless a condition holds.
macro_rules! need {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::error::Error::corrupt(format!($($message)+)));
        }
    };
}
pub(crate) use need;
