"""The conformance tables, through the package."""

import base64
import ctypes
import datetime
import decimal
import hashlib
import json
import pathlib

import pytest

import bsdb

HERE = pathlib.Path(__file__).resolve().parents[2] / "conformance"


class Number(str):
    """A number as it stands in JSON."""


CASES = json.loads((HERE / "cases.json").read_text("utf-8"), parse_int=Number, parse_float=Number)
CLASSES = {"corrupt": bsdb.CorruptError, "unsupported": bsdb.UnsupportedError, "not found": bsdb.NotFoundError}


def typed(table):
    return table.columns != ["key", "value"]


def same(value, expected):
    if isinstance(expected, str):
        return value == base64.b64decode(expected)
    return hashlib.sha256(value).hexdigest() == expected["sha256"]


def fits(value, expected):
    """Whether a value of Python is what the JSON of the specification says."""
    if expected is None or isinstance(value, bool):
        return value is expected
    if isinstance(expected, dict) and "malformedUtf8" in expected:
        return isinstance(value, str) and "\ufffd" in value
    if isinstance(value, dict) and isinstance(expected, list):  # a map whose keys are no JSON names
        return all(any(fits(k, x) and fits(v, y) for x, y in expected) for k, v in value.items())
    if isinstance(value, dict):
        return isinstance(expected, dict) and len(value) == len(expected) and all(
            any((text(k) == name or fits(k, name)) and fits(v, x) for name, x in expected.items())
            for k, v in value.items()
        )
    if isinstance(value, (list, tuple)):  # or a map whose keys are no keys of a dict
        return len(value) == len(expected) and (isinstance(expected, dict) or all(map(fits, value, expected)))
    if not isinstance(expected, str):
        return False
    if isinstance(value, float):
        number = float(expected)
        # A FLOAT comes as the double that is equal to it.
        return value == number or value != value and number != number or value == ctypes.c_float(number).value
    if isinstance(value, bytes):
        return value == base64.b64decode(expected)
    return text(value) == (shortened(expected) if isinstance(value, (datetime.datetime, datetime.time)) else expected)


def shortened(text):
    """A time as Python has it: without a zone and nanoseconds, and without zeros at its end."""
    text = text.removesuffix("Z").removesuffix("+00:00")
    return text[:26].rstrip("0").rstrip(".") if "." in text else text


def text(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, (datetime.datetime, datetime.time)):
        return shortened(value.isoformat())
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value)


@pytest.mark.parametrize("access", ["mapped", "read"])
@pytest.mark.parametrize("case", CASES["good"], ids=lambda case: case["table"])
def test_sound_tables(case, access):
    table = bsdb.open(HERE / case["table"], access=access)
    assert len(table) == int(case["recordCount"])
    table.verify()
    if typed(table):
        expected = [record["row"] for record in case["records"] if "row" in record]
        found = 0
        rows = table.scan()
        while True:
            try:
                row = next(rows)
            except StopIteration:
                break
            except ValueError:  # years that Python does not have
                found += 1
                continue
            found += any(all(fits(row[name], value) for name, value in other.items()) for other in expected)
            key = tuple(row[name] for name in table.key)
            # Python has no nanoseconds, and NaN is not equal to itself.
            if "nanos" not in table.key and all(part == part for part in key):
                assert table.get(key) == row or "nan" in str(row)
                assert table.get({name: row[name] for name in table.key}) is not None
        assert found == len(expected)
        return
    records = case["records"] + case.get("falsePositives", [])
    keys = [base64.b64decode(record["key"]) for record in records]
    for key, record in zip(keys, records):
        assert same(table.get(key), record["value"])
    absent = [base64.b64decode(key) for key in case["absent"]]
    for key in absent:
        assert table.get(key) is None
        assert key not in table
    values = table.get_many(keys + absent)
    assert all(same(value, record["value"]) for value, record in zip(values, records))
    assert values[len(keys) :] == [None] * len(absent)
    for near in case.get("near", []):
        key = base64.b64decode(near["key"])
        for name, method in [("floor", table.floor), ("ceiling", table.ceiling), ("lower", table.lower),
                             ("higher", table.higher), ("longestPrefix", table.longest_prefix)]:
            found = method(key)
            assert (found and base64.b64encode(found[0]).decode()) == near[name]


HISTORIES = [case for case in CASES["good"] if "asOf" in case]


@pytest.mark.parametrize("case", HISTORIES, ids=lambda case: case["table"])
def test_what_was_valid_at_a_time(case):
    table = bsdb.open(HERE / case["table"])
    rows = {record["key"]: record["row"] for record in case["records"]}
    assert len(rows) == len(list(table.scan())) < len(table)
    valid = 0
    for asked in case["asOf"]:
        item = base64.b64decode(asked["leading"])[:-2].replace(b"\0\xff", b"\0").decode()
        time = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=int(asked["millis"]))
        row = table.as_of(item, time)
        assert row == table.as_of({"item": item}, time.replace(tzinfo=datetime.timezone.utc))
        expected = rows.get(asked["key"])
        assert (row is None) == (expected is None)
        if row:
            valid += 1
            assert all(fits(row[name], value) for name, value in expected.items())
            assert table.get((item, row["since"])) == row == table.floor((item, time))
            assert next(table.range((item, row["since"]))) == row
    assert 0 < valid < len(case["asOf"])
    keys = [(row["item"], row["since"]) for row in table.scan()]
    assert None not in table.get_many(keys)
    with pytest.raises(ValueError):
        table.longest_prefix(keys[0])
    with pytest.raises(TypeError):
        table.as_of("milk", "2026-11-20")


@pytest.mark.parametrize("case", CASES["bad"], ids=lambda case: case["table"])
def test_bad_tables(case):
    with pytest.raises(CLASSES[case["fails"]]) as failure:
        table = bsdb.open(HERE / case["table"])
        if typed(table):
            table.verify()
        for key in case["keys"]:
            table.get(base64.b64decode(key))
        if "found" in case:
            table.verify()
    assert failure.value.file


def test_an_error_says_what_and_where():
    with pytest.raises(bsdb.CorruptError) as failure:
        bsdb.open(HERE / "bad/manifest-checksum")
    error = failure.value
    assert error.file.endswith("manifest.json") and error.offset == 0
    assert len(error.expected) == len(error.actual) == 8 and error.expected != error.actual
    assert error.expected in str(error)
