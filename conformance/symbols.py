"""Records encoded with symbol tables (FORMAT.md: symbols)."""

import struct

from basics import need

NONE, ESCAPE, RAW, VERBATIM = 0xFFFF, 0xFF, 0xFE, 0x80
STRING, ROW, ARRAY = 0, 1, 2


class Cursor:
    """Reads a section from front to back."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, count):
        need(self.at + count <= len(self.data), "symbols section is cut off")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, width):
        return int.from_bytes(self.bytes(width), "little")


class Symbols:
    """The symbols section of a file."""

    def __init__(self, section, longest):
        self.longest = longest
        cursor = Cursor(section)
        need(cursor.number(4) == 0, "reserved field of the symbols")
        self.keys, count = cursor.number(2), cursor.number(2)
        need(count < NONE and (self.keys == NONE or self.keys < count), "table of keys")
        self.shape = self.read_shape(cursor, count, 0)
        self.tables = [self.read_table(cursor) for _ in range(count)]
        need(cursor.at == len(section), "bytes after the last table")

    def read_shape(self, cursor, tables, depth):
        kind = cursor.number(1)
        if kind == STRING:
            table = cursor.number(2)
            need(table == NONE or table < tables, "table of a string")
            return STRING, table
        need(kind in (ROW, ARRAY) and depth < 64, "shape")
        if kind == ARRAY:
            return ARRAY, self.read_shape(cursor, tables, depth + 1)
        fields, fixed, variable = cursor.number(2), cursor.number(4), cursor.number(2)
        need(fixed <= 2**20 and 1 <= variable <= fields, "shape of a row")
        return ROW, fields, fixed, [self.read_shape(cursor, tables, depth + 1) for _ in range(variable)]

    def read_table(self, cursor):
        cursor.number(1)  # what the table saves, for people
        count = cursor.number(1)
        need(count <= 254, "number of symbols")
        lengths = cursor.bytes(count)
        need(all(1 <= length <= 8 for length in lengths), "length of a symbol")
        return [cursor.bytes(length) for length in lengths]

    def string(self, data, number):
        if number == NONE:
            return data
        table, plain, at = self.tables[number], [], 0
        while at < len(data):
            code = data[at]
            at += 1
            if code < RAW:
                need(code < len(table), "code without a symbol")
                plain.append(table[code])
                continue
            length = 1
            if code == RAW:
                need(at < len(data), "string ends within an escape")
                length = data[at] or len(data) - at - 1
                at += 1
            need(at + length <= len(data), "string ends within an escape")
            plain.append(data[at : at + length])
            at += length
        return b"".join(plain)

    def key(self, data):
        key = self.string(data, self.keys)
        need(1 <= len(key) <= 65535, "key length")
        return key

    def value(self, data):
        if self.shape[0] == STRING:
            value = self.string(data, self.shape[1])
        elif data[:1] == bytes([VERBATIM]):
            return data[1:]
        else:
            value = self.part(data, self.shape)
        need(len(value) <= max(self.longest, len(data)), "longer than stated")
        return value

    def part(self, data, shape):
        if shape[0] == STRING:
            return self.string(data, shape[1])
        need(len(data) > 0, "header")
        header, width = data[0], 1 << (data[0] & 3)
        need(header & (0xF8 if shape[0] == ROW else 0xE0) == 0 and width < 8, "header")
        if shape[0] == ROW:
            _, fields, kept, parts = shape
        else:
            kept = 1 << (header >> 3)
            need(kept < 8 and kept < len(data), "count")
            fields = int.from_bytes(data[1 : 1 + kept], "little")
            need(fields <= len(data), "count")
            parts = [shape[1]] * fields
        kept += -(-fields // 8) if header & 4 else 0
        area_at = 1 + kept + width * len(parts)
        need(area_at <= len(data), "parts in front of the variable area")
        area = data[area_at:]
        need(width == self.width(len(area)), "offset width")
        ends, plain, start = [], b"", 0
        for i, part in enumerate(parts):
            at = 1 + kept + i * width
            end = int.from_bytes(data[at : at + width], "little")
            need(start <= end <= len(area), "end offset")
            plain += self.part(area[start:end], part) if start < end else b""
            ends.append(len(plain))
            start = end
        need(start == len(area), "bytes after the last field")
        width = self.width(len(plain))
        offsets = b"".join(struct.pack("<I", end)[:width] for end in ends)
        return bytes([header & ~3 | width >> 1]) + data[1 : 1 + kept] + offsets + plain

    @staticmethod
    def width(length):
        return 1 if length < 2**8 else 2 if length < 2**16 else 4
