//! Tables that a test of the Java library builds in every layout and order, with changes and with rows of every type, compared
//! key by key: `mvn test -pl bsdb-reader -am -Dtest=TablesForOtherReadersTest -Dsurefire.failIfNoSpecifiedTests=false`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use bsdb::{Access, Json, Options, Table};

mod tables;

struct Record {
    key: Vec<u8>,
    value: Vec<u8>,
    row: Option<String>,
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn records(file: &Path) -> Vec<Record> {
    let mut records: Vec<Record> = fs::read_to_string(file)
        .unwrap()
        .split_terminator('\n')
        .map(|line| {
            let mut columns = line.splitn(3, '\t').map(str::to_owned);
            let mut next = || bytes(&columns.next().unwrap());
            Record { key: next(), value: next(), row: columns.next() }
        })
        .collect();
    records.sort_by(|a, b| a.key.cmp(&b.key));
    records
}

fn compare(path: &Path, access: Access, records: &[Record]) -> bsdb::Result<()> {
    let table = Table::open(path, Options::default().access(access))?;
    let name = path.display();
    for record in records {
        assert_eq!(table.get(&record.key)?.as_deref(), Some(&record.value[..]), "{name}: {:02x?}", record.key);
        if let (Some(row), Some(schema)) = (&record.row, table.schema()) {
            let json = schema.json(&record.key, &record.value)?;
            assert_eq!(Json::parse(json.as_bytes())?, Json::parse(row.as_bytes())?, "{name}");
        }
    }
    let mut seen = 0;
    table.get_many(records.iter().map(|r| &r.key), |i, value| {
        assert_eq!(value, Some(&records[i].value[..]), "{name}: key {i} of a batch");
        seen += 1;
        Ok(())
    })?;
    assert_eq!(seen, records.len());
    let mut scanned = tables::records(&table)?;
    assert_eq!(scanned.len(), records.len(), "{name}");
    if scanned.iter().all(|s| s.0.is_empty()) {
        return Ok(()); // keys are not stored
    }
    if !table.is_ordered() {
        scanned.sort();
    }
    for (scanned, record) in scanned.iter().zip(records) {
        assert_eq!((&scanned.0, &scanned.1), (&record.key, &record.value), "{name}");
    }
    // Between keys: with a million of them, at one in sixteen.
    let step = if records.len() > 100_000 { 16 } else { 1 };
    for (i, record) in records.iter().enumerate().step_by(step) {
        // The least key above another one: absent, unless it is the next.
        let mut after = record.key.clone();
        after.push(0);
        let next = records.get(i + 1).map(|r| &r.key);
        if next == Some(&after) {
            continue;
        }
        assert_eq!(table.get(&after)?, None, "{name}: {after:02x?}");
        if table.is_ordered() {
            let ordered = table.ordered()?;
            assert_eq!(ordered.floor(&after)?.map(|e| e.key).as_ref(), Some(&record.key), "{name}");
            assert_eq!(ordered.ceiling(&after)?.map(|e| e.key).as_ref(), next, "{name}");
        }
    }
    Ok(())
}

#[test]
fn finds_what_java_wrote() {
    let stated = std::env::var_os("BSDB_TABLES").map(PathBuf::from);
    let folder = stated.clone().unwrap_or_else(|| tables::folder().join("../bsdb-reader/target/other-readers"));
    if stated.is_none() && !folder.exists() {
        println!("nothing is compared: Java has built no tables at {}", folder.display());
        return;
    }
    let mut compared = 0;
    for set in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        let records = records(&set.join("records"));
        let tables: Vec<_> =
            fs::read_dir(&set).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
        compared += tables.len();
        let left = Mutex::new(tables.into_iter());
        let next = || left.lock().unwrap().next();
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    while let Some(path) = next() {
                        let start = Instant::now();
                        for access in [Access::Mapped, Access::Read] {
                            compare(&path, access, &records).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                        }
                        println!("{}: {} records, {:.0?}", path.display(), records.len(), start.elapsed());
                    }
                });
            }
        });
    }
    assert!(compared >= 25, "{compared} tables");
}
