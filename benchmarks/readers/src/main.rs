//! The Rust side of the comparison of readers: builds redb and LMDB beside the table, then answers each line, which names a
//! contender, with processor time in nanoseconds and bytes of values. Argument: the directory of the table and its keys.

use std::error::Error;
use std::hint::black_box;
use std::io::BufRead;
use std::path::Path;

use bsdb::{Options, Table};
use heed::types::Bytes;
use heed::{EnvFlags, EnvOpenOptions};
use redb::{Database, TableDefinition};

type Outcome<T> = Result<T, Box<dyn Error>>;

const KEY_LENGTH: usize = 16;
const BATCH: usize = 64;
const REDB: TableDefinition<&[u8], &[u8]> = TableDefinition::new("records");

fn processor_nanos() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it writes the structure only.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// All records in the order of their keys, which both stores fill fastest with.
fn sorted(table: &Table) -> Outcome<Vec<(Vec<u8>, Vec<u8>)>> {
    let (mut records, mut cursor) = (Vec::new(), table.scan());
    while let Some((key, value)) = cursor.next()? {
        records.push((key.to_vec(), value.to_vec()));
    }
    records.sort_unstable();
    Ok(records)
}

fn lmdb(path: &Path) -> Outcome<heed::Env> {
    std::fs::create_dir_all(path)?;
    // SAFETY: no other process writes it.
    Ok(unsafe {
        EnvOpenOptions::new()
            .map_size(1 << 36)
            .flags(EnvFlags::NO_SYNC | EnvFlags::WRITE_MAP)
            .open(path)?
    })
}

fn build(directory: &Path, table: &Table) -> Outcome<()> {
    if directory.join("redb").exists() {
        return Ok(());
    }
    let records = sorted(table)?;
    let env = lmdb(&directory.join("lmdb"))?;
    let mut write = env.write_txn()?;
    let database = env.create_database::<Bytes, Bytes>(&mut write, None)?;
    let part = directory.join("redb.part");
    let redb = Database::create(&part)?;
    let transaction = redb.begin_write()?;
    {
        let mut into = transaction.open_table(REDB)?;
        for (key, value) in &records {
            database.put_with_flags(&mut write, heed::PutFlags::APPEND, key, value)?;
            into.insert(&key[..], &value[..])?;
        }
    }
    write.commit()?;
    transaction.commit()?;
    drop(redb);
    Ok(std::fs::rename(part, directory.join("redb"))?)
}

fn main() -> Outcome<()> {
    let argument = std::env::args().nth(1).ok_or("argument: directory")?;
    let directory = Path::new(&argument);
    let content = std::fs::read(directory.join("keys"))?;
    let keys: Vec<&[u8]> = content.chunks_exact(KEY_LENGTH).collect();
    let table = Table::open(directory.join("bsdb"), Options::default())?;
    build(directory, &table)?;
    let env = lmdb(&directory.join("lmdb"))?;
    let read = env.read_txn()?;
    let lmdb = env
        .open_database::<Bytes, Bytes>(&read, None)?
        .ok_or("LMDB has no records")?;
    let redb = Database::open(directory.join("redb"))?;
    let transaction = redb.begin_read()?;
    let redb = transaction.open_table(REDB)?;
    println!("ready");
    let mut copies = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let start = processor_nanos();
        let mut bytes = 0;
        match line?.as_str() {
            "get" => {
                for key in &keys {
                    bytes += table
                        .get(key)?
                        .map_or(0, |value| black_box(value.into_owned()).len());
                }
            }
            "borrowed" => {
                for key in &keys {
                    bytes += table
                        .get(key)?
                        .map_or(0, |value| black_box(&value[..]).len());
                }
            }
            "batch" => {
                for batch in keys.chunks(BATCH) {
                    copies.clear();
                    table.get_many(batch.iter().copied(), |_, value| {
                        copies.extend_from_slice(value.unwrap_or_default());
                        Ok(())
                    })?;
                    bytes += black_box(&copies).len();
                }
            }
            "batch, borrowed" => table.get_many(keys.iter().copied(), |_, value| {
                bytes += black_box(value).map_or(0, |v| v.len());
                Ok(())
            })?,
            "LMDB" => {
                for key in &keys {
                    bytes += lmdb
                        .get(&read, key)?
                        .map_or(0, |value| black_box(value.to_vec()).len());
                }
            }
            "redb" => {
                for key in &keys {
                    bytes += redb
                        .get(*key)?
                        .map_or(0, |value| black_box(value.value().to_vec()).len());
                }
            }
            other => return Err(format!("contender {other:?} is unknown").into()),
        }
        println!("{} {bytes}", processor_nanos() - start);
    }
    Ok(())
}
