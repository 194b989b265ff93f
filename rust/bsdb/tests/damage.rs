//! Each byte of small tables damaged: a right answer or an error, never a wrong value, never "absent", never a panic.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;

use bsdb::{Access, ErrorKind, Options, Result, Table};

mod tables;
use tables::{copy, folder, records, Records};

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
                    found += 1;
                }
                handle.write_all_at(&sound[at..=at], at as u64).unwrap();
            }
        }
        assert!(found > 1000, "{name}: {found} damaged bytes were found");
    }
    fs::remove_dir_all(&scratch).unwrap();
}
