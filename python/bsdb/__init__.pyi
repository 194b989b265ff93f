import datetime
import os
from typing import Any, Dict, Iterable, Iterator, List, Literal, Optional, Protocol, Sequence, Tuple, Union, final

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

_Record = Union[Dict[str, Any], Tuple[bytes, bytes]]
_Value = Union[Dict[str, Any], bytes]
_Access = Literal["mapped", "read"]
_Names = Union[str, Sequence[str]]

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Optional[object] = None) -> Tuple[object, object]: ...

class BsdbError(Exception):
    """A table cannot be read."""

    file: Optional[str]
    offset: Optional[int]
    expected: Optional[str]
    actual: Optional[str]

class CorruptError(BsdbError):
    """The table is damaged."""

class UnsupportedError(BsdbError):
    """A later version of bsdb wrote the table."""

class NotFoundError(BsdbError):
    """Nothing has been published, or a file is missing."""

@final
class Batches:
    """Record batches in memory, which Polars, pandas, pyarrow, DuckDB and others take as they are."""

    @property
    def columns(self) -> List[str]: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...

@final
class Rows(Iterator[_Record]):
    """Records, one after the other; or all that are left as an Arrow stream, which can be taken once."""

    def __iter__(self) -> "Rows": ...
    def __next__(self) -> _Record: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...

@final
class Table:
    """A table: one version of it, or the version in service. Many threads may use it."""

    @property
    def version(self) -> str:
        """The name of the version in use."""
    @property
    def path(self) -> os.PathLike[str]:
        """The directory of the table."""
    @property
    def columns(self) -> List[str]:
        """The names of the columns; key and value where there is no schema."""
    @property
    def key(self) -> List[str]:
        """The names of the columns of the key."""
    @property
    def refused(self) -> Optional[str]:
        """Why the version in service was refused, if it was."""
    @property
    def counters(self) -> Dict[str, int]:
        """How many keys were looked up, in all versions: hits, misses, and failures, of which a batch is one; and with
        access "read" how many blocks were read, and their bytes: block_reads, bytes_read."""
    def __len__(self) -> int:
        """Records in the partition files, without changes over them."""
    def __contains__(self, key: Any, /) -> bool: ...
    def __iter__(self) -> Rows: ...
    def refresh(self) -> bool:
        """Moves to the version in service; true if that is another one."""
    def verify(self) -> None:
        """Reads everything, and compares all checksums."""
    def get(self, key: Any) -> Optional[_Value]:
        """The value of a key: bytes, or a dict where there is a schema; None if the key is absent."""
    def get_many(self, keys: Iterable[Any]) -> List[Optional[_Value]]:
        """The values of keys, in their order."""
    def lookup(
        self,
        keys: Union[_ArrowStream, _ArrowArray, Iterable[Any]],
        columns: Optional[_Names] = None,
        *,
        on: Optional[_Names] = None,
        threads: int = 1,
    ) -> Batches:
        """The rows of keys, in their order, as Arrow data; a row of nulls for an absent key."""
    def join(
        self,
        frame: Union[_ArrowStream, _ArrowArray],
        on: Optional[_Names] = None,
        how: Literal["left", "inner", "semi", "anti"] = "left",
        *,
        columns: Optional[_Names] = None,
        suffix: str = "_right",
        threads: int = 1,
    ) -> Batches:
        """The columns of a frame, and those of the table for its keys. `on` names the frame's columns in key order."""
    def floor(self, key: Any) -> Optional[_Record]:
        """The record with the greatest key that is not above a key; None if that is an ended row of a history."""
    def as_of(self, key: Any, time: datetime.datetime) -> Optional[_Record]:
        """The record that was valid at a time, of those with the values of all columns of the key but the last."""
    def lower(self, key: Any) -> Optional[_Record]:
        """The record with the greatest key below a key."""
    def ceiling(self, key: Any) -> Optional[_Record]:
        """The record with the least key that is not below a key."""
    def higher(self, key: Any) -> Optional[_Record]:
        """The record with the least key above a key."""
    def longest_prefix(self, key: Any) -> Optional[_Record]:
        """The record with the longest key that a key begins with."""
    def range(
        self,
        start: Any = None,
        end: Any = None,
        columns: Optional[_Names] = None,
        *,
        reverse: bool = False,
    ) -> Rows:
        """The records whose keys are in a range, start included, end excluded, by key."""
    def prefix(self, prefix: Any, columns: Optional[_Names] = None, *, reverse: bool = False) -> Rows:
        """The records whose keys begin with bytes, or with the values of leading columns, by key."""
    def scan(self, columns: Optional[_Names] = None) -> Rows:
        """All records: by key if the table is in key order, else in no order."""

def open(path: Union[str, os.PathLike[str]], *, access: _Access = "mapped") -> Table:
    """Opens the version of a table that is in service."""

def follow(path: Union[str, os.PathLike[str]], *, every: float = 10.0, access: _Access = "mapped") -> Table:
    """Opens a table, and moves to new versions as they are published, looking every so many seconds; 0: in refresh() only."""
