"""Files of distributed runs, joins and maps of rows, against plain loops."""

import math
import random

import numpy as np
import pyarrow as pa
import pytest

from neardup._arrow_join import HOWS, Joiner, join_schema
from neardup._fate_map import MAPS, build_maps, hash_ids, look_up_in, part_of
from neardup._table_files import (EXCHANGE, ByHighBits, ByKeys, ByOrder, Folder, Saved, bounds_of,
                                  in_order, typed)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("seed", range(5))
def test_joins(how, seed):
    draw = random.Random(seed)
    left = [(draw.randrange(9), n) for n in range(draw.choice([0, 1, 30]))]
    right = [(draw.randrange(9), [n, n]) for n in range(draw.choice([0, 1, 30]))]
    tables = [pa.table({"key": pa.array([key for key, _ in rows], pa.int64()),
                        name: pa.array([value for _, value in rows], kind)})
              for rows, name, kind in ((left, "a", pa.int64()), (right, "b", pa.list_(pa.int64())))]
    found = Joiner(tables[1], "key", how).join(tables[0])
    assert found.schema == join_schema(tables[0].schema, tables[1].schema, "key", how)
    wanted = []
    for key, a in left:
        others = [b for other, b in right if other == key]
        if how == "inner":
            wanted += [(key, a, b) for b in others]
        elif how == "left outer":
            wanted += [(key, a, b) for b in others or [None]]
        elif bool(others) == (how == "left semi"):
            wanted.append((key, a))
    assert list(zip(*(column.to_pylist() for column in found.columns))) == wanted


def spread(folder, parter, table):
    files = []
    for part in (table.slice(0, 10), table.slice(10, 0), table.slice(10)):
        files += folder.write_parts(EXCHANGE, parter, table.schema, part.to_batches(3))
    parts = [pa.Table.from_batches(folder.read_part(files, parter.parts, n), table.schema)
             for n in range(parter.parts)]
    assert sum(file.rows for file in files) == sum(map(len, parts))
    assert sorted(sum((part["n"].to_pylist() for part in parts), [])) == table["n"].to_pylist()
    return parts


def test_parts(tmp_path):
    folder = Folder(str(tmp_path))
    folder.clear(EXCHANGE)
    draw = random.Random(7)
    table = pa.table({"key": [draw.randrange(-9, 9) for _ in range(200)], "n": range(200),
                      "word": [draw.choice("abcdef") for _ in range(200)]})
    for keys in (["key"], ["key", "n"]):
        parts = spread(folder, ByKeys(keys, 5), table)
        rows = [set(zip(*(part[key].to_pylist() for key in keys))) for part in parts]
        assert sum(map(len, rows)) == len(set().union(*rows))
        assert all(map(len, parts))
    for number, part in enumerate(spread(folder, ByHighBits("n", 4, 3), table)):
        assert all(n // 16 % 3 == number for n in part["n"].to_pylist())
    order = ["word", "key", "n"]
    last = None
    for part in spread(folder, ByOrder(bounds_of(table.select(order), 4)), table):
        rows = sorted(zip(*(part[name].to_pylist() for name in order)))
        assert len(rows) == 50 and (last is None or last < rows[0])
        last = rows[-1]


def test_order():
    draw = random.Random(2)
    rows = [(draw.randrange(9), n, b"%d" % n) for n in range(100)]
    table = pa.table({name: column for name, column in zip(("a", "b", "set"), zip(*rows))})
    found = list(in_order(table.schema, table.to_batches(7), ["a", "b"], math.inf))
    assert [tuple(row.values()) for batch in found for row in batch.to_pylist()] == sorted(rows)
    pieces = list(in_order(table.schema, table.to_batches(10), ["a"], 300))
    assert 2 < len(pieces) < 10 and sum(map(len, pieces)) == 100
    assert all(piece["a"].to_pylist() == sorted(piece["a"].to_pylist()) for piece in pieces)
    assert {piece.schema for piece in [*found, *pieces]} == {table.schema}


def test_tables(tmp_path):
    folder = Folder(str(tmp_path))
    assert folder.is_empty() and Folder(str(tmp_path / "missing")).is_empty()
    schema = pa.schema([("n", pa.int32()), ("set", pa.binary())])
    table = pa.table({"n": range(20), "set": [bytes([n]) for n in range(20)]})
    folder.clear("some")
    files = list(folder.write_table("some", schema, typed(schema, table.to_batches(7))))
    assert folder.read_list("some") is None  # until the list is written
    assert not folder.is_empty() and not Folder(str(tmp_path / files[0].name)).is_empty()
    folder.write_list("some", Saved(files, schema))
    saved = folder.read_list("some")
    assert (saved.files, saved.schema, saved.rows) == (files, schema, 20)
    batches = folder.read_table(saved.files[0], ["set"])
    assert pa.Table.from_batches(batches)["set"] == table["set"]
    assert list(folder.write_table("none", schema, [])) == []
    assert Folder(f"file://{tmp_path}").read_list("some") == saved
    folder.remove("some")
    folder.remove("some")
    assert folder.read_list("some") is None


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.int64(), pa.binary(),
                                  pa.dictionary(pa.int32(), pa.string())])
def test_maps_of_rows(kind):
    ids = pa.array([f"{n}" for n in range(3000)]).cast(kind)
    keys, parts = hash_ids(ids, 3), 5
    assert len(set(keys.tolist())) == 3000 and (keys != hash_ids(ids, 4)).all()
    assert (hash_ids(ids.slice(100, 10), 3) == keys[100:110]).all()
    removed = np.arange(3000) % 3 == 0
    rows = pa.table({"part": part_of(keys, parts), "key": keys, "removed": removed})
    rows = rows.sort_by([("part", "ascending"), ("key", "ascending")])
    maps = pa.Table.from_batches(build_maps(rows.to_batches(1000)), MAPS).to_pylist()
    assert [row["part"] for row in maps] == list(range(parts))
    loaded = {row["part"]: (row["seed"], row["count"], np.frombuffer(row["slots"], np.uint8))
              for row in maps}
    assert (look_up_in(loaded, parts, keys) == removed).all()
    others = look_up_in(loaded, parts, hash_ids(pa.array(map(str, range(3000, 6000))), 3))
    assert 1400 < (others == 2).sum() < 1600
    loaded.pop(2)
    assert (look_up_in(loaded, parts, keys)[part_of(keys, parts) == 2] == 2).all()
    twice = pa.concat_tables([rows, rows.slice(0, 1)]).sort_by("key").sort_by(
        [("part", "ascending"), ("key", "ascending")])
    assert [row["twice"] for row in pa.Table.from_batches(
        build_maps(twice.to_batches())).to_pylist() if row["twice"] is not None] == [rows["key"][
            0].as_py()]
