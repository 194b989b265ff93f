"""Tables that Flink, Kafka Streams, Java and the bsdb command build: read by key, by order, and in batches of Arrow data.

>>> import bsdb
>>> places = bsdb.open("places")
>>> places.get(2661552)
>>> places.lookup(frame["place_id"], columns=["name", "timezone"])
"""

from ._bsdb import (
    Batches,
    BsdbError,
    CorruptError,
    NotFoundError,
    Rows,
    Table,
    UnsupportedError,
    follow,
    open,
)

__all__ = [
    "Batches",
    "BsdbError",
    "CorruptError",
    "NotFoundError",
    "Rows",
    "Table",
    "UnsupportedError",
    "follow",
    "open",
]
