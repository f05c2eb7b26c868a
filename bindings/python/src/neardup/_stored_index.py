"""Parts that indexes of documents and of fingerprints have alike."""

from __future__ import annotations

import os
from typing import Any, TypeVar

from ._results import html_table

Self = TypeVar("Self", bound="StoredIndex")


class StoredIndex:
    """An index in memory or in a directory. One process writes a directory at a time, any number
    read. Several threads may use one object."""

    _handle: Any
    _path: str | None = None
    _absolute: str
    _read_only = False

    @classmethod
    def _make(cls: type[Self], handle: Any, path: Any = None, read_only: bool = False) -> Self:
        index = cls.__new__(cls)
        index._start(handle, path, read_only)
        return index

    def _start(self, handle: Any, path: Any = None, read_only: bool = False) -> None:
        self._handle, self._read_only = handle, read_only
        if path is not None:
            self._path, self._absolute = os.fspath(path), os.path.abspath(path)

    def close(self) -> None:
        """Makes all changes durable and frees the index. Closing again does nothing."""
        self._handle.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        """An index that is open to read is pickled as its path: other processes open it, too."""
        if self._path is None or not self._read_only:
            raise TypeError("only an index on disk that is open with read_only=True can be pickled")
        return _open_to_read, (type(self), self._absolute)

    def _remove(self, ids: Any) -> int:
        """Removes by ids, which become durable together. Returns how many the index had."""
        self._handle.set_sync(False)
        try:
            return sum(self._handle.remove(id) for id in ids)
        finally:
            self._handle.set_sync(True)
            self._handle.sync()

    def compact(self) -> None:
        """Merges everything into one segment, without what was removed."""
        self._handle.compact()

    def check(self) -> None:
        """Reads every byte and checks every invariant. :class:`CorruptError`: the damage."""
        self._handle.check()

    def refresh(self) -> None:
        """Moves a reader to the newest state."""
        self._handle.refresh()

    @property
    def info(self) -> dict[str, Any]:
        """The options of the index, and its sizes."""
        found: dict[str, Any] = self._handle.describe()
        return found

    def _repr_html_(self) -> str:
        return html_table([{"": name, "value": value} for name, value in self.info.items()],
                          repr(self))


def _open_to_read(kind: Any, path: str) -> Any:
    return kind.open(path, read_only=True)
