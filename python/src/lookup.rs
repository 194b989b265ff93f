//! Batches of lookups, from Arrow into Arrow.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bsdb::{Cursor, Error, Place, Result, RowLayout, Table, Type};

use crate::arrow::{Data, Field};
use crate::build::{field_of, Builder};
use crate::read::Reader;

/// Rows of one batch of a result.
const PART: usize = 1 << 17;

/// The columns of a table that are asked for.
pub struct Selection {
    pub fields: Vec<Field>,
    kinds: Vec<Type>,
    /// Columns of the key: number of the result's column, and position in the key.
    keys: Vec<(usize, usize)>,
    /// Fields of the row, likewise.
    rows: Vec<(usize, usize)>,
    layout: RowLayout,
    typed: bool,
}

impl Selection {
    /// All columns in declared order, or those named. Tables of plain bytes have `key` and `value`.
    pub fn new(table: &Table, names: Option<Vec<String>>) -> Result<Selection> {
        let (mut kinds, mut keys, mut rows, mut fields) = (vec![], vec![], vec![], vec![]);
        let Some(schema) = table.schema() else {
            let names = names.unwrap_or_else(|| vec!["key".into(), "value".into()]);
            for (i, name) in names.iter().enumerate() {
                match name.as_str() {
                    "key" => keys.push((i, 0)),
                    "value" => rows.push((i, 0)),
                    _ => {
                        return Err(Error::invalid(format!(
                            "no column {name:?}; the columns are key, value"
                        )))
                    }
                }
                kinds.push(Type::Bytes);
                fields.push(field_of(name, &Type::Bytes));
            }
            return Ok(Selection {
                fields,
                kinds,
                keys,
                rows,
                layout: RowLayout::new([]),
                typed: false,
            });
        };
        let names =
            names.unwrap_or_else(|| schema.columns.iter().map(|c| c.name.clone()).collect());
        for (i, name) in names.iter().enumerate() {
            let number = schema.column(name)?;
            match schema.place(number) {
                Place::Key(at) => keys.push((i, at)),
                Place::Row(at) => rows.push((i, at)),
            }
            let kind = &schema.columns[number].kind;
            kinds.push(kind.clone());
            fields.push(field_of(name, kind));
        }
        Ok(Selection {
            fields,
            kinds,
            keys,
            rows,
            layout: RowLayout::new(schema.row_types()),
            typed: true,
        })
    }

    pub fn builders(&self, capacity: usize) -> Vec<Builder> {
        self.kinds
            .iter()
            .map(|kind| Builder::new(kind, capacity))
            .collect()
    }

    /// Appends a record, or nulls for a key that is absent.
    pub fn append(
        &self,
        builders: &mut [Builder],
        table: &Table,
        key: &[u8],
        value: Option<&[u8]>,
    ) -> Result<()> {
        let Some(value) = value else {
            return builders
                .iter_mut()
                .try_for_each(|b| b.append(&bsdb::Value::Null));
        };
        if !self.typed {
            self.keys
                .iter()
                .try_for_each(|&(to, _)| builders[to].append_bytes(key))?;
            return self
                .rows
                .iter()
                .try_for_each(|&(to, _)| builders[to].append_bytes(value));
        }
        if let (false, Some(schema)) = (self.keys.is_empty(), table.schema()) {
            let columns = schema.decode_key(key)?;
            self.keys
                .iter()
                .try_for_each(|&(to, at)| builders[to].append(&columns[at]))?;
        }
        let mut rows = self.rows.iter();
        self.layout
            .fields(value, self.rows.iter().map(|r| r.1), |field| {
                match rows.next() {
                    Some(&(to, _)) => builders[to].append(&field),
                    None => Ok(()),
                }
            })
    }

