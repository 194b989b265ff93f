//! Forged tables: parts of the conformance tables are edited and get the checksums that fit. Whatever the reader makes of
//! that, it neither panics nor reads outside of a file, and it finds the same one by one and in batches.
//!
//! `cargo fuzz` and the ordinary test `forged` run the same code.

use std::fs;
use std::path::{Path, PathBuf};

use bsdb::{Access, ErrorKind, Options, Result, Table};

/// Larger tables are left out: each run writes a file.
const MOST: usize = 64 << 10;
const ALL_BYTES: u32 = u32::MAX;
const BLOCKS: u32 = 1;
const PROPERTIES: u32 = 2;

/// A part that can be edited: which file, and where in it.
enum Part {
    /// Everything before the checksum.
    Manifest,
    /// Section number of the directory.
    Section {
        file: usize,
        entry: usize,
    },
    Block {
        file: usize,
        at: usize,
        length: usize,
    },
    Segment {
        file: usize,
    },
}

struct Sound {
    /// The manifest, then partitions and segments that it names; paths within the table.
    files: Vec<(PathBuf, Vec<u8>)>,
    current: Vec<u8>,
    parts: Vec<Part>,
    keys: Vec<Vec<u8>>,
}

/// The sound tables, and a directory to put forged ones.
pub struct Forger {
    tables: Vec<Sound>,
    directory: PathBuf,
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

fn long(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

fn put(bytes: &mut [u8], at: usize, content: &[u8]) {
    bytes[at..at + content.len()].copy_from_slice(content);
}

/// The checksum of a part of a file, whose id its header has.
fn bound(file: &[u8], kind: u32, offset: usize, covered: &[u8]) -> [u8; 4] {
    let mut prefix = file[16..32].to_vec();
    prefix.extend(kind.to_le_bytes());
    prefix.extend((offset as u64).to_le_bytes());
    crc32c::crc32c_append(crc32c::crc32c(&prefix), covered).to_le_bytes()
}

fn uuid(id: &[u8]) -> String {
    let hex: String = id.iter().map(|b| format!("{b:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Where the checksum of a manifest is stated.
fn checksum_at(manifest: &[u8]) -> usize {
    manifest.len() - "\"checksum\" : \"01234567\"\n}\n".len()
}

impl Sound {
    fn load(directory: &Path) -> Sound {
        let current = fs::read(directory.join("CURRENT")).unwrap();
        let version = std::str::from_utf8(&current).unwrap().trim_end();
        let manifest_path = Path::new("snapshots").join(version).join("manifest.json");
        let manifest = fs::read(directory.join(&manifest_path)).unwrap();
        let text = String::from_utf8_lossy(&manifest).into_owned();
        let mut sound =
            Sound { files: vec![(manifest_path, manifest)], current, parts: vec![Part::Manifest], keys: Vec::new() };
        let mut paths = Vec::new();
        files(directory, &mut paths);
        paths.sort();
        for path in paths {
            let content = fs::read(&path).unwrap();
            if content.len() >= 64 && text.contains(&uuid(&content[16..32])) {
                sound.files.push((path.strip_prefix(directory).unwrap().to_owned(), content));
                sound.add_parts(sound.files.len() - 1);
            }
        }
        let table = Table::open(directory, Options::default()).unwrap();
        let mut cursor = table.scan();
        while let (Some((key, _)), true) = (cursor.next().unwrap(), sound.keys.len() < 24) {
            sound.keys.push(key.to_vec());
        }
        sound.keys.extend((0..40u8).map(|i| vec![b'a' + i % 26; 1 + i as usize / 8]));
        sound
    }

    fn add_parts(&mut self, file: usize) {
        let (path, content) = &self.files[file];
        if path.extension().is_some_and(|e| e == "seg") {
            self.parts.push(Part::Segment { file });
            return;
        }
        let directory = long(content, content.len() - 32);
        let entries: Vec<usize> = (directory..content.len() - 32).step_by(32).collect();
        let properties = entries.iter().find(|&&at| word(content, at) as u32 == PROPERTIES).unwrap();
        let alignment = word(content, long(content, properties + 8) + 24);
        for (entry, &at) in entries.iter().enumerate() {
            if word(content, at) as u32 != BLOCKS {
                self.parts.push(Part::Section { file, entry });
                continue;
            }
            let (mut block, end) = (long(content, at + 8), long(content, at + 8) + long(content, at + 16));
            while block < end {
                let length = word(content, block + 4).next_multiple_of(alignment);
                self.parts.push(Part::Block { file, at: block, length });
                block += length;
            }
        }
    }

    /// The forged files: those that differ from the sound ones.
    fn forge(&self, part: &Part, edits: &[u8]) -> Vec<(&Path, Vec<u8>)> {
        let (_, manifest) = &self.files[0];
        let (file, forged) = match *part {
            Part::Manifest => {
                let mut forged = edited(&manifest[..checksum_at(manifest)], edits);
                seal_manifest(&mut forged);
                return vec![(&self.files[0].0, forged)];
            }
            Part::Section { file, entry } => (file, with_section(&self.files[file].1, entry, edits)),
            Part::Block { file, at, length } => {
                let mut forged = self.files[file].1.clone();
                let mut block = edited(&forged[at + 4..at + length], edits);
                block.resize(length - 4, 0);
                put(&mut forged, at + 4, &block);
                let checksum = bound(&forged, BLOCKS, at, &block);
                put(&mut forged, at, &checksum);
                (file, forged)
            }
            Part::Segment { file } => (file, segment(&self.files[file].1, edits)),
        };
        let (path, sound) = &self.files[file];
        let text = std::str::from_utf8(manifest).unwrap();
        let entry = text.find(&uuid(&sound[16..32])).unwrap();
        let stated = format!("\"length\" : {}", sound.len());
        let at = entry + text[entry..].find(&stated).unwrap();
        let mut fitting = manifest[..at].to_vec();
        fitting.extend(format!("\"length\" : {}", forged.len()).bytes());
        fitting.extend_from_slice(&manifest[at + stated.len()..checksum_at(manifest)]);
        seal_manifest(&mut fitting);
        vec![(&self.files[0].0, fitting), (path, forged)]
    }
}

fn seal_manifest(content: &mut Vec<u8>) {
    let checksum = crc32c::crc32c(content);
    content.extend(format!("\"checksum\" : \"{checksum:08x}\"\n}}\n").bytes());
}

/// A partition file whose edited section lies after all others.
fn with_section(sound: &[u8], entry: usize, edits: &[u8]) -> Vec<u8> {
    let directory = long(sound, sound.len() - 32);
    let at = 32 * entry;
    let mut entries = sound[directory..].to_vec();
    let (kind, offset, length) = (word(&entries, at) as u32, long(&entries, at + 8), long(&entries, at + 16));
    let section = edited(&sound[offset..offset + length], edits);
    let mut forged = sound[..directory].to_vec();
    put(&mut entries, at + 8, &(directory as u64).to_le_bytes());
    put(&mut entries, at + 16, &(section.len() as u64).to_le_bytes());
    let checksum = bound(sound, kind, directory, &section);
    put(&mut entries, at + 24, &checksum);
    forged.extend(section);
    let moved = forged.len();
    let tail = entries.len() - 32;
    put(&mut entries, tail, &(moved as u64).to_le_bytes());
    let end = (moved + entries.len()) as u64;
    put(&mut entries, tail + 8, &end.to_le_bytes());
    let checksum = bound(sound, ALL_BYTES, moved, &entries[..tail + 20]);
    put(&mut entries, tail + 20, &checksum);
    forged.extend(entries);
    forged
}

/// A segment whose frames have checksums that fit, as far as there are frames.
fn segment(sound: &[u8], edits: &[u8]) -> Vec<u8> {
    let mut forged = sound[..64].to_vec();
    forged.extend(edited(&sound[64..], edits));
    let mut at = 64;
    while at + 32 <= forged.len() {
        let length = word(&forged, at + 4);
        if length < 32 || length > forged.len() - at {
            break;
        }
        let checksum = bound(&forged, 16, at, &forged[at + 4..at + length]);
        put(&mut forged, at, &checksum);
        at = (at + length).next_multiple_of(8);
    }
    forged
}

/// Bytes with edits of six bytes each: what, three bytes of where, two of content.
fn edited(sound: &[u8], edits: &[u8]) -> Vec<u8> {
    let mut bytes = sound.to_vec();
    for edit in edits.chunks_exact(6) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = (word(edit, 0) >> 8) % bytes.len();
        let (value, length) = (u16::from_le_bytes([edit[4], edit[5]]), 1 + edit[5] as usize);
        let end = (at + length).min(bytes.len());
        match edit[0] % 9 {
            0 => bytes[at] = edit[4],
            1 => bytes[at] ^= 1 << (edit[4] % 8),
            2 => bytes[at] = bytes[at].wrapping_add(edit[4]),
            3 => bytes[at..].iter_mut().zip(value.to_le_bytes()).for_each(|(b, new)| *b = new),
            4 => bytes[at..].iter_mut().zip((value as i16 as i32).to_le_bytes()).for_each(|(b, new)| *b = new),
            5 => bytes[at..end].fill(edit[4]),
            6 => bytes.truncate(at),
            7 => drop(bytes.drain(at..end)),
            _ => drop(bytes.splice(at..at, vec![edit[4]; length])),
        }
    }
    bytes
}

fn use_table(path: &Path, access: Access, keys: &[Vec<u8>]) -> Result<()> {
    let table = Table::open(path, Options::default().access(access))?;
    let mut failure = Ok(());
    let mut single = Vec::new();
    for key in keys {
        match table.get(key) {
            Ok(value) => single.push(value),
            Err(e) => failure = Err(e),
        }
    }
    let (mut seen, whole) = (0, failure.is_ok());
    let batch = table.get_many(keys, |i, value| {
        assert!(!whole || single[i].as_deref() == value, "key {i} in a batch");
        seen += 1;
        Ok(())
    });
    assert!(batch.is_err() || seen == keys.len());
    if let Ok(ordered) = table.ordered() {
        for key in keys {
            let (floor, ceiling) = (ordered.floor(key)?, ordered.ceiling(key)?);
            assert!(floor.is_none_or(|f| f.key <= *key) && ceiling.is_none_or(|c| c.key >= *key));
            if !table.has_history() {
                ordered.longest_prefix(key)?;
                continue;
            }
            match ordered.as_of(&key[..key.len().saturating_sub(8)], 0, 0) {
                Err(e) if e.kind() == ErrorKind::Invalid => {} // these are not the leading columns
                found => assert!(found?.is_none_or(|f| f.key.len() >= key.len())),
            }
        }
        let mut backwards = table.scan().reversed();
        while backwards.next()?.is_some() {}
    }
    let mut cursor = table.scan();
    while let Some((key, value)) = cursor.next()? {
        if let Some(schema) = table.schema() {
            schema.json(key, value)?;
        }
    }
    failure.and(batch).and(table.verify())
}

/// Writes a new file: some file systems force one to disk that is cut and written again.
fn replace(path: &Path, content: &[u8]) {
    fs::remove_file(path).unwrap();
    fs::write(path, content).unwrap();
}

impl Forger {
    /// Loads the conformance tables.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Forger {
        let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/tables");
        let mut paths: Vec<_> = fs::read_dir(tables).unwrap().map(|e| e.unwrap().path()).collect();
        paths.sort();
        let tables: Vec<Sound> = paths
            .iter()
            .map(|path| Sound::load(path))
            .filter(|t| t.files.iter().map(|f| f.1.len()).sum::<usize>() <= MOST)
            .collect();
        let directory = std::env::temp_dir().join(format!("bsdb-forged-{}", std::process::id()));
        for (number, table) in tables.iter().enumerate() {
            let directory = directory.join(number.to_string());
            for (path, content) in
                table.files.iter().map(|(p, c)| (&**p, c)).chain([(Path::new("CURRENT"), &table.current)])
            {
                fs::create_dir_all(directory.join(path).parent().unwrap()).unwrap();
                fs::write(directory.join(path), content).unwrap();
            }
        }
        Forger { tables, directory }
    }

    /// How many parts there are to choose from.
    pub fn parts(&self) -> usize {
        self.tables.iter().map(|t| t.parts.len()).sum()
    }

    /// Uses a forged table: two bytes choose a part, the rest edits it.
    pub fn run(&self, edits: &[u8]) {
        let [low, high, edits @ ..] = edits else { return };
        let mut number = u16::from_le_bytes([*low, *high]) as usize % self.parts();
        for (i, table) in self.tables.iter().enumerate() {
            if number >= table.parts.len() {
                number -= table.parts.len();
                continue;
            }
            let directory = self.directory.join(i.to_string());
            let forged = table.forge(&table.parts[number], edits);
            for (path, content) in &forged {
                replace(&directory.join(path), content);
            }
            let access = if edits.len() / 6 % 2 == 0 { Access::Mapped } else { Access::Read };
            if let Err(e) = use_table(&directory, access, &table.keys) {
                let kinds = [ErrorKind::Corrupt, ErrorKind::Unsupported, ErrorKind::NotFound];
                assert!(kinds.contains(&e.kind()), "{}: {e}", table.files[0].0.display());
            }
            for (path, content) in &table.files {
                if forged.iter().any(|f| f.0 == path) {
                    replace(&directory.join(path), content);
                }
            }
            return;
        }
    }
}

impl Drop for Forger {
    fn drop(&mut self) {
        // What is left lies in the directory for temporary files.
        let _ = fs::remove_dir_all(&self.directory);
    }
}
