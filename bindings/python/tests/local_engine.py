"""The engine of a distributed run in lists of this process: partitions are Arrow tables."""

import pyarrow as pa
import pyarrow.compute as pc


class LocalEngine:
    def __init__(self, partitions, batch_rows=7):
        self.partitions, self.batch_rows = partitions, batch_rows
        self.saved = {}

    def map(self, table, step, schema):
        return [self._run(step, part, schema) for part in table]

    def number(self, table, step, schema):
        return [self._run(lambda batches, n=n: step(n, batches), part, schema)
                for n, part in enumerate(table)]

    def _run(self, step, part, schema):
        batches = list(step(iter(part.to_batches(max_chunksize=self.batch_rows))))
        return pa.Table.from_batches([pa.record_batch(b.columns, schema=schema) for b in batches],
                                     schema)

    def exchange(self, table, keys, sort):
        whole = pa.concat_tables(table)
        if not keys:
            return [whole.sort_by([(name, "ascending") for name in sort])]
        rows = list(zip(*(whole[key].to_pylist() for key in keys)))
        parts = [[] for _ in range(self.partitions)]
        for number, row in enumerate(rows):
            parts[hash(row) % self.partitions].append(number)
        return [whole.take(pa.array(part, pa.int64()))
                .sort_by([(name, "ascending") for name in sort]) for part in parts]

    def join(self, left, right, on, how="inner"):
        """By hand, because pyarrow joins no columns of lists."""
        left, right = pa.concat_tables(left), pa.concat_tables(right)
        rows = {}
        for number, key in enumerate(zip(*(right[name].to_pylist() for name in on))):
            rows.setdefault(key, []).append(number)
        pairs = []
        for number, key in enumerate(zip(*(left[name].to_pylist() for name in on))):
            found = rows.get(key, [])
            if how == "inner":
                pairs += [(number, other) for other in found]
            elif how == "left outer":
                pairs += [(number, other) for other in found or [None]]
            elif bool(found) == (how == "left semi"):
                pairs.append((number, None))
        out = left.take(pa.array([a for a, _ in pairs], pa.int64()))
        if how in ("inner", "left outer"):
            others = right.drop_columns(on).take(pa.array([b for _, b in pairs], pa.int64()))
            for name in others.column_names:
                out = out.append_column(name, others[name])
        return self._split(out)

    def _split(self, table):
        size = -(-len(table) // self.partitions) or 1
        return [table.slice(n * size, size) for n in range(self.partitions)]

    def select(self, table, **columns):
        return [pa.table({new: part[old] for new, old in columns.items()}) for part in table]

    def union(self, tables):
        return [part for table in tables for part in table]

    def distinct(self, table):
        whole = pa.concat_tables(table)
        return self._split(whole.group_by(whole.column_names).aggregate([]))

    def rank(self, table, order):
        whole = pa.concat_tables(table).sort_by([(name, "ascending") for name in order])
        return self._split(whole.append_column("rank", pa.array(range(len(whole)), pa.int64()))
                           ), len(whole)

    def save(self, name, make):
        if name not in self.saved:
            self.saved[name] = make()
        return self.saved[name]

    def save_sketches(self, make):
        return self.save("sketches", make)

    def first(self, table):
        return next((row for part in table for row in part.slice(0, 1).to_pylist()), None)

    def repeated(self, table, column):
        values = pa.concat_tables(table)[column].value_counts()
        return next((value["values"].as_py() for value in values if value["counts"].as_py() > 1),
                    None)

    def sum(self, table, column):
        return pc.sum(pa.concat_tables(table)[column]).as_py() or 0
