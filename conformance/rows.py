"""Rows and keys of typed tables, and their JSON (FORMAT.md: schema, keys, rows, rows and keys as JSON)."""

import base64
import decimal
import itertools
import math
import struct

from basics import Unsupported, need

TEXTS, BYTES = ("CHAR", "VARCHAR", "STRING"), ("BINARY", "VARBINARY", "BYTES")
WIDTHS = {"BOOLEAN": 1, "TINYINT": 1, "SMALLINT": 2, "INT": 4, "BIGINT": 8, "FLOAT": 4, "DOUBLE": 8, "DATE": 4, "TIME": 4}
DEFAULTS = {"TIME": [0], "TIMESTAMP": [6], "TIMESTAMP_LTZ": [6], "DECIMAL": [10, 0]}
DAY = 86_400_000


class Number(str):
    """A number as it stands in JSON."""


class Type:
    """A type: name, parameters, and the types within it with their names."""

    def __init__(self, name, parameters=(), parts=()):
        self.name, self.parameters, self.parts = name, list(parameters), list(parts)

    def width(self):
        """Bytes of a slot; 0 if the width varies."""
        if self.name.startswith("TIMESTAMP"):
            return 8 if self.parameters[0] <= 3 else 12
        if self.name == "DECIMAL":
            return 8 if self.parameters[0] <= 18 else 0
        return WIDTHS.get(self.name, 0)


