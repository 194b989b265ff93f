"""Lookups, ranges and following."""

import os
import pathlib
import shutil

import pytest

import bsdb

pa = pytest.importorskip("pyarrow")

TABLES = pathlib.Path(__file__).resolve().parents[2] / "conformance/tables"


def test_ranges_and_prefixes():
    table = bsdb.open(TABLES / "order-blocked")
    keys = [key for key, _ in table]
    assert keys == sorted(keys)
    assert [key for key, _ in table.range(keys[2], keys[7])] == keys[2:7]
    assert [key for key, _ in table.range(end=keys[3], reverse=True)] == keys[2::-1]
    prefix = keys[5][:1]
    assert [key for key, _ in table.prefix(prefix)] == [key for key in keys if key.startswith(prefix)]
    assert table.floor(keys[4] + b"\0")[0] == keys[4]
    assert table.lower(keys[0]) is None


def test_hash_order_has_no_ranges():
    table = bsdb.open(TABLES / "blocked")
    with pytest.raises(ValueError, match="order 'key'"):
        table.floor(b"key")
    with pytest.raises(ValueError, match="order 'key'"):
        table.range(b"a")


def test_wrong_arguments():
    table = bsdb.open(TABLES / "rows-scalars")
    with pytest.raises(KeyError, match="id"):
        table.get({})
    with pytest.raises(ValueError, match="key columns id"):
        table.get((1, 2))
    with pytest.raises(ValueError, match="type BIGINT cannot be text: \"5\""):
        table.get("5")
    assert pa.table(table.lookup([1], columns="text")).column_names == ["text"]
    assert table.get(2**70) is None
    assert table.get(None) is None
    with pytest.raises(ValueError, match="access"):
        bsdb.open(TABLES / "blocked", access="other")
    with pytest.raises(bsdb.NotFoundError, match="no table.*file=.*no-such-table/CURRENT"):
        bsdb.open(TABLES / "no-such-table")
    with pytest.raises(ValueError, match="bsdb.follow"):
        table.refresh()


def publish(table, version):
    (table / "CURRENT.tmp").write_text(version + "\n")
    os.replace(table / "CURRENT.tmp", table / "CURRENT")


def test_follow_moves_on_and_refuses_a_bad_version(tmp_path):
    def take(name):
        version = (TABLES / name / "CURRENT").read_text().strip()
        shutil.copytree(TABLES / name / "snapshots" / version, tmp_path / "snapshots" / version)
        return version

    first = take("blocked")
    publish(tmp_path, first)
    table = bsdb.follow(tmp_path, every=3600)
    held = table.scan()
    second = take("compact")
    publish(tmp_path, second)
    assert table.refresh() and table.version == second and not table.refresh()
    shutil.rmtree(tmp_path / "snapshots" / first)
    assert len(list(held)) == 62, "a version that was deleted stays readable"
    bad = "0000000009-00000000"
    (tmp_path / "snapshots" / bad).mkdir()
    (tmp_path / "snapshots" / bad / "manifest.json").write_text("{}")
    publish(tmp_path, bad)
    with pytest.raises(bsdb.CorruptError):
        table.refresh()
    assert table.version == second and "manifest" in table.refused
    assert len(list(table)) == len(table)
    publish(tmp_path, second)
    assert not table.refresh() and table.refused is None
    keys = [key for key, _ in table]
    table.get_many(keys)
    table.lookup(keys + [b"no such key"])
    assert table.counters == {"hits": 2 * len(keys), "misses": 1, "failures": 0, "block_reads": 0, "bytes_read": 0}
