//! Arrow streams, taken and given.

use std::ffi::{c_char, c_int, c_void, CString};
use std::ptr;

use crate::arrow::{text, ArrowArray, ArrowSchema, ArrowStream, Data, Field};

impl ArrowStream {
    fn failure(&mut self, code: c_int) -> String {
        // SAFETY: the stream is valid and not released; the text lives until the next call.
        let message = self
            .get_last_error
            .map(|f| unsafe { text(f(self)) })
            .unwrap_or_default();
        if message.is_empty() {
            format!("Arrow stream failed with {code}")
        } else {
            message
        }
    }

    /// The type of the stream's arrays.
    pub fn field(&mut self) -> Result<Field, String> {
        let mut schema = ArrowSchema::empty();
        let get = self.get_schema.ok_or("Arrow stream is released")?;
        // SAFETY: the stream is valid and not released.
        match unsafe { get(self, &mut schema) } {
            // SAFETY: the callback succeeded, so the schema is valid.
            0 => Ok(unsafe { Field::import(&schema) }),
            code => Err(self.failure(code)),
        }
    }

    /// The next array of the stream.
    pub fn next(&mut self) -> Result<Option<Data>, String> {
        let mut array = ArrowArray::empty();
        let get = self.get_next.ok_or("Arrow stream is released")?;
        // SAFETY: the stream is valid and not released.
        match unsafe { get(self, &mut array) } {
            0 if array.release.is_none() => Ok(None),
            // SAFETY: the callback succeeded, so the array is valid.
            0 => Ok(Some(unsafe { Data::import(array) })),
            code => Err(self.failure(code)),
        }
    }

    /// A stream of record batches that a function makes.
    pub fn of(
        field: Field,
        source: impl FnMut() -> Result<Option<Data>, String> + Send + 'static,
    ) -> ArrowStream {
        struct Private {
            field: Field,
            source: Box<dyn FnMut() -> Result<Option<Data>, String> + Send>,
            error: CString,
        }
        unsafe extern "C" fn schema(stream: *mut ArrowStream, schema: *mut ArrowSchema) -> c_int {
            // SAFETY: the stream is one that `of` made; the place for the schema is the caller's, and holds none.
            unsafe {
                ptr::write(
                    schema,
                    (*((*stream).private as *mut Private)).field.export(),
                )
            };
            0
        }
        unsafe extern "C" fn next(stream: *mut ArrowStream, array: *mut ArrowArray) -> c_int {
            // SAFETY: as above.
            let private = unsafe { &mut *((*stream).private as *mut Private) };
            match (private.source)() {
                Ok(data) => {
                    let next = data.map_or_else(ArrowArray::empty, |d| d.export());
                    // SAFETY: as above.
                    unsafe { ptr::write(array, next) };
                    0
                }
                Err(message) => {
                    private.error = CString::new(message.replace('\0', "")).unwrap_or_default();
                    5 // EIO
                }
            }
        }
        unsafe extern "C" fn last_error(stream: *mut ArrowStream) -> *const c_char {
            // SAFETY: as above.
            unsafe { (*((*stream).private as *mut Private)).error.as_ptr() }
        }
        unsafe extern "C" fn release(stream: *mut ArrowStream) {
            // SAFETY: as above; this runs once.
            unsafe {
                drop(Box::from_raw((*stream).private as *mut Private));
                (*stream).release = None;
            }
        }
        let private = Box::new(Private {
            field,
            source: Box::new(source),
            error: CString::default(),
        });
        ArrowStream {
            get_schema: Some(schema),
            get_next: Some(next),
            get_last_error: Some(last_error),
            release: Some(release),
            private: Box::into_raw(private) as *mut c_void,
        }
    }
}
