//! Compares a table with the lines that it was built from, key and value separated by a tab.
//! Arguments: table, file, and how often to measure lookups (0 by default).

use std::time::Instant;

use bsdb::{Access, Options, Table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, file, ..] = &arguments[..] else {
        return Err("arguments: table, file".into());
    };
    let rounds: usize = arguments.get(3).map_or(Ok(0), |n| n.parse())?;
    let content = std::fs::read(file)?;
    let pairs: Vec<(&[u8], &[u8])> = content
        .split(|&b| b == b'\n')
        .filter_map(|line| line.iter().position(|&b| b == b'\t').map(|tab| (&line[..tab], &line[tab + 1..])))
        .collect();
    for access in [Access::Mapped, Access::Read] {
        let table = Table::open(path, Options::default().access(access))?;
        assert_eq!(table.record_count(), pairs.len() as u64);
        let mut absent = Vec::new();
        for (key, value) in &pairs {
            assert_eq!(table.get(key)?.as_deref(), Some(*value));
            absent.clear();
            absent.extend_from_slice(key);
            absent.push(b'x');
            assert_eq!(table.get(&absent)?, None);
        }
        table.get_many(pairs.iter().map(|p| p.0), |i, value| {
            assert_eq!(value, Some(pairs[i].1));
            Ok(())
        })?;
        let (mut cursor, mut scanned) = (table.scan(), 0);
        while cursor.next()?.is_some() {
            scanned += 1;
        }
        assert_eq!(scanned, pairs.len());
    }
    println!("{path}: {} records are the same, mapped and read", pairs.len());
    measure(&Table::open(path, Options::default())?, &pairs, rounds)
}

/// Prints the time per key of lookups in an order that no cache likes.
fn measure(table: &Table, pairs: &[(&[u8], &[u8])], rounds: usize) -> Result<(), Box<dyn std::error::Error>> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        pairs[((state >> 32) as usize * pairs.len()) >> 32].0
    };
    let keys: Vec<Vec<u8>> = (0..1_000_000).map(|_| next().to_vec()).collect();
    let (mut copied, mut bytes) = (Vec::new(), 0);
    for _ in 0..rounds {
        let start = Instant::now();
        for key in &keys {
            table.get_into(key, &mut copied)?;
            bytes += copied.len();
        }
        let single = start.elapsed();
        let start = Instant::now();
        table.get_many(&keys, |_, value| {
            bytes += value.map_or(0, |v| v.len());
            Ok(())
        })?;
        let per_key = |time: std::time::Duration| time.as_nanos() / keys.len() as u128;
        println!("get, copied: {} ns, batch: {} ns per key ({bytes} bytes)", per_key(single), per_key(start.elapsed()));
    }
    Ok(())
}
