//! The part of the Python package that takes and gives Arrow data, without Python, so that Miri can interpret it.

use std::sync::Arc;

use bsdb::{Access, Options, Table};

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
    let parts = lookup::lookup(&table, &selection, &input, Absent::Null, 2).unwrap();
    assert_eq!(parts.iter().map(|part| part.found.len()).sum::<usize>(), whole.length, "{name}");
    let one = Input::columns(&table, field.clone(), vec![whole.clone()], None).unwrap();
    let part = lookup::lookup(&table, &selection, &one, Absent::Nothing, 1).unwrap().remove(0);
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
    let all = ["rows-scalars", "order-rows", "rows-of-key-only", "rows-symbols", "rows-keys", "rows-nested"];
    // Miri needs minutes for the fourth, and cannot call zstd, with which the last one is compressed.
    for name in &all[..if cfg!(miri) { 3 } else { all.len() }] {
        use_table(name);
    }
}

#[test]
fn a_stream_gives_its_failure() {
    let mut stream = ArrowStream::of(Field::new("", "+s", vec![]), || Err("disk\0full".into()));
    assert_eq!(stream.field().unwrap().format, "+s");
    assert_eq!(stream.next().err().unwrap(), "diskfull");
}
