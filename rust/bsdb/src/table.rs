//! A version of a table.

use std::borrow::Cow;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::counters::{Counters, Counts};
use crate::error::{Error, ErrorKind, Result};
use crate::file::{read_small, Access, DataFile};
use crate::hash::KeyHash;
use crate::manifest::{is_version, Manifest};
use crate::overlay::Overlay;
use crate::partition::Partition;
use crate::record::Scratch;
use crate::schema::Schema;
use crate::segment::Segment;

const MAX_MANIFEST: u64 = 64 << 20;
/// More than `CURRENT` has, so that a message can show what is in it.
const MAX_CURRENT: u64 = 1024;
const MAX_KEY: usize = 65_535;
const LEAST_FOR_HUGE_PAGES: u64 = 64 << 20;

/// The value that means, in a table with a history, that no row is valid from the time of its key on.
const ENDED: [u8; 1] = [8];

/// How a table is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    access: Access,
}

impl Options {
    /// Sets how blocks are read; mapped by default.
    pub fn access(mut self, access: Access) -> Options {
        self.access = access;
        self
    }
}

/// One version of a table. It never changes, and may be used by many threads.
pub struct Table {
    pub(crate) path: PathBuf,
    version: String,
    options: Options,
    pub(crate) manifest: Manifest,
    pub(crate) partitions: Vec<Arc<Partition>>,
    pub(crate) overlay: Option<Overlay>,
    /// Shared by the versions that a follower opens.
    pub(crate) counts: Arc<Counts>,
}

/// Reads the name of the version in service.
pub(crate) fn current(path: &Path) -> Result<String> {
    let file = path.join("CURRENT");
    let content = read_small(&file, MAX_CURRENT).map_err(|e| match e.kind() {
        ErrorKind::NotFound => Error::new(ErrorKind::NotFound, "no table, or none that is published").in_file(&file),
        _ => e,
    })?;
    let name = content.strip_suffix(b"\n").and_then(|name| std::str::from_utf8(name).ok());
    match name {
        Some(name) if is_version(name) => Ok(name.to_owned()),
        _ => Err(Error::corrupt("CURRENT does not name a version").in_file(&file).values(
            "a version and a line feed",
            format_args!("{:?}", String::from_utf8_lossy(&content[..content.len().min(60)])),
        )),
    }
}

/// Whether a table is so large that the TLB does not cover it, and so small that all of it will be in memory soon: then to
/// read 2 MiB at a page fault is no waste.
fn gains_by_huge_pages(bytes: u64) -> bool {
    // SAFETY: it reads a number, or returns -1.
    let [pages, page] = [libc::_SC_PHYS_PAGES, libc::_SC_PAGESIZE].map(|n| unsafe { libc::sysconf(n) }.max(0) as u64);
    bytes >= LEAST_FOR_HUGE_PAGES && bytes <= pages * page / 2
}

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Lends the buffers of this thread.
pub(crate) fn with_scratch<R>(action: impl FnOnce(&mut Scratch) -> R) -> R {
    // A thread that ends, and the main thread in a function of `atexit`, has none any more.
    let mut scratch = SCRATCH.try_with(Cell::take).ok().flatten().unwrap_or_default();
    let result = action(&mut scratch);
    scratch.trim();
    let _ = SCRATCH.try_with(|kept| kept.set(Some(scratch)));
    result
}

