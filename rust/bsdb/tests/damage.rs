//! Each byte of small tables damaged: a right answer or an error, never a wrong value, never "absent", never a panic.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;

use bsdb::{Access, ErrorKind, Options, Result, Table};

mod tables;
use tables::{copy, folder, records, Records};

/// Memory of which no thread gets more at once than it has set.
struct Limited;

thread_local! {
    static MOST: Cell<usize> = const { Cell::new(usize::MAX) };
}

// SAFETY: it is the system's, or none.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() > MOST.get() {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static MEMORY: Limited = Limited;

fn word(data: &[u8], at: usize) -> usize {
    u32::from_le_bytes(data[at..at + 4].try_into().unwrap()) as usize
}

/// Puts a word into a file.
fn put(data: &mut [u8], at: usize, word: u32) {
    data[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

/// The checksum of a part of a file, bound to it and to where it lies.
fn bound(data: &[u8], kind: u32, place: usize, covered: std::ops::Range<usize>) -> u32 {
    let mut prefix = data[16..32].to_vec();
    prefix.extend(kind.to_le_bytes());
    prefix.extend((place as u64).to_le_bytes());
    crc32c::crc32c_append(crc32c::crc32c(&prefix), &data[covered])
}

/// Writes a manifest with the checksum that fits.
fn seal(manifest: &Path, text: &str) {
    let covered = &text[..text.len() - 26];
    let checksum = crc32c::crc32c(covered.as_bytes());
    fs::write(manifest, format!("{covered}\"checksum\" : \"{checksum:08x}\"\n}}\n")).unwrap();
}

/// Opens a table and looks up everything in each way; an answer must be the right one.
fn use_table(path: &Path, expected: &Records, access: Access) -> Result<()> {
    let table = Table::open(path, Options::default().access(access))?;
    let mut failure = Ok(());
    for (key, value) in expected {
        match table.get(key) {
            Ok(found) => assert_eq!(found.as_deref(), Some(&value[..]), "{}", path.display()),
            Err(e) => failure = Err(e),
        }
        if table.is_ordered() {
            match table.ordered()?.floor(key) {
                Ok(found) => assert_eq!(found.map(|f| f.key).as_ref(), Some(key), "{}", path.display()),
                Err(e) => failure = Err(e),
            }
        }
    }
    let batch = table.get_many(expected.iter().map(|e| &e.0), |i, value| {
        assert_eq!(value, Some(&expected[i].1[..]), "{}", path.display());
        Ok(())
    });
    failure.and(batch)
}

#[test]
fn each_damaged_byte_is_found_or_does_no_harm() {
    let scratch = std::env::temp_dir().join(format!("bsdb-damage-{}", std::process::id()));
    let names = ["compressed", "sux4j", "changes-in-key-order"];
    for name in names {
        // Tables of some 20 KB: opened once for each of their bytes.
        let (target, mut files) = (scratch.join(name), Vec::new());
        copy(&folder().join("tables").join(name), &target, &mut files);
        let expected = records(&Table::open(&target, Options::default()).unwrap()).unwrap();
        let mut found = 0;
        for file in &files {
            let sound = fs::read(file).unwrap();
            for at in 0..sound.len() {
                let handle = fs::OpenOptions::new().write(true).open(file).unwrap();
                handle.write_all_at(&[sound[at] ^ 1 << (at % 8)], at as u64).unwrap();
                let access = if at % 2 == 0 { Access::Mapped } else { Access::Read };
                if let Err(e) = use_table(&target, &expected, access) {
                    assert_ne!(e.kind(), ErrorKind::Io, "{e}");
                    let is_data = file.extension().is_some_and(|e| e == "bsdb" || e == "seg");
                    assert!(e.file().is_some() && (e.offset().is_some() || !is_data), "{e}");
                    found += 1;
                }
                handle.write_all_at(&sound[at..=at], at as u64).unwrap();
            }
        }
        assert!(found > 1000, "{name}: {found} damaged bytes were found");
    }
    fs::remove_dir_all(&scratch).unwrap();
}

#[test]
fn a_long_current_is_not_read() {
    let (target, mut files) = (std::env::temp_dir().join(format!("bsdb-current-{}", std::process::id())), Vec::new());
    copy(&folder().join("tables/compact"), &target, &mut files);
    let current = fs::OpenOptions::new().append(true).open(target.join("CURRENT")).unwrap();
    current.set_len(4 << 40).unwrap();
    let error = Table::open(&target, Options::default()).err().unwrap();
    fs::remove_dir_all(&target).unwrap();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    assert!(error.to_string().contains("CURRENT"), "{error}");
}

/// The slot of the last record of a block leads into the padding, and the block has the checksum of that.
#[test]
fn no_record_goes_on_into_the_padding_of_its_block() {
    let (target, mut files) = (std::env::temp_dir().join(format!("bsdb-slots-{}", std::process::id())), Vec::new());
    copy(&folder().join("tables/blocked"), &target, &mut files);
    let expected = records(&Table::open(&target, Options::default()).unwrap()).unwrap();
    let mut forged = 0;
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "bsdb")) {
        let mut data = fs::read(file).unwrap();
        let (mut at, mut rank) = (word(&data, 32), 0);
        // What follows the last block has no such first rank.
        while word(&data, at + 8) == rank {
            let (content, count) = (word(&data, at + 4), word(&data, at + 12) & 0xFFFF);
            let end = at + content.next_multiple_of(4096);
            if count > 1 && end > at + content {
                let slot = at + 24 + 2 * (count - 1);
                data[slot..slot + 2].copy_from_slice(&(content as u16 - 23).to_le_bytes());
                let checksum = bound(&data, 1, at, at + 4..end);
                put(&mut data, at, checksum);
                forged += 1;
            }
            (at, rank) = (end, rank + count);
        }
        fs::write(file, data).unwrap();
    }
    let mut failures = 0;
    for access in [Access::Mapped, Access::Read] {
        let table = Table::open(&target, Options::default().access(access)).unwrap();
        for (key, value) in &expected {
            match table.get(key) {
                Ok(found) => assert_eq!(found.as_deref(), Some(&value[..])),
                Err(e) => failures += (e.kind() == ErrorKind::Corrupt) as usize,
            }
        }
    }
    fs::remove_dir_all(&target).unwrap();
    assert!(forged > 0 && failures >= 4 * forged, "{forged} blocks, {failures} failures");
}

