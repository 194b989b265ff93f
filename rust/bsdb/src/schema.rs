//! The columns of a typed table.

use crate::error::{need, Error, Result};
use crate::json::Json;

const MAX_COLUMNS: usize = 16_384;
const MAX_TYPE_TEXT: usize = 1 << 20;
const MAX_NESTING: usize = 32;

/// The columns of a table, and which of them are its key.
#[derive(Clone, Debug)]
pub struct Schema {
    /// All columns, in declared order.
    pub columns: Vec<Column>,
    /// The columns of the primary key, by their number, in key order.
    pub key: Vec<usize>,
    /// Whether the bytes of keys sort as the columns' values do.
    pub ordered_keys: bool,
    /// For each column its place in the key, or else in the row of the other columns.
    places: Vec<Place>,
}

/// Where the value of a column is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A column of the key, by its position there.
    Key(usize),
    /// A field of the row, by its position there.
    Row(usize),
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: Type,
    /// Whether it may be null.
    pub nullable: bool,
}

/// The type of a column, a field or an element.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Type {
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    /// Precision and scale.
    Decimal(u32, u32),
    Date,
    /// Digits of the second's fraction.
    Time(u32),
    /// Digits of the second's fraction.
    Timestamp(u32),
    /// Digits of the second's fraction.
    TimestampLtz(u32),
    /// CHAR, VARCHAR and STRING.
    Text,
    /// BINARY, VARBINARY and BYTES.
    Bytes,
    Array(Box<Type>),
    Map(Box<Type>, Box<Type>),
    Row(Vec<(String, Type)>),
}

impl Type {
    /// Bytes of a slot of a row; 0 if the width varies.
    pub(crate) fn width(&self) -> usize {
        match self {
            Type::Boolean | Type::TinyInt => 1,
            Type::SmallInt => 2,
            Type::Int | Type::Float | Type::Date | Type::Time(_) => 4,
            Type::BigInt | Type::Double => 8,
            Type::Timestamp(p) | Type::TimestampLtz(p) => 8 + 4 * (*p > 3) as usize,
            Type::Decimal(p, _) => 8 * (*p <= 18) as usize,
            _ => 0,
        }
    }

    /// Bytes in a key that does not sort; 0 if the width varies.
    pub(crate) fn key_width(&self) -> usize {
        match self {
            Type::Decimal(..) => 0,
            _ => self.width(),
        }
    }

    fn is_nested(&self) -> bool {
        matches!(self, Type::Array(_) | Type::Map(..) | Type::Row(_))
    }
}

impl Schema {
    /// Whether the key has other columns and then a time.
    pub(crate) fn has_time(&self) -> bool {
        let last = self.key.last().map(|&column| &self.columns[column].kind);
        self.key.len() >= 2 && matches!(last, Some(Type::Timestamp(_) | Type::TimestampLtz(_)))
    }