    /// The next records of a cursor, at most so many, and none after so many bytes; none after the last record.
    pub fn batch(
        &self,
        table: &Table,
        cursor: &mut Cursor,
        most: usize,
        most_bytes: usize,
    ) -> Result<Option<Data>> {
        let (mut builders, mut count, mut bytes) = (self.builders(0), 0, 0);
        while count < most && bytes < most_bytes {
            let Some((key, value)) = cursor.next()? else {
                break;
            };
            self.append(&mut builders, table, key, Some(value))?;
            count += 1;
            bytes += key.len() + value.len();
        }
        let columns = builders.into_iter().map(|b| Arc::new(b.finish())).collect();
        Ok((count > 0).then(|| Data::batch(count, columns)))
    }
}

/// Keys in the order in which they were given.
pub struct Input {
    /// The type of the batches: a struct for frames, or that of a single column.
    pub field: Field,
    pub batches: Vec<Data>,
    /// For each column of the key its number in the batches, and how to read it. None: the keys are there as bytes.
    columns: Option<Vec<(usize, Reader)>>,
    bytes: Reader,
}

/// The keys of a part of a batch.
enum Keys<'d> {
    Direct(&'d Reader, Data),
    Encoded(Vec<u8>, Vec<usize>),
}

impl Keys<'_> {
    fn key(&self, i: usize) -> &[u8] {
        match self {
            Keys::Direct(reader, data) => reader.bytes(data, i).unwrap_or_default(),
            Keys::Encoded(bytes, ends) => &bytes[if i == 0 { 0 } else { ends[i - 1] }..ends[i]],
        }
    }
}

impl Input {
    /// Keys that are encoded already.
    pub fn encoded(data: Data) -> Input {
        let bytes = Reader::Bytes(4, false);
        Input {
            field: field_of("key", &Type::Bytes),
            batches: vec![data],
            columns: None,
            bytes,
        }
    }

    /// Keys of columns: `on` names them in the order of the key; by default the key's own names, or the only column.
    pub fn columns(
        table: &Table,
        field: Field,
        batches: Vec<Data>,
        on: Option<Vec<String>>,
    ) -> Result<Input> {
        let stated = on.is_some();
        let names: Vec<String> = match (on, table.schema()) {
            (Some(on), _) => on,
            (None, Some(schema)) => schema
                .key
                .iter()
                .map(|&k| schema.columns[k].name.clone())
                .collect(),
            (None, None) => vec!["key".into()],
        };
        let width = table.schema().map_or(1, |s| s.key.len());
        if names.len() != width {
            return Err(Error::invalid(format!(
                "{} columns for a key of {width}",
                names.len()
            )));
        }
        let mut columns = Vec::new();
        if field.format != "+s" {
            if width != 1 {
                return Err(Error::invalid(format!(
                    "one column for a key of {width}: {}",
                    names.join(", ")
                )));
            }
            columns.push((usize::MAX, Reader::of(&field)?));
        } else {
            for name in &names {
                let found = field.children.iter().position(|f| f.name == *name);
                let number = match found {
                    Some(number) => number,
                    None if field.children.len() == 1 && width == 1 && !stated => 0,
                    None => {
                        let present: Vec<&str> =
                            field.children.iter().map(|f| f.name.as_str()).collect();
                        let present = present.join(", ");
                        return Err(Error::invalid(format!(
                            "no column {name:?} among the keys: {present}"
                        )));
                    }
                };
                columns.push((number, Reader::of(&field.children[number])?));
            }
        }
        if table.schema().is_none() && !columns[0].1.is_bytes() {
            return Err(Error::invalid(
                "keys of this table are bytes: give binary or text",
            ));
        }
        Ok(Input {
            field,
            batches,
            columns: Some(columns),
            bytes: Reader::Null,
        })
    }

    fn column(&self, batch: &Data, number: usize, from: usize, length: usize) -> Data {
        match number {
            usize::MAX => batch.slice(from, length),
            number => batch.column(number).slice(from, length),
        }
    }

