//! The part of the Python package that takes and gives Arrow data, without Python, so that Miri can interpret it.

use std::sync::Arc;

use bsdb::{Access, Options, Table, Value};

use arrow::{ArrowStream, Buffer, Data, Field};
use lookup::{Absent, Input, Selection};
use take::take;

#[allow(dead_code)]
#[path = "../../../python/src/arrow.rs"]
#[rustfmt::skip]
mod arrow;
#[path = "../../../python/src/build.rs"]
#[rustfmt::skip]
mod build;
#[allow(dead_code)]
#[path = "../../../python/src/lookup.rs"]
#[rustfmt::skip]
mod lookup;
#[allow(dead_code)]
#[path = "../../../python/src/read.rs"]
#[rustfmt::skip]
mod read;
#[path = "../../../python/src/stream.rs"]
#[rustfmt::skip]
mod stream;
#[path = "../../../python/src/take.rs"]
#[rustfmt::skip]
mod take;

/// Gives batches away and takes them back, as through a library that is not ours.
fn exchanged(field: &Field, batches: &[Data]) -> (Field, Vec<Data>) {
    let mut given: std::collections::VecDeque<_> = batches.iter().cloned().collect();
    let mut stream = ArrowStream::of(field.clone(), move || Ok(given.pop_front()));
    let taken = stream.field().unwrap();
    let batches = std::iter::from_fn(|| stream.next().unwrap()).collect();
    (taken, batches)
}

fn own(buffer: &Buffer) -> Option<&[u8]> {
    match buffer {
        Buffer::Own(bytes) => Some(bytes),
        _ => None,
    }
}

fn assert_same(actual: &Data, expected: &Data, name: &str) {
    assert_eq!((actual.length, actual.nulls), (expected.length, expected.nulls), "{name}");
    let bytes = |data: &Data| data.buffers.iter().map(|b| own(b).map(<[u8]>::to_vec)).collect::<Vec<_>>();
    assert_eq!(bytes(actual), bytes(expected), "{name}");
    assert_eq!(actual.children.len(), expected.children.len(), "{name}");
    actual.children.iter().zip(&expected.children).for_each(|(a, e)| assert_same(a, e, name));
}

/// Reads columns of all rows.
fn columns(table: &Table, names: Vec<String>) -> bsdb::Result<Vec<Arc<Data>>> {
    let selection = Selection::new(table, Some(names))?;
    let (mut builders, mut rows) = (selection.builders(0), table.scan());
    while let Some((key, value)) = rows.next()? {
        selection.append(&mut builders, table, key, Some(value))?;
    }
    Ok(builders.into_iter().map(|b| Arc::new(b.finish())).collect())
}

fn use_table(name: &str) {
    let path = format!("{}/../../conformance/tables/{name}", env!("CARGO_MANIFEST_DIR"));
    let table = Table::open(path, Options::default().access(Access::Read)).unwrap();
    let names = table.schema().unwrap().columns.iter().map(|column| column.name.clone());
    // One value of this column is before the times of Arrow.
    let all: Vec<String> = names.filter(|column| (name, column.as_str()) != ("rows-scalars", "nanos")).collect();
    let selection = Selection::new(&table, Some(all.clone())).unwrap();
    let columns = columns(&table, all).unwrap();
    let whole = Data::batch(columns[0].length, columns);
    let half = whole.length / 2;
    let field = Field::new("", "+s", selection.fields.clone());

    // All rows are keys of their own lookup: in two batches, of which the second begins in the middle.
    let (taken, batches) = exchanged(&field, &[whole.slice(0, half), whole.slice(half, whole.length - half)]);
    let input = Input::columns(&table, taken, batches, None).unwrap();
    let parts = lookup::lookup(&table, &selection, &input, Absent::Null, 2, &mut || Ok(())).unwrap();
    assert_eq!(parts.iter().map(|part| part.found.len()).sum::<usize>(), whole.length, "{name}");
    let one = Input::columns(&table, field.clone(), vec![whole.clone()], None).unwrap();
    let part = lookup::lookup(&table, &selection, &one, Absent::Nothing, 1, &mut || Ok(())).unwrap().remove(0);
    part.columns.iter().zip(&whole.children).for_each(|(a, e)| assert_same(a, e, name));

    // Arrays live longer than those they were made of.
    drop((parts, one, part));
    let (fields, again) = exchanged(&input.field, &input.batches);
    drop(input);
    for batch in &again {
        let ascending: Vec<usize> = (0..batch.length).collect();
        let descending: Vec<usize> = ascending.iter().rev().copied().collect();
        for (i, field) in fields.children.iter().enumerate() {
            let column = batch.column(i);
            let Ok(reversed) = take(field, &column, &descending) else {
                assert!(field.format.starts_with('+'), "{name}: {}", field.format);
                continue;
            };
            let twice = take(field, &reversed, &descending).unwrap();
            assert_same(&twice, &take(field, &column, &ascending).unwrap(), &field.name);
        }
    }
}