    pub(crate) fn read(node: &Json) -> Result<Schema> {
        need!(node.object().is_some(), "schema is no object");
        let encoding = match node.get("keyEncoding") {
            None => "plain",
            Some(text) => text.text().ok_or_else(|| Error::corrupt("keyEncoding is no string"))?,
        };
        if !["plain", "ordered"].contains(&encoding) {
            return Err(Error::unsupported("key encoding is unknown").values("plain or ordered", encoding));
        }
        let nodes = node.get("columns").and_then(Json::array);
        let nodes = nodes.ok_or_else(|| Error::corrupt("columns are missing"))?;
        need!(nodes.len() <= MAX_COLUMNS, "more than {MAX_COLUMNS} columns");
        let mut columns: Vec<Column> = Vec::new();
        let mut names = std::collections::HashMap::new();
        for node in nodes {
            let (name, kind) = (node.get("name"), node.get("type"));
            let (Some(name), Some(kind)) = (name.and_then(Json::text), kind.and_then(Json::text)) else {
                return Err(Error::corrupt("column without name or type"));
            };
            need!(!name.trim().is_empty(), "column without a name");
            need!(names.insert(name, columns.len()).is_none(), "two columns of the name {name:?}");
            let (kind, nullable) = TypeText::parse(kind).map_err(|e| match e.kind() {
                crate::ErrorKind::Unsupported => Error::unsupported(format!("column {name}: {e}")),
                _ => Error::corrupt(format!("column {name}: {e}")),
            })?;
            columns.push(Column { name: name.to_owned(), kind, nullable });
        }
        let key_nodes = node.get("primaryKey").and_then(Json::array).unwrap_or_default();
        need!(!key_nodes.is_empty(), "primary key is missing");
        let mut key = Vec::new();
        for node in key_nodes {
            let number = node.text().and_then(|name| names.get(name));
            let Some(&number) = number else {
                return Err(Error::corrupt("primary key of no column"));
            };
            need!(!key.contains(&number), "column twice in the primary key");
            need!(!columns[number].kind.is_nested(), "column {:?} cannot be a key", columns[number].name);
            columns[number].nullable = false;
            key.push(number);
        }
        let mut rows = 0;
        let places = (0..columns.len())
            .map(|number| match key.iter().position(|&k| k == number) {
                Some(at) => Place::Key(at),
                None => {
                    rows += 1;
                    Place::Row(rows - 1)
                }
            })
            .collect();
        Ok(Schema { columns, key, ordered_keys: encoding == "ordered", places })
    }

    /// The number of a column.
    pub fn column(&self, name: &str) -> Result<usize> {
        self.columns.iter().position(|c| c.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.columns.iter().map(|c| c.name.as_str()).collect();
            Error::invalid(format!("no column {name:?}; the columns are {}", names.join(", ")))
        })
    }

    /// Where a column's value is.
    pub fn place(&self, column: usize) -> Place {
        self.places[column]
    }

    /// The types of the columns of the key, in key order.
    pub fn key_types(&self) -> Vec<&Type> {
        self.key.iter().map(|&k| &self.columns[k].kind).collect()
    }

    /// The types of the fields of a row, which are the columns outside of the key.
    pub fn row_types(&self) -> Vec<&Type> {
        let outside = |&(number, _): &(usize, _)| matches!(self.places[number], Place::Row(_));
        self.columns.iter().enumerate().filter(outside).map(|(_, c)| &c.kind).collect()
    }
}

/// Reads the text of a type from left to right.
struct TypeText<'a> {
    rest: &'a str,
}

