//! The manifest of a version.

use std::collections::HashSet;

use crate::bytes::{base64, check, hex, uuid};
use crate::error::{need, Error, Result};
use crate::json::Json;
use crate::schema::Schema;

const MAX_LENGTH: u64 = (1 << 47) - 1;
const MAX_NUMBER: u64 = (1 << 63) - 1;
const MAX_SEGMENT: u64 = (1 << 31) - 9;

pub(crate) struct Manifest {
    pub record_count: u64,
    pub snapshot_id: String,
    pub created_at: String,
    pub properties: Vec<(String, String)>,
    pub source_positions: Vec<(String, String)>,
    pub schema: Option<Schema>,
    /// In key order.
    pub ordered: bool,
    /// In key order, and the last column of the key is the time from which a row is valid.
    pub history: bool,
    pub partitions: Vec<PartitionEntry>,
    pub segments: Vec<SegmentEntry>,
}

pub(crate) struct PartitionEntry {
    pub file: String,
    pub id: [u8; 16],
    pub length: u64,
    pub checksum: u32,
    pub record_count: u32,
    pub key_bytes: u64,
    pub value_bytes: u64,
    pub version: Option<String>,
    pub folded_through: u64,
    pub lower_bound: Vec<u8>,
}

pub(crate) struct SegmentEntry {
    pub number: u64,
    pub file: String,
    pub id: [u8; 16],
    pub length: u64,
    pub checksum: u32,
    pub first_hash: u64,
    pub last_hash: u64,
    pub puts: u64,
    pub deletes: u64,
}

/// Whether a text has the form of a version's name.
pub(crate) fn is_version(text: &str) -> bool {
    text.len() == 19
        && text.bytes().enumerate().all(|(i, b)| match i {
            0..=9 => b.is_ascii_digit(),
            10 => b == b'-',
            _ => b.is_ascii_digit() || (b'a'..=b'f').contains(&b),
        })
}

fn is_file_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    text.len() <= 200
        && bytes.next().is_some_and(|b| b.is_ascii_alphanumeric())
        && bytes.all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

fn is_instant(text: &str) -> bool {
    let form = match text.len() {
        20 => "dddd-dd-ddTdd:dd:ddZ",
        24 => "dddd-dd-ddTdd:dd:dd.dddZ",
        _ => return false,
    };
    let fits = |(b, f): (u8, u8)| if f == b'd' { b.is_ascii_digit() } else { b == f };
    if !text.bytes().zip(form.bytes()).all(fits) {
        return false;
    }
    let number = |from: usize, to: usize| text[from..to].parse::<u32>().unwrap();
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + leap as u32,
        _ => 0,
    };
    (1..=days).contains(&day) && number(11, 13) < 24 && number(14, 16) < 60 && number(17, 19) < 60
}

fn member<'a>(node: &'a Json, name: &str) -> Result<&'a Json> {
    node.get(name).ok_or_else(|| Error::corrupt(format!("member {name} is missing")))
}

fn other_type<T>(name: &str, kind: &str) -> Result<T> {
    Err(Error::corrupt(format!("member {name} is no {kind}")))
}

fn text<'a>(node: &'a Json, name: &str) -> Result<&'a str> {
    member(node, name)?.text().map_or_else(|| other_type(name, "string"), Ok)
}

fn formed<'a>(node: &'a Json, name: &str, form: impl Fn(&str) -> bool) -> Result<&'a str> {
    let text = text(node, name)?;
    need!(form(text), "member {name} has another form: {text:?}");
    Ok(text)
}

fn hexadecimal(node: &Json, name: &str, digits: usize) -> Result<u64> {
    let text = text(node, name)?;
    hex(text, digits).ok_or_else(|| Error::corrupt(format!("member {name} has another form: {text:?}")))
}

fn id(node: &Json, name: &str) -> Result<[u8; 16]> {
    let text = text(node, name)?;
    uuid(text).ok_or_else(|| Error::corrupt(format!("member {name} is no UUID: {text:?}")))
}

fn number(node: &Json, name: &str, most: u64) -> Result<u64> {
    let Json::Number(text) = member(node, name)? else {
        return other_type(name, "number");
    };
    match text.parse::<u64>() {
        Ok(number) if number <= most => Ok(number),
        _ => Err(Error::corrupt(format!("member {name} is out of range")).values(format_args!("0 to {most}"), text)),
    }
}

fn array<'a>(node: &'a Json, name: &str, least: usize, most: usize) -> Result<&'a [Json]> {
    let Some(values) = member(node, name)?.array() else {
        return other_type(name, "array");
    };
    need!((least..=most).contains(&values.len()), "member {name} has {} entries", values.len());
    need!(values.iter().all(|v| v.object().is_some()), "member {name} has entries that are no objects");
    Ok(values)
}