    fn keys(&self, table: &Table, batch: &Data, from: usize, length: usize) -> Result<Keys<'_>> {
        let Some(columns) = &self.columns else {
            return Ok(Keys::Direct(&self.bytes, batch.slice(from, length)));
        };
        // Columns may have values where their struct is null.
        let is_row = |i: &usize| batch.is_valid(from + i);
        let Some(schema) = table.schema() else {
            let (number, reader) = &columns[0];
            let data = self.column(batch, *number, from, length);
            if *number == usize::MAX || (0..length).all(|i| is_row(&i)) {
                return Ok(Keys::Direct(reader, data));
            }
            let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(length));
            for i in 0..length {
                let key = Some(i).filter(is_row).and_then(|i| reader.bytes(&data, i));
                bytes.extend_from_slice(key.unwrap_or_default());
                ends.push(bytes.len());
            }
            return Ok(Keys::Encoded(bytes, ends));
        };
        let data: Vec<Data> = columns
            .iter()
            .map(|c| self.column(batch, c.0, from, length))
            .collect();
        let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(length));
        let (mut key, mut values) = (Vec::new(), Vec::with_capacity(columns.len()));
        for i in 0..length {
            values.clear();
            values.extend(
                columns
                    .iter()
                    .zip(&data)
                    .map(|((_, reader), data)| reader.value(data, i)),
            );
            if is_row(&i) && schema.encode_key(&values, &mut key)? {
                bytes.extend_from_slice(&key);
            }
            ends.push(bytes.len());
        }
        Ok(Keys::Encoded(bytes, ends))
    }
}

/// What a lookup gives for a key that is absent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    Null,
    Nothing,
}

/// A part of the result, in the order of the keys.
pub struct Part {
    pub batch: usize,
    pub from: usize,
    pub length: usize,
    pub columns: Vec<Arc<Data>>,
    /// The rows of the part whose keys were found.
    pub found: Vec<usize>,
}

/// Looks up all keys, with some threads; with fewer if they cannot be started. The calling thread is one of them, and ends the
/// lookup if its check fails.
pub fn lookup(
    table: &Table,
    selection: &Selection,
    input: &Input,
    absent: Absent,
    threads: usize,
    check: &mut dyn FnMut() -> Result<()>,
) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for (number, batch) in input.batches.iter().enumerate() {
        for from in (0..batch.length).step_by(PART) {
            let length = (batch.length - from).min(PART);
            parts.push(Part {
                batch: number,
                from,
                length,
                columns: vec![],
                found: vec![],
            });
        }
    }
    let threads = threads.clamp(1, parts.len().max(1));
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let parts: Vec<Mutex<(Part, Result<()>)>> =
        parts.into_iter().map(|p| Mutex::new((p, Ok(())))).collect();
    let work = |check: &mut dyn FnMut() -> Result<()>| {
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            if failed.load(Ordering::Relaxed) {
                return;
            }
            if let Ok(mut part) = part.lock() {
                part.1 =
                    check().and_then(|()| look_up(table, selection, input, absent, &mut part.0));
                failed.fetch_or(part.1.is_err(), Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let started = std::thread::Builder::new().spawn_scoped(scope, || work(&mut || Ok(())));
            if started.is_err() {
                break; // those there are do it all
            }
        }
        work(check);
    });
    let done = parts.into_iter().map(|p| {
        p.into_inner()
            .map_err(|_| Error::invalid("a thread of the lookup failed"))
    });
    done.map(|p| p.and_then(|(part, result)| result.map(|()| part)))
        .collect()
}

fn look_up(
    table: &Table,
    selection: &Selection,
    input: &Input,
    absent: Absent,
    part: &mut Part,
) -> Result<()> {
    let keys = input.keys(table, &input.batches[part.batch], part.from, part.length)?;
    let mut builders = selection.builders(part.length);
    table.get_many((0..part.length).map(|i| keys.key(i)), |i, value| {
        if value.is_some() {
            part.found.push(i);
        } else if absent == Absent::Nothing {
            return Ok(());
        }
        selection.append(&mut builders, table, keys.key(i), value)
    })?;
    part.columns = builders.into_iter().map(|b| Arc::new(b.finish())).collect();
    Ok(())
}
