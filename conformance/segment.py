"""Changes over partition files (FORMAT.md: changes)."""

import struct
import uuid

import xxhash

from basics import Unsupported, crc32c, need, read

PUT, DELETE, POSITION = 1, 2, 3
MAX_FRAME = 32 + (256 << 10) + 9 + 65_535 + (256 << 20)


def hash_of(key):
    return divmod(xxhash.xxh3_128_intdigest(key), 2**64)


def varint(data, at):
    value = 0
    for i in range(5):
        need(at + i < len(data), "length of a record")
        value |= (data[at + i] & 127) << 7 * i
        if data[at + i] < 128:
            return value, at + i + 1
    need(False, "length of a record")


class Segment:
    """One segment, all of it verified."""

    def __init__(self, path, entry):
        data = read(path)
        self.crc = crc32c(data) == int(entry["checksum"], 16)
        need(len(data) == entry["length"], "length of the segment")
        need(len(data) >= 64 and data[:8] == b"\x89BSDBSEG", "magic of the segment")
        version = struct.unpack_from("<I", data, 8)[0]
        if version > 3:
            raise Unsupported("format version of the segment")
        self.id = data[16:32]
        need(self.checksum(0, 0, data[:60]) == struct.unpack_from("<I", data, 60)[0], "checksum of the header")
        in_log = struct.unpack_from("<Q", data, 32)[0] != 0
        need(version == (3 if in_log else 2), "format version of the segment")
        need(self.id == uuid.UUID(entry["fileId"]).bytes, "another segment")
        counts = {PUT: 0, DELETE: 0, POSITION: 0}
        self.changes = []  # kind, key, value
        at, sequence = 64, 0
        while True:
            need(at + 32 <= len(data), "segment without end")
            stated, length, number, _, records, kind = struct.unpack_from("<IIQQII", data, at)
            need(32 <= length <= min(len(data) - at, MAX_FRAME), "length of a frame")
            need(self.checksum(16, at, data[at + 4 : at + length]) == stated, "checksum of a frame")
            need(kind in (1, 2, 3) and (kind == 3) == (in_log and sequence == 0), "type of a frame")
            sequence += 1
            need(number == sequence, "sequence of a frame")
            after = min(len(data), at + length + 7 & -8)
            need(not any(data[at + length : after]), "padding")
            if kind == 2:
                break
            if kind == 1:
                self.records(data[at + 32 : at + length], records, counts)
            at = after
        need(length == 64 and after == len(data), "end of the segment")
        need(struct.unpack_from("<4Q", data, at + 32) == (sequence - 1, *counts.values()), "counts of the segment")
        need((entry["puts"], entry["deletes"]) == (counts[PUT], counts[DELETE]), "counts of the manifest")
        first, last = int(entry["firstHash"], 16), int(entry["lastHash"], 16)
        need(all(first <= hash_of(key)[0] <= last for _, key, _ in self.changes), "hashes of the segment")

    def checksum(self, kind, offset, covered):
        return crc32c(self.id + struct.pack("<IQ", kind, offset) + covered)

    def records(self, data, count, counts):
        at = 0
        for _ in range(count):
            need(at < len(data) and data[at] in counts, "kind of a record")
            kind = data[at]
            key_length, at = varint(data, at + 1)
            value_length, at = (0, at) if kind == DELETE else varint(data, at)
            need(1 <= key_length <= 65_535 and value_length <= 256 << 20, "length of a record")
            end = at + key_length + value_length
            need(end <= len(data), "length of a record")
            key, value = data[at : at + key_length], data[at + key_length : end]
            counts[kind] += 1
            if kind != POSITION:
                self.changes.append((kind, key, value if kind == PUT else None))
            at = end
        need(at == len(data), "records of a frame")