/// The first frame of each segment of a log says that it ends four bytes sooner, where its last field is zero.
#[test]
fn no_change_is_lost_after_a_first_frame_of_another_length() {
    let (target, mut files) = (std::env::temp_dir().join(format!("bsdb-frame-{}", std::process::id())), Vec::new());
    copy(&folder().join("tables/changes-of-a-log"), &target, &mut files);
    let expected = records(&Table::open(&target, Options::default()).unwrap()).unwrap();
    let mut forged = 0;
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "seg")) {
        let mut data = fs::read(file).unwrap();
        if data[32..40] == [0; 8] {
            continue;
        }
        put(&mut data, 68, 60);
        let checksum = bound(&data, 16, 64, 68..124);
        put(&mut data, 64, checksum);
        fs::write(file, data).unwrap();
        forged += 1;
    }
    let found = records(&Table::open(&target, Options::default()).unwrap()).unwrap();
    fs::remove_dir_all(&target).unwrap();
    assert_eq!(found, expected);
    assert!(forged > 0);
}

/// Properties and the header of a block allow frames of 256 MiB.
#[test]
fn frames_for_which_there_is_no_memory_are_an_error() {
    let (target, mut files) = (std::env::temp_dir().join(format!("bsdb-frames-{}", std::process::id())), Vec::new());
    copy(&folder().join("tables/compressed"), &target, &mut files);
    let expected = records(&Table::open(&target, Options::default()).unwrap()).unwrap();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "bsdb")) {
        let mut data = fs::read(file).unwrap();
        let tail = data.len() - 32;
        let directory = word(&data, tail);
        for entry in (directory..tail).step_by(32) {
            let (kind, at, length) = (word(&data, entry), word(&data, entry + 8), word(&data, entry + 16));
            if kind == 1 {
                put(&mut data, at + 16, 1 << 28);
                let checksum = bound(&data, 1, at, at + 4..at + length); // there is one block
                put(&mut data, at, checksum);
            } else if kind == 2 {
                put(&mut data, at + 32, 1 << 28);
                let checksum = bound(&data, 2, at, at..at + length);
                put(&mut data, entry + 24, checksum);
            }
        }
        let checksum = bound(&data, u32::MAX, directory, directory..tail + 20);
        put(&mut data, tail + 20, checksum);
        fs::write(file, data).unwrap();
    }
    for access in [Access::Mapped, Access::Read] {
        let table = Table::open(&target, Options::default().access(access)).unwrap();
        for (key, value) in &expected {
            assert_eq!(table.get(key).unwrap().as_deref(), Some(&value[..]));
            MOST.set(1 << 20);
            let found = table.get(key);
            MOST.set(usize::MAX);
            let error = found.err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Io, "{error}");
            assert!(error.file().is_some() && error.offset().is_some(), "{error}");
        }
    }
    fs::remove_dir_all(&target).unwrap();
}

