"""A reader of bsdb tables, written from docs/FORMAT.md alone. Run: python3 reader.py, which checks all cases of this folder."""

import base64
import bisect
import hashlib
import json
import os
import sys

from basics import Corrupt, NotFound, Unsupported, need, read
from manifest import NAME, read_manifest
from partition import Partition
from rows import Number, decode_key, decode_row, json_text, read_schema
from segment import Segment, hash_of

HERE = os.path.dirname(os.path.abspath(__file__))


class Snapshot:
    """The version of a table that is in service."""

    def __init__(self, table):
        version = None
        while True:
            current = read(os.path.join(table, "CURRENT")).decode("latin-1")
            need(current[-1:] == "\n" and NAME.fullmatch(current[:-1]), "CURRENT")
            try:
                self.open(table, current[:-1])
                return
            except NotFound:
                if current == version:
                    raise
                version = current  # perhaps it was deleted and there is a newer one

    def open(self, table, version):
        snapshots = os.path.join(table, "snapshots")
        directory = os.path.join(snapshots, version)
        self.manifest = read_manifest(read(os.path.join(directory, "manifest.json")), version)
        entries = self.manifest["partitions"]
        if "schema" in self.manifest:
            self.columns, self.key, self.sorted = read_schema(self.manifest["schema"])
        self.history = self.manifest.get("order") == "history"
        time = self.columns[self.key[-1]] if self.history and "schema" in self.manifest else None
        need(not self.history or time and time.name.startswith("TIMESTAMP") and len(self.key) > 1, "history")
        self.bounds = [e["bound"] for e in entries] if "order" in self.manifest else None
        self.partitions = [
            Partition(os.path.join(snapshots, e.get("version", version), e["file"]), e, e.get("bound"))
            for e in entries
        ]
        self.segments = []
        self.changed = {}
        for entry in self.manifest.get("segments", []):
            segment = Segment(os.path.join(table, "data", entry["fileId"] + ".seg"), entry)
            self.segments.append(segment)
            for _, key, value in segment.changes:
                partition = entries[self.partition(key, hash_of(key)[0])]
                if entry["number"] > partition.get("foldedThrough", 0):
                    self.changed[key] = value
        self.changed_keys = sorted(self.changed)

    def partition(self, key, high):
        return self.partition_in_order(key) if self.bounds else high * len(self.partitions) >> 64

    def get(self, key):
        value = self.stored(key)
        return None if self.ended(value) else value

    def ended(self, row):
        """Whether a row says that none is valid from its time on."""
        return self.history and row == b"\x08"

    def stored(self, key):
        if not 1 <= len(key) <= 65535:
            return None
        if key in self.changed:
            return self.changed[key]
        high, low = hash_of(key)
        return self.partitions[self.partition(key, high)].get(key, high, low)

    def partition_in_order(self, key):
        return bisect.bisect_right(self.bounds, key) - 1

    def neighbour(self, key, through, step):
        """The key in front of the place of a key (step -1), or after it (0); None if there is none."""
        place = (bisect.bisect_right if through else bisect.bisect_left)(self.changed_keys, key) + step
        found = self.stored_neighbour(key, through, step)
        while found in self.changed:
            found = self.stored_neighbour(found, step == 0, step)
        while 0 <= place < len(self.changed_keys):
            changed = self.changed_keys[place]
            if found is not None and (changed < found if step else changed > found):
                break
            if self.changed[changed] is not None:
                return changed
            place += step or 1
        return found

    def shown(self, key, through, step):
        """The same, without the keys of ended rows."""
        found = self.neighbour(key, through, step)
        while found is not None and self.ended(self.stored(found)):
            found = self.neighbour(found, step == 0, step)
        return found

    def floor(self, key):
        found = self.neighbour(key, True, -1)
        return None if found is None or self.ended(self.stored(found)) else found

    def as_of(self, leading, millis, nanos):
        """The key of the row that was valid at a time."""
        time = (millis + 2**63).to_bytes(8, "big")
        if self.columns[self.key[-1]].width() == 12:
            time += nanos.to_bytes(4, "big")
        found = self.floor(leading + time)
        return found if found is not None and found.startswith(leading) else None

    def stored_neighbour(self, key, through, step):
        at = self.partition_in_order(key)
        number = self.partitions[at].order.count(key, through) + step if self.partitions[at].n else -1
        if 0 <= number < self.partitions[at].n:
            return self.partitions[at].order.key(number)
        at += 1 if step == 0 else -1
        if not 0 <= at < len(self.partitions):
            return None
        return self.partitions[at].order.first if step == 0 else self.partitions[at].order.last

    def near(self, key):
        """The keys near a key, by the names of cases.json."""
        near = {"floor": self.floor(key), "lower": self.shown(key, False, -1)}
        near.update(ceiling=self.shown(key, False, 0), higher=self.shown(key, True, 0))
        if self.history:
            return near
        prefix = near["floor"]
        while prefix is not None and not key.startswith(prefix):
            key = os.path.commonprefix([key, prefix])
            prefix = self.neighbour(key, True, -1) if key else None
        return {**near, "longestPrefix": prefix}

    def row(self, key, value):
        """The members of a row, in the order of the columns."""
        others = [name for name in self.columns if name not in self.key]
        row = dict(zip(self.key, decode_key([self.columns[name] for name in self.key], key, self.sorted)))
        row.update(zip(others, decode_row([self.columns[name] for name in others], value)))
        return {name: row[name] for name in self.columns}

    def verify(self):
        for i, partition in enumerate(self.partitions):
            partition.verify(self.bounds[i + 1] if self.bounds and i + 1 < len(self.bounds) else None)
            for rank in range(partition.n if partition.stored else 0):
                key, value = partition.record(rank)
                need(partition.get(key, *hash_of(key)) == value, "record is not found by its key")
        need(all(segment.crc for segment in self.segments), "checksum of a segment")


