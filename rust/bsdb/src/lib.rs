//! Reads bsdb tables: immutable tables of keys and values, in files that many processes share.
//!
//! ```no_run
//! let table = bsdb::Table::open("places", bsdb::Options::default())?;
//! if let Some(value) = table.get(b"key")? {
//!     println!("{} bytes", value.len());
//! }
//! # Ok::<(), bsdb::Error>(())
//! ```
//!
//! Flink, Kafka Streams, Java and the `bsdb` command build tables; this crate reads them, without a server and without a JVM.
//! Damage is an error that names file and offset, never an absent key.

mod batch;
mod bytes;
mod counters;
mod error;
mod file;
mod follower;
mod hash;
mod index;
mod json;
mod key;
mod manifest;
mod order;
mod ordered;
mod overlay;
mod partition;
mod record;
mod schema;
mod segment;
mod symbols;
mod table;
mod text;
mod value;

pub use counters::Counters;
pub use error::{Error, ErrorKind, Result};
pub use file::Access;
pub use follower::Follower;
pub use ordered::{Cursor, Entry, Ordered};
pub use schema::{Column, Place, Schema, Type};
pub use table::{Options, Table};
pub use text::decimal;
pub use value::{RowLayout, Value};

#[doc(hidden)]
pub use json::Json;
