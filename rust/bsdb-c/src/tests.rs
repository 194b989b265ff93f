//! Calls the functions as a program in C does, so that Miri can interpret it.

use std::path::Path;
use std::ptr::null_mut;

use super::*;

const NONE: (*const c_void, usize) = (null(), 0);

/// The next record of a cursor.
unsafe fn next(cursor: *mut BsdbCursor) -> Option<(Vec<u8>, Vec<u8>)> {
    let (mut key, mut value) = (NONE, NONE);
    match unsafe { bsdb_next(cursor, &mut key.0, &mut key.1, &mut value.0, &mut value.1) } {
        OK => Some(unsafe { (slice(key.0, key.1).to_vec(), slice(value.0, value.1).to_vec()) }),
        ABSENT => None,
        _ => panic!("{:?}", unsafe { CStr::from_ptr(bsdb_error()) }),
    }
}

fn use_table(name: &str) {
    let path = c_string(&format!("{}/../../conformance/tables/{name}", env!("CARGO_MANIFEST_DIR")));
    let (mut table, mut cursor) = (null_mut(), null_mut());
    // SAFETY: as the functions want it.
    unsafe {
        assert_eq!(bsdb_open(path.as_ptr(), 2, &mut table), -5, "neither BSDB_MAPPED nor BSDB_READ");
        assert_eq!(bsdb_open(path.as_ptr(), 1, &mut table), OK);
        assert_eq!(bsdb_scan(table, &mut cursor), OK);
        let mut records: Vec<_> = std::iter::from_fn(|| next(cursor)).collect();
        bsdb_free(cursor);
        assert!(records.len() > 50, "{name}");
        for (key, value) in &records {
            let mut found = NONE;
            assert_eq!(bsdb_get(table, key.as_ptr().cast(), key.len(), &mut found.0, &mut found.1), OK);
            assert_eq!(slice(found.0, found.1), value);
        }
        records.push((b"no such key".to_vec(), Vec::new()));
        let keys: Vec<*const c_void> = records.iter().map(|r| r.0.as_ptr().cast()).collect();
        let lengths: Vec<usize> = records.iter().map(|r| r.0.len()).collect();
        let (mut values, mut value_lengths) = (vec![null(); keys.len()], vec![0; keys.len()]);
        let (to, to_lengths) = (values.as_mut_ptr(), value_lengths.as_mut_ptr());
        assert_eq!(bsdb_get_many(table, keys.len(), keys.as_ptr(), lengths.as_ptr(), to, to_lengths), OK);
        for (i, (_, value)) in records.iter().enumerate() {
            assert_eq!(values[i].is_null(), i == records.len() - 1);
            assert_eq!(slice(values[i], value_lengths[i]), value);
        }
        assert_eq!(bsdb_refresh(table), ABSENT);
        match bsdb_floor(table, b"\xff\xff".as_ptr().cast(), 2, &mut cursor) {
            OK => {
                assert_eq!(next(cursor).as_ref(), records.iter().rev().nth(1));
                bsdb_close(table); // a cursor keeps its version
                assert_eq!(next(cursor), None);
                bsdb_free(cursor);
            }
            code => {
                assert_eq!(code, -5, "{name} is in hash order");
                bsdb_close(table);
            }
        }
    }
}

#[test]
fn tables_are_used_as_from_c() {
    use_table("changes-in-key-order");
    if !cfg!(miri) {
        use_table("blocked");
    }
}

#[test]
fn passes_over_ended_rows() {
    let path = c_string(&format!("{}/../../conformance/tables/history", env!("CARGO_MANIFEST_DIR")));
    let (mut table, mut cursor) = (null_mut(), null_mut());
    // SAFETY: as the functions want it.
    unsafe {
        assert_eq!(bsdb_open(path.as_ptr(), 1, &mut table), OK);
        assert_eq!(bsdb_scan(table, &mut cursor), OK);
        let shown = std::iter::from_fn(|| next(cursor)).inspect(|(_, row)| assert_ne!(row, &[8])).count() as u64;
        bsdb_free(cursor);
        assert!(shown > 0 && shown < bsdb_count(table));
        // The only row of milk that is not ended is that of two seconds before 1970.
        for (millis, expected) in [(-2000i64, OK), (-1001, OK), (-1000, ABSENT), (5000, ABSENT)] {
            let mut key = b"milk\0\x01".to_vec();
            key.extend((millis ^ i64::MIN).to_be_bytes());
            assert_eq!(bsdb_floor(table, key.as_ptr().cast(), key.len(), &mut cursor), expected, "{millis}");
            if expected == OK {
                assert!(next(cursor).unwrap().0.starts_with(b"milk\0\x01"));
                bsdb_free(cursor);
            }
            let mut found = NONE;
            let code = bsdb_get(table, key.as_ptr().cast(), key.len(), &mut found.0, &mut found.1);
            assert_eq!(code == OK, millis == -2000);
        }
        bsdb_close(table);
    }
}

/// Calls functions when its thread ends, and sends what they returned.
struct AtEnd(CString, std::sync::mpsc::Sender<Vec<(c_int, String)>>);