fn object<'a>(node: &'a Json, name: &str, most: usize) -> Result<&'a [(String, Json)]> {
    let Some(members) = member(node, name)?.object() else {
        return other_type(name, "object");
    };
    need!(members.len() <= most, "member {name} has more than {most} members");
    Ok(members)
}

fn texts(node: &Json, name: &str) -> Result<Vec<(String, String)>> {
    object(node, name, 65_536)?
        .iter()
        .map(|(key, value)| match value {
            Json::Text(text) => Ok((key.clone(), text.clone())),
            _ => other_type(&format!("{name}.{key}"), "string"),
        })
        .collect()
}

impl Manifest {
    pub fn parse(data: &[u8], version: &str) -> Result<Manifest> {
        need!(data.len() <= 64 << 20, "manifest is longer than 64 MiB");
        check_format_version(data)?;
        check_end(data)?;
        let root = Json::parse(data)?;
        need!(root.object().is_some(), "manifest is no object");
        Self::read(&root, version)
    }

    fn read(root: &Json, version: &str) -> Result<Manifest> {
        let format_version = number(root, "formatVersion", 2)?;
        need!(format_version > 0, "format version 0");
        let hash = text(root, "hash")?;
        if hash != "XXH3-128, seed 0" {
            return Err(Error::unsupported("hash is unknown").values("XXH3-128, seed 0", hash));
        }
        id(root, "snapshotId")?;
        formed(root, "createdAt", is_instant)?;
        if root.get("parent").is_some() {
            formed(root, "parent", is_version)?;
        }
        let named = formed(root, "version", is_version)?;
        if named != version {
            return Err(Error::corrupt("manifest of another version").values(version, named));
        }
        let options = texts(root, "options")?;
        let order = root.get("order").map(|_| text(root, "order")).transpose()?;
        let (ordered, history) = (order.is_some(), order == Some("history"));
        if let Some(order) = order.filter(|&o| o != "key" && o != "history") {
            return Err(Error::unsupported("order is unknown").values("key or history", order));
        }
        if history && root.get("horizon").is_some() {
            formed(root, "horizon", is_instant)?;
        }
        let partitions = array(root, "partitions", 1, 65_536)?
            .iter()
            .map(|entry| PartitionEntry::read(entry, ordered))
            .collect::<Result<Vec<_>>>()?;
        let schema = root.get("schema").map(Schema::read).transpose()?;
        let record_count = number(root, "recordCount", MAX_NUMBER)?;
        let sum = partitions.iter().map(|p| p.record_count as u64).sum::<u64>();
        if record_count != sum {
            return Err(Error::corrupt("record count is not the sum").values(sum, record_count));
        }
        need!(distinct(partitions.iter().map(|p| &p.file)), "two partitions of one file");
        need!(distinct(partitions.iter().map(|p| p.id)), "two partitions of one file id");
        if ordered {
            check_bounds(&partitions, schema.as_ref())?;
        }
        need!(
            !history || schema.as_ref().is_some_and(Schema::has_time),
            "history without a time at the end of its key"
        );
        let segments = read_changes(root)?;
        let changed =
            root.get("segments").is_some() || partitions.iter().any(|p| p.version.is_some() || p.folded_through > 0);
        need!(format_version == 2 || !changed, "changes in format version 1");
        need!(format_version == 2 || !ordered, "key order in format version 1");
        let omitted = options.iter().any(|(name, text)| name == "keys" && text == "omitted");
        need!(segments.is_empty() || !omitted, "changes of a table whose keys are omitted");
        Ok(Manifest {
            record_count,
            snapshot_id: text(root, "snapshotId")?.to_owned(),
            created_at: text(root, "createdAt")?.to_owned(),
            properties: texts(root, "properties")?,
            source_positions: texts(root, "sourcePositions")?,
            schema,
            ordered,
            history,
            partitions,
            segments,
        })
    }
}

fn distinct<T: std::hash::Hash + Eq>(values: impl Iterator<Item = T>) -> bool {
    let mut seen = HashSet::new();
    let mut values = values;
    values.all(|value| seen.insert(value))
}

/// A format version that is too high comes before everything else.
fn check_format_version(data: &[u8]) -> Result<()> {
    if let Some(Json::Number(text)) = Json::first_member(data, "formatVersion") {
        if text.bytes().all(|b| b.is_ascii_digit()) && text.parse::<u64>().map_or(true, |v| v > 2) {
            return Err(Error::unsupported("format version of the manifest is unknown").values("1 or 2", text));
        }
    }
    Ok(())
}

