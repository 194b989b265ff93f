//! JSON of RFC 8259 and nothing more, within the limits of a manifest.

use crate::error::{need, Error, Result};

const MAX_DEPTH: usize = 32;
const MAX_PARTS: usize = 1 << 22;
const MAX_NUMBER: usize = 1000;

/// A value; numbers as they stand, members in their order.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses a text.
    pub fn parse(text: &[u8]) -> Result<Json> {
        let mut parser = Parser::new(text)?;
        let value = parser.value(1)?;
        parser.space();
        need!(parser.at == text.len(), "JSON goes on after its end at {}", parser.at);
        Ok(value)
    }

    /// The first member of a name in the outermost object, though what follows it may be no JSON.
    pub(crate) fn first_member(text: &[u8], wanted: &str) -> Option<Json> {
        let mut parser = Parser::new(text).ok()?;
        let mut found = None;
        parser.space();
        let _ = parser.members(1, &mut |name, value| {
            if name != wanted {
                return true;
            }
            found = Some(value);
            false
        });
        found
    }

    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|m| m.0 == name).map(|m| &m.1),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn array(&self) -> Option<&[Json]> {
        match self {
            Json::Array(values) => Some(values),
            _ => None,
        }
    }

    /// The members of an object.
    pub fn object(&self) -> Option<&[(String, Json)]> {
        match self {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    parts: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a [u8]) -> Result<Parser<'a>> {
        let text =
            std::str::from_utf8(text).map_err(|e| Error::corrupt("JSON is not UTF-8").at(e.valid_up_to() as u64))?;
        Ok(Parser { text, at: 0, parts: 0 })
    }

    fn peek(&self) -> u8 {
        *self.text.as_bytes().get(self.at).unwrap_or(&0)
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn fail<T>(&self, what: &str) -> Result<T> {
        Err(Error::corrupt(format!("no JSON: {what}")).at(self.at as u64))
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if !self.text[self.at..].starts_with(token) {
            return self.fail(&format!("{token:?} expected"));
        }
        self.at += token.len();
        Ok(())
    }

    fn count(&mut self, parts: usize) -> Result<()> {
        self.parts += parts;
        need!(self.parts <= MAX_PARTS, "JSON of more than {MAX_PARTS} names, values and brackets");
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Json> {
        self.space();
        let value = match self.peek() {
            b'{' => {
                let mut members = Vec::new();
                self.members(depth, &mut |name, value| {
                    members.push((name, value));
                    true
                })?;
                return self.distinct(members);
            }
            b'[' => return self.elements(depth),
            b'"' => Json::Text(self.string()?),
            b't' => self.expect("true").map(|_| Json::Bool(true))?,
            b'f' => self.expect("false").map(|_| Json::Bool(false))?,
            b'n' => self.expect("null").map(|_| Json::Null)?,
            _ => Json::Number(self.number()?),
        };
        self.count(1)?;
        Ok(value)
    }

    fn distinct(&self, members: Vec<(String, Json)>) -> Result<Json> {
        let mut names: Vec<&str> = members.iter().map(|m| m.0.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|two| two[0] == two[1]) {
            return self.fail(&format!("two members {:?}", twice[0]));
        }
        Ok(Json::Object(members))
    }

    /// Gives each member of an object to a consumer, until it returns false.
    fn members(&mut self, depth: usize, consumer: &mut dyn FnMut(String, Json) -> bool) -> Result<()> {
        need!(depth <= MAX_DEPTH, "JSON nested more than {MAX_DEPTH} deep");
        self.count(2)?;
        self.expect("{")?;
        self.space();
        if self.peek() == b'}' {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.space();
            let name = self.string()?;
            self.count(1)?;
            self.space();
            self.expect(":")?;
            let value = self.value(depth + 1)?;
            if !consumer(name, value) {
                return Ok(());
            }
            self.space();
            if self.peek() == b'}' {
                self.at += 1;
                return Ok(());
            }
            self.expect(",")?;
        }
    }

    fn elements(&mut self, depth: usize) -> Result<Json> {
        need!(depth <= MAX_DEPTH, "JSON nested more than {MAX_DEPTH} deep");
        self.count(2)?;
        self.at += 1;
        let mut values = Vec::new();
        self.space();
        if self.peek() == b']' {
            self.at += 1;
            return Ok(Json::Array(values));
        }
        loop {
            values.push(self.value(depth + 1)?);
            self.space();
            if self.peek() == b']' {
                self.at += 1;
                return Ok(Json::Array(values));
            }
            self.expect(",")?;
        }
    }

    fn digits(&mut self) -> Result<()> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        if self.at == start {
            return self.fail("digit expected");
        }
        Ok(())
    }

    fn number(&mut self) -> Result<String> {
        let start = self.at;
        if self.peek() == b'-' {
            self.at += 1;
        }
        if self.peek() == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        need!(self.at - start <= MAX_NUMBER, "number of more than {MAX_NUMBER} characters");
        Ok(self.text[start..self.at].to_owned())
    }

    fn string(&mut self) -> Result<String> {
        self.expect("\"")?;
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.bytes().take_while(|&b| b != b'"' && b != b'\\' && b >= 0x20).count();
            string.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                b'"' => {
                    self.at += 1;
                    return Ok(string);
                }
                b'\\' => {
                    self.at += 1;
                    let character = self.escape()?;
                    string.push(character);
                }
                _ => return self.fail("string without end"),
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let escaped = self.peek();
        self.at += 1;
        Ok(match escaped {
            b'"' | b'\\' | b'/' => escaped as char,
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let mut unit = self.unit()?;
                if (0xD800..0xDC00).contains(&unit) {
                    self.expect("\\u")?;
                    let low = self.unit()?;
                    if !(0xDC00..0xE000).contains(&low) {
                        return self.fail("unpaired surrogate");
                    }
                    unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                }
                match char::from_u32(unit) {
                    Some(character) => character,
                    None => return self.fail("unpaired surrogate"),
                }
            }
            _ => return self.fail("unknown escape"),
        })
    }

    fn unit(&mut self) -> Result<u32> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or("");
        if digits.len() < 4 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return self.fail("four hexadecimal digits expected");
        }
        self.at += 4;
        Ok(u32::from_str_radix(digits, 16).unwrap())
    }
}