def same(value, expected):
    if isinstance(expected, str):
        return value == base64.b64decode(expected)
    digest = value is not None and hashlib.sha256(value).hexdigest()
    return value is not None and expected == {"length": Number(len(value)), "sha256": digest}


def check_good(case):
    snapshot = Snapshot(os.path.join(HERE, case["table"]))
    need(snapshot.manifest["recordCount"] == int(case["recordCount"]), "record count")
    snapshot.verify()
    for record in case["records"] + case.get("falsePositives", []):
        value = snapshot.get(base64.b64decode(record["key"]))
        need(same(value, record["value"]), f"value of {record['key']}")
        if "row" in record:
            row = json_text(snapshot.row(base64.b64decode(record["key"]), value))
            print(row)
            need(row == json_text(record["row"]), "JSON of the row: expected " + json_text(record["row"]))
    for key in case["absent"]:
        need(snapshot.get(base64.b64decode(key)) is None, f"{key} is present")
    for near in case.get("near", []):
        for name, found in snapshot.near(base64.b64decode(near["key"])).items():
            expected = near[name]
            need(found == (expected and base64.b64decode(expected)), f"{name} of {near['key']}")
    for asked in case.get("asOf", []):
        leading, time = base64.b64decode(asked["leading"]), (int(asked["millis"]), int(asked["nanos"]))
        expected = asked["key"] and base64.b64decode(asked["key"])
        need(snapshot.as_of(leading, *time) == expected, f"{asked['leading']} as of {time}")


def failure(case):
    """The class of the first failure, None if there is none."""
    try:
        snapshot = Snapshot(os.path.join(HERE, case["table"]))
        for key in case["keys"]:
            snapshot.get(base64.b64decode(key))
        if case.get("found") == "by full verification":
            snapshot.verify()
    except (Corrupt, Unsupported, NotFound) as e:
        return {Corrupt: "corrupt", Unsupported: "unsupported", NotFound: "not found"}[type(e)]
    return None


def main():
    with open(os.path.join(HERE, "cases.json"), encoding="utf-8") as file:
        cases = json.load(file, parse_int=Number, parse_float=Number)
    wrong = 0
    for case in cases["good"]:
        try:
            check_good(case)
        except Exception as e:  # whatever it is, the table is sound
            wrong += 1
            print(f"{case['table']}: {type(e).__name__}: {e}", file=sys.stderr)
    for case in cases["bad"]:
        actual = failure(case)
        if actual != case["fails"]:
            wrong += 1
            print(f"{case['table']}: expected {case['fails']}, actual {actual}", file=sys.stderr)
    print(f"{len(cases['good'])} good and {len(cases['bad'])} bad tables, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
