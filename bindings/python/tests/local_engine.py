"""The engine of a distributed run in this process: parts one after the other, files in a folder."""

import functools
import math
import tempfile

import pyarrow as pa

from neardup._table_engine import Source, Table, TableEngine
from neardup._table_files import gathered, in_order, parted


class LocalEngine(TableEngine):
    def __init__(self, partitions=None, batch_rows=7, folder=None):
        self._temporary = folder or tempfile.TemporaryDirectory()
        super().__init__(folder or self._temporary.name, partitions)
        self.batch_rows = batch_rows

    def documents(self, table):
        """Cut into three parts."""
        size = -(-len(table) // 3) or 1
        pieces = [table.slice(n * size, size) for n in range(3)]
        return Table(table.schema, lambda: [Source(pieces, self._batches)])

    def _batches(self, piece):
        return iter(piece.to_batches(max_chunksize=self.batch_rows))

    def numbers(self, count, read, schema):
        return Table(schema, lambda: [Source(range(count), read)])

    def spread(self, table, parter, sort, together=math.inf):
        def moved():
            parts = [[] for _ in range(parter.parts)]
            for rows in self.run(table, functools.partial(gathered, table.schema)):
                for part, batch in parted(parter, rows):
                    parts[part].append(batch)
            return [Source(parts, lambda rows: self._batches(pa.Table.from_batches(
                in_order(table.schema, rows, sort, together), table.schema)))]

        return Table(table.schema, moved)

    def run(self, table, job):
        return (found for parts, read in self.table(table).sources for part in parts
                for found in job(read(part)))
