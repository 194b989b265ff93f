//! Rows as JSON.

use std::fmt::Write;

use crate::bytes::to_base64;
use crate::error::Result;
use crate::schema::{Schema, Type};
use crate::value::Value;

impl Schema {
    /// A record as one JSON object, with the columns in declared order, as all programs around bsdb print it.
    pub fn json(&self, key: &[u8], value: &[u8]) -> Result<String> {
        let mut text = String::from("{");
        for (column, value) in self.columns.iter().zip(self.decode(key, value)?) {
            if text.len() > 1 {
                text.push(',');
            }
            quote(&column.name, &mut text);
            text.push(':');
            write_value(&column.kind, &value, &mut text);
        }
        text.push('}');
        Ok(text)
    }
}

impl Value<'_> {
    /// This value of a column as JSON.
    pub fn json(&self, kind: &Type) -> String {
        let mut text = String::new();
        write_value(kind, self, &mut text);
        text
    }
}

fn quote(plain: &str, text: &mut String) {
    text.push('"');
    for c in plain.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c < ' ' => write!(text, "\\u{:04x}", c as u32).unwrap_or_default(),
            c => text.push(c),
        }
    }
    text.push('"');
}

fn write_value(kind: &Type, value: &Value, text: &mut String) {
    match (kind, value) {
        (Type::Array(element), Value::Array(values)) => list(values, text, |v, text| write_value(element, v, text)),
        (Type::Row(fields), Value::Row(values)) => {
            text.push('{');
            for (i, ((name, kind), value)) in fields.iter().zip(values).enumerate() {
                if i > 0 {
                    text.push(',');
                }
                quote(name, text);
                text.push(':');
                write_value(kind, value, text);
            }
            text.push('}');
        }
        (Type::Map(key, value), Value::Map(entries)) => write_map(key, value, entries, text),
        _ => write_scalar(kind, value, text),
    }
}

fn list<T>(values: &[T], text: &mut String, write: impl Fn(&T, &mut String)) {
    text.push('[');
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        write(value, text);
    }
    text.push(']');
}

fn write_map(key: &Type, value: &Type, entries: &[(Value, Value)], text: &mut String) {
    let mut names: Vec<String> = Vec::with_capacity(entries.len());
    let mut plain = !matches!(key, Type::Array(_) | Type::Map(..) | Type::Row(_));
    for (k, _) in entries {
        let mut name = String::new();
        write_value(key, k, &mut name);
        plain &= name != "null" || matches!(k, Value::Text(_));
        plain &= !name.starts_with('{');
        names.push(if name.starts_with('"') { name } else { format!("\"{name}\"") });
    }
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    plain &= sorted.windows(2).all(|two| two[0] != two[1]);
    if !plain {
        return list(entries, text, |(k, v), text| {
            text.push('[');
            write_value(key, k, text);
            text.push(',');
            write_value(value, v, text);
            text.push(']');
        });
    }
    text.push('{');
    for (i, (name, (_, v))) in names.iter().zip(entries).enumerate() {
        if i > 0 {
            text.push(',');
        }
        text.push_str(name);
        text.push(':');
        write_value(value, v, text);
    }
    text.push('}');
}

fn write_scalar(kind: &Type, value: &Value, text: &mut String) {
    match value {
        Value::Boolean(b) => text.push_str(if *b { "true" } else { "false" }),
        Value::Integer(number) => write!(text, "{number}").unwrap_or_default(),
        Value::Float(number) => {
            write_float(*number as f64, format!("{number:e}"), |other| other.parse() == Ok(*number), text)
        }
        Value::Double(number) => {
            write_float(*number, format!("{number:e}"), |other| other.parse() == Ok(*number), text)
        }
        Value::Decimal(unscaled, scale) => text.push_str(&decimal(*unscaled, *scale)),
        Value::Date(days) => write!(text, "\"{}\"", date(*days as i64)).unwrap_or_default(),
        Value::Time(millis) => write!(text, "\"{}\"", time(*millis as u32, 0)).unwrap_or_default(),
        Value::Timestamp(millis, nanos) => {
            let (day, millis) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
            let zone = if matches!(kind, Type::TimestampLtz(_)) { "Z" } else { "" };
            write!(text, "\"{}T{}{zone}\"", date(day), time(millis as u32, *nanos)).unwrap_or_default();
        }
        Value::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(plain) => quote(plain, text),
            Err(_) => write!(text, "{{\"malformedUtf8\":\"{}\"}}", to_base64(bytes)).unwrap_or_default(),
        },
        Value::Bytes(bytes) => write!(text, "\"{}\"", to_base64(bytes)).unwrap_or_default(),
        _ => text.push_str("null"),
    }
}

