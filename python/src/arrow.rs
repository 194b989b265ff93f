//! Arrow data in memory, and the Arrow C data interface to take and give it.

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::ptr;
use std::sync::Arc;

pub const NULLABLE: i64 = 2;

/// A type with a name: the format string of the C data interface, and what is within it.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub format: String,
    pub flags: i64,
    pub metadata: Option<Arc<[u8]>>,
    pub children: Vec<Field>,
    pub dictionary: Option<Box<Field>>,
}

impl Field {
    pub fn new(name: &str, format: &str, children: Vec<Field>) -> Field {
        Field {
            name: name.into(),
            format: format.into(),
            flags: NULLABLE,
            metadata: None,
            children,
            dictionary: None,
        }
    }

    pub fn renamed(&self, name: &str) -> Field {
        Field {
            name: name.into(),
            ..self.clone()
        }
    }
}

/// A buffer of an array.
#[derive(Clone)]
pub enum Buffer {
    Missing,
    Own(Arc<Vec<u8>>),
    /// Memory of an imported array, which the owner releases.
    Foreign(*const u8, Arc<Owner>),
}

// SAFETY: the memory of arrays is not written, and their release callbacks may be called by any thread.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub fn start(&self) -> *const u8 {
        match self {
            Buffer::Missing => ptr::null(),
            Buffer::Own(bytes) => bytes.as_ptr(),
            Buffer::Foreign(start, _) => *start,
        }
    }
}

/// An array.
#[derive(Clone)]
pub struct Data {
    pub length: usize,
    pub offset: usize,
    /// -1 if unknown.
    pub nulls: i64,
    pub buffers: Vec<Buffer>,
    pub children: Vec<Arc<Data>>,
    pub dictionary: Option<Arc<Data>>,
}

impl Data {
    /// A part of an array, without a copy.
    pub fn slice(&self, from: usize, length: usize) -> Data {
        Data {
            offset: self.offset + from,
            length,
            nulls: if self.nulls == 0 { 0 } else { -1 },
            ..self.clone()
        }
    }

    /// A record batch of columns of one length.
    pub fn batch(length: usize, children: Vec<Arc<Data>>) -> Data {
        Data {
            length,
            offset: 0,
            nulls: 0,
            buffers: vec![Buffer::Missing],
            children,
            dictionary: None,
        }
    }

    /// A column of a record batch, cut as the batch is.
    pub fn column(&self, number: usize) -> Data {
        self.children[number].slice(self.offset, self.length)
    }

    /// Whether an element is there.
    pub fn is_valid(&self, i: usize) -> bool {
        let Some(validity) = self
            .buffers
            .first()
            .map(Buffer::start)
            .filter(|p| self.nulls != 0 && !p.is_null())
        else {
            return true;
        };
        let bit = self.offset + i;
        // SAFETY: a validity buffer has a bit for each element, offset included.
        unsafe { *validity.add(bit / 8) >> (bit % 8) & 1 == 1 }
    }

    /// The number at a place of a buffer, counted in numbers of this type from the offset on.
    ///
    /// # Safety
    /// The buffer has that many numbers.
    pub unsafe fn number<T: Copy>(&self, buffer: usize, i: usize) -> T {
        // SAFETY: the caller's.
        unsafe {
            (self.buffers[buffer].start() as *const T)
                .add(self.offset + i)
                .read_unaligned()
        }
    }
}

#[repr(C)]
pub struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private: *mut c_void,
}

#[repr(C)]
pub struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    pub release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private: *mut c_void,
}

#[repr(C)]
pub struct ArrowStream {
    pub get_schema: Option<unsafe extern "C" fn(*mut ArrowStream, *mut ArrowSchema) -> c_int>,
    pub get_next: Option<unsafe extern "C" fn(*mut ArrowStream, *mut ArrowArray) -> c_int>,
    pub get_last_error: Option<unsafe extern "C" fn(*mut ArrowStream) -> *const c_char>,
    pub release: Option<unsafe extern "C" fn(*mut ArrowStream)>,
    pub private: *mut c_void,
}

/// An imported array that is released when nothing points into it any more.
pub struct Owner(ArrowArray);

macro_rules! released_on_drop {
    ($($name:ident),*) => {$(
        impl $name {
            /// One that is released.
            pub fn empty() -> $name {
                // SAFETY: all fields are numbers, pointers and optional functions, for which zero is valid.
                unsafe { std::mem::zeroed() }
            }

            /// Takes over what a pointer leads to; none if it is released, as consumers leave what they take.
            ///
            /// # Safety
            /// It leads to a valid structure or a released one, which nobody else uses meanwhile.
            pub unsafe fn take(from: *mut $name) -> Option<$name> {
                // SAFETY: the caller's; what is left there counts as released.
                let taken = unsafe { ptr::replace(from, $name::empty()) };
                Some(taken).filter(|taken| taken.release.is_some())
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: the structure is valid as long as it has a release callback.
                    unsafe { release(self) }
                }
            }
        }
    )*};
}
released_on_drop!(ArrowSchema, ArrowArray, ArrowStream);

// SAFETY: the C data interface allows any thread to use and release a structure, one at a time.
unsafe impl Send for ArrowStream {}
// SAFETY: as above.
unsafe impl Send for ArrowArray {}
// SAFETY: an owner is only dropped.
unsafe impl Sync for ArrowArray {}

/// Structures that another one points to, and releases with itself.
struct Within<T> {
    children: Vec<*mut T>,
    dictionary: *mut T,
}

impl<T> Within<T> {
    fn new(children: impl Iterator<Item = T>, dictionary: Option<T>) -> Within<T> {
        let boxed = |content| Box::into_raw(Box::new(content));
        Within {
            children: children.map(boxed).collect(),
            dictionary: dictionary.map_or(ptr::null_mut(), boxed),
        }
    }
}

