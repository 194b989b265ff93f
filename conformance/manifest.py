"""The manifest (FORMAT.md: manifest.json)."""

import base64
import binascii
import datetime
import json
import re

from basics import Corrupt, Unsupported, crc32c, need

NAME = re.compile(r"[0-9]{10}-[0-9a-f]{8}")
FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?Z")


def members(pairs):
    need(len(pairs) == len(dict(pairs)), "two members of one name")
    return dict(pairs)


def refuse(constant):
    raise ValueError(constant)


def limited(parse):
    def number_of(text):
        need(len(text) <= 1000, "number too long")
        return parse(text)

    return number_of


HOOKS = {"parse_int": limited(int), "parse_float": limited(float), "parse_constant": refuse}


def bounded(value, depth=1):
    """Checks depth and texts; returns how many names, values and brackets."""
    need(depth <= 32 or not isinstance(value, (dict, list)), "nested too deep")
    if isinstance(value, str):
        value.encode("utf-8")  # refuses half surrogate pairs
    if isinstance(value, dict):
        return 2 + sum(bounded(k) + bounded(v, depth + 1) for k, v in value.items())
    return 2 + sum(bounded(v, depth + 1) for v in value) if isinstance(value, list) else 1


def member(node, name, kind, pattern=None):
    value = node.get(name)
    need(type(value) is kind, f"{name} is missing or no {kind.__name__}")
    need(pattern is None or pattern.fullmatch(value), f"{name}: {value}")
    return value


def number(node, name, most):
    value = member(node, name, int)
    need(0 <= value <= most, f"{name} out of range: {value}")
    return value


def read_time(node, name):
    try:
        datetime.datetime.fromisoformat(member(node, name, str, TIME)[:-1])
    except ValueError as e:
        raise Corrupt(f"{name}: {e}") from e


def read_manifest(data, version=None):
    need(len(data) <= 64 << 20, "manifest too long")
    try:
        root = json.loads(data.decode("utf-8"), object_pairs_hook=members, **HOOKS)
        need(type(root) is dict, "no object")
        size = bounded(root)
    except (ValueError, RecursionError) as e:
        raise Corrupt(f"manifest: {e}") from e
    if type(root.get("formatVersion")) is int and root["formatVersion"] > 2:
        raise Unsupported("format version")
    end = re.fullmatch(rb'"checksum" : "([0-9a-f]{8})"\n}\n', data[-26:])
    need(end and b"%08x" % crc32c(data[:-26]) == end[1], "checksum of the manifest")
    need(size <= 2**22, "manifest too large")
    format_version = number(root, "formatVersion", 2)
    need(format_version >= 1, "format version 0")
    if member(root, "hash", str) != "XXH3-128, seed 0":
        raise Unsupported("hash")
    member(root, "snapshotId", str, UUID)
    read_time(root, "createdAt")
    if "parent" in root:
        member(root, "parent", str, NAME)
    need(member(root, "version", str, NAME) == (version or root["version"]), "other version")
    for texts in ("options", "properties", "sourcePositions"):
        need(len(member(root, texts, dict)) <= 65536, f"too many {texts}")
        need(all(type(text) is str for text in root[texts].values()), f"{texts} hold no strings")
    if "order" in root and member(root, "order", str) not in ("key", "history"):
        raise Unsupported("order")
    if root.get("order") == "history" and "horizon" in root:
        read_time(root, "horizon")
    entries = member(root, "partitions", list)
    need(1 <= len(entries) <= 65536, "number of partitions")
    for entry in entries:
        need(type(entry) is dict, "partition")
        member(entry, "file", str, FILE)
        member(entry, "fileId", str, UUID)
        member(entry, "checksum", str, re.compile("[0-9a-f]{8}"))
        number(entry, "recordCount", 2**27)
        for length in ("length", "keyBytes", "valueBytes"):
            number(entry, length, 2**47 - 1)
        if "version" in entry:
            member(entry, "version", str, NAME)
        if "foldedThrough" in entry:
            number(entry, "foldedThrough", 2**63 - 1)
    if "order" in root:
        read_bounds(root, entries)
    for unique in ("file", "fileId"):
        need(len({entry[unique] for entry in entries}) == len(entries), f"{unique} twice")
    need(number(root, "recordCount", 2**63 - 1) == sum(e["recordCount"] for e in entries), "records")
    read_changes(root)
    plain = "segments" not in root and not any(e.get("version") or e.get("foldedThrough") for e in entries)
    need(plain or format_version == 2, "changes in format version 1")
    need("order" not in root or format_version == 2, "key order in format version 1")
    need(not root.get("segments") or root["options"].get("keys") != "omitted", "changes of a table without keys")
    return root


def read_bounds(root, entries):
    """Adds the bytes of the lower bounds."""
    before = None
    for entry in entries:
        text = member(entry, "lowerBound", str)
        try:
            bound = base64.b64decode(text, validate=True)
        except binascii.Error as e:
            raise Corrupt(f"lowerBound: {e}") from e
        need(base64.b64encode(bound).decode() == text and len(bound) <= 65535, "lowerBound")
        need(bound == b"" if before is None else before < bound, "lower bounds do not ascend")
        need(entry["recordCount"] or len(entries) == 1, "partition without records in key order")
        entry["bound"] = before = bound
    schema = root.get("schema")
    need(schema is None or type(schema) is dict and schema.get("keyEncoding") == "ordered", "key encoding")


def read_changes(root):
    if "segments" not in root:
        return
    last = number(root, "lastSegment", 2**63 - 1)
    ids = read_segments(root, 4096, 0, last)
    if "history" in root:
        history = member(root, "history", dict)
        if "line" in history:
            member(history, "line", str, UUID)
        ids += read_segments(history, 1024, number(history, "after", last), last)
    need(len(set(ids)) == len(ids), "fileId of a segment twice")
    streams = member(root, "streams", dict) if "streams" in root else {}
    need(len(streams) <= 65536, "too many streams")
    for stream in streams.values():
        need(type(stream) is dict, "stream")
        superseded = member(stream, "superseded", list)
        need(len(superseded) <= 1000, "too many superseded")
        for checkpoint in [stream, *superseded]:
            need(type(checkpoint) is dict, "checkpoint")
            member(checkpoint, "incarnation", str, UUID)
            number(checkpoint, "checkpoint", 2**63 - 1)
        if "sourceTime" in stream:
            read_time(stream, "sourceTime")


def read_segments(node, most, before, last):
    entries = member(node, "segments", list)
    need(len(entries) <= most, "too many segments")
    for entry in entries:
        need(type(entry) is dict, "segment")
        need(number(entry, "number", last) > before, "segments out of order")
        before = entry["number"]
        member(entry, "checksum", str, re.compile("[0-9a-f]{8}"))
        for hash_word in ("firstHash", "lastHash"):
            member(entry, hash_word, str, re.compile("[0-9a-f]{16}"))
        for count in ("length", "puts", "deletes"):
            number(entry, count, 2**31 - 9)
    return [member(entry, "fileId", str, UUID) for entry in entries]
