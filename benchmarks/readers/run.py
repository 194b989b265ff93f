"""The readers in Java, Rust and Python over one table, beside RocksDB, LMDB, redb, a dict and a join of Polars.

Run: benchmarks/run readers [--directory DIR] [--records N] [--shape fixed|varying]
Builds what is not in the directory yet. Prints processor time per key of one thread, medians of rounds in which all take
turns, each with the same 262,144 keys, of which one in ten is absent. RocksDB is called from Java.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import time

import bsdb
import lmdb
import polars as pl
import pyarrow as pa

HERE = pathlib.Path(__file__).resolve().parent
KEY_LENGTH = 16


class Process:
    """A reader in a process of its own, which answers a line with a line."""

    def __init__(self, command, **kwargs):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **kwargs)
        assert self.read() == "ready"

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a reader ended; the cause is printed above")
        return line.strip()

    def contender(self, question):
        def run():
            print(question, file=self.process.stdin, flush=True)
            nanos, found = map(int, self.read().split())
            return nanos, found

        return run


def timed(action):
    def run():
        start = time.process_time_ns()
        found = action()
        return time.process_time_ns() - start, found

    return run


def of_python(directory, keys):
    table = bsdb.open(directory / "bsdb")
    records = dict(table.scan())
    whole = pl.DataFrame(table.scan())
    arrow = pa.array(keys, pa.binary())
    frame = pl.DataFrame({"key": keys})
    transaction = lmdb.open(str(directory / "lmdb"), readonly=True, lock=False).begin(buffers=False)

    def of_lookup():
        return sum(chunk.buffers()[2].size for chunk in pa.table(table.lookup(arrow))["value"].chunks)

    def lengths(values):
        return sum(len(value) for value in values if value is not None)

    actions = {
        "Python: bsdb lookup, Arrow": of_lookup,
        "Python: bsdb get_many, list": lambda: lengths(table.get_many(keys)),
        "Python: bsdb get": lambda: lengths(map(table.get, keys)),
        "Python: dict": lambda: lengths(map(records.get, keys)),
        "Python: LMDB get": lambda: lengths(map(transaction.get, keys)),
        "Python: Polars left join": lambda: frame.join(whole, on="key", how="left")["value"].bin.size().sum(),
    }
    return {name: timed(action) for name, action in actions.items()}


def main():
    parser = argparse.ArgumentParser(prog="benchmarks/run readers")
    parser.add_argument("--directory", type=pathlib.Path, default=pathlib.Path("bench-data"))
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--shape", choices=["fixed", "varying"], default="varying")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--java", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    directory = arguments.directory / f"{arguments.shape}-{arguments.records}"
    directory.mkdir(parents=True, exist_ok=True)
    java = Process([*arguments.java, directory, str(arguments.records), arguments.shape])
    rust = Process([HERE / "target/release/readers", directory])
    content = (directory / "keys").read_bytes()
    keys = [content[at : at + KEY_LENGTH] for at in range(0, len(content), KEY_LENGTH)]
    contenders = {
        "Java: bsdb get": java.contender("bsdb get"),
        "Java: bsdb getAll(64)": java.contender("bsdb getAll"),
        "Rust: bsdb get, copied": rust.contender("get"),
        "Rust: bsdb get, borrowed": rust.contender("borrowed"),
        "Rust: bsdb get_many, copied": rust.contender("batch"),
        "Rust: bsdb get_many, borrowed": rust.contender("batch, borrowed"),
        "Rust: LMDB (heed) get": rust.contender("LMDB"),
        "Rust: redb get": rust.contender("redb"),
        "Java: RocksDB get": java.contender("rocksdb get"),
        **of_python(directory, keys),
    }
    expected = contenders["Python: dict"]()[1]
    for _ in range(10):  # Java compiles what is used often
        contenders["Java: bsdb get"]()
        contenders["Java: bsdb getAll(64)"]()
    times = {name: [] for name in contenders}
    for round in range(arguments.rounds + 1):
        for name, run in contenders.items():
            nanos, found = run()
            assert found == expected, f"{name}: {found} bytes, expected {expected}"
            if round > 0:
                times[name].append(nanos / len(keys))
    medians = {name: statistics.median(all_times) for name, all_times in times.items()}
    print(f"{arguments.records} records of {arguments.shape} length, {len(keys)} keys, load average {os.getloadavg()[0]:.1f}")
    for name, median in medians.items():
        print(f"  {name:32}{median:8.0f} ns   ({min(times[name]):.0f} to {max(times[name]):.0f})")
    print("Targets")
    for name, other, most in [
        ("Rust: bsdb get, copied", "Java: bsdb get", 0.9),
        ("Rust: bsdb get_many, copied", "Java: bsdb getAll(64)", 0.5),
        ("Python: bsdb lookup, Arrow", "Python: LMDB get", 0.2),
        ("Python: bsdb lookup, Arrow", "Python: dict", 0.3),
    ]:
        print(f"  {name:32}{medians[name] / medians[other]:5.2f} of {other} (target: {most})")


if __name__ == "__main__":
    main()
