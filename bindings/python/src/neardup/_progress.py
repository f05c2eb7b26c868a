"""Progress of a job: a bar of tqdm, or the user's function."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, Optional, Union

Receiver = Callable[[str, int, Optional[int]], Any]
Progress = Union[bool, None, Receiver]


@contextlib.contextmanager
def receiver(progress: Progress) -> Iterator[Receiver | None]:
    """The function that gets stage, done and total. None: a bar where a person watches it and tqdm
    is installed; True: a bar; False: nothing."""
    if callable(progress):
        yield progress
        return
    bar = _bar(progress)
    try:
        yield bar
    finally:
        if bar is not None:
            bar.close()


def _bar(progress: bool | None) -> _Bar | None:
    if progress is False or (progress is None and not _is_watched()):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if progress is None:
            return None
        raise
    return _Bar(tqdm, delay=1.0 if progress is None else 0.0)


def _is_watched() -> bool:
    return "ipykernel" in sys.modules or bool(sys.stderr and sys.stderr.isatty())


class _Bar:
    """One bar for each stage."""

    def __init__(self, tqdm: Any, delay: float) -> None:
        self.tqdm, self.delay, self.stage = tqdm, delay, ""
        self.bar: Any = None

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self.stage:
            self.close()
            self.stage = stage
            unit = {"unit": "B", "unit_scale": True} if stage == "read" else {}
            self.bar = self.tqdm(desc=stage, total=total, delay=self.delay, leave=False, **unit)
        if total is not None:
            self.bar.total = total
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