impl TypeText<'_> {
    /// The type, and whether it may be null.
    fn parse(text: &str) -> Result<(Type, bool)> {
        need!(text.encode_utf16().count() <= MAX_TYPE_TEXT, "type text is too long");
        let mut reader = TypeText { rest: text };
        let parsed = reader.kind(1)?;
        need!(reader.rest.trim_start_matches(' ').is_empty(), "text after a type: {:?}", reader.rest);
        Ok(parsed)
    }

    fn word(&mut self) -> String {
        self.rest = self.rest.trim_start_matches(' ');
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_ascii_uppercase()
    }

    fn take(&mut self, token: char) -> bool {
        let rest = self.rest.trim_start_matches(' ');
        match rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: char) -> Result<()> {
        let found = self.take(token);
        need!(found, "{token:?} expected at {:?}", self.rest);
        Ok(())
    }

    fn number(&mut self, least: u32, most: u32) -> Result<u32> {
        let word = self.word();
        match word.parse() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(Error::corrupt(format!("parameter {word:?} is not in {least} to {most}"))),
        }
    }

    fn parameter(&mut self, least: u32, most: u32, default: u32) -> Result<u32> {
        if !self.take('(') {
            return Ok(default);
        }
        let number = self.number(least, most)?;
        self.expect(')')?;
        Ok(number)
    }

    fn kind(&mut self, depth: usize) -> Result<(Type, bool)> {
        need!(depth <= MAX_NESTING, "type is nested more than {MAX_NESTING} deep");
        let name = self.word();
        let kind = match name.as_str() {
            "BOOLEAN" => Type::Boolean,
            "TINYINT" => Type::TinyInt,
            "SMALLINT" => Type::SmallInt,
            "INT" => Type::Int,
            "BIGINT" => Type::BigInt,
            "FLOAT" => Type::Float,
            "DOUBLE" => Type::Double,
            "DATE" => Type::Date,
            "STRING" => Type::Text,
            "BYTES" => Type::Bytes,
            "CHAR" | "VARCHAR" => self.length().map(|_| Type::Text)?,
            "BINARY" | "VARBINARY" => self.length().map(|_| Type::Bytes)?,
            "TIME" => Type::Time(self.parameter(0, 9, 0)?),
            "TIMESTAMP" => Type::Timestamp(self.parameter(0, 9, 6)?),
            "TIMESTAMP_LTZ" => Type::TimestampLtz(self.parameter(0, 9, 6)?),
            "DECIMAL" => self.decimal()?,
            "ARRAY" => {
                self.expect('<')?;
                let element = self.kind(depth + 1)?.0;
                self.expect('>')?;
                Type::Array(Box::new(element))
            }
            "MAP" => {
                self.expect('<')?;
                let key = self.kind(depth + 1)?.0;
                self.expect(',')?;
                let value = self.kind(depth + 1)?.0;
                self.expect('>')?;
                Type::Map(Box::new(key), Box::new(value))
            }
            "ROW" => self.row(depth)?,
            _ if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) => {
                return Err(Error::corrupt(format!("type expected at {:?}", name + self.rest)))
            }
            _ => return Err(Error::unsupported(format!("type {name} is unknown"))),
        };
        let before = self.rest;
        if self.word() == "NOT" {
            let null = self.word();
            need!(null == "NULL", "NULL expected after NOT");
            return Ok((kind, false));
        }
        self.rest = before;
        Ok((kind, true))
    }

    fn length(&mut self) -> Result<u32> {
        self.expect('(')?;
        let length = self.number(1, i32::MAX as u32)?;
        self.expect(')')?;
        Ok(length)
    }

    fn decimal(&mut self) -> Result<Type> {
        if !self.take('(') {
            return Ok(Type::Decimal(10, 0));
        }
        let precision = self.number(1, 38)?;
        let scale = if self.take(',') { self.number(0, precision)? } else { 0 };
        self.expect(')')?;
        Ok(Type::Decimal(precision, scale))
    }

    fn row(&mut self, depth: usize) -> Result<Type> {
        self.expect('<')?;
        let mut fields = Vec::new();
        if self.take('>') {
            return Ok(Type::Row(fields));
        }
        loop {
            self.expect('`')?;
            let mut name = String::new();
            loop {
                let end = self.rest.find('`').ok_or_else(|| Error::corrupt("name of a field without end"))?;
                name.push_str(&self.rest[..end]);
                self.rest = &self.rest[end + 1..];
                if !self.rest.starts_with('`') {
                    break;
                }
                self.rest = &self.rest[1..];
                name.push('`');
            }
            need!(!name.trim().is_empty(), "field without a name");
            fields.push((name, self.kind(depth + 1)?.0));
            if !self.take(',') {
                break;
            }
        }
        self.expect('>')?;
        let mut names: Vec<&str> = fields.iter().map(|field| field.0.as_str()).collect();
        names.sort_unstable();
        let twice = names.windows(2).find(|two| two[0] == two[1]);
        need!(twice.is_none(), "two fields of one name: {:?}", twice.unwrap_or_default());
        Ok(Type::Row(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn refuses_types_that_no_writer_writes() {
        for text in ["CHAR", "VARBINARY", "CHAR()", "ROW<`` INT>", "ROW<` ` INT>", "ROW<`a` INT, `a` INT>", "5INT", ""]
        {
            assert_eq!(TypeText::parse(text).unwrap_err().kind(), ErrorKind::Corrupt, "{text}");
        }
        assert_eq!(TypeText::parse("INTERVAL").unwrap_err().kind(), ErrorKind::Unsupported);
        let fields = [("a`b".to_owned(), Type::Text), ("a".to_owned(), Type::Decimal(10, 0))];
        let row = TypeText::parse(" row <`a``b` char( 2 ) not  null , `a` DECIMAL> NOT NULL ").unwrap();
        assert_eq!(row, (Type::Row(fields.into()), false));
    }
}