fn check_end(data: &[u8]) -> Result<()> {
    let start = data.len().checked_sub(26);
    let stated = start.and_then(|at| {
        let end = std::str::from_utf8(&data[at..]).ok()?;
        hex(end.strip_prefix("\"checksum\" : \"")?.strip_suffix("\"\n}\n")?, 8)
    });
    match (start, stated) {
        (Some(at), Some(stated)) => check("manifest", 0, stated as u32, crc32c::crc32c(&data[..at])),
        _ => Err(Error::corrupt("manifest does not end with its checksum").at(data.len() as u64)),
    }
}

impl PartitionEntry {
    fn read(node: &Json, ordered: bool) -> Result<PartitionEntry> {
        let optional = |name| node.get(name).is_some();
        Ok(PartitionEntry {
            file: formed(node, "file", is_file_name)?.to_owned(),
            id: id(node, "fileId")?,
            length: number(node, "length", MAX_LENGTH)?,
            checksum: hexadecimal(node, "checksum", 8)? as u32,
            record_count: number(node, "recordCount", 1 << 27)? as u32,
            key_bytes: number(node, "keyBytes", MAX_LENGTH)?,
            value_bytes: number(node, "valueBytes", MAX_LENGTH)?,
            version: match optional("version") {
                true => Some(formed(node, "version", is_version)?.to_owned()),
                false => None,
            },
            folded_through: match optional("foldedThrough") {
                true => number(node, "foldedThrough", MAX_NUMBER)?,
                false => 0,
            },
            lower_bound: match ordered {
                true => base64(text(node, "lowerBound")?)
                    .ok_or_else(|| Error::corrupt("member lowerBound is not Base64"))?,
                false => Vec::new(),
            },
        })
    }
}

fn check_bounds(partitions: &[PartitionEntry], schema: Option<&Schema>) -> Result<()> {
    need!(partitions[0].lower_bound.is_empty(), "first partition has a lower bound");
    for pair in partitions.windows(2) {
        need!(pair[0].lower_bound < pair[1].lower_bound, "lower bounds do not ascend");
    }
    for partition in partitions {
        need!(partition.lower_bound.len() <= 65_535, "lower bound is longer than a key");
        let alone = partitions.len() == 1;
        need!(alone || partition.record_count > 0, "partition without records in key order");
    }
    need!(schema.is_none_or(|s| s.ordered_keys), "key order with keys that do not sort");
    Ok(())
}

/// Reads the segments, and checks the form of what is for writers.
fn read_changes(root: &Json) -> Result<Vec<SegmentEntry>> {
    if root.get("segments").is_none() {
        return Ok(Vec::new());
    }
    let last = number(root, "lastSegment", MAX_NUMBER)?;
    let segments = read_segments(root, 4096, 0, last)?;
    let mut folded = Vec::new();
    if root.get("history").is_some() {
        let history = member(root, "history")?;
        object(root, "history", usize::MAX)?;
        if history.get("line").is_some() {
            id(history, "line")?;
        }
        folded = read_segments(history, 1024, number(history, "after", last)?, last)?;
    }
    need!(distinct(segments.iter().chain(&folded).map(|s| s.id)), "two segments of one file id");
    if root.get("streams").is_some() {
        for (_, stream) in object(root, "streams", 65_536)? {
            need!(stream.object().is_some(), "a stream is no object");
            for applied in array(stream, "superseded", 0, 1000)?.iter().chain([stream]) {
                id(applied, "incarnation")?;
                number(applied, "checkpoint", MAX_NUMBER)?;
            }
            if stream.get("sourceTime").is_some() {
                formed(stream, "sourceTime", is_instant)?;
            }
        }
    }
    Ok(segments)
}

fn read_segments(node: &Json, most: usize, mut before: u64, last: u64) -> Result<Vec<SegmentEntry>> {
    let mut segments = Vec::new();
    for entry in array(node, "segments", 0, most)? {
        let number_of = number(entry, "number", last)?;
        need!(number_of > before, "segments are out of order at number {number_of}");
        before = number_of;
        segments.push(SegmentEntry {
            number: number_of,
            file: format!("{}.seg", text(entry, "fileId")?),
            id: id(entry, "fileId")?,
            length: number(entry, "length", MAX_SEGMENT)?,
            checksum: hexadecimal(entry, "checksum", 8)? as u32,
            first_hash: hexadecimal(entry, "firstHash", 16)?,
            last_hash: hexadecimal(entry, "lastHash", 16)?,
            puts: number(entry, "puts", MAX_SEGMENT)?,
            deletes: number(entry, "deletes", MAX_SEGMENT)?,
        });
    }
    Ok(segments)
}
