"""Lookups, ranges and following."""

import contextlib
import ctypes
import datetime
import decimal
import functools
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

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
    with pytest.raises(ValueError, match='"id" of type BIGINT cannot be text: "5"'):
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


def test_years_that_python_does_not_have():
    table = bsdb.open(TABLES / "rows-scalars")
    with pytest.raises(ValueError, match="column 'day': -0044-03-15 is no date .* 1 to 9999; read it as Arrow"):
        table.get(3)
    with pytest.raises(ValueError, match=r"column 'instant': \+12026-01-01T00:00:00Z is no date or time"):
        list(table.scan(["instant"]))
    assert pa.table(table.lookup([3], columns="day"))["day"].cast(pa.int32()).to_pylist() == [-735_525]


def test_values_that_are_a_key_in_another_form():
    table = bsdb.open(TABLES / "rows-scalars")
    for same in [10, 10.0, decimal.Decimal("10"), decimal.Decimal("1E+1"), decimal.Decimal("10." + 60 * "0")]:
        assert same in table, same
    other = ["1E-2147483648", "1E+2147483648", "10." + 60 * "0" + "1", "NaN", "-Infinity"]
    assert not any(decimal.Decimal(value) in table for value in other)


def test_scalars_of_numpy_and_pandas():
    np = pytest.importorskip("numpy")
    pd = pytest.importorskip("pandas")
    table = bsdb.open(TABLES / "rows-scalars")
    assert np.int8(10) in table and pd.NaT not in table
    with pytest.raises(TypeError, match="longdouble cannot be a key"):
        table.get(np.longdouble(1))
    for time in np.datetime64(10, "ns"), np.datetime64(10, "ps"), np.timedelta64(10, "ns"):
        with pytest.raises((TypeError, ValueError), match="cannot be a"):
            table.get(time)
    prices = bsdb.open(TABLES / "history")
    since = prices.ceiling(("milk",))["since"].replace(tzinfo=None)
    for unit in "ms", "us", "ns":
        assert ("milk", np.datetime64(since, unit)) in prices
    assert ("milk", np.datetime64(since, "ns") + np.timedelta64(1, "ns")) not in prices


def test_times_of_a_zone_beside_the_first_and_last_year():
    prices = bsdb.open(TABLES / "history")
    hours = datetime.timedelta(hours=5)
    first = datetime.datetime.min.replace(tzinfo=datetime.timezone(hours))
    last = datetime.datetime.max.replace(tzinfo=datetime.timezone(-hours))
    assert prices.as_of("a", last) == prices.as_of("a", datetime.datetime.max) is not None
    assert prices.as_of("a", first) is None
    assert ("a", first) not in prices and ("a", last) not in prices


def test_rows_have_only_the_columns_that_are_asked_for():
    table = bsdb.open(TABLES / "rows-scalars")
    ids = pa.table(table.scan(columns=["id"]))["id"].to_pylist()
    # Other columns have years that Python does not have.
    assert list(table.scan(columns=["id"])) == [{"id": id} for id in ids]
    assert list(next(table.scan(columns=["text", "id"]))) == ["text", "id"]


def test_nothing_is_near_what_no_key_can_be():
    prices = bsdb.open(TABLES / "history")
    time = datetime.datetime(2026, 1, 1, microsecond=1)
    assert prices.as_of("milk", time) == prices.as_of("milk", time.replace(microsecond=0))
    for find in prices.floor, prices.lower, prices.ceiling, prices.higher:
        with pytest.raises(ValueError, match="no key has these values"):
            find(("milk", time))
        assert find(("milk", None)) is None


def typed(name, path):
    """A copy of a table with a schema: its keys are a column of bytes, and there is no other column."""
    sys.path.insert(0, str(TABLES.parent))
    from basics import crc32c

    shutil.copytree(TABLES / name, path)
    version = (path / "CURRENT").read_text().strip()
    manifest = path / "snapshots" / version / "manifest.json"
    schema = '"schema": {"columns": [{"name": "k", "type": "BYTES"}], "primaryKey": ["k"], "keyEncoding": "ordered"},'
    text = manifest.read_text().replace('"options"', schema + '"options"')
    covered = text[: text.rindex('"checksum"')]
    manifest.write_text(f'{covered}"checksum" : "{crc32c(covered.encode()):08x}"\n}}\n')
    return bsdb.open(path)


def test_leading_columns_have_no_gap():
    table = bsdb.open(TABLES / "order-rows")
    first = pa.table(table.prefix({"flag": False}, columns=["tiny"]))["tiny"].to_pylist()
    assert first == [-128]
    assert pa.table(table.prefix({"flag": False, "tiny": -1}, columns=["tiny"])).num_rows == 0
    with pytest.raises(KeyError, match="\"tiny\" is missing in front of"):
        table.prefix({"flag": False, "small": 0})


def test_columns_of_keys_that_are_not_stored(tmp_path):
    table = typed("approximate-empty-values-compact", tmp_path / "table")
    assert list(table.scan(columns=[])) == [{}] * len(table) and len(table) > 1
    for columns in None, "k":
        with pytest.raises(ValueError, match="does not store its keys.* column k"):
            table.scan(columns)
    with pytest.raises(ValueError, match="does not store its keys"):
        iter(table)
    assert pa.table(table.lookup([b"any"], columns=["k"])).num_rows == 1


