"""A follower beside a publisher that publishes and deletes what it replaced."""

import os
import pathlib
import shutil
import threading

import pytest

import bsdb

TABLES = pathlib.Path(__file__).resolve().parents[2] / "conformance/tables"
NAMES = ["blocked", "compressed", "compact", "order-compact"]
pa = pytest.importorskip("pyarrow")


def put_in_service(path, version):
    (path / "CURRENT.next").write_text(version + "\n")
    os.replace(path / "CURRENT.next", path / "CURRENT")


def test_a_follower_sees_whole_versions_under_a_publisher_that_prunes(tmp_path):
    versions, records = [], {}
    for name in NAMES:
        table = bsdb.open(TABLES / name)
        versions.append((table.version, TABLES / name / "snapshots" / table.version))
        records[frozenset(dict(table.scan()).items())] = table.version
    snapshots = tmp_path / "snapshots"

    def publish(i):
        version, source = versions[i % len(versions)]
        shutil.copytree(source, snapshots / version)
        put_in_service(tmp_path, version)
        if i > 0:
            shutil.rmtree(snapshots / versions[(i - 1) % len(versions)][0])

    publish(0)
    table = bsdb.follow(tmp_path, every=0.001)
    done, failures = threading.Event(), []

    def read():
        keys = list(bsdb.open(TABLES / NAMES[0]).scan())
        try:
            while not done.is_set():
                # One version each: all records of one, whichever it is.
                assert frozenset(dict(table.scan()).items()) in records
                found = pa.table(table.lookup([key for key, _ in keys]))["value"].to_pylist()
                assert len(found) == len(keys)
        except BaseException as e:
            failures.append(e)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        for i in range(1, 200):
            publish(i)
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert not failures
    table.refresh()
    assert table.version == versions[199 % len(versions)][0] and table.refused is None
    (snapshots / "9999999999-0badc0de").mkdir()
    (snapshots / "9999999999-0badc0de" / "manifest.json").write_text("{")
    put_in_service(tmp_path, "9999999999-0badc0de")
    with pytest.raises(bsdb.CorruptError, match="manifest.json"):
        table.refresh()
    assert records[frozenset(dict(table.scan()).items())] == table.version
    assert "manifest.json" in table.refused


def test_without_an_interval_nothing_looks_by_itself():
    threads = len(os.listdir("/proc/self/task"))
    table = bsdb.follow(TABLES / NAMES[0], every=0)
    assert len(os.listdir("/proc/self/task")) <= threads  # others may end
    assert not table.refresh()


@pytest.mark.parametrize("every", [-1, float("nan"), float("inf")])
def test_an_interval_is_a_number_of_seconds(every):
    with pytest.raises(ValueError, match=f"every is a number of seconds from 0 to 10.19, not {every}"):
        bsdb.follow(TABLES / NAMES[0], every=every)
