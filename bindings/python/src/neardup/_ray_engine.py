"""The engine of neardup.distributed on Ray, and what runs in its tasks.

The hash exchanges and joins of Ray Data are not used: those of 2.60 run in workers with an environment
of their own, which a small cluster starts anew each time, and keep their parts in the object store.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import pickle
import uuid
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import ray
import ray.data
from ray.data import Dataset

from ._errors import Error
from ._table_engine import AnyTable, Job, Source, Table, TableEngine
from ._table_files import EXCHANGE, File, Folder, Parter, in_order

# Tasks that the driver hands over at once.
TASKS = 1000

Reader = Callable[[int], Iterator[pa.RecordBatch]]


class RayEngine(TableEngine):
    """A part is a block of a dataset, or a number: of files, or of a part of an exchange. Exchanges are
    files, too, so neither the object store nor the driver holds a table."""

    def numbers(self, count: int, read: Reader, schema: pa.Schema) -> Table:
        return Table(schema, lambda: [Source(count, read)])

    def spread(self, table: AnyTable, parter: Parter, sort: list[str],
               together: float = math.inf) -> Table:
        return Table(table.schema, lambda: [Source(parter.parts, self._exchanged(
            table, parter, sort, together))])

    def _exchanged(self, table: AnyTable, parter: Parter, sort: list[str], together: float
                   ) -> Exchanged:
        name = f"{EXCHANGE}/{uuid.uuid4().hex}"
        self.folder.clear(name)
        files = list(self.run(table, functools.partial(
            self.folder.write_parts, name, parter, table.schema)))
        found = Exchanged(self.folder, files, parter.parts, table.schema, sort, together)
        weakref.finalize(found, self.folder.remove, name)  # when no table needs it any more
        return found

    def run(self, table: AnyTable, job: Job) -> Iterator[Any]:
        sources = self.table(table).sources
        numbered = [(of, read) for of, read in sources if isinstance(of, int)]
        blocks = [(of, read) for of, read in sources if not isinstance(of, int)]
        for found in itertools.chain(_run_numbers(numbered, job), *(
                _run_blocks(ds, read, job) for ds, read in blocks)):
            if isinstance(found, Error):
                raise found
            yield found

    def dataset(self, table: AnyTable) -> Dataset:
        """Of a table whose parts are numbers."""
        (count, read), = self.table(table).sources
        assert isinstance(count, int)
        if not count:
            return ray.data.from_arrow(table.schema.empty_table())
        return ray.data.range(count, override_num_blocks=count).map_batches(
            functools.partial(_blocks, read), batch_size=None, batch_format="pyarrow")


def _run_blocks(ds: Dataset, read: Any, job: Job) -> Iterator[Any]:
    results = ds.map_batches(functools.partial(_run_block, read, job), batch_size=None,
                             batch_format="pyarrow")
    for row in results.iter_rows():
        yield pickle.loads(row["result"])


def _run_numbers(sources: list[tuple[int, Any]], job: Job) -> Iterator[Any]:
    """Plain tasks, because each run of Ray Data begins with an executor, and steps are many."""
    tasks = (_TASK.remote(work, number) for count, read in sources if count
             for work in [ray.put((read, job))] for number in range(count))
    waiting = list(itertools.islice(tasks, TASKS))
    try:
        while waiting:
            done, waiting = ray.wait(waiting)
            waiting += itertools.islice(tasks, 1)
            for results in ray.get(done):
                yield from results
    finally:
        for each in waiting:
            ray.cancel(each)


# ---- what runs in tasks


def _results(read: Any, job: Job, part: Any) -> Iterator[Any]:
    """An error of this package is handed over as it is, because Ray would wrap it and add to its
    message."""
    try:
        yield from job(read(part))
    except Error as error:
        yield error


def _run_block(read: Any, job: Job, block: pa.Table) -> Iterator[pa.Table]:
    for result in _results(read, job, block):
        yield pa.table({"result": pa.array([pickle.dumps(result)], pa.binary())})


def _run_number(work: tuple[Any, Any], number: int) -> list[Any]:
    return list(_results(*work, number))


_TASK: Any = ray.remote(_run_number).options(scheduling_strategy="SPREAD")


def _blocks(read: Reader, block: pa.Table) -> Iterator[pa.Table]:
    for number in block["id"].to_pylist():
        for batch in read(number):
            yield pa.Table.from_batches([batch])


@dataclasses.dataclass(frozen=True)
class Exchanged:
    """Reads parts of an exchange."""

    folder: Folder
    files: list[File]
    parts: int
    schema: pa.Schema
    sort: list[str]
    together: float

    def __call__(self, part: int) -> Iterator[pa.RecordBatch]:
        return in_order(self.schema, self.folder.read_part(self.files, self.parts, part), self.sort,
                        self.together)