#[test]
fn rows_go_through_arrow_and_back() {
    let all = ["rows-scalars", "rows-of-key-only", "order-rows", "rows-symbols", "rows-keys", "rows-nested"];
    // Miri needs a minute for the third, minutes for the fourth, and cannot call zstd, with which the last one is compressed.
    for name in &all[..if cfg!(miri) { 2 } else { all.len() }] {
        use_table(name);
    }
}

#[test]
fn a_stream_gives_its_failure() {
    let mut stream = ArrowStream::of(Field::new("", "+s", vec![]), || Err("disk\0full".into()));
    assert_eq!(stream.field().unwrap().format, "+s");
    assert_eq!(stream.next().err().unwrap(), "diskfull");
}

#[test]
fn numbers_without_a_sign_are_whole() {
    let numbers = [5u64, 1 << 63, u64::MAX];
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let buffers = vec![Buffer::Missing, Buffer::Own(Arc::new(bytes))];
    let data = Data { length: 3, offset: 0, nulls: 0, buffers, children: vec![], dictionary: None };
    let reader = read::Reader::of(&Field::new("", "L", vec![])).unwrap();
    let values: Vec<Value> = (0..3).map(|i| reader.value(&data, i)).collect();
    let large = |number: u64| Value::Decimal(number as i128, 0);
    assert_eq!(values, [Value::Integer(5), large(1 << 63), large(u64::MAX)]);
}

#[test]
fn times_that_are_none_are_no_keys() {
    let data = |numbers: &[i64]| {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let buffers = vec![Buffer::Missing, Buffer::Own(Arc::new(bytes))];
        Data { length: numbers.len(), offset: 0, nulls: 0, buffers, children: vec![], dictionary: None }
    };
    // Days and milliseconds that would be those of another time if they were cut to 32 bits.
    let day = 86_400_000i64;
    let days = read::Reader::of(&Field::new("", "tdm", vec![])).unwrap();
    assert_eq!(days.value(&data(&[-day]), 0), Value::Date(-1));
    assert_eq!(days.value(&data(&[day << 32]), 0), Value::Null);
    let micros = read::Reader::of(&Field::new("", "ttu", vec![])).unwrap();
    assert_eq!(micros.value(&data(&[5000]), 0), Value::Time(5));
    assert_eq!(micros.value(&data(&[5001]), 0), Value::Null);
    assert_eq!(micros.value(&data(&[(1i64 << 32) * 1000]), 0), Value::Null);
}

#[test]
fn batches_end_after_many_records_or_bytes() {
    let path = format!("{}/../../conformance/tables/changes-in-key-order", env!("CARGO_MANIFEST_DIR"));
    let table = Table::open(path, Options::default().access(Access::Read)).unwrap();
    let selection = Selection::new(&table, None).unwrap();
    let lengths = |most: usize, most_bytes: usize| {
        let mut cursor = table.scan();
        let next = || selection.batch(&table, &mut cursor, most, most_bytes).unwrap();
        std::iter::from_fn(next).map(|batch| batch.length).collect::<Vec<_>>()
    };
    assert_eq!(lengths(25, usize::MAX), [25, 25, 6]);
    if cfg!(miri) {
        return; // once is enough, and takes seconds
    }
    assert_eq!(lengths(100, usize::MAX), [56]);
    assert_eq!(lengths(25, 1), [1; 56]);
    let (mut expected, mut bytes, mut rows) = (vec![0], 0, table.scan());
    while let Some((key, value)) = rows.next().unwrap() {
        if bytes >= 100 {
            expected.push(0);
            bytes = 0;
        }
        *expected.last_mut().unwrap() += 1;
        bytes += key.len() + value.len();
    }
    assert!(expected.len() > 3);
    assert_eq!(lengths(100, 100), expected);
}