/// Manifest and file have a segment of 1 GiB, which takes no place on a disk.
#[test]
fn a_file_for_which_there_is_no_memory_is_an_error() {
    let (target, mut files) = (std::env::temp_dir().join(format!("bsdb-large-{}", std::process::id())), Vec::new());
    copy(&folder().join("tables/changes"), &target, &mut files);
    let segment = files.iter().find(|file| file.extension().is_some_and(|e| e == "seg")).unwrap();
    let handle = fs::OpenOptions::new().write(true).open(segment).unwrap();
    let (id, sound) = (segment.file_stem().unwrap().to_str().unwrap(), handle.metadata().unwrap().len());
    handle.set_len(1 << 30).unwrap();
    let manifest = files.iter().find(|file| file.ends_with("manifest.json")).unwrap();
    let text = fs::read_to_string(manifest).unwrap();
    let (before, after) = text.split_at(text.find(id).unwrap());
    let stated = format!("\"length\" : {sound}");
    assert!(after.contains(&stated));
    seal(manifest, &format!("{before}{}", after.replacen(&stated, &format!("\"length\" : {}", 1 << 30), 1)));
    MOST.set(64 << 20);
    let opened = Table::open(&target, Options::default().access(Access::Read));
    MOST.set(usize::MAX);
    fs::remove_dir_all(&target).unwrap();
    let error = opened.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    assert_eq!(error.file(), Some(&**segment), "{error}");
}

/// The only key of a partition becomes another one, and block and manifest have the checksums of that.
#[test]
fn a_key_that_belongs_to_another_partition_is_found_by_verification() {
    let (target, mut files) = (std::env::temp_dir().join(format!("bsdb-moved-{}", std::process::id())), Vec::new());
    copy(&folder().join("tables/partitions-without-records"), &target, &mut files);
    let file = files.iter().find(|file| file.ends_with("part-00001.bsdb")).unwrap();
    let manifest = files.iter().find(|file| file.ends_with("manifest.json")).unwrap();
    let (mut data, text) = (fs::read(file).unwrap(), fs::read_to_string(manifest).unwrap());
    let stated = format!("{:08x}", crc32c::crc32c(&data));
    let (block, key) = (4096, 4096 + 24); // of 11 bytes, as all are
    let mut moved = 0;
    for first in 0..16 {
        data[key] = first;
        let checksum = bound(&data, 1, block, block + 4..block + 4096);
        put(&mut data, block, checksum);
        fs::remove_file(file).unwrap();
        fs::write(file, &data).unwrap();
        seal(manifest, &text.replace(&stated, &format!("{:08x}", crc32c::crc32c(&data))));
        let table = Table::open(&target, Options::default()).unwrap();
        let found = table.get(&data[key..key + 11]).unwrap().is_some();
        let refused = table.verify().err().map(|e| e.to_string()).unwrap_or_default();
        assert_eq!(refused.contains("another partition"), !found, "{first}: {refused}");
        moved += !found as usize;
    }
    fs::remove_dir_all(&target).unwrap();
    assert!(moved > 5, "{moved} keys");
}

