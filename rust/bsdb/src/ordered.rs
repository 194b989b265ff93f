//! Lookups by order, ranges and scans.

use std::cmp::Ordering;
use std::ops::{Bound, RangeBounds};

use crate::error::{Error, Result};
use crate::hash::KeyHash;
use crate::partition::Partition;
use crate::record::Scratch;
use crate::table::Table;

/// A key and its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Vec<u8>,
    /// Its value.
    pub value: Vec<u8>,
}

/// Lookups by the order of keys.
#[derive(Clone, Copy)]
pub struct Ordered<'t> {
    table: &'t Table,
}

/// Where a record is: partition and record number.
type Position = (usize, u32);

/// The records of a range, or of a whole table. Keys are empty where the table does not store them.
pub struct Cursor<'t> {
    table: &'t Table,
    scratch: Box<Scratch>,
    /// What is left of the records of the partition files.
    records: (Position, Position),
    /// What is left of the changes, by number.
    changes: (usize, usize),
    reverse: bool,
    /// Whether ended rows are passed over.
    hides: bool,
}

enum Next {
    Record(Position),
    Change(usize),
}

impl Table {
    /// Lookups by order; an error of a table in hash order.
    pub fn ordered(&self) -> Result<Ordered<'_>> {
        if self.is_ordered() {
            return Ok(Ordered { table: self });
        }
        Err(Error::invalid("the table is in hash order; build it with order 'key' to look up what is near a key"))
    }

    /// All records: in key order if the table is, else in no order.
    pub fn scan(&self) -> Cursor<'_> {
        Cursor {
            table: self,
            scratch: Box::default(),
            records: ((0, 0), self.end()),
            changes: (0, self.overlay.as_ref().map_or(0, |o| o.numbers())),
            reverse: false,
            hides: self.manifest.history,
        }
    }

    fn end(&self) -> Position {
        (self.partitions.len() - 1, self.partitions.last().map_or(0, |p| p.n))
    }
}

impl<'t> Ordered<'t> {
    /// The record with the greatest key that is not above a key; none if that is an ended row.
    pub fn floor(&self, key: &[u8]) -> Result<Option<Entry>> {
        let range = (Bound::Unbounded, Bound::Included(key));
        let mut cursor = self.range(range)?;
        cursor.hides = false;
        Ok(self.nearest(range, cursor.reversed())?.filter(|found| !self.table.hides(&found.value)))
    }

    /// The record that was valid at a time, given in milliseconds since 1970 and nanoseconds of the millisecond, in UTC if its
    /// column has no time zone: the one with these leading columns, as `Schema::encode_key` writes all but the last, and the greatest
    /// time that is not above this. A time that is finer than the column is cut.
    pub fn as_of(&self, leading: &[u8], millis: i64, nanos: u32) -> Result<Option<Entry>> {
        let schema = self.table.schema().ok_or_else(|| Error::invalid("a table without a schema has no times"))?;
        let found = self.floor(&schema.key_as_of(leading, millis, nanos)?)?;
        Ok(found.filter(|found| found.key.starts_with(leading)))
    }

    /// The record with the greatest key below a key.
    pub fn lower(&self, key: &[u8]) -> Result<Option<Entry>> {
        let range = (Bound::Unbounded, Bound::Excluded(key));
        self.nearest(range, self.range(range)?.reversed())
    }

    /// The record with the least key that is not below a key.
    pub fn ceiling(&self, key: &[u8]) -> Result<Option<Entry>> {
        let range = (Bound::Included(key), Bound::Unbounded);
        self.nearest(range, self.range(range)?)
    }

    /// The record with the least key above a key.
    pub fn higher(&self, key: &[u8]) -> Result<Option<Entry>> {
        let range = (Bound::Excluded(key), Bound::Unbounded);
        self.nearest(range, self.range(range)?)
    }

    /// The record of a range that a cursor gives first.
    fn nearest(&self, range: (Bound<&[u8]>, Bound<&[u8]>), cursor: Cursor) -> Result<Option<Entry>> {
        let found = cursor.first()?;
        if found.as_ref().is_some_and(|e| !range.contains(&&e.key[..])) {
            return Err(Error::corrupt("keys contradict the order index").in_file(&self.table.path));
        }
        Ok(found)
    }

    /// The record with the longest key that a key begins with.
    pub fn longest_prefix(&self, key: &[u8]) -> Result<Option<Entry>> {
        if self.table.has_history() {
            return Err(Error::invalid(
                "keys of a table with a history end in a time, so that none is a prefix; use as_of",
            ));
        }
        let mut key = key;
        while !key.is_empty() {
            let Some(floor) = self.floor(key)? else {
                return Ok(None);
            };
            if key.starts_with(&floor.key) {
                return Ok(Some(floor));
            }
            let shared = key.iter().zip(&floor.key).take_while(|(a, b)| a == b).count();
            key = &key[..shared];
        }
        Ok(None)
    }

