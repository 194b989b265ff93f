//! Followers beside a publisher that publishes, deletes what it replaced, and sometimes publishes what cannot be opened.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bsdb::{Access, Counters, Error, ErrorKind, Follower, Options, Table};

mod tables;
use tables::{copy, folder, records, Records};

const NAMES: [&str; 5] = ["blocked", "compressed", "changes", "order-compact", "changes-in-key-order"];
const BAD: &str = "9999999999-0badc0de";

/// A directory in which one version after the other is put in service.
struct Publisher {
    path: PathBuf,
    /// Name and records of the version of each table.
    versions: Vec<(String, Records)>,
}

impl Publisher {
    fn new(name: &str) -> Publisher {
        let path = std::env::temp_dir().join(format!("bsdb-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let version = |name: &&str| {
            let table = Table::open(folder().join("tables").join(name), Options::default()).unwrap();
            (table.version().to_owned(), records(&table).unwrap())
        };
        let publisher = Publisher { path, versions: NAMES.iter().map(version).collect() };
        publisher.publish(0, None);
        publisher
    }

    /// Puts a version in service as Java does: its files, then `CURRENT` in one step; then deletes the one before.
    fn publish(&self, number: usize, before: Option<usize>) {
        let mut files = Vec::new();
        let source = folder().join("tables").join(NAMES[number]);
        for part in ["data", "snapshots"].iter().filter(|part| source.join(part).exists()) {
            copy(&source.join(part), &self.path.join(part), &mut files);
        }
        self.put_in_service(&self.versions[number].0);
        if let Some(before) = before {
            self.delete(&folder().join("tables").join(NAMES[before]), Path::new(""), &files);
        }
    }

    fn put_in_service(&self, version: &str) {
        let next = self.path.join("CURRENT.next");
        fs::write(&next, format!("{version}\n")).unwrap();
        fs::rename(next, self.path.join("CURRENT")).unwrap();
    }

    /// Deletes what a table has, but for files of another one.
    fn delete(&self, table: &Path, part: &Path, others: &[PathBuf]) {
        for entry in fs::read_dir(table.join(part)).unwrap() {
            let entry = entry.unwrap();
            let part = part.join(entry.file_name());
            let target = self.path.join(&part);
            if entry.file_type().unwrap().is_dir() {
                self.delete(table, &part, others);
            } else if part != Path::new("CURRENT") && !others.contains(&target) {
                fs::remove_file(target).unwrap();
            }
        }
    }

    /// Puts a version in service whose manifest is cut.
    fn publish_bad(&self) {
        let directory = self.path.join("snapshots").join(BAD);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("manifest.json"), "{\n  \"formatVersion\" : 1,\n").unwrap();
        self.put_in_service(BAD);
    }

    /// Asks a version for everything: it must be whole, whatever is in service by now.
    fn check(&self, table: &Table) -> Result<(), Error> {
        let expected: HashMap<_, _> = self.versions.iter().map(|(name, records)| (&name[..], records)).collect();
        let records = expected[table.version()];
        for (key, value) in records {
            assert_eq!(table.get(key)?.as_deref(), Some(&value[..]), "{}", table.version());
        }
        table.get_many(records.iter().map(|r| &r.0), |i, value| {
            assert_eq!(value, Some(&records[i].1[..]), "{}", table.version());
            Ok(())
        })?;
        assert_eq!(&tables::records(table)?, records);
        Ok(())
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.path).unwrap();
    }
}

#[test]
fn followers_see_whole_versions_under_a_publisher_that_prunes() {
    let publisher = Publisher::new("follow");
    let follower = Follower::new(&publisher.path, Options::default(), Duration::from_millis(1)).unwrap();
    let done = AtomicBool::new(false);
    let published = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for reader in 0..3 {
            let (publisher, follower, done, published) = (&publisher, &follower, &done, &published);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    if reader == 0 {
                        // Versions may be deleted while they are opened; the next one is opened then.
                        let before = published.load(Ordering::SeqCst);
                        if let Err(failure) = follower.refresh() {
                            // Only here does a deleted version come back under its name, after all the others.
                            let meanwhile = published.load(Ordering::SeqCst) - before;
                            let back = failure.kind() == ErrorKind::NotFound && meanwhile >= NAMES.len() - 1;
                            assert!(back, "{failure}, after {meanwhile} publications");
                        }
                    }
                    publisher.check(&follower.current()).unwrap();
                }
            });
        }
        // However a reader ends, the others do.
        let result = std::panic::catch_unwind(|| {
            for i in 1..200 {
                publisher.publish(i % NAMES.len(), Some((i - 1) % NAMES.len()));
                published.store(i, Ordering::SeqCst);
            }
        });
        done.store(true, Ordering::Relaxed);
        result.unwrap();
    });
    follower.refresh().unwrap();
    assert_eq!(follower.current().version(), publisher.versions[199 % NAMES.len()].0);
    assert_eq!(follower.refused(), None);
}