class TypeText:
    """Reads the text of a type from left to right."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def take(self, token):
        self.at += len(self.text[self.at :]) - len(self.text[self.at :].lstrip(" "))
        found = self.text[self.at : self.at + len(token)].upper() == token
        self.at += len(token) * found
        return found

    def word(self):
        self.take("")
        start = self.at
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] == "_"):
            self.at += 1
        return self.text[start : self.at].upper()

    def quoted(self):
        need(self.take("`"), "name of a field")
        name = ""
        while True:
            end = self.text.index("`", self.at)
            name += self.text[self.at : end]
            self.at = end + 1
            if self.text[self.at : self.at + 1] != "`":
                return name
            name += "`"
            self.at += 1

    def type(self):
        name = self.word()
        parameters, parts = [], []
        if name in ("ARRAY", "MAP", "ROW"):
            need(self.take("<"), "a bracket")
            while not self.take(">"):
                field = self.quoted() if name == "ROW" else len(parts)
                parts.append((field, self.type()))
                self.take(",")
        elif name in TEXTS + BYTES + ("DECIMAL",) + tuple(WIDTHS) + ("TIMESTAMP", "TIMESTAMP_LTZ"):
            if self.take("("):
                while not self.take(")"):
                    parameters.append(int(self.word()))
                    self.take(",")
        else:
            raise Unsupported(f"type {name}")
        if self.take("NOT"):
            need(self.take("NULL"), "NOT NULL")
        return Type(name, parameters or DEFAULTS.get(name, []), parts)


def read_schema(schema):
    """Names and types of all columns, the names of the key, and whether its bytes sort."""
    need(type(schema) is dict and type(schema.get("columns")) is list, "schema")
    need("keyEncoding" not in schema or type(schema["keyEncoding"]) is str, "key encoding")
    if schema.get("keyEncoding", "plain") not in ("plain", "ordered"):
        raise Unsupported("key encoding")
    columns = {}
    for column in schema["columns"]:
        need(type(column) is dict, "column")
        name, text = column.get("name"), column.get("type")
        need(type(name) is str and type(text) is str and name not in columns, "column")
        reader = TypeText(text)
        columns[name] = reader.type()
        need(text[reader.at :].strip() == "", "text after a type")
    key = schema.get("primaryKey")
    need(type(key) is list and key and len(key) == len(set(map(str, key))), "primary key")
    for name in key:
        need(name in columns and columns[name].name not in ("ARRAY", "MAP", "ROW"), "primary key")
    return columns, key, schema.get("keyEncoding") == "ordered"


def date_text(days):
    """The proleptic Gregorian calendar, for any year."""
    era, day = divmod(days + 719_468, 146_097)  # eras of 400 years from 1 March of the year 0
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5
    year += 400 * era + (month >= 10)
    sign = "+" if year > 9999 else "-" if year < 0 else ""
    return f"{sign}{abs(year):04}-{(month + 2) % 12 + 1:02}-{day + 1:02}"


def time_text(millis, nanos=0):
    seconds, fraction = divmod(millis, 1000)
    digits = f"{fraction:03}{nanos:06}"
    while digits.endswith("000"):
        digits = digits[:-3]
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return clock + ("." + digits if digits else "")


def float_text(value, width):
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return Number("-0.0" if math.copysign(1, value) < 0 else "0.0")
    exact, text = decimal.Decimal(value), ""
    # Of two that are equally near, the even one may be another number: 2^-24 is.
    for precision, tie in itertools.product(range(17), (decimal.ROUND_HALF_EVEN, decimal.ROUND_HALF_UP)):
        with decimal.localcontext() as context:
            context.rounding = tie
            text = f"{exact:.{precision}e}"
        try:
            if width == 8 and float(text) == value or width == 4 and struct.unpack("<f", struct.pack("<f", float(text)))[0] == value:
                break
        except OverflowError:
            continue
    mantissa, exponent = text.split("e")
    sign, digits, e = "-" * mantissa.startswith("-"), mantissa.lstrip("-").replace(".", "").rstrip("0"), int(exponent)
    if not -3 <= e <= 6:
        return Number(f"{sign}{digits[0]}.{digits[1:] or '0'}E{e}")
    digits = digits.rjust(len(digits) - min(e, 0), "0").ljust(e + 2, "0")
    point = max(e, 0) + 1
    return Number(f"{sign}{digits[:point]}.{digits[point:] or '0'}")


def scalar(kind, data, order):
    """The JSON of the bytes of a value; order is little for rows, big for keys."""
    name = kind.name
    if name in TEXTS:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return {"malformedUtf8": base64.b64encode(data).decode()}
    if name in BYTES:
        return base64.b64encode(data).decode()
    if name == "BOOLEAN":
        need(data[0] <= 1, "boolean")
        return data[0] == 1
    if name in ("FLOAT", "DOUBLE"):
        value = struct.unpack((">" if order == "big" else "<") + ("f" if name == "FLOAT" else "d"), data)[0]
        return float_text(value, len(data))
    if name.startswith("TIMESTAMP"):
        day, millis = divmod(int.from_bytes(data[:8], order, signed=True), DAY)
        nanos = int.from_bytes(data[8:], order)
        need(nanos < 1_000_000, "nanoseconds")
        return date_text(day) + "T" + time_text(millis, nanos) + "Z" * name.endswith("LTZ")
    if name == "DECIMAL" and not kind.width():
        need(1 <= len(data) <= 16, "length of a decimal")
        order = "big"  # in rows, too
    number = int.from_bytes(data, order, signed=True)
    if name == "DECIMAL":
        digits, scale = kind.parameters
        need(abs(number) < 10**digits, "digits of a decimal")
        text = f"{abs(number):0{scale + 1}}"
        text = text[: len(text) - scale] + ("." + text[len(text) - scale :] if scale else "")
        return Number("-" * (number < 0) + text)
    if name == "TIME":
        need(0 <= number < DAY, "time of day")
    return {"DATE": date_text, "TIME": time_text}.get(name, lambda n: Number(n))(number)


def sorted_fields(types, data):
    """The bytes of the columns of a key that sorts, as they are in one that does not."""
    fields, at = [], 0
    for i, kind in enumerate(types):
        width = kind.width()
        if kind.name == "DECIMAL":
            width = (10 ** kind.parameters[0] - 1).bit_length() // 8 + 1
        if width:
            field = bytearray(data[at : at + width])
            need(len(field) == width, "key ends early")
            at += width
            if kind.name in ("FLOAT", "DOUBLE") and field[0] < 128:
                field = bytearray(b ^ 255 for b in field)
            elif kind.name != "BOOLEAN":
                field[0] ^= 128
        elif i + 1 == len(types):
            field, at = data[at:], len(data)
        else:
            field = bytearray()
            while data[at : at + 2] != b"\0\1":
                need(at + 2 <= len(data) and (data[at] or data[at + 1] == 255), "end of a key column")
                field.append(data[at])
                at += 1 if data[at] else 2
            at += 2
        fields.append(bytes(field))
    need(at == len(data), "key goes on")
    return fields


def decode_key(types, data, is_sorted):
    if is_sorted:
        fields = sorted_fields(types, data)
    elif len(types) == 1:
        fields = [data]
    else:
        fields, at = [], 0
        for kind in types:
            width = 0 if kind.name == "DECIMAL" else kind.width()
            if not width:
                need(at + 2 <= len(data), "key ends early")
                width, at = int.from_bytes(data[at : at + 2], "big"), at + 2
            need(at + width <= len(data), "key ends early")
            fields.append(data[at : at + width])
            at += width
        need(at == len(data), "key goes on")
    values = []
    for kind, field in zip(types, fields):
        need(kind.name == "DECIMAL" or kind.width() in (0, len(field)), "width of a key column")
        if kind.name == "DECIMAL":
            need(1 <= len(field) <= 16, "length of a decimal")
        values.append(scalar(kind, field, "big"))
    return values


def fields_of(types, data, header, at):
    """The bytes of each field; None if it is null."""
    nulls = [False] * len(types)
    if header & 4:
        bitmap = data[at : at + -(-len(types) // 8)]
        at += -(-len(types) // 8)
        need(at <= len(data), "null bitmap")
        nulls = [bitmap[i // 8] >> i % 8 & 1 == 1 for i in range(len(types))]
    slots = at
    need(header & 3 != 3, "width of offsets")
    width = 1 << (header & 3)
    ends_at = slots + sum(kind.width() for kind in types)
    area = ends_at + width * sum(kind.width() == 0 for kind in types)
    need(area <= len(data), "row ends early")
    fields, start = [], 0
    for kind, null in zip(types, nulls):
        if kind.width():
            field, slots = data[slots : slots + kind.width()], slots + kind.width()
        else:
            end, ends_at = int.from_bytes(data[ends_at : ends_at + width], "little"), ends_at + width
            need(start <= end <= len(data) - area, "offsets")
            field, start = data[area + start : area + end], end
        fields.append(None if null else field)
    return fields


def decode_row(types, data):
    if not types:
        need(not data, "row of no fields")
        return []
    need(data and data[0] < 8, "header of a row")
    return [decode(kind, field) for kind, field in zip(types, fields_of(types, data, data[0], 1))]


def decode_array(kind, data):
    need(data and data[0] < 32 and data[0] >> 3 != 3, "header of an array")
    width = 1 << (data[0] >> 3)
    need(1 + width <= len(data), "array ends early")
    count = int.from_bytes(data[1 : 1 + width], "little")
    need(count <= len(data), "more elements than bytes")
    return [decode(kind, field) for field in fields_of([kind] * count, data, data[0], 1 + width)]


def decode(kind, data):
    if data is None:
        return None
    parts = [part for _, part in kind.parts]
    if kind.name == "ARRAY":
        return decode_array(parts[0], data)
    if kind.name == "ROW":
        return dict(zip((name for name, _ in kind.parts), decode_row(parts, data)))
    if kind.name == "MAP":
        keys, values = decode_row([Type("ARRAY", parts=[(0, part)]) for part in parts], data)
        need(keys is not None and values is not None and len(keys) == len(values), "map")
        names = [str(key) if isinstance(key, str) else json_text(key) for key in keys]
        special = parts[0].name in ("ARRAY", "MAP", "ROW") or any(isinstance(k, dict) or k is None for k in keys)
        if special or len(set(names)) < len(names):
            return [list(pair) for pair in zip(keys, values)]
        return dict(zip(names, values))
    return scalar(kind, data, "little")


def json_text(value):
    """JSON without white space; numbers stay as they are."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(json_text(k) + ":" + json_text(v) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json_text, value)) + "]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c >= " " else f"\\u{ord(c):04x}" for c in escaped) + '"'
    return {None: "null", True: "true", False: "false"}[value]
