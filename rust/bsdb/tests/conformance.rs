//! The tables of the conformance folder, sound and bad, with both ways to read.

use bsdb::{Access, ErrorKind, Json, Options, Result, Table};

mod tables;
use tables::folder;

fn cases(sort: &str) -> Vec<Json> {
    let text = std::fs::read(folder().join("cases.json")).unwrap();
    // The limits of a manifest do not hold for this file, but it keeps them.
    Json::parse(&text).unwrap().get(sort).unwrap().array().unwrap().to_vec()
}

fn text<'a>(node: &'a Json, name: &str) -> &'a str {
    node.get(name).and_then(Json::text).unwrap()
}

fn list<'a>(node: &'a Json, name: &str) -> &'a [Json] {
    node.get(name).and_then(Json::array).unwrap_or_default()
}

fn bytes(node: &Json) -> Vec<u8> {
    decode(node.text().unwrap())
}

fn decode(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut word, mut bits) = (Vec::new(), 0u32, 0);
    for digit in text.trim_end_matches('=').chars() {
        word = word << 6 | DIGITS.find(digit).unwrap() as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
        }
    }
    bytes
}

fn options() -> [Options; 2] {
    [Access::Mapped, Access::Read].map(|access| Options::default().access(access))
}

/// Whether a value is the expected one, of which a long one is given by its length.
fn is_value(value: Option<&[u8]>, expected: &Json) -> bool {
    match (value, expected) {
        (Some(value), Json::Text(text)) => value == decode(text),
        (Some(value), long) => long.get("length") == Some(&Json::Number(value.len().to_string())),
        (None, _) => false,
    }
}

