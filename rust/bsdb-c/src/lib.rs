//! The functions of `bsdb.h`, which describes them.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void, CStr, CString, OsStr};
use std::ops::Bound;
use std::os::unix::ffi::OsStrExt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null, NonNull};
use std::sync::Arc;

use bsdb::{Access, Cursor, Entry, Error, ErrorKind, Follower, Options, Result, Table};

#[cfg(test)]
mod tests;

const OK: c_int = 0;
const ABSENT: c_int = 1;

/// A table, the version in use, and its name.
pub struct BsdbTable {
    follower: Follower,
    table: Arc<Table>,
    version: CString,
}

/// A cursor and the version that it reads, which is dropped last.
pub struct BsdbCursor {
    /// What `bsdb_floor` found, which comes first: to be looked up again, keys would have to ascend as the index says.
    floor: Option<Entry>,
    /// The same once it has been given, until the next call.
    given: Option<Entry>,
    cursor: Cursor<'static>,
    _table: Arc<Table>,
}

thread_local! {
    static ERROR: RefCell<CString> = RefCell::default();
    static VALUE: RefCell<Vec<u8>> = RefCell::default();
}

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "?")).unwrap_or_default()
}

/// Runs an action; keeps the text of its failure for `bsdb_error`. A panic does not leave the library.
fn guarded(action: impl FnOnce() -> Result<c_int>) -> c_int {
    let result = catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|_| Err(Error::invalid("the library failed")));
    result.unwrap_or_else(|error| {
        let _ = ERROR.try_with(|kept| kept.replace(c_string(&error.to_string())));
        match error.kind() {
            ErrorKind::Corrupt => -1,
            ErrorKind::Unsupported => -2,
            ErrorKind::NotFound => -3,
            ErrorKind::Io => -4,
            _ => -5,
        }
    })
}

/// Lends the thread's buffer of values. A thread that ends, and the main thread in a function of `atexit`, has none any more.
fn with_value<R>(action: impl FnOnce(&mut Vec<u8>) -> Result<R>) -> Result<R> {
    let ended = |_| Err(Error::invalid("the thread ends, and keeps no values any more; look up before"));
    VALUE.try_with(|kept| action(&mut kept.borrow_mut())).unwrap_or_else(ended)
}

/// # Safety
/// The memory holds so many bytes, or the length is 0.
unsafe fn slice<'a>(start: *const c_void, length: usize) -> &'a [u8] {
    if length == 0 || start.is_null() {
        return &[];
    }
    // SAFETY: the caller's.
    unsafe { std::slice::from_raw_parts(start as *const u8, length) }
}

/// # Safety
/// `path` is a string that ends with a zero, `table` a place for a pointer.
#[no_mangle]
pub unsafe extern "C" fn bsdb_open(path: *const c_char, access: c_int, table: *mut *mut BsdbTable) -> c_int {
    guarded(|| {
        let access = match access {
            0 => Access::Mapped,
            1 => Access::Read,
            _ => return Err(Error::invalid(format!("access is BSDB_MAPPED or BSDB_READ, not {access}"))),
        };
        // SAFETY: the caller's.
        let path = OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes());
        let follower = Follower::by_hand(path, Options::default().access(access))?;
        let current = follower.current();
        let version = c_string(current.version());
        // SAFETY: the caller's.
        unsafe { *table = Box::into_raw(Box::new(BsdbTable { follower, table: current, version })) };
        Ok(OK)
    })
}

/// # Safety
/// `table` is null or comes from `bsdb_open`, and is not used any more.
#[no_mangle]
pub unsafe extern "C" fn bsdb_close(table: *mut BsdbTable) {
    if !table.is_null() {
        // SAFETY: the caller's.
        drop(unsafe { Box::from_raw(table) });
    }
}

/// # Safety
/// `table` comes from `bsdb_open`; no other thread uses it meanwhile.
#[no_mangle]
pub unsafe extern "C" fn bsdb_refresh(table: *mut BsdbTable) -> c_int {
    guarded(|| {
        // SAFETY: the caller's.
        let table = unsafe { &mut *table };
        if !table.follower.refresh()? {
            return Ok(ABSENT);
        }
        table.table = table.follower.current();
        table.version = c_string(table.table.version());
        Ok(OK)
    })
}

/// # Safety
/// `table` comes from `bsdb_open`, the key has its length, and the two places can be written.
#[no_mangle]
pub unsafe extern "C" fn bsdb_get(
    table: *const BsdbTable,
    key: *const c_void,
    key_length: usize,
    value: *mut *const c_void,
    value_length: *mut usize,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller's.
        let (table, key) = unsafe { (&*table, slice(key, key_length)) };
        let (start, length) = match table.table.get(key)? {
            None => return Ok(ABSENT),
            Some(Cow::Borrowed(found)) => (found.as_ptr(), found.len()),
            Some(Cow::Owned(found)) => with_value(|kept| {
                *kept = found;
                Ok((kept.as_ptr(), kept.len()))
            })?,
        };
        // SAFETY: the caller's.
        unsafe { (*value, *value_length) = (start as *const c_void, length) };
        Ok(OK)
    })
}