/// A decimal with exactly `scale` digits after the point.
pub fn decimal(unscaled: i128, scale: u32) -> String {
    let digits = format!("{:0width$}", unscaled.unsigned_abs(), width = scale as usize + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale as usize);
    let (sign, point) = (if unscaled < 0 { "-" } else { "" }, if scale > 0 { "." } else { "" });
    format!("{sign}{whole}{point}{fraction}")
}

/// Writes a number whose shortest digits stand in `scientific`, such as `1.25e-7`; `is_same` accepts texts that are read as it.
fn write_float(number: f64, scientific: String, is_same: impl Fn(&str) -> bool, text: &mut String) {
    if !number.is_finite() {
        let name = if number.is_nan() {
            "NaN"
        } else if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        };
        return write!(text, "\"{name}\"").unwrap_or_default();
    }
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mut digits = digits_of(mantissa);
    let sign = if mantissa.starts_with('-') { "-" } else { "" };
    let power = exponent - digits.len() as i32 + 1;
    take_even(number, &mut digits, |other| is_same(&format!("{sign}{other}e{power}")));
    text.push_str(sign);
    let (whole, fraction) = if (-3..=6).contains(&exponent) {
        digits.insert_str(0, &"0".repeat((-exponent).max(0) as usize));
        let point = exponent.max(0) as usize + 1;
        while digits.len() < point {
            digits.push('0');
        }
        digits.split_at(point)
    } else {
        digits.split_at(1)
    };
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    write!(text, "{whole}.{fraction}").unwrap_or_default();
    if !(-3..=6).contains(&exponent) {
        write!(text, "E{exponent}").unwrap_or_default();
    }
}

fn digits_of(mantissa: &str) -> String {
    mantissa.chars().filter(char::is_ascii_digit).collect()
}

/// Of two shortest decimals that are equally near a number Rust takes the greater one; takes that with the even last digit. Below a
/// power of two, where numbers are closer, the lesser one may be another number.
fn take_even(number: f64, digits: &mut String, is_same: impl Fn(&str) -> bool) {
    let last = digits.pop().and_then(|digit| digit.to_digit(10)).unwrap_or(0);
    let lower = format!("{digits}{}", last.saturating_sub(1));
    let is_between = |more: usize| {
        let exact = format!("{:.*e}", lower.len() + more, number);
        let exact = digits_of(exact.split('e').next().unwrap_or_default());
        exact.strip_prefix(&lower).is_some_and(|rest| rest.trim_end_matches('0') == "5")
    };
    // No number has more digits than that.
    if last % 2 == 1 && is_between(20) && is_between(800) && is_same(&lower) {
        *digits = lower;
    } else {
        digits.extend(char::from_digit(last, 10));
    }
}

/// A date of the proleptic Gregorian calendar, by the days since 1970-01-01.
fn date(days: i64) -> String {
    // Eras of 400 years from 1 March of the year 0.
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = year + 400 * era + (month >= 10) as i64;
    let sign = if year > 9999 {
        "+"
    } else if year < 0 {
        "-"
    } else {
        ""
    };
    format!("{sign}{:04}-{:02}-{day:02}", year.abs(), (month + 2) % 12 + 1)
}

fn time(millis: u32, nanos: u32) -> String {
    let (seconds, fraction) = (millis / 1000, millis % 1000 * 1_000_000 + nanos);
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match fraction {
        0 => clock,
        f if f % 1_000_000 == 0 => format!("{clock}.{:03}", f / 1_000_000),
        f if f % 1000 == 0 => format!("{clock}.{:06}", f / 1000),
        f => format!("{clock}.{f:09}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_even_one_of_two_decimals_that_are_equally_near() {
        let text = |value: Value| {
            let mut text = String::new();
            write_scalar(&Type::Double, &value, &mut text);
            text
        };
        // Exact values, which have one digit more than the shortest decimals.
        for (double, expected) in [
            (1_125_899_906_842_624.0 + 0.25, "1.1258999068426242E15"),
            (-1_125_899_906_842_624.0 - 0.75, "-1.1258999068426248E15"),
            (2_012_759_777_494_422.0 + 0.25, "2.0127597774944222E15"),
            (562_949_953_421_312.0 + 0.125, "5.629499534213121E14"),
            (0.1, "0.1"),
            (-1.0, "-1.0"),
            (5e-324, "5.0E-324"),
            (2f64.powi(-24), "5.960464477539063E-8"),
            (-2f64.powi(-24), "-5.960464477539063E-8"),
            (9e-324, "1.0E-323"),
        ] {
            assert_eq!(text(Value::Double(double)), expected);
        }
        for (float, expected) in [(2_833_094.0 + 0.25, "2833094.2"), (340_540.0 + 0.625, "340540.62"), (0.7f32, "0.7")]
        {
            assert_eq!(text(Value::Float(float)), expected);
        }
    }
}
