"""Tables that a test of the Java library builds in every layout and order, with changes and with rows of every type."""

import json
import os
import pathlib

import pytest

import bsdb
from test_conformance import Number, fits

FOLDER = pathlib.Path(
    os.environ.get("BSDB_TABLES", pathlib.Path(__file__).resolve().parents[2] / "bsdb-reader/target/other-readers")
)
SETS = sorted(FOLDER.glob("*/records"))
pa = pytest.importorskip("pyarrow")


def test_tables_are_there_if_they_are_named():
    assert SETS or "BSDB_TABLES" not in os.environ


@pytest.mark.parametrize("records", SETS, ids=lambda file: file.parent.name)
def test_finds_what_java_wrote(records):
    lines = [line.split("\t", 2) for line in records.read_text("utf-8").split("\n")[:-1]]
    rows = [json.loads(line[2], parse_int=Number, parse_float=Number) for line in lines if len(line) > 2]
    for path in (path for path in records.parent.iterdir() if path.is_dir()):
        table = bsdb.open(path)
        if rows:
            keys = [tuple(int(row[c]) if c == "id" else row[c] for c in table.key) for row in rows]
            for row, expected in zip(table.get_many(keys), rows):
                for name, value in expected.items():
                    assert fits(row[name], value), f"{path}: {name} of {expected}"
            found = pa.table(table.lookup([{"id": id, "name": name} for id, name in keys], columns=["big", "text"]))
            expected = [row["big"] and int(row["big"]) for row in rows]
            assert found["big"].to_pylist() == expected
            assert found["text"].to_pylist() == [row["text"] for row in rows]
            continue
        keys = [bytes.fromhex(key) for key, _ in lines]
        values = [bytes.fromhex(value) for _, value in lines]
        assert pa.table(table.lookup(pa.array(keys, pa.binary())))["value"].to_pylist() == values
        assert table.get_many(keys) == values
        scanned = pa.table(table.scan())
        assert scanned.num_rows == len(keys)
        if scanned["key"][0].as_py():
            assert dict(zip(scanned["key"].to_pylist(), scanned["value"].to_pylist())) == dict(zip(keys, values))