/// A copy of a table in which a section of a file of its version is edited, and everything has the checksums of that.
fn forged(table: &str, kind: usize, edit: impl Fn(&mut [u8])) -> std::path::PathBuf {
    let target = std::env::temp_dir().join(format!("bsdb-forged-{table}-{kind}-{}", std::process::id()));
    let mut files = Vec::new();
    copy(&folder().join("tables").join(table), &target, &mut files);
    let version = fs::read_to_string(target.join("CURRENT")).unwrap();
    let directory = target.join("snapshots").join(version.trim_end());
    let file = directory.join("part-00000.bsdb");
    let mut data = fs::read(&file).unwrap();
    let stated = format!("{:08x}", crc32c::crc32c(&data));
    let tail = data.len() - 32;
    let sections = word(&data, tail);
    let entry = (sections..tail).step_by(32).find(|&at| word(&data, at) == kind).unwrap();
    let (at, end) = (word(&data, entry + 8), word(&data, entry + 8) + word(&data, entry + 16));
    edit(&mut data[at..end]);
    let checksum = bound(&data, kind as u32, at, at..end);
    put(&mut data, entry + 24, checksum);
    let checksum = bound(&data, u32::MAX, sections, sections..tail + 20);
    put(&mut data, tail + 20, checksum);
    fs::write(&file, &data).unwrap();
    let manifest = directory.join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    seal(&manifest, &text.replace(&stated, &format!("{:08x}", crc32c::crc32c(&data))));
    target
}

/// Opens a forged table, which full verification refuses with a message.
fn is_refused(target: &Path, access: Access, message: &str) {
    let table = Table::open(target, Options::default().access(access)).unwrap();
    let error = table.verify().err();
    assert_eq!(error.as_ref().map(|e| e.kind()), Some(ErrorKind::Corrupt), "{message}");
    let text = error.unwrap().to_string();
    assert!(text.contains(message) && text.contains("part-00000.bsdb"), "{text}");
}

#[test]
fn verification_compares_signatures_that_lookups_do_not_use() {
    let target = forged("compact", 4, |signatures| signatures[0] ^= 1);
    let key = {
        let table = Table::open(&target, Options::default()).unwrap();
        let mut all = table.scan();
        let key = all.next().unwrap().unwrap().0.to_vec();
        assert!(table.get(&key).unwrap().is_some());
        key
    };
    let reads = Table::open(&target, Options::default().access(Access::Read)).unwrap();
    assert_eq!(reads.get(&key).unwrap(), None);
    for access in [Access::Mapped, Access::Read] {
        is_refused(&target, access, "record is not found by its key");
    }
    fs::remove_dir_all(&target).unwrap();
}

/// The head of the last record is below that of its key, so that a search for that ends after it.
#[test]
fn verification_compares_heads_with_keys() {
    let last = 60; // of 61 records in one block
    let target = forged("order-compressed", 10, |heads| {
        let (at, shift) = (2 + 15 * last / 8, 15 * last % 8);
        let head = word(heads, at);
        put(heads, at, (head - (1 << shift)) as u32);
    });
    let table = Table::open(&target, Options::default()).unwrap();
    let key = records(&table).unwrap().swap_remove(last).0;
    assert_ne!(table.ordered().unwrap().ceiling(&key).unwrap().unwrap().key, key);
    is_refused(&target, Access::Mapped, "in HEADS");
    fs::remove_dir_all(&target).unwrap();
}

/// A wrong skip and a wrong head of a node, and a wrong skip of a block; all lookups of keys that are there end right.
#[test]
fn verification_compares_nodes_and_skips_with_keys() {
    let is_refused = |kind, edit: fn(&mut [u8]), message| {
        let target = forged("order-of-one-record", kind, edit);
        is_refused(&target, Access::Mapped, message);
        fs::remove_dir_all(&target).unwrap();
    };
    is_refused(8, |index| index[index.len() - 2] ^= 1, "skip of node 0 in ORDER_INDEX");
    is_refused(8, |index| index[index.len() - 130] ^= 1, "head of entry 0 of node 0 in ORDER_INDEX");
    is_refused(10, |heads| heads[0] ^= 8, "skip of block 0 in HEADS");
}