impl Table {
    /// Opens the version in service.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Table> {
        Self::open_after(path.as_ref(), options, None)
    }

    /// Opens the version in service, and takes over from another one the files that both have.
    pub(crate) fn open_after(path: &Path, options: Options, previous: Option<&Table>) -> Result<Table> {
        let mut version = current(path)?;
        loop {
            match Self::open_version(path, &version, options, previous) {
                Err(e) if e.kind() == ErrorKind::NotFound => {
                    // Perhaps the version was replaced and deleted meanwhile.
                    let next = current(path)?;
                    if next == version {
                        return Err(e);
                    }
                    version = next;
                }
                result => return result,
            }
        }
    }

    fn open_version(path: &Path, version: &str, options: Options, previous: Option<&Table>) -> Result<Table> {
        let snapshots = path.join("snapshots");
        let file = snapshots.join(version).join("manifest.json");
        let content = read_small(&file, MAX_MANIFEST)?;
        let manifest = Manifest::parse(&content, version).map_err(|e| e.in_file(&file))?;
        let counts = previous.map(|p| p.counts.clone()).unwrap_or_default();
        let old_partitions = previous.map_or(&[][..], |p| &p.partitions);
        let mut partitions = Vec::with_capacity(manifest.partitions.len());
        let huge =
            options.access == Access::Mapped && gains_by_huge_pages(manifest.partitions.iter().map(|p| p.length).sum());
        for entry in &manifest.partitions {
            let same = |p: &&Arc<Partition>| {
                let bound = p.order.is_none()
                    || entry.lower_bound.is_empty()
                    || p.order.as_ref().is_some_and(|o| o.first_key() == entry.lower_bound);
                p.id == entry.id
                    && p.checksum == entry.checksum
                    && p.file.length == entry.length
                    && p.n == entry.record_count
                    && p.order.is_some() == (manifest.ordered && p.n > 0)
                    && bound
            };
            partitions.push(match old_partitions.iter().find(same) {
                Some(partition) => partition.clone(),
                None => {
                    let directory = snapshots.join(entry.version.as_deref().unwrap_or(version));
                    let path = directory.join(&entry.file);
                    let file = DataFile::open(path, entry.length, options.access)?;
                    if huge {
                        file.advise_huge_pages();
                    }
                    Arc::new(Partition::open(file, entry, manifest.ordered, counts.clone())?)
                }
            });
        }
        let mut table = Table {
            path: path.to_owned(),
            version: version.to_owned(),
            options,
            manifest,
            partitions,
            overlay: None,
            counts,
        };
        if !table.manifest.segments.is_empty() {
            table.overlay = Some(table.open_changes(previous)?);
        }
        Ok(table)
    }

    fn open_changes(&self, previous: Option<&Table>) -> Result<Overlay> {
        if !self.stores_keys() {
            return Err(Error::corrupt("changes of a table whose keys are omitted").in_file(&self.path));
        }
        let old = previous.and_then(|p| p.overlay.as_ref());
        let mut segments = Vec::new();
        for entry in &self.manifest.segments {
            let same = |s: &&Arc<Segment>| s.id == entry.id && s.checksum == entry.checksum && s.number == entry.number;
            segments.push(match old.and_then(|o| o.segments().iter().find(same)) {
                Some(segment) => segment.clone(),
                None => {
                    let path = self.path.join("data").join(&entry.file);
                    Arc::new(Segment::open(path, entry, self.options.access)?)
                }
            });
        }
        let continued = old.filter(|o| {
            let apply_alike = previous.is_some_and(|p| {
                p.manifest.ordered == self.manifest.ordered
                    && p.manifest.partitions.len() == self.manifest.partitions.len()
                    && p.manifest
                        .partitions
                        .iter()
                        .zip(&self.manifest.partitions)
                        .all(|(a, b)| a.folded_through == b.folded_through && a.lower_bound == b.lower_bound)
            });
            apply_alike && o.is_prefix_of(&segments)
        });
        Ok(Overlay::new(continued, segments, self.manifest.ordered, |segment, key, hash| {
            segment.number > self.manifest.partitions[self.partition_of(key, hash)].folded_through
        }))
    }

    /// The directory of the table.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The UUID of the build.
    pub fn snapshot_id(&self) -> &str {
        &self.manifest.snapshot_id
    }

    /// When the version was published, as ISO 8601 in UTC.
    pub fn created_at(&self) -> &str {
        &self.manifest.created_at
    }

    /// How many records the partition files hold, without changes over them; ended rows of a history count.
    pub fn record_count(&self) -> u64 {
        self.manifest.record_count
    }

    /// Whether records are in the order of their keys.
    pub fn is_ordered(&self) -> bool {
        self.manifest.ordered
    }

    /// Whether the last column of the key is the time from which a row is valid, until the next one with the same other columns.
    pub fn has_history(&self) -> bool {
        self.manifest.history
    }

    /// Whether a value stands for no value: that of an ended row of a history.
    #[inline]
    pub(crate) fn hides(&self, value: &[u8]) -> bool {
        self.manifest.history && value == ENDED
    }

    /// Whether records hold their keys; else lookups alone know them.
    pub fn stores_keys(&self) -> bool {
        self.partitions.iter().all(|p| p.stored || p.n == 0)
    }

    /// The columns; none if keys and values are plain bytes.
    pub fn schema(&self) -> Option<&Schema> {
        self.manifest.schema.as_ref()
    }

    /// What the builder wished to say.
    pub fn properties(&self) -> &[(String, String)] {
        &self.manifest.properties
    }

    /// How far the build had read its sources.
    pub fn source_positions(&self) -> &[(String, String)] {
        &self.manifest.source_positions
    }

    /// How many keys were looked up, and blocks read; of a table that is followed, in all versions.
    pub fn counters(&self) -> Counters {
        self.counts.sum()
    }

    #[inline]
    pub(crate) fn partition_of(&self, key: &[u8], hash: KeyHash) -> usize {
        if self.manifest.ordered {
            return self.partition_in_order(key);
        }
        hash.partition(self.partitions.len())
    }

    /// In key order: the last partition whose lower bound is not above a key.
    pub(crate) fn partition_in_order(&self, key: &[u8]) -> usize {
        self.manifest.partitions.partition_point(|p| p.lower_bound[..] <= *key).saturating_sub(1)
    }

    /// Whether bytes have the length of a key; others are absent.
    pub(crate) fn is_key(key: &[u8]) -> bool {
        (1..=MAX_KEY).contains(&key.len())
    }

    /// The value of a key: borrowed where it lies in memory as it is, else decoded or copied.
    pub fn get(&self, key: &[u8]) -> Result<Option<Cow<'_, [u8]>>> {
        let found = self.look_up(key).map(|found| found.filter(|value| !self.hides(value)));
        self.counts.add(&found);
        found
    }

    #[inline]
    fn look_up(&self, key: &[u8]) -> Result<Option<Cow<'_, [u8]>>> {
        if !Self::is_key(key) {
            return Ok(None);
        }
        let hash = KeyHash::of(key);
        if let Some(change) = self.overlay.as_ref().and_then(|o| o.get(key, hash)) {
            return Ok(change.value().map(Cow::Borrowed));
        }
        let partition = &*self.partitions[self.partition_of(key, hash)];
        if partition.n == 0 {
            return Ok(None);
        }
        if partition.lends() && partition.has_points() {
            let number = partition.number(partition.rank(hash));
            if !partition.may_be(number, hash) {
                return Ok(None);
            }
            return Ok(partition.lent(number, key)?.map(Cow::Borrowed));
        }
        with_scratch(|scratch| Ok(partition.find(key, hash, scratch)?.map(|value| Cow::Owned(value.to_vec()))))
    }

    /// Copies the value of a key into a buffer, whose content it replaces; false if the key is absent.
    pub fn get_into(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool> {
        let found = self.get(key)?;
        value.clear();
        match found {
            Some(Cow::Owned(owned)) => *value = owned,
            Some(Cow::Borrowed(borrowed)) => value.extend_from_slice(borrowed),
            None => return Ok(false),
        }
        Ok(true)
    }

    /// Whether a key has a value.
    pub fn contains(&self, key: &[u8]) -> Result<bool> {
        Ok(self.get(key)?.is_some())
    }

    /// Reads everything: the checksum of each file, and each record by its key.
    pub fn verify(&self) -> Result<()> {
        self.verify_checking(&mut || Ok(()))
    }

    /// The same, and ends if a check fails, which is called after each mebibyte or thousand records.
    #[doc(hidden)]
    pub fn verify_checking(&self, check: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        for (i, partition) in self.partitions.iter().enumerate() {
            partition.verify(|key, hash| self.partition_of(key, hash) == i, check)?;
        }
        self.overlay.iter().flat_map(|o| o.segments()).try_for_each(|s| s.verify_file(check))
    }
}

