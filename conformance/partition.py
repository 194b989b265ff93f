"""Partition files (FORMAT.md: partition file, blocks, block index, signatures)."""

import bisect
import struct
import uuid

import zstandard

from basics import Corrupt, Unsupported, crc32c, need, read
from hashes import pilot, sux4j
from order import Order, positions
from symbols import NONE, Symbols

MAX_LENGTH = 2**28 + 2**20
BLOCKS, PROPERTIES, PERFECT_HASH, SIGNATURES, BLOCK_INDEX, DICTIONARY, SYMBOLS = 1, 2, 3, 4, 5, 6, 7
ORDER_INDEX, POSITIONS, HEADS = 8, 9, 10


def sequence(data, at, count):
    """All numbers of a sequence, and where it ends."""
    need(at + 16 <= len(data), "sequence beyond the section")
    m, low_bits, largest = struct.unpack_from("<IIQ", data, at)
    need(m == count and low_bits <= 56, "sequence")
    high = largest >> low_bits
    need(high < 8 * len(data), "sequence beyond the section")
    highs_at = at + 16 + 8 * (-(-m * low_bits // 64) + 1)
    samples_at = highs_at + 8 * -(-(m + high + 1) // 64)
    end = samples_at + 4 * -(-m // 64) + 4 * -(-(high + 1) // 64)
    need(end <= len(data), "sequence beyond the section")
    lows = int.from_bytes(data[at + 16 : highs_at], "little")
    highs = bin(int.from_bytes(data[highs_at:samples_at], "little") % 2 ** (m + high + 1))[:1:-1]
    ones = [p for p, bit in enumerate(highs) if bit == "1"]
    need(len(ones) == m, "sequence has other ones")
    values = [(p - i << low_bits) | lows >> i * low_bits & 2**low_bits - 1 for i, p in enumerate(ones)]
    return values, end


class Partition:
    """One partition file; bound is its lower bound in key order, None in hash order."""

    def __init__(self, path, entry, bound=None):
        self.data = read(path)
        need(len(self.data) == entry["length"], "length of the file")
        self.verified = -1, None  # the last block that was read
        self.crc, self.bound = entry["checksum"], bound
        self.id = uuid.UUID(entry["fileId"]).bytes
        self.header()
        self.footer()
        self.properties(entry)
        if self.n:
            self.index()

    def checksum(self, kind, offset, covered):
        return crc32c(self.id + struct.pack("<IQ", kind, offset) + covered)

    def header(self):
        data = self.data
        need(len(data) >= 96 and data[:8] == b"\x89BSDB\r\n\x1a", "magic")
        version, _, file_id, self.data_offset = struct.unpack_from("<II16sQ", data, 8)
        if version > 1:
            raise Unsupported("format version of the file")
        need(version == 1, "format version 0")
        stated, wanted, self.id = struct.unpack_from("<I", data, 60)[0], self.id, file_id
        need(stated == self.checksum(0, 0, data[:60]), "checksum of the header")
        need(file_id == wanted, "file of another build or partition")

    def footer(self):
        data = self.data
        directory, length, count, stated = struct.unpack_from("<QQII", data, len(data) - 32)
        need(data[-8:] == b"\x89BSDBEND" and length == len(data), "end of the file")
        need(count <= 256 and directory == length - 32 - 32 * count >= 64, "directory")
        need(stated == self.checksum(0xFFFFFFFF, directory, data[directory:-12]), "footer checksum")
        self.places, taken = {}, []
        for at in range(directory, length - 32, 32):
            kind, flags, offset, size, stated = struct.unpack_from("<IIQQI", data, at)
            need(kind not in (0, 0xFFFFFFFF), "kind of section")
            need(64 <= offset <= directory and size <= directory - offset, "place of a section")
            need(kind == BLOCKS or size <= 2**30, "length of a section")
            taken.append((offset, offset + size))
            if kind > HEADS and flags & 1:
                raise Unsupported(f"section of kind {kind}")
            need(kind not in self.places, "section twice")
            self.places[kind] = offset, size, stated
        taken = sorted(place for place in taken if place[0] < place[1])
        need(all(a[1] <= b[0] for a, b in zip(taken, taken[1:])), "sections overlap")
        need(self.places.get(BLOCKS, (0,))[0] == self.data_offset, "place of the blocks")
        self.blocks_length = self.places[BLOCKS][1]

    def section(self, kind):
        need(kind in self.places, f"no section {kind}")
        offset, size, stated = self.places[kind]
        content = self.data[offset : offset + size]
        need(stated == self.checksum(kind, offset, content), f"checksum of section {kind}")
        return content

    def properties(self, entry):
        section = self.section(PROPERTIES)
        need(len(section) >= 64, "properties")
        self.n, storage, self.key_length, self.value_length, self.bits, size, self.alignment, codec = (
            struct.unpack_from("<IIiiIIII", section)
        )
        self.longest_frame, self.longest_block, key_bytes, value_bytes = struct.unpack_from("<IIQQ", section, 32)
        need(storage <= 1 and codec <= 2 and self.alignment in (1, 4096), "properties")
        self.stored, self.framed, self.encoded = storage == 0, codec == 1, codec == 2
        need(-1 <= self.key_length <= 65535 and -1 <= self.value_length <= 2**28, "lengths")
        need(self.key_length != 0 or self.n == 0, "key length 0")
        need(self.bits <= 32 and size > 0, "properties")
        need(self.longest_frame <= MAX_LENGTH and self.longest_block <= MAX_LENGTH, "longest")
        stated = (entry["recordCount"], entry["keyBytes"], entry["valueBytes"])
        need((self.n, key_bytes, value_bytes) == stated, "manifest and properties differ")
        need(self.n or self.blocks_length == 0, "blocks without records")
        need(self.data_offset % self.alignment == 0, "alignment of the blocks")
        self.fixed = None
        if not self.encoded and self.value_length >= 0 and (not self.stored or self.key_length >= 0):
            self.fixed = self.value_length + (self.key_length if self.stored else 0)

    def index(self):
        self.rank = None
        if self.bound is None or PERFECT_HASH in self.places:
            self.points()
        section = self.section(BLOCK_INDEX)
        need(len(section) >= 24, "block index")
        count, records, length, total = struct.unpack_from("<IIQQ", section)
        need(1 <= count <= self.n and total == self.blocks_length, "block index")
        at = 24
        if records:
            need(count == -(-self.n // records), "block count")
            self.firsts = [b * records for b in range(count)]
        else:
            self.firsts, at = sequence(section, at, count)
        if length:
            self.offsets = [b * length for b in range(count)]
        else:
            values, at = sequence(section, at, count)
            self.offsets = [v * self.alignment for v in values]
        self.firsts.append(self.n)
        self.offsets.append(total)
        need(self.firsts[0] == self.offsets[0] == 0, "first block")
        need(all(1 <= b - a <= 65535 for a, b in zip(self.firsts, self.firsts[1:])), "records")
        for a, b in zip(self.offsets, self.offsets[1:]):
            need(24 <= b - a <= self.longest_block and b % self.alignment == 0, "length of a block")
        if self.encoded:
            self.symbols = Symbols(self.section(SYMBOLS), self.longest_frame)
        if self.framed:
            dictionary = self.section(DICTIONARY) if DICTIONARY in self.places else b""
            self.zstd = zstandard.ZstdDecompressor(
                format=zstandard.FORMAT_ZSTD1_MAGICLESS,
                dict_data=zstandard.ZstdCompressionDict(dictionary) if dictionary else None,
            )
        need(self.bound is not None or ORDER_INDEX not in self.places, "file in key order")
        self.order = None
        if self.bound is not None:
            need(self.stored and not self.encoded, "keys in key order")
            self.order = Order(self.section(ORDER_INDEX), self, self.bound)
            if self.framed:
                self.order.open_heads(self.section(HEADS))

    def points(self):
        section = self.section(PERFECT_HASH)
        need(len(section) >= 8, "perfect hash")
        kind, version, reserved, size = struct.unpack_from("<BBHI", section)
        need(kind in (1, 2) and version == 1 and reserved == 0 and size == self.n, "perfect hash")
        self.rank = (pilot if kind == 2 else sux4j)(section, size)
        if self.bound is not None:
            numbers, rank = positions(self.section(POSITIONS), self.n), self.rank
            self.rank = lambda high, low: numbers[rank(high, low)]
        if self.bits:
            length = -(-self.n * self.bits // 8) + 8
            self.signatures = self.section(SIGNATURES)
            need(len(self.signatures) == length, "length of the signatures")

    def get(self, key, high, low):
        if self.n == 0:
            return None
        if self.rank is None:
            stored, value = self.record(max(0, self.order.count(key, True) - 1))
            return value if stored == key else None
        rank = self.rank(high, low)
        if self.bits:
            at, shift = divmod(rank * self.bits, 8)
            signature = int.from_bytes(self.signatures[at : at + 8], "little") >> shift
            if (signature ^ high) % 2**self.bits:
                return None
        stored, value = self.record(rank)
        return value if not self.stored or stored == key else None

    def record(self, rank):
        """Key (None if omitted) and value."""
        block = bisect.bisect_right(self.firsts, rank) - 1
        if self.verified[0] != block:
            self.verified = block, self.block(block)
        content, count, longest, per_frame = self.verified[1]
        i = rank - self.firsts[block]
        if self.framed:
            content, count, i = self.frame(content, count, longest, per_frame, i)
        key, value = self.split(self.cut(content, count, i))
        if self.encoded:
            return self.symbols.key(key) if self.stored else None, self.symbols.value(value)
        return key, value

    def block(self, b):
        at, end = self.data_offset + self.offsets[b], self.data_offset + self.offsets[b + 1]
        block = self.data[at:end]
        stated, length, first, count, flags, longest, per_frame, _ = struct.unpack_from("<IIIHHIHH", block)
        need(stated == self.checksum(BLOCKS, at, block[4:]), "checksum of a block")
        need(24 <= length and -(-length // self.alignment) * self.alignment == len(block), "content length")
        need(first == self.firsts[b] and first + count == self.firsts[b + 1], "block of other records")
        need(flags & 1 == self.framed, "frames")
        need(not self.framed or (per_frame > 0 and longest <= self.longest_frame), "frames")
        return block[24:length], count, longest, per_frame

    def frame(self, content, count, longest, per_frame, i):
        m, j = -(-count // per_frame), i // per_frame
        need(len(content) >= 2 * m, "starts of frames")
        starts = (*struct.unpack_from(f"<{m}H", content), len(content) - 2 * m)
        need(starts[0] == 0 and starts[j] <= starts[j + 1] <= starts[-1], "starts of frames")
        frame = content[2 * m :][starts[j] : starts[j + 1]]
        need(len(frame) > 2 and frame[0] == 0, "frame header")
        at, last = 2, False
        while not last:  # the blocks of the frame
            need(at + 3 <= len(frame), "frame is cut")
            header = int.from_bytes(frame[at : at + 3], "little")
            last, at = header & 1, at + 3 + (1 if header >> 1 & 3 == 1 else header >> 3)
        need(at == len(frame), "bytes after the frame")
        try:
            body = self.zstd.decompress(frame, max_output_size=max(1, longest))
        except zstandard.ZstdError as e:
            raise Corrupt(f"frame: {e}") from e
        need(len(body) <= longest, "frame longer than stated")
        return body, min(per_frame, count - j * per_frame), i % per_frame

    def cut(self, body, count, i):
        if self.fixed is not None:
            need(len(body) == count * self.fixed, "length of a body")
            return body[i * self.fixed : (i + 1) * self.fixed]
        need(len(body) >= 2 * count, "slots")
        slots = (*struct.unpack_from(f"<{count}H", body), len(body))
        need(slots[0] == 2 * count and slots[i] >= 2 * count, "slots")
        need(slots[i] <= slots[i + 1] <= len(body), "slots")
        return body[slots[i] : slots[i + 1]]

    def split(self, record):
        at, length = 0, 0
        if self.stored:
            length, longest = self.key_length, 65535
            if self.encoded and self.symbols.keys != NONE:
                length, longest = -1, 65537
            if length < 0:
                length = 0
                while True:
                    need(at < 3 and at < len(record), "key length")
                    length |= (record[at] & 127) << 7 * at
                    at += 1
                    if record[at - 1] < 128:
                        break
                need(at == 1 or record[at - 1] != 0, "key length is not minimal")
            need(1 <= length <= longest and at + length <= len(record), "key length")
        value = record[at + length :]
        if self.encoded:
            need(len(value) <= 2**28 + 2, "value length")
        else:
            need(self.value_length in (-1, len(value)) and len(value) <= 2**28, "value length")
        return record[at : at + length] if self.stored else None, value

    def verify(self, upper=None):
        need("%08x" % crc32c(self.data) == self.crc, "checksum of the file")
        for rank in range(self.n):
            self.record(rank)
        if self.bound is not None and self.n:
            self.order.verify(upper)
