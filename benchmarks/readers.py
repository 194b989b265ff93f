"""Lookups of Python in a table of plain keys and values, beside a dict, LMDB and a join of Polars.

Needs: pip install ./python polars pyarrow lmdb. Run: benchmarks/run readers TABLE
Prints processor time per key of one thread, medians of rounds in which all take turns; every tenth key is absent.
"""

import random
import statistics
import sys
import tempfile
import time

import bsdb
import lmdb
import polars as pl
import pyarrow as pa

KEYS = 200_000
ROUNDS = 7


def main(path):
    table = bsdb.open(path)
    records = dict(table.scan())
    random.seed(24213)
    present = random.choices(list(records), k=KEYS)
    keys = [key + b"?" if i % 10 == 0 else key for i, key in enumerate(present)]
    expected = sum(len(records[key]) for key in keys if key in records)
    arrow = pa.array(keys, pa.binary())
    frame = pl.DataFrame({"key": keys})
    whole = pl.DataFrame(table.scan())
    with tempfile.TemporaryDirectory() as directory:
        environment = lmdb.open(directory, map_size=1 << 36, writemap=True, sync=False)
        with environment.begin(write=True) as transaction:
            transaction.cursor().putmulti(sorted(records.items()), append=True)

        def of_lmdb():
            with environment.begin() as transaction:
                return sum(len(value) for value in map(transaction.get, keys) if value is not None)

        def of_lookup():
            values = pa.table(table.lookup(arrow))["value"]
            return sum(chunk.buffers()[2].size for chunk in values.chunks)

        contenders = {
            "bsdb lookup, Arrow in and out": of_lookup,
            "bsdb get_many, list of bytes": lambda: sum(len(v) for v in table.get_many(keys) if v is not None),
            "bsdb get": lambda: sum(len(v) for v in map(table.get, keys) if v is not None),
            "dict": lambda: sum(len(v) for v in map(records.get, keys) if v is not None),
            "LMDB get": of_lmdb,
            "Polars left join": lambda: frame.join(whole, on="key", how="left")["value"].bin.size().sum(),
        }
        times = {name: [] for name in contenders}
        for _ in range(ROUNDS):
            for name, run in contenders.items():
                start = time.process_time()
                found = run()
                times[name].append((time.process_time() - start) / KEYS * 1e9)
                assert found == expected, f"{name}: {found} bytes, expected {expected}"
    print(f"{len(records)} records, {KEYS} keys, processor time per key")
    base = statistics.median(times["LMDB get"])
    for name, all_times in times.items():
        median = statistics.median(all_times)
        print(f"{name:32}{median:8.0f} ns {median / base:6.2f} of LMDB get")


if __name__ == "__main__":
    main(sys.argv[1])