impl Partition {
    /// The value of a key that has no change. There are records.
    pub(crate) fn find<'a>(&'a self, key: &[u8], hash: KeyHash, scratch: &'a mut Scratch) -> Result<Option<&'a [u8]>> {
        let number = if self.has_points() {
            let number = self.number(self.rank(hash));
            if !self.may_be(number, hash) {
                return Ok(None);
            }
            number
        } else {
            match self.count_below(key, true, scratch)? {
                0 => return Ok(None),
                count => count - 1,
            }
        };
        self.value(number, key, scratch)
    }

    /// Verifies everything. `here` is true for the keys of this partition.
    fn verify(&self, here: impl Fn(&[u8], KeyHash) -> bool, check: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.verify_file(check)?;
        let unused = self.unused_signatures()?;
        let mut scratch = Scratch::default();
        let (mut before, mut check_order) = (Vec::new(), self.order.as_ref().map(|o| (o, o.check(&self.index))));
        let (mut key_bytes, mut value_bytes) = (0, 0);
        let in_file = |e: Error| e.in_file(&self.file.path);
        let wrong = |what: &str, number: u32| {
            let offset = self.block_offset(self.index.block_of(number));
            in_file(Error::corrupt(format!("{what}: record {number}"))).at(offset)
        };
        let mut work = 0;
        for number in 0..self.n {
            if work >= 1 << 20 {
                check()?;
                work = 0;
            }
            let (key, value) = self.record(number, &mut scratch)?;
            work += 1024 + key.len() + value.len();
            (key_bytes, value_bytes) = (key_bytes + key.len() as u64, value_bytes + value.len() as u64);
            if !self.stored {
                continue;
            }
            let hash = KeyHash::of(key);
            if !here(key, hash) {
                return Err(wrong("record is not found by its key, which belongs to another partition", number));
            }
            // Without points it is found by its order.
            if self.has_points() && self.number(self.rank(hash)) != number {
                return Err(wrong("record is not found by its key, which leads to another one", number));
            }
            if !self.may_be(number, hash) || unused.as_ref().is_some_and(|s| !s.allow(number, hash)) {
                return Err(wrong("record is not found by its key, which its signature rules out", number));
            }
            if let Some((order, check)) = &mut check_order {
                let first = if number == 0 { Some(order.first_key()) } else { None };
                let last = if number + 1 == self.n { Some(order.last_key()) } else { None };
                let ends = first.is_none_or(|k| k == key) && last.is_none_or(|k| k == key);
                if !ends || number > 0 && key <= &before[..] {
                    return Err(wrong("keys do not ascend", number));
                }
                check.accept(number, key).map_err(in_file)?;
                before.clear();
                before.extend_from_slice(key);
            }
        }
        if let Some((_, check)) = &check_order {
            check.end_block(&before).map_err(in_file)?;
        }
        let stated = if self.stored { self.bytes } else { (0, self.bytes.1) };
        if stated != (key_bytes, value_bytes) {
            let error = in_file(Error::corrupt("sums of the lengths of keys and values differ from the manifest"));
            return Err(error.values(format_args!("{stated:?}"), format_args!("{:?}", (key_bytes, value_bytes))));
        }
        Ok(())
    }

    fn verify_file(&self, check: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let (mut crc, mut at, mut buffer) = (0, 0, Vec::new());
        while at < self.file.length {
            check()?;
            let length = (self.file.length - at).min(1 << 20);
            self.file.read(at, length as usize, &mut buffer)?;
            crc = crc32c::crc32c_append(crc, &buffer);
            at += length;
        }
        crate::bytes::check("file", 0, self.checksum, crc).map_err(|e| e.in_file(&self.file.path))
    }
}
