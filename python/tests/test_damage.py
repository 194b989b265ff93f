"""Bytes of a small table damaged: a right answer or an error, never a wrong value, never None."""

import pathlib
import shutil

import pytest

import bsdb

TABLES = pathlib.Path(__file__).resolve().parents[2] / "conformance/tables"
pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("name", ["compressed", "changes-in-key-order"])
def test_damage_is_an_error_or_does_no_harm(name, tmp_path):
    path = tmp_path / name
    shutil.copytree(TABLES / name, path)
    expected = dict(bsdb.open(path).scan())
    keys, values = list(expected), list(expected.values())
    found = 0
    for file in sorted(p for p in path.rglob("*") if p.is_file()):
        sound = file.read_bytes()
        for at in range(0, len(sound), 13):
            # A new file: the last one may still be mapped.
            file.unlink()
            file.write_bytes(sound[:at] + bytes([sound[at] ^ 1 << at % 8]) + sound[at + 1 :])
            try:
                table = bsdb.open(path, access="read" if at % 2 else "mapped")
                assert table.get_many(keys) == values
                assert pa.table(table.lookup(keys))["value"].to_pylist() == values
                assert dict(table.scan()) == expected
            except bsdb.BsdbError as e:
                assert e.file
                found += 1
        file.unlink()
        file.write_bytes(sound)
    assert found > 100
