//! Files, mapped or read.

use std::fs;
use std::ops::Deref;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;

use crate::error::{Error, Result};

/// How blocks are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Maps files. A file that is cut while it is mapped ends the process.
    #[default]
    Mapped,
    /// Reads files with `pread`. A file that is cut is an error.
    Read,
}

/// A file that is open.
pub(crate) struct DataFile {
    pub path: PathBuf,
    pub length: u64,
    content: Content,
}

enum Content {
    Mapped(Arc<Mmap>),
    Read(fs::File),
}

/// Bytes of a file, in a mapping or in memory of their own.
pub(crate) struct Bytes {
    start: *const u8,
    length: usize,
    _owner: Owner,
}

#[allow(dead_code)]
enum Owner {
    Mapped(Arc<Mmap>),
    /// No `Box`, which would be the only way to its bytes once it moves.
    Memory(Vec<u8>),
}

// SAFETY: the bytes are never written, and the owner, which is Send and Sync, keeps them where they are.
unsafe impl Send for Bytes {}
// SAFETY: as above.
unsafe impl Sync for Bytes {}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: start and length come from a slice of the owner, whose memory does not move.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes { start: bytes.as_ptr(), length: bytes.len(), _owner: Owner::Memory(bytes) }
    }
}

/// Reads a small file as a whole.
pub(crate) fn read_small(path: &Path, most: u64) -> Result<Vec<u8>> {
    let metadata = fs::metadata(path).map_err(|e| Error::io(path, e))?;
    if !metadata.is_file() {
        return Err(Error::corrupt("not a regular file").in_file(path));
    }
    if metadata.len() > most {
        return Err(Error::corrupt("file is too long")
            .in_file(path)
            .values(format_args!("at most {most}"), metadata.len()));
    }
    fs::read(path).map_err(|e| Error::io(path, e))
}

impl DataFile {
    /// Opens a file of a stated length.
    pub fn open(path: PathBuf, length: u64, access: Access) -> Result<DataFile> {
        let metadata = fs::metadata(&path).map_err(|e| Error::io(&path, e))?;
        if !metadata.is_file() {
            return Err(Error::corrupt("not a regular file").in_file(&path));
        }
        let file = fs::File::open(&path).map_err(|e| Error::io(&path, e))?;
        let actual = file.metadata().map_err(|e| Error::io(&path, e))?.len();
        if actual != length {
            return Err(Error::corrupt("file length differs from the manifest").in_file(&path).values(length, actual));
        }
        let content = match access {
            Access::Mapped if length > 0 => {
                // SAFETY: files of a version never change; that a file is cut nevertheless is documented at Access::Mapped.
                let map = unsafe { Mmap::map(&file) }.map_err(|e| Error::io(&path, e))?;
                Content::Mapped(Arc::new(map))
            }
            _ => Content::Read(file),
        };
        Ok(DataFile { path, length, content })
    }

    /// Makes page faults read and map huge pages. Where the system cannot, nothing happens.
    pub fn advise_huge_pages(&self) {
        #[cfg(target_os = "linux")]
        if let Content::Mapped(map) = &self.content {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
    }

    pub fn mapped(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Mapped(map) => Some(map),
            Content::Read(_) => None,
        }
    }

    /// Reads a range that lies in the file.
    pub fn bytes(&self, offset: u64, length: usize) -> Result<Bytes> {
        match &self.content {
            Content::Mapped(map) => {
                let slice = &map[offset as usize..][..length];
                Ok(Bytes { start: slice.as_ptr(), length, _owner: Owner::Mapped(map.clone()) })
            }
            Content::Read(_) => {
                let mut buffer = Vec::new();
                self.read(offset, length, &mut buffer)?;
                Ok(buffer.into())
            }
        }
    }

    /// Reads a range that lies in the file into a buffer.
    pub fn read(&self, offset: u64, length: usize, buffer: &mut Vec<u8>) -> Result<()> {
        match &self.content {
            Content::Mapped(map) => {
                buffer.clear();
                buffer.extend_from_slice(&map[offset as usize..][..length]);
                Ok(())
            }
            Content::Read(file) => {
                let missing = length.saturating_sub(buffer.len());
                buffer.try_reserve(missing).map_err(|_| Error::memory(length).in_file(&self.path).at(offset))?;
                buffer.resize(length, 0);
                file.read_exact_at(buffer, offset).map_err(|e| match e.kind() {
                    std::io::ErrorKind::UnexpectedEof => {
                        Error::corrupt("file has been cut").in_file(&self.path).at(offset)
                    }
                    _ => Error::io(&self.path, e).at(offset),
                })
            }
        }
    }
}