#[test]
fn counters_go_on_from_version_to_version() {
    let publisher = Publisher::new("count");
    let follower = Follower::by_hand(&publisher.path, Options::default()).unwrap();
    publisher.check(&follower.current()).unwrap();
    publisher.publish(1, Some(0));
    assert!(follower.refresh().unwrap());
    publisher.check(&follower.current()).unwrap();
    assert_eq!(follower.current().get(b"no such key").unwrap(), None);
    let records: usize = publisher.versions[..2].iter().map(|(_, records)| records.len()).sum();
    // Each was asked for alone and in a batch.
    let expected = Counters { hits: 2 * records as u64, misses: 1, ..Counters::default() };
    assert_eq!(follower.current().counters(), expected);
}

#[test]
fn blocks_that_are_read_are_counted() {
    let publisher = Publisher::new("reads");
    let follower = Follower::by_hand(&publisher.path, Options::default().access(Access::Read)).unwrap();
    let (key, _) = publisher.versions[0].1.first().unwrap();
    for _ in 0..2 {
        assert!(follower.current().get(key).unwrap().is_some());
    }
    let before = follower.current().counters();
    assert_eq!((before.hits, before.block_reads), (2, 1), "a thread keeps the block that it read last");
    assert!((24..=8192).contains(&before.bytes_read), "{before:?}");
    publisher.publish(1, Some(0));
    assert!(follower.refresh().unwrap());
    publisher.check(&follower.current()).unwrap();
    let after = follower.current().counters();
    assert!(after.block_reads > 1 && after.bytes_read > before.bytes_read, "{after:?}");
}

#[test]
fn followers_refuse_bad_versions_and_keep_the_one_before() {
    let publisher = Publisher::new("refuse");
    let follower = Follower::by_hand(&publisher.path, Options::default()).unwrap();
    let held = follower.current();
    for i in 1..20 {
        publisher.publish_bad();
        let failure = follower.refresh().unwrap_err();
        assert_eq!(failure.kind(), ErrorKind::Corrupt, "{failure}");
        assert!(follower.refused().unwrap().contains("manifest.json"));
        publisher.check(&follower.current()).unwrap();
        assert_eq!(follower.current().version(), publisher.versions[(i - 1) % NAMES.len()].0);
        publisher.publish(i % NAMES.len(), Some((i - 1) % NAMES.len()));
        assert!(follower.refresh().unwrap());
        assert_eq!(follower.refused(), None);
        publisher.check(&follower.current()).unwrap();
    }
    // Its files have been deleted; who holds it reads on.
    publisher.check(&held).unwrap();
}

#[test]
fn changes_are_indexed_anew_in_another_order() {
    let publisher = Publisher::new("order");
    let versions = ["changes-of-all-lengths", "order-of-one-record"].map(|name| {
        let source = folder().join("tables").join(name);
        copy(&source, &publisher.path, &mut Vec::new());
        Table::open(source, Options::default()).unwrap().version().to_owned()
    });
    let manifests = versions.each_ref().map(|v| publisher.path.join("snapshots").join(v).join("manifest.json"));
    let texts = manifests.each_ref().map(|path| fs::read_to_string(path).unwrap());
    let [before, after] = texts.each_ref().map(|text| &text[..text.len() - "\"checksum\" : \"01234567\"\n}\n".len()]);
    // One partition for another, with the same changes over it.
    let both = format!("{after}{}", &before[before.find("\"lastSegment\"").unwrap()..]);
    let checksum = crc32c::crc32c(both.as_bytes());
    fs::write(&manifests[1], format!("{both}\"checksum\" : \"{checksum:08x}\"\n}}\n")).unwrap();
    publisher.put_in_service(&versions[0]);
    let follower = Follower::by_hand(&publisher.path, Options::default()).unwrap();
    publisher.put_in_service(&versions[1]);
    assert!(follower.refresh().unwrap());
    let opened = Table::open(&publisher.path, Options::default()).unwrap();
    let expected = records(&opened).unwrap();
    assert!(opened.is_ordered() && expected.len() > 1);
    assert_eq!(records(&follower.current()).unwrap().len(), expected.len());
}
