"""Batches: from Arrow, NumPy and Python into Arrow."""

import pathlib
import subprocess
import sys
import threading

import pytest

import bsdb

TABLES = pathlib.Path(__file__).resolve().parents[2] / "conformance/tables"
pa = pytest.importorskip("pyarrow")


@pytest.fixture
def plain():
    return bsdb.open(TABLES / "blocked")


@pytest.fixture
def rows():
    return bsdb.open(TABLES / "rows-keys")


def keys_of(table):
    return [key for key, _ in table.scan()]


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view()])
def test_bytes_of_every_form(plain, kind):
    keys = keys_of(plain)
    asked = [keys[1], b"absent", None, keys[0]]
    found = pa.table(plain.lookup(pa.array(asked, kind)))
    assert found.to_pydict() == {"value": [plain.get(keys[1]), None, None, plain.get(keys[0])]}
    chunked = pa.chunked_array([pa.array(asked[:1], kind), pa.array([], kind), pa.array(asked, kind)[1:]])
    assert pa.table(plain.lookup(chunked)).to_pydict() == found.to_pydict()
    encoded = pa.array(asked, pa.binary()).dictionary_encode()
    assert pa.table(plain.lookup(encoded, columns=["key"])).to_pydict() == {"key": [keys[1], None, None, keys[0]]}


def test_lists_are_keys_too(plain):
    keys = keys_of(plain)
    found = pa.table(plain.lookup([keys[0], "absent"], columns=["value", "key"]))
    assert found.to_pydict() == {"value": [plain.get(keys[0]), None], "key": [keys[0], None]}
    with pytest.raises(TypeError, match="use get for one key"):
        plain.lookup(b"key")
    with pytest.raises(ValueError, match="bytes"):
        plain.lookup(pa.array([1]))
    with pytest.raises(ValueError, match="the columns are key, value"):
        plain.lookup([], columns=["other"])


@pytest.mark.parametrize("name", ["rows-scalars", "rows-nested", "rows-keys", "rows-symbols", "rows-of-key-only", "order-rows"])
def test_every_type_goes_into_arrow(name):
    table = bsdb.open(TABLES / name)
    columns, left_out = [], []
    for column in table.columns:
        try:
            pa.table(table.scan(columns=[column]))
            columns.append(column)
        except OSError as e:  # what Arrow cannot express
            assert "leave out the column" in str(e)
            left_out.append(column)
    assert len(left_out) <= 1
    scanned = pa.table(table.scan(columns=columns))
    scanned.validate(full=True)
    assert scanned.num_rows == len(table)
    # The rows are found again by their keys, as Arrow gave them.
    if set(table.key) <= set(columns):
        found = pa.table(table.lookup(scanned.select(table.key), columns=columns))
        exact = [name for name in columns if not pa.types.is_floating(scanned.schema.field(name).type)]
        assert found.select(exact).equals(scanned.select(exact))


def test_join_left_inner_semi_and_anti(plain):
    keys = keys_of(plain)
    frame = pa.table({"n": [1, 2, 3, 4], "key": [keys[3], b"absent", keys[0], None], "list": [[1], None, [], [2, 3]]})
    left = pa.table(plain.join(frame))
    values = [plain.get(keys[3]), None, plain.get(keys[0]), None]
    assert left.to_pydict() == {**frame.to_pydict(), "value": values}
    inner = pa.table(plain.join(frame, how="inner"))
    inner.validate(full=True)
    assert inner.to_pydict() == {
        "n": [1, 3], "key": [keys[3], keys[0]], "list": [[1], []], "value": [values[0], values[2]]
    }
    assert pa.table(plain.join(frame, how="semi")).to_pydict() == frame.take([0, 2]).to_pydict()
    assert pa.table(plain.join(frame.slice(1), how="anti")).to_pydict() == frame.take([1, 3]).to_pydict()
    renamed = frame.rename_columns(["value", "k", "list"])
    assert plain.join(renamed, on=["k"]).columns == ["value", "k", "list", "value_right"]
    with pytest.raises(ValueError, match="how is left"):
        plain.join(frame, how="outer")
    with pytest.raises(ValueError, match='no column "x"'):
        plain.join(frame, on=["x"])