    /// The records whose keys are in a range, by ascending keys.
    pub fn range<'k>(&self, range: impl RangeBounds<&'k [u8]>) -> Result<Cursor<'t>> {
        let mut cursor = self.table.scan();
        let overlay = self.table.overlay.as_ref();
        let mut place = |key: &[u8], through| -> Result<(Position, usize)> {
            let partition = self.table.partition_in_order(key);
            let number = self.table.partitions[partition].count_below(key, through, &mut cursor.scratch)?;
            Ok(((partition, number), overlay.map_or(0, |o| o.count_below(key, through))))
        };
        match range.start_bound() {
            Bound::Unbounded => {}
            Bound::Included(key) => (cursor.records.0, cursor.changes.0) = place(key, false)?,
            Bound::Excluded(key) => (cursor.records.0, cursor.changes.0) = place(key, true)?,
        }
        match range.end_bound() {
            Bound::Unbounded => {}
            Bound::Included(key) => (cursor.records.1, cursor.changes.1) = place(key, true)?,
            Bound::Excluded(key) => (cursor.records.1, cursor.changes.1) = place(key, false)?,
        }
        Ok(cursor)
    }

    /// The records whose keys begin with a prefix, by ascending keys.
    pub fn prefix(&self, prefix: &[u8]) -> Result<Cursor<'t>> {
        let mut end = prefix.to_vec();
        while end.last() == Some(&0xFF) {
            end.pop();
        }
        match end.last_mut() {
            Some(last) => *last += 1,
            None => return self.range((Bound::Included(prefix), Bound::Unbounded)),
        }
        self.range((Bound::Included(prefix), Bound::Excluded(&end[..])))
    }
}

impl Cursor<'_> {
    /// The same records by descending keys.
    pub fn reversed(mut self) -> Self {
        self.reverse = !self.reverse;
        self
    }

    /// Key and value of the next record; none after the last.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        while let Some(next) = self.step()? {
            if !self.hides || !self.table.hides(self.read(&next)?.1) {
                return self.read(&next).map(Some);
            }
        }
        Ok(None)
    }

    fn read(&mut self, next: &Next) -> Result<(&[u8], &[u8])> {
        match *next {
            Next::Record((partition, number)) => self.table.partitions[partition].record(number, &mut self.scratch),
            Next::Change(number) => {
                let change = self.table.overlay.as_ref().and_then(|o| o.by_number(number));
                Ok(change.map_or((&[], &[]), |c| (c.key, c.value().unwrap_or_default())))
            }
        }
    }

    fn first(mut self) -> Result<Option<Entry>> {
        Ok(self.next()?.map(|(key, value)| Entry { key: key.to_vec(), value: value.to_vec() }))
    }

    /// The next record of the partition files.
    fn peek_record(&mut self) -> Option<Position> {
        let partitions = &self.table.partitions;
        let (from, to) = &mut self.records;
        loop {
            if *from >= *to {
                return None;
            }
            if self.reverse {
                match to.1 {
                    0 => *to = (to.0 - 1, partitions[to.0 - 1].n),
                    number => return Some((to.0, number - 1)),
                }
            } else if from.1 == partitions[from.0].n {
                *from = (from.0 + 1, 0);
            } else {
                return Some(*from);
            }
        }
    }

    fn take_record(&mut self, position: Position) -> Next {
        if self.reverse {
            self.records.1 = position;
        } else {
            self.records.0 = (position.0, position.1 + 1);
        }
        Next::Record(position)
    }

    fn peek_change(&self) -> Option<usize> {
        let (from, to) = self.changes;
        (from < to).then(|| if self.reverse { to - 1 } else { from })
    }

    fn take_change(&mut self, number: usize) -> Next {
        if self.reverse {
            self.changes.1 = number;
        } else {
            self.changes.0 = number + 1;
        }
        Next::Change(number)
    }

    fn step(&mut self) -> Result<Option<Next>> {
        let table = self.table;
        let Some(overlay) = &table.overlay else {
            return Ok(self.peek_record().map(|position| self.take_record(position)));
        };
        loop {
            let record = self.peek_record();
            let change = self.peek_change();
            let Some(position) = record else {
                let Some(number) = change else {
                    return Ok(None);
                };
                let next = self.take_change(number);
                if overlay.by_number(number).is_some_and(|c| c.value().is_some()) {
                    return Ok(Some(next));
                }
                continue;
            };
            let partition: &Partition = &table.partitions[position.0];
            let (key, _) = partition.record(position.1, &mut self.scratch)?;
            if !table.is_ordered() {
                // Records without a change come first, then the puts.
                let changed = overlay.get(key, KeyHash::of(key)).is_some();
                let next = self.take_record(position);
                if !changed {
                    return Ok(Some(next));
                }
                continue;
            }
            let Some((number, put)) = change.and_then(|n| overlay.by_number(n).map(|c| (n, c))) else {
                return Ok(Some(self.take_record(position)));
            };
            let order = if self.reverse { key.cmp(put.key) } else { put.key.cmp(key) };
            if order == Ordering::Greater {
                return Ok(Some(self.take_record(position)));
            }
            if order == Ordering::Equal {
                self.take_record(position);
            }
            let next = self.take_change(number);
            if put.value().is_some() {
                return Ok(Some(next));
            }
        }
    }
}