impl Drop for AtEnd {
    fn drop(&mut self) {
        let (mut table, mut found, key) = (null_mut(), NONE, b"no such key");
        let (keys, lengths, mut value) = ([key.as_ptr().cast()], [key.len()], null());
        let mut results = Vec::new();
        // SAFETY: as the functions want it.
        unsafe {
            let mut push = |code| results.push((code, CStr::from_ptr(bsdb_error()).to_string_lossy().into_owned()));
            push(bsdb_open(c"no/such/table".as_ptr(), 0, &mut table));
            push(bsdb_open(self.0.as_ptr(), 1, &mut table));
            push(bsdb_get(table, keys[0], key.len(), &mut found.0, &mut found.1));
            let mut cursor = null_mut();
            push(bsdb_scan(table, &mut cursor));
            let (known, _) = next(cursor).unwrap();
            push(bsdb_get(table, known.as_ptr().cast(), known.len(), &mut found.0, &mut found.1));
            push(bsdb_get_many(table, 1, keys.as_ptr(), lengths.as_ptr(), &mut value, &mut found.1));
            push(bsdb_refresh(table));
            bsdb_free(cursor);
            bsdb_close(table);
        }
        self.1.send(results).unwrap();
    }
}

#[test]
fn tables_can_be_used_while_a_thread_ends() {
    thread_local! {
        static AT_END: RefCell<Option<AtEnd>> = RefCell::default();
    }
    let path = format!("{}/../../conformance/tables/order-compact", env!("CARGO_MANIFEST_DIR"));
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        // What is used first is destroyed last.
        AT_END.set(Some(AtEnd(c_string(&path), sender)));
        let mut table = null_mut();
        // SAFETY: as the functions want it.
        unsafe {
            assert_eq!(bsdb_open(c"no/such/table".as_ptr(), 0, &mut table), -3);
            assert_eq!(bsdb_open(c_string(&path).as_ptr(), 1, &mut table), OK);
            let mut found = NONE;
            let key = b"no such key";
            assert_eq!(bsdb_get(table, key.as_ptr().cast(), key.len(), &mut found.0, &mut found.1), ABSENT);
            let (keys, lengths, mut value) = ([key.as_ptr().cast()], [key.len()], null());
            assert_eq!(bsdb_get_many(table, 1, keys.as_ptr(), lengths.as_ptr(), &mut value, &mut found.1), OK);
            bsdb_close(table);
        }
    });
    thread.join().unwrap();
    let results = receiver.recv().unwrap();
    // There is no place for a value that is not in a mapped file, nor for the text of a failure.
    assert_eq!(results.iter().map(|r| r.0).collect::<Vec<_>>(), [-3, OK, ABSENT, OK, -5, -5, ABSENT]);
    assert!(results.iter().all(|r| r.1.starts_with("the thread ends")), "{results:?}");
}

#[test]
fn paths_need_not_be_text() {
    let mut directory = std::env::temp_dir().into_os_string().into_encoded_bytes();
    directory.extend(format!("/bsdb-\u{fc}-{}-", std::process::id()).bytes());
    directory.extend(b"\xff\xfe\n%s");
    let path = Path::new(OsStr::from_bytes(&directory));
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/tables/blocked");
    std::os::unix::fs::symlink(table, path).unwrap();
    let path_of_c = CString::new(directory.clone()).unwrap();
    let mut table = null_mut();
    // SAFETY: as the functions want it.
    unsafe {
        let code = bsdb_open(path_of_c.as_ptr(), 1, &mut table);
        std::fs::remove_file(path).unwrap();
        assert_eq!(code, OK, "{:?}", CStr::from_ptr(bsdb_error()));
        assert_eq!(bsdb_refresh(table), -3);
        bsdb_close(table);
    }
}

/// Copies a table, and gives one record the key of the record in front of it, in a block whose checksum fits.
fn copy_with_a_key_twice(from: &Path, to: &Path) -> usize {
    if from.is_dir() {
        std::fs::create_dir(to).unwrap();
        let entries = std::fs::read_dir(from).unwrap().map(|e| e.unwrap().file_name());
        return entries.map(|name| copy_with_a_key_twice(&from.join(&name), &to.join(&name))).sum();
    }
    let mut content = std::fs::read(from).unwrap();
    let is_partition = from.extension().is_some_and(|e| e == "bsdb");
    let record = content.windows(4).position(|bytes| is_partition && bytes == b"\x03k43");
    if let Some(record) = record {
        content[record..record + 4].copy_from_slice(b"\x03k42");
        let block = 64 + u32::from_le_bytes(content[68..72].try_into().unwrap()) as usize;
        assert!(record < block, "the record is in the first block");
        let prefix = [&content[16..32], &[1, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0]].concat();
        let checksum = crc32c::crc32c_append(crc32c::crc32c(&prefix), &content[68..block]);
        content[64..68].copy_from_slice(&checksum.to_le_bytes());
    }
    std::fs::write(to, content).unwrap();
    record.iter().count()
}

#[test]
fn a_cursor_begins_with_the_record_that_floor_found() {
    let sound = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/tables/changes-in-key-order");
    let path = std::env::temp_dir().join(format!("bsdb-c-floor-{}", std::process::id()));
    assert_eq!(copy_with_a_key_twice(&sound, &path), 1);
    let found = Table::open(&path, Options::default().access(Access::Read)).unwrap();
    let found = found.ordered().unwrap().floor(b"k42").unwrap().unwrap();
    let (mut table, mut cursor) = (null_mut(), null_mut());
    // SAFETY: as the functions want it.
    let (first, second) = unsafe {
        assert_eq!(bsdb_open(c_string(path.to_str().unwrap()).as_ptr(), 1, &mut table), OK);
        assert_eq!(bsdb_floor(table, b"k42".as_ptr().cast(), 3, &mut cursor), OK);
        let records = (next(cursor), next(cursor));
        bsdb_free(cursor);
        bsdb_close(table);
        records
    };
    std::fs::remove_dir_all(&path).unwrap();
    assert_eq!(first, Some((found.key, found.value)));
    assert_eq!(second.unwrap().0, b"k44");
}