def test_ranges_begin_with_empty_text(tmp_path):
    # The last record has the row of no fields.
    table = typed("order-compact", tmp_path / "table")
    for rows in table.prefix(b"", reverse=True), table.range(b"", reverse=True), table.range((b"",), (b"nonf",), reverse=True):
        assert next(rows) == {"k": b"none"}
    assert table.floor(b"") is None and table.lower("") is None and table.get("") is None
    with pytest.raises(bsdb.CorruptError):
        table.ceiling("")  # the first one, which is no row


def test_a_child_of_a_fork_stays_with_its_version():
    code = f"""
import bsdb, os
table = bsdb.follow({str(TABLES / "blocked")!r}, every=3600)
child = os.fork()
held = len(table)
try:
    moved = table.refresh()
except ValueError as e:
    moved = str(e)
assert moved is False if child else moved.startswith("this process was forked"), moved
del table
if child:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    # Python 3.12 and later warn of a fork beside threads.
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", code], timeout=60, stderr=subprocess.PIPE, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


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


def test_the_stub_names_nothing_that_is_not_there():
    stub = pathlib.Path(bsdb.__file__).with_suffix(".pyi").read_text()
    named = re.findall(r"^(?:class |def )?(\w+)(?:\(| = |:)", stub, re.MULTILINE)
    assert sorted(name for name in named if not name.startswith("_")) == sorted(bsdb.__all__)
    # NumPy arrays and iterators of keys are taken, and frames by both interfaces of Arrow.
    lookup = re.search(r"def lookup\(\n +self,\n +keys: Union\[(.*)\],", stub)
    join = re.search(r"def join\(\n +self,\n +frame: Union\[(.*)\],", stub)
    assert lookup[1] == "_ArrowStream, _ArrowArray, Iterable[Any]"
    assert join[1] == "_ArrowStream, _ArrowArray"


class Stop(Exception):
    pass


@contextlib.contextmanager
def stopped():
    """Expects that an exception of a signal's handler ends what is run, which would take long."""

    def stop(*_):
        raise Stop

    before = signal.signal(signal.SIGALRM, stop)
    try:
        with pytest.raises(Stop):
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("call", ["lookup", "threads", "list", "get_many"])
def test_signals_end_calls_with_many_keys(call):
    table = bsdb.open(TABLES / "rows-scalars")
    # Keys of which no memory is taken, so many that no machine is through with them when signals are looked for.
    count = 1_000_000_000 if call in ("lookup", "threads") else 20_000_000
    keys = pa.nulls(count) if call in ("lookup", "threads") else itertools.repeat(7, count)
    with stopped():
        if call == "get_many":
            table.get_many(keys)
        else:
            table.lookup(keys, [], threads=2 if call == "threads" else 1)
    # Without a look at signals the call would end first.
    assert table.counters["hits"] + table.counters["misses"] < count


def test_signals_end_verify(tmp_path):
    sys.path.insert(0, str(TABLES.parent))
    from basics import crc32c

    shutil.copytree(TABLES / "compact", tmp_path / "table")
    part, manifest = sorted((tmp_path / "table").rglob("part-00000.bsdb")) + sorted((tmp_path / "table").rglob("manifest.json"))
    data = part.read_bytes()
    # A hole of 64 GiB in front of the directory of the sections.
    start, length = int.from_bytes(data[-32:-24], "little"), len(data) + (64 << 30)
    at = start + (64 << 30)
    covered = data[start:-32] + at.to_bytes(8, "little") + length.to_bytes(8, "little") + data[-16:-12]
    place = b"\xff" * 4 + at.to_bytes(8, "little")
    with part.open("r+b") as file:
        file.truncate(start)
        file.seek(at)
        file.write(covered + crc32c(data[16:32] + place + covered).to_bytes(4, "little") + data[-8:])
    text = manifest.read_text().replace(f'"length" : {len(data)}', f'"length" : {length}', 1)
    text = text[: text.rindex('"checksum"')]
    manifest.write_text(f'{text}"checksum" : "{crc32c(text.encode()):08x}"\n}}\n')
    table = bsdb.open(tmp_path / "table", access="read")
    with stopped():
        table.verify()


def after_a_signal(call):
    """Calls a function without a look of the interpreter at signals since one has arrived."""
    arrive = functools.partial(ctypes.CDLL(None)["raise"], int(signal.SIGALRM))
    list(map(functools.partial.__call__, [arrive, functools.partial(call)]))


def test_signals_end_streams():
    table = bsdb.open(TABLES / "blocked")

    def stop(*_):
        raise Stop

    before = signal.signal(signal.SIGALRM, stop)
    try:
        rows = table.scan()
        with pytest.raises(Stop):
            after_a_signal(rows.__next__)
        assert len(list(rows)) == len(table), "a row was taken"
        reader = pa.RecordBatchReader.from_stream(table.scan())
        failures = []
        with pytest.raises(Stop):
            try:
                after_a_signal(reader.read_next_batch)
            except OSError as failure:
                failures += [failure]
                for _ in range(100):
                    pass  # here it is raised
        assert "interrupted by a signal" in str(failures[0])
    finally:
        signal.signal(signal.SIGALRM, before)
