//! Shared by tests of tables, none of which uses all of it.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};

use bsdb::{Result, Table};

/// The folder of the conformance tables.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

/// Copies a directory into another one, and names the files that it wrote.
pub fn copy(from: &Path, to: &Path, files: &mut Vec<PathBuf>) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target, files);
        } else {
            fs::copy(entry.path(), &target).unwrap();
            files.push(target);
        }
    }
}

pub type Records = Vec<(Vec<u8>, Vec<u8>)>;

/// All records of a table, in the order of a scan.
pub fn records(table: &Table) -> Result<Records> {
    let (mut records, mut cursor) = (Vec::new(), table.scan());
    while let Some((key, value)) = cursor.next()? {
        records.push((key.to_vec(), value.to_vec()));
    }
    Ok(records)
}