def test_inner_join_takes_every_arrow_type(plain):
    key = keys_of(plain)[0]
    import datetime
    import decimal

    values = {
        "key": [key, b"absent", key],
        "b": [True, None, False],
        "i": pa.array([1, 2, None], pa.int8()),
        "t": ["a", None, "ccc"],
        "v": pa.array(["a", "long enough to be no inline text", None], pa.string_view()),
        "l": pa.array([b"x", b"", b"yz"], pa.large_binary()),
        "w": pa.array([b"12", b"34", None], pa.binary(2)),
        "d": [decimal.Decimal("1.5"), None, decimal.Decimal("-2.5")],
        "ts": [datetime.datetime(2026, 1, 1), None, datetime.datetime(1969, 1, 1)],
        "s": [{"x": 1, "y": ["p"]}, None, {"x": None, "y": []}],
        "m": pa.array([[("a", 1)], None, [("b", None)]], pa.map_(pa.string(), pa.int64())),
        "c": pa.array(["red", "blue", "red"]).dictionary_encode(),
        "z": pa.nulls(3),
    }
    frame = pa.table(values)
    inner = pa.table(plain.join(frame, how="inner", columns=[]))
    inner.validate(full=True)
    assert inner.to_pydict() == {name: column[::2] for name, column in frame.to_pydict().items()}


def test_threads_give_the_same(plain):
    keys = keys_of(plain) + [b"absent"]
    asked = pa.array(keys * 5000, pa.binary())
    one = pa.table(plain.lookup(asked, threads=1))
    two = pa.table(plain.lookup(asked, threads=3))
    assert one.equals(two)
    assert one["value"].to_pylist()[: len(keys)] == plain.get_many(keys)


def test_many_threads_share_a_table(plain):
    keys = keys_of(plain)
    expected = plain.get_many(keys)
    wrong = []

    def work():
        for _ in range(200):
            if pa.table(plain.lookup(keys))["value"].to_pylist() != expected:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_rows_are_taken_once_as_a_stream(plain):
    rows = plain.scan()
    first = next(rows)
    rest = pa.table(rows)
    assert rest.num_rows == len(plain) - 1 and first[0] not in rest["key"].to_pylist()
    with pytest.raises(RuntimeError, match="have been taken"):
        next(rows)


def test_polars_and_pandas_and_duckdb(plain):
    keys = keys_of(plain)
    values = plain.get_many(keys)
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"key": keys + [b"absent"], "n": range(len(keys) + 1)})
    assert pl.DataFrame(plain.lookup(frame["key"]))["value"].to_list() == values + [None]
    joined = pl.DataFrame(plain.join(frame, how="inner"))
    assert joined.columns == ["key", "n", "value"] and joined["value"].to_list() == values
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"key": keys, "n": range(len(keys))})
    assert pa.table(plain.join(frame)).to_pandas()["value"].tolist() == values
    duckdb = pytest.importorskip("duckdb")
    found = pa.table(plain.lookup(keys, columns=["key", "value"]))
    assert duckdb.sql("select count(*) from found where value is not null").fetchall() == [(len(keys),)]
    asked = duckdb.sql("select key from found")
    assert pa.table(plain.lookup(asked)).num_rows == len(keys)


def test_numbers_of_numpy():
    np = pytest.importorskip("numpy")
    table = bsdb.open(TABLES / "rows-scalars")
    assert table.key == ["id"]
    ids = pa.table(table.scan(columns=["id"]))["id"].to_pylist()
    asked = np.array(ids + [-999])
    found = pa.table(table.lookup(asked, columns=["id"]))["id"].to_pylist()
    assert found == ids + [None]
    assert pa.table(table.lookup(asked.astype("f8"), columns=["id"]))["id"].to_pylist() == found


def test_arrays_of_numpy_that_are_no_list_of_keys():
    np = pytest.importorskip("numpy")
    table = bsdb.open(TABLES / "rows-scalars")
    with pytest.raises(TypeError, match="one dimension"):
        table.lookup(np.array([[1, 2], [3, 4]]))
    with pytest.raises(TypeError, match="masked"):
        table.lookup(np.ma.masked_array([1, 2], mask=[False, True]))

    class Longer(np.ndarray):
        def __len__(self):
            return 3

    with pytest.raises(TypeError, match="3 elements of 8 bytes, yet it has 16 bytes"):
        table.lookup(np.array([1, 2], "i8").view(Longer), columns=["id"])


