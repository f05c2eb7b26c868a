"""Files of documents in splits: each record is read once, wherever the cuts are."""

import gzip
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import neardup as nd
from neardup import _document_files
from neardup._document_files import DocumentFiles

SCHEMA = pa.schema([("id", pa.string()), ("text", pa.string())])


def records(files, schema=SCHEMA):
    return [row for split in files.splits() for batch in files.read(split, schema)
            for row in batch.to_pylist()]


@pytest.mark.parametrize("seed", range(30))
def test_lines(seed, tmp_path, monkeypatch):
    draw = random.Random(seed)
    monkeypatch.setattr(_document_files, "SPLIT", draw.choice([3, 100, 1000, 100_000]))
    monkeypatch.setattr(_document_files, "BLOCK", draw.choice([1, 10, 333, 100_000]))
    rows = [{"id": str(n), "text": "é" * draw.choice([0, 1, 20, 300]), "more": [n]}
            for n in range(draw.choice([0, 1, 12]))]
    data = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    data += draw.choice([b"", b"\n"]) if rows else b""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.jsonl").write_bytes(data)
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(data.replace(b'"id": "', b'"id": "z')))
    (tmp_path / "_SUCCESS").write_bytes(b"x")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "d.jsonl").write_bytes(b"x")
    wanted = [{"id": prefix + row["id"], "text": row["text"]} for prefix in ("", "z")
              for row in rows]
    assert records(DocumentFiles([str(tmp_path)], "jsonl")) == wanted
    assert records(DocumentFiles([f"file://{tmp_path}/a/b.jsonl"], "jsonl")) == wanted[:len(rows)]


@pytest.mark.parametrize("split", [1, 100, 2000, 1 << 20])
def test_parquet(split, tmp_path, monkeypatch):
    monkeypatch.setattr(_document_files, "SPLIT", split)
    rows = 200  # the file is opened for each split, which may be one byte
    table = pa.table({"more": range(rows), "text": ["x" * (n % 50) for n in range(rows)],
                      "id": [str(n) for n in range(rows)]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=37)
    assert records(DocumentFiles([str(tmp_path)], "parquet")) == table.select(
        ["id", "text"]).to_pylist()


def test_splits(tmp_path, monkeypatch):
    """A large input has large splits."""
    monkeypatch.setattr(_document_files, "SPLIT", 10)
    monkeypatch.setattr(_document_files, "MOST_SPLITS", 4)
    for name, size in (("a", 25), ("b", 100), ("c.gz", 70), ("d", 5)):
        (tmp_path / name).write_bytes(b"x" * size)
    splits = DocumentFiles([f"file://{tmp_path}/", str(tmp_path / "d")], "jsonl").splits()
    assert [(split.url.removeprefix("file://").removeprefix(str(tmp_path)), split.begin, split.end)
            for split in splits] == [("/a", 0, 25), ("/b", 0, 51), ("/b", 51, 100), ("/c.gz", 0, 70),
                                     ("/d", 0, 5), ("/d", 0, 5)]


def test_fields(tmp_path):
    """Numbers as ids, absent and null fields, and lines that are no JSON."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 7, "text": "x"}\n{"text": null, "id": 8}\n{"id": 9}\n')
    files = DocumentFiles([str(path)], "jsonl")
    assert records(files) == [{"id": "7", "text": "x"}, {"id": "8", "text": None},
                              {"id": "9", "text": None}]
    typed = pa.schema([("id", pa.int64()), ("day", pa.int32())])
    assert records(files, typed) == [{"id": n, "day": None} for n in (7, 8, 9)]
    path.write_text('{"id": 7, "text": "x"}\n{"id": "b", "text": true}\n')
    assert records(files) == [{"id": "7", "text": "x"}, {"id": "b", "text": "true"}]
    path.write_text('{"id": 7.5, "text": "x"}')
    with pytest.raises(nd.InputError, match=r'another type: {"id": 7.5, "text": "x"}$'):
        records(files)
    path.write_text('{"id": 7, "text": "x"}\nno JSON\t\n')
    with pytest.raises(nd.InputError, match=r"/a\.jsonl: a line is malformed, or has a field of "
                       "another type: no JSON\\?$"):
        records(files)
    with pytest.raises(nd.ArgumentError, match="nothing does not exist"):
        DocumentFiles([str(tmp_path / "nothing")], "jsonl").splits()


def test_columns_of_paths(tmp_path):
    """A column that files do not have is in the path, or null."""
    for day, name in (("day=2026-11-23", "a"), ("day=a%2Fb", "b"),
                      ("day=__HIVE_DEFAULT_PARTITION__", "c"), ("other", "d")):
        (tmp_path / day).mkdir()
        pq.write_table(pa.table({"id": [name], "text": ["x"]}), tmp_path / day / "part.parquet")
    schema = pa.schema([*SCHEMA, ("day", pa.string()), ("more", pa.int32())])
    found = {row["id"]: (row["day"], row["more"]) for row in
             records(DocumentFiles([str(tmp_path)], "parquet"), schema)}
    assert found == {"a": ("2026-11-23", None), "b": ("a/b", None), "c": (None, None),
                     "d": (None, None)}


def test_damaged_files(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": ["x" * 999], "text": ["y" * 9999]}), path, compression="zstd")
    data = bytearray(path.read_bytes())
    data[20:60] = bytes(40)
    for bad in (data, data[:-3], b"no Parquet"):
        path.write_bytes(bad)
        with pytest.raises(nd.InputError, match=f"^{path}: "):
            records(DocumentFiles([str(path)], "parquet"))
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": "a", "text": "x"}')[:-9])
    with pytest.raises(nd.InputError, match=f"^{path}: "):
        records(DocumentFiles([str(path)], "jsonl"))