impl<T> Drop for Within<T> {
    fn drop(&mut self) {
        let all = self.children.iter().chain([&self.dictionary]);
        for &pointer in all.filter(|p| !p.is_null()) {
            // SAFETY: `new` made it with `Box`; a structure that is dropped releases itself.
            drop(unsafe { Box::from_raw(pointer) });
        }
    }
}

/// A text of the interface.
///
/// # Safety
/// It is null, or ends with a zero.
pub unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the interface has strings that end with a zero.
    unsafe { CStr::from_ptr(pointer) }
        .to_string_lossy()
        .into_owned()
}

impl Field {
    /// Reads a schema.
    ///
    /// # Safety
    /// The schema is valid and not released.
    pub unsafe fn import(schema: &ArrowSchema) -> Field {
        // SAFETY: the caller's, for the schema and all within it.
        unsafe {
            let children = (0..schema.n_children as usize)
                .map(|i| Field::import(&**schema.children.add(i)))
                .collect();
            Field {
                name: text(schema.name),
                format: text(schema.format),
                flags: schema.flags,
                metadata: (!schema.metadata.is_null())
                    .then(|| metadata(schema.metadata as *const u8)),
                children,
                dictionary: schema
                    .dictionary
                    .as_ref()
                    .map(|d| Box::new(Field::import(d))),
            }
        }
    }

    /// Makes a schema.
    pub fn export(&self) -> ArrowSchema {
        struct Private {
            format: CString,
            name: CString,
            metadata: Option<Arc<[u8]>>,
            within: Within<ArrowSchema>,
        }
        unsafe extern "C" fn release(schema: *mut ArrowSchema) {
            // SAFETY: `export` made the private data with `Box`; this runs once.
            unsafe {
                drop(Box::from_raw((*schema).private as *mut Private));
                (*schema).release = None;
            }
        }
        let c_string = |s: &str| CString::new(s.replace('\0', "")).unwrap_or_default();
        let mut private = Box::new(Private {
            format: c_string(&self.format),
            name: c_string(&self.name),
            metadata: self.metadata.clone(),
            within: Within::new(
                self.children.iter().map(Field::export),
                self.dictionary.as_deref().map(Field::export),
            ),
        });
        ArrowSchema {
            format: private.format.as_ptr(),
            name: private.name.as_ptr(),
            metadata: private
                .metadata
                .as_ref()
                .map_or(ptr::null(), |m| m.as_ptr() as *const c_char),
            flags: self.flags,
            n_children: private.within.children.len() as i64,
            children: private.within.children.as_mut_ptr(),
            dictionary: private.within.dictionary,
            release: Some(release),
            private: Box::into_raw(private) as *mut c_void,
        }
    }
}

/// Copies metadata: the number of pairs, and for each text its length and bytes.
unsafe fn metadata(start: *const u8) -> Arc<[u8]> {
    // SAFETY: the caller's: the lengths are those of the interface.
    unsafe {
        let word = |at: usize| (start.add(at) as *const i32).read_unaligned();
        let mut end = 4;
        for _ in 0..2 * word(0) {
            end += 4 + word(end) as usize;
        }
        std::slice::from_raw_parts(start, end).into()
    }
}

impl Data {
    /// Takes over an array.
    ///
    /// # Safety
    /// The array is valid, not released, and of the field's type.
    pub unsafe fn import(array: ArrowArray) -> Data {
        let owner = Arc::new(Owner(array));
        // SAFETY: the caller's; the owner lives as long as the buffers.
        unsafe { Data::borrow(&owner.0, &owner) }
    }

    unsafe fn borrow(array: &ArrowArray, owner: &Arc<Owner>) -> Data {
        // SAFETY: the caller's, for the array and all within it.
        unsafe {
            let buffer = |i| match *array.buffers.add(i) as *const u8 {
                start if start.is_null() => Buffer::Missing,
                start => Buffer::Foreign(start, owner.clone()),
            };
            Data {
                length: array.length as usize,
                offset: array.offset as usize,
                nulls: array.null_count,
                buffers: (0..array.n_buffers as usize).map(buffer).collect(),
                children: (0..array.n_children as usize)
                    .map(|i| Arc::new(Data::borrow(&**array.children.add(i), owner)))
                    .collect(),
                dictionary: array
                    .dictionary
                    .as_ref()
                    .map(|d| Arc::new(Data::borrow(d, owner))),
            }
        }
    }

    /// Makes an array, which keeps the buffers.
    pub fn export(&self) -> ArrowArray {
        struct Private {
            _data: Data,
            buffers: Vec<*const c_void>,
            within: Within<ArrowArray>,
        }
        unsafe extern "C" fn release(array: *mut ArrowArray) {
            // SAFETY: `export` made the private data with `Box`; this runs once.
            unsafe {
                drop(Box::from_raw((*array).private as *mut Private));
                (*array).release = None;
            }
        }
        let mut private = Box::new(Private {
            _data: self.clone(),
            buffers: self
                .buffers
                .iter()
                .map(|b| b.start() as *const c_void)
                .collect(),
            within: Within::new(
                self.children.iter().map(|c| c.export()),
                self.dictionary.as_deref().map(Data::export),
            ),
        });
        ArrowArray {
            length: self.length as i64,
            null_count: self.nulls,
            offset: self.offset as i64,
            n_buffers: private.buffers.len() as i64,
            n_children: private.within.children.len() as i64,
            buffers: private.buffers.as_ptr(),
            children: private.within.children.as_mut_ptr(),
            dictionary: private.within.dictionary,
            release: Some(release),
            private: Box::into_raw(private) as *mut c_void,
        }
    }
}