/// # Safety
/// As of `bsdb_get`, for `count` keys and values.
#[no_mangle]
pub unsafe extern "C" fn bsdb_get_many(
    table: *const BsdbTable,
    count: usize,
    keys: *const *const c_void,
    key_lengths: *const usize,
    values: *mut *const c_void,
    value_lengths: *mut usize,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller's.
        let (table, keys) = unsafe { (&*table, (0..count).map(|i| slice(*keys.add(i), *key_lengths.add(i)))) };
        with_value(|kept| {
            kept.clear();
            table.table.get_many(keys, |i, value| {
                kept.extend_from_slice(value.unwrap_or_default());
                // SAFETY: the caller's. Where the value begins is known once all are kept.
                unsafe {
                    *values.add(i) = value.map_or(null(), |_| NonNull::dangling().as_ptr());
                    *value_lengths.add(i) = value.map_or(0, <[u8]>::len);
                }
                Ok(())
            })?;
            let mut start = kept.as_ptr();
            for i in 0..count {
                // SAFETY: the caller's. The values follow each other in the order of the keys.
                unsafe {
                    if !(*values.add(i)).is_null() {
                        *values.add(i) = start as *const c_void;
                        start = start.add(*value_lengths.add(i));
                    }
                }
            }
            Ok(OK)
        })
    })
}

/// # Safety
/// `table` comes from `bsdb_open`.
#[no_mangle]
pub unsafe extern "C" fn bsdb_count(table: *const BsdbTable) -> u64 {
    // SAFETY: the caller's.
    unsafe { &*table }.table.record_count()
}

/// # Safety
/// `table` comes from `bsdb_open`.
#[no_mangle]
pub unsafe extern "C" fn bsdb_version(table: *const BsdbTable) -> *const c_char {
    // SAFETY: the caller's.
    unsafe { &*table }.version.as_ptr()
}

/// The text of this thread's last failure.
#[no_mangle]
pub extern "C" fn bsdb_error() -> *const c_char {
    ERROR.try_with(|error| error.borrow().as_ptr()).unwrap_or(c"the thread ends, and keeps no texts any more".as_ptr())
}

fn give(
    table: &BsdbTable,
    floor: Option<Entry>,
    make: impl FnOnce(&'static Table) -> Result<Cursor<'static>>,
) -> Result<*mut BsdbCursor> {
    let table = table.table.clone();
    // SAFETY: the cursor is the field before the table that it borrows, so it is dropped first.
    let forever: &'static Table = unsafe { &*Arc::as_ptr(&table) };
    Ok(Box::into_raw(Box::new(BsdbCursor { floor, given: None, cursor: make(forever)?, _table: table })))
}

/// # Safety
/// `table` comes from `bsdb_open`, `cursor` is a place for a pointer.
#[no_mangle]
pub unsafe extern "C" fn bsdb_scan(table: *const BsdbTable, cursor: *mut *mut BsdbCursor) -> c_int {
    guarded(|| {
        // SAFETY: the caller's.
        unsafe { *cursor = give(&*table, None, |table| Ok(table.scan()))? };
        Ok(OK)
    })
}

/// # Safety
/// `cursor` comes from `bsdb_scan` or `bsdb_floor`, and the places can be written.
#[no_mangle]
pub unsafe extern "C" fn bsdb_next(
    cursor: *mut BsdbCursor,
    key: *mut *const c_void,
    key_length: *mut usize,
    value: *mut *const c_void,
    value_length: *mut usize,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller's.
        let cursor = unsafe { &mut *cursor };
        cursor.given = cursor.floor.take();
        let (k, v) = match &cursor.given {
            Some(found) => (&found.key[..], &found.value[..]),
            None => match cursor.cursor.next()? {
                Some(found) => found,
                None => return Ok(ABSENT),
            },
        };
        // SAFETY: the caller's.
        unsafe {
            (*key, *key_length) = (k.as_ptr() as *const c_void, k.len());
            (*value, *value_length) = (v.as_ptr() as *const c_void, v.len());
        }
        Ok(OK)
    })
}

/// # Safety
/// As of `bsdb_scan`; the key has its length.
#[no_mangle]
pub unsafe extern "C" fn bsdb_floor(
    table: *const BsdbTable,
    key: *const c_void,
    key_length: usize,
    cursor: *mut *mut BsdbCursor,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller's.
        let (table, key) = unsafe { (&*table, slice(key, key_length)) };
        let Some(floor) = table.table.ordered()?.floor(key)? else {
            return Ok(ABSENT);
        };
        let after = floor.key.clone();
        let made = give(table, Some(floor), |t| t.ordered()?.range((Bound::Excluded(&after[..]), Bound::Unbounded)))?;
        // SAFETY: the caller's.
        unsafe { *cursor = made };
        Ok(OK)
    })
}

/// # Safety
/// `cursor` is null or comes from `bsdb_scan` or `bsdb_floor`, and is not used any more.
#[no_mangle]
pub unsafe extern "C" fn bsdb_free(cursor: *mut BsdbCursor) {
    if !cursor.is_null() {
        // SAFETY: the caller's.
        drop(unsafe { Box::from_raw(cursor) });
    }
}