fn check_good(case: &Json, options: Options) {
    let name = text(case, "table");
    let table = Table::open(folder().join(name), options).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(case.get("recordCount"), Some(&Json::Number(table.record_count().to_string())), "{name}");
    table.verify().unwrap_or_else(|e| panic!("{name}: {e}"));
    let records: Vec<&Json> = list(case, "records").iter().chain(list(case, "falsePositives")).collect();
    let mut keys: Vec<Vec<u8>> = records.iter().map(|r| bytes(r.get("key").unwrap())).collect();
    for (record, key) in records.iter().zip(&keys) {
        let value = table.get(key).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(is_value(value.as_deref(), record.get("value").unwrap()), "{name}: value of {key:02x?}");
        if let (Some(row), Some(schema)) = (record.get("row"), table.schema()) {
            let json = schema.json(key, &value.unwrap()).unwrap();
            assert_eq!(&Json::parse(json.as_bytes()).unwrap(), row, "{name}: row of {key:02x?}");
        }
    }
    for key in list(case, "absent") {
        assert_eq!(table.get(&bytes(key)).unwrap(), None, "{name}: {key:?}");
        keys.push(bytes(key));
    }
    for near in list(case, "near") {
        let key = bytes(near.get("key").unwrap());
        let ordered = table.ordered().unwrap();
        let found = [
            ("floor", ordered.floor(&key)),
            ("ceiling", ordered.ceiling(&key)),
            ("lower", ordered.lower(&key)),
            ("higher", ordered.higher(&key)),
            ("longestPrefix", ordered.longest_prefix(&key)),
        ];
        for (what, found) in found {
            if near.get(what).is_none() {
                assert_eq!(found.err().map(|e| e.kind()), Some(ErrorKind::Invalid), "{name}: {what}");
                continue;
            }
            let expected = near.get(what).and_then(Json::text).map(decode);
            let found = found.unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(found.as_ref().map(|e| &e.key), expected.as_ref(), "{name}: {what} of {key:02x?}");
            if let Some(entry) = found {
                assert_eq!(table.get(&entry.key).unwrap().as_deref(), Some(&entry.value[..]), "{name}: {what}");
            }
        }
    }
    for asked in list(case, "asOf") {
        let (Some(Json::Number(millis)), Some(Json::Number(nanos))) = (asked.get("millis"), asked.get("nanos")) else {
            panic!("{name}: {asked:?} has no time");
        };
        let leading = bytes(asked.get("leading").unwrap());
        let found = table.ordered().unwrap().as_of(&leading, millis.parse().unwrap(), nanos.parse().unwrap());
        let found = found.unwrap_or_else(|e| panic!("{name}: {e}"));
        let expected = asked.get("key").and_then(Json::text).map(decode);
        assert_eq!(found.as_ref().map(|e| &e.key), expected.as_ref(), "{name}: {asked:?}");
        if let Some(entry) = found {
            assert_eq!(table.get(&entry.key).unwrap().as_deref(), Some(&entry.value[..]), "{name}: {asked:?}");
        }
    }
    if let Some(schema) = table.schema().filter(|_| table.has_history()) {
        for row in [&[8][..], &[8, 0], &[12]] {
            assert_eq!(schema.json(&keys[0], row).unwrap_err().kind(), ErrorKind::Corrupt, "{name}: {row:?} is no row");
        }
    }
    check_scan(&table, name, records.len());
    let mut seen = 0;
    table
        .get_many(&keys, |i, value| {
            assert_eq!(i, seen);
            seen += 1;
            match records.get(i) {
                Some(record) => assert!(is_value(value, record.get("value").unwrap()), "{name}: value {i} of a batch"),
                None => assert_eq!(value, None, "{name}: value {i} of a batch"),
            }
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(seen, keys.len());
}

/// A scan gives each record once, in key order both ways if the table is in key order.
fn check_scan(table: &Table, name: &str, records: usize) {
    let collect = |mut cursor: bsdb::Cursor| {
        let mut keys = Vec::new();
        while let Some((key, value)) = cursor.next().unwrap_or_else(|e| panic!("{name}: {e}")) {
            if !key.is_empty() {
                assert_eq!(table.get(key).unwrap().as_deref(), Some(value), "{name}");
            }
            keys.push(key.to_vec());
        }
        keys
    };
    let keys = collect(table.scan());
    if table.has_history() {
        assert_eq!(keys.len(), records, "{name}");
    } else if !name.contains("changes") {
        assert_eq!(keys.len() as u64, table.record_count(), "{name}");
    }
    if table.is_ordered() {
        assert!(keys.windows(2).all(|two| two[0] < two[1]), "{name}");
        let mut backwards = collect(table.scan().reversed());
        backwards.reverse();
        assert_eq!(backwards, keys, "{name}");
        if let (Some(from), Some(to)) = (keys.get(keys.len() / 3), keys.get(keys.len() / 2)) {
            let cursor = table.ordered().unwrap().range(&from[..]..&to[..]).unwrap();
            assert_eq!(collect(cursor), keys[keys.len() / 3..keys.len() / 2], "{name}");
            let prefix = &from[..from.len().min(2)];
            let expected: Vec<_> = keys.iter().filter(|k| k.starts_with(prefix)).cloned().collect();
            assert_eq!(collect(table.ordered().unwrap().prefix(prefix).unwrap()), expected, "{name}");
        }
    }
}

#[test]
fn finds_every_record_of_sound_tables() {
    let cases = cases("good");
    assert!(cases.len() >= 59);
    for case in &cases {
        for options in options() {
            check_good(case, options);
        }
    }
}

fn failure(case: &Json, options: Options) -> Result<()> {
    let table = Table::open(folder().join(text(case, "table")), options)?;
    for key in list(case, "keys") {
        if let Err(failure) = table.get(&bytes(key)) {
            assert_eq!(table.counters().failures, 1);
            return Err(failure);
        }
    }
    if case.get("found").is_some() {
        table.verify()?;
    }
    Ok(())
}

#[test]
fn refuses_bad_tables() {
    let cases = cases("bad");
    assert!(cases.len() >= 300);
    let mut wrong = Vec::new();
    for case in &cases {
        let expected = match text(case, "fails") {
            "corrupt" => ErrorKind::Corrupt,
            "unsupported" => ErrorKind::Unsupported,
            _ => ErrorKind::NotFound,
        };
        for options in options() {
            let actual = failure(case, options).err().map(|e| (e.kind(), e.to_string()));
            if actual.as_ref().map(|a| a.0) != Some(expected) {
                wrong.push(format!("{}: expected {expected:?}, actual {actual:?}", text(case, "table")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
