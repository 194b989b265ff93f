//! Following a table from version to version.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::table::{current, Options, Table};

/// Moves to new versions of a table as they are published. Lookups never wait for that, and a version that cannot be
/// opened is refused: the one before stays in use.
pub struct Follower {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// That of the thread. A child that is forked from it has no thread, and stays with its version.
    process: u32,
}

struct Shared {
    path: PathBuf,
    options: Options,
    /// Locked to copy or replace the pointer only.
    table: RwLock<Arc<Table>>,
    /// Held while a version is opened.
    refreshing: Mutex<()>,
    /// Why the version in service was refused.
    refused: Mutex<Option<String>>,
    stop: Mutex<bool>,
    stopped: Condvar,
}

/// What a lock holds; nothing here is left half done by a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Follower {
    /// Opens a table, and reads `CURRENT` again and again, with this time in between; if that is 0, in `refresh` only.
    pub fn new(path: impl AsRef<Path>, options: Options, every: Duration) -> Result<Follower> {
        let mut follower = Self::by_hand(path, options)?;
        if every.is_zero() {
            return Ok(follower);
        }
        let shared = follower.shared.clone();
        let follow = move || loop {
            let stop = lock(&shared.stop);
            let wait = shared.stopped.wait_timeout_while(stop, every, |stop| !*stop);
            if *wait.unwrap_or_else(PoisonError::into_inner).0 {
                return;
            }
            // A failure is kept in `refused`.
            let _ = shared.refresh();
        };
        let thread = std::thread::Builder::new().name("bsdb-follower".into()).spawn(follow);
        follower.thread = Some(thread.map_err(|e| Error::io(&follower.shared.path, e))?);
        Ok(follower)
    }

    /// Opens a table, and moves on when `refresh` is called only.
    pub fn by_hand(path: impl AsRef<Path>, options: Options) -> Result<Follower> {
        let path = path.as_ref().to_owned();
        let table = RwLock::new(Arc::new(Table::open(&path, options)?));
        let shared = Shared {
            path,
            options,
            table,
            refreshing: Mutex::default(),
            refused: Mutex::default(),
            stop: Mutex::default(),
            stopped: Condvar::new(),
        };
        Ok(Follower { shared: Arc::new(shared), thread: None, process: std::process::id() })
    }

    /// The version in use. It stays readable as long as somebody holds it.
    pub fn current(&self) -> Arc<Table> {
        self.shared.current()
    }

    /// Moves to the version in service; true if that is another one. A failure leaves the version in use as it is.
    /// Fails in the child of a fork, if there is a thread.
    pub fn refresh(&self) -> Result<bool> {
        // The thread may have held the lock when the process was forked.
        if self.thread.is_some() && std::process::id() != self.process {
            return Err(Error::invalid(
                "this process was forked from the one that follows the table; open the table here",
            ));
        }
        self.shared.refresh()
    }

    /// Why the version in service was refused, if it was.
    pub fn refused(&self) -> Option<String> {
        lock(&self.shared.refused).clone()
    }
}

impl Shared {
    fn current(&self) -> Arc<Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn refresh(&self) -> Result<bool> {
        let _one = lock(&self.refreshing);
        let result = self.open();
        *lock(&self.refused) = result.as_ref().err().map(|e| e.to_string());
        result
    }

    fn open(&self) -> Result<bool> {
        let before = self.current();
        if current(&self.path)? == before.version() {
            return Ok(false);
        }
        let table = Arc::new(Table::open_after(&self.path, self.options, Some(&before))?);
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = table;
        Ok(true)
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        if std::process::id() != self.process {
            return std::mem::forget(self.thread.take());
        }
        *lock(&self.shared.stop) = true;
        self.shared.stopped.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been printed.
            let _ = thread.join();
        }
    }
}