def test_nulls_without_a_type_are_no_keys(plain):
    pl = pytest.importorskip("polars")
    for asked in pa.nulls(2), pl.Series([None, None]):
        assert pa.table(plain.lookup(asked)).to_pydict() == {"value": [None, None]}
    frame = pa.table({"key": pa.nulls(2)})
    assert pa.table(plain.join(frame)).to_pydict() == {"key": [None, None], "value": [None, None]}


def test_null_structs_are_no_keys(plain):
    table = bsdb.open(TABLES / "rows-scalars")
    keys = pa.StructArray.from_arrays([pa.array([10, 1, 1])], names=["id"], mask=pa.array([False, False, True]))
    for asked in keys, keys[1:]:
        found = pa.table(table.lookup(asked, columns=["id"]))["id"].to_pylist()
        assert found == [10, 1, None][-len(asked) :]
    key = keys_of(plain)[0]
    bytes_of = pa.StructArray.from_arrays([pa.array([key, key])], names=["key"], mask=pa.array([False, True]))
    assert pa.table(plain.lookup(bytes_of))["value"].to_pylist() == [plain.get(key), None]


def test_the_only_column_of_a_frame_is_not_taken_for_another(plain):
    frame = pa.table({"k": keys_of(plain)[:2]})
    assert pa.table(plain.lookup(frame))["value"].null_count == 0
    with pytest.raises(ValueError, match='no column "key"'):
        plain.lookup(frame, on="key")


def test_arrow_data_that_another_consumer_has_taken():
    # It points to memory that may be free, so a process of its own.
    code = f"""
import bsdb, gc, pyarrow as pa
table = bsdb.open({str(TABLES / 'blocked')!r})
key = next(iter(table))[0]
for kind, given, take in [
    ("stream", pa.table({{"key": [key]}}).__arrow_c_stream__(), pa.RecordBatchReader._import_from_c_capsule),
    ("stream", table.lookup([key]).__arrow_c_stream__(), pa.RecordBatchReader._import_from_c_capsule),
    ("array", pa.array([key]).__arrow_c_array__(), lambda both: pa.Array._import_from_c_capsule(*both)),
    ("array", pa.array([key]).__arrow_c_array__(), lambda both: pa.DataType._import_from_c_capsule(both[0])),
]:
    take(given)
    gc.collect()
    keys = type("Keys", (), {{"__arrow_c_" + kind + "__": lambda self, requested_schema=None: given}})()
    try:
        table.lookup(keys)
    except ValueError as e:
        assert "another consumer has taken" in str(e), e
    else:
        raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@pytest.mark.parametrize(
    "code",
    [
        """
import pyarrow.acero as acero, pyarrow.compute as pc
# Threads of Arrow call Python for each batch.
doc = {"summary": "the same", "description": "the same"}
pc.register_scalar_function(lambda context, x: x, "same", doc, {"x": pa.int64()}, pa.int64())
source = acero.TableSourceNodeOptions(pa.table({"id": pa.array(range(300_000), pa.int64())}))
same = acero.ProjectNodeOptions([pc.Expression._call("same", [pc.field("id")])], ["id"])
plan = [acero.Declaration("table_source", source), acero.Declaration("project", same)]
reader = acero.Declaration.from_sequence(plan).to_reader(use_threads=True)
assert len(table.lookup(reader, columns=["id"])) == 300_000
""",
        """
import gc, threading, time
rows, inside, taken = nested.scan(), [], []
class Garbage:
    def __init__(self):
        self.itself = self
    def __del__(self):
        inside.append(1)
        time.sleep(0.3)
def other():
    while not inside:
        time.sleep(0.01)
    taken.append(next(rows))
gc.disable()
thread = threading.Thread(target=other)
thread.start()
Garbage()
# It is collected as soon as a row is made, and lets the other thread run then.
gc.set_threshold(1)
gc.enable()
taken.append(next(rows))
gc.set_threshold(700)
assert inside
thread.join()
assert taken[0] != taken[1]
""",
    ],
    ids=["a-stream-whose-threads-call-python", "two-threads-with-one-iterator"],
)
def test_no_thread_waits_for_ever(code):
    opened = f"import bsdb, pyarrow as pa\ntable = bsdb.open({str(TABLES / 'rows-scalars')!r})\n"
    code = f"{opened}nested = bsdb.open({str(TABLES / 'rows-nested')!r})\n{code}"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
