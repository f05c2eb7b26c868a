"""Every kind of object that has documents gives the same answers, and gets its own kind back."""

import json

import numpy as np
import pyarrow as pa
import pytest

import neardup as nd

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

TEXTS = ["the quick brown fox jumps over the lazy dog", "something else entirely, and long enough",
         "The quick, brown fox jumps over the lazy dog!", "", "short", "Short.",
         "something else entirely, and long enough to differ in the end from all the others"]
IDS = [3, 1, 4, 15, 9, 2, 6]
KEPT = [True, True, False, True, True, False, True]


def rows():
    return pa.table({"id": IDS, "text": TEXTS})


TABLES = {
    "table": rows,
    "chunked": lambda: pa.concat_tables([rows().slice(0, 3), rows().slice(3, 0), rows().slice(3)]),
    "sliced": lambda: pa.concat_tables([rows(), rows()]).slice(7),
    "record batch": lambda: rows().to_batches()[0],
    "sliced record batch": lambda: pa.concat_tables([rows(), rows()]).combine_chunks()
    .to_batches()[0].slice(7),
    "large_utf8": lambda: rows().set_column(1, "text", rows()["text"].cast(pa.large_string())),
    "utf8_view": lambda: rows().set_column(1, "text", rows()["text"].cast(pa.string_view())),
    "binary": lambda: rows().set_column(1, "text", rows()["text"].cast(pa.binary())),
    "dictionary": lambda: rows().set_column(1, "text", rows()["text"].dictionary_encode()),
    "view ids": lambda: rows().set_column(0, "id", rows()["id"].cast(pa.string())
                                          .cast(pa.string_view())),
    "polars text ids": lambda: polars.DataFrame({"id": list(map(str, IDS)), "text": TEXTS}),
    "text ids": lambda: rows().set_column(0, "id", rows()["id"].cast(pa.string())),
    "small ids": lambda: rows().set_column(0, "id", rows()["id"].cast(pa.uint8())),
    "dictionary ids": lambda: rows().set_column(0, "id", rows()["id"].cast(pa.string())
                                                .dictionary_encode()),
    "polars": lambda: polars.DataFrame({"id": IDS, "text": TEXTS}),
    "polars chunks": lambda: polars.concat([polars.DataFrame({"id": IDS[:2], "text": TEXTS[:2]}),
                                            polars.DataFrame({"id": IDS[2:], "text": TEXTS[2:]})],
                                           rechunk=False),
    "polars categorical": lambda: polars.DataFrame({"id": IDS, "text": TEXTS}).with_columns(
        polars.col("text").cast(polars.Categorical)),
    "pandas": lambda: pandas.DataFrame({"id": IDS, "text": TEXTS}, index=range(50, 57)),
    "pandas arrow": lambda: rows().to_pandas(types_mapper=pandas.ArrowDtype),
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables(kind):
    data = TABLES[kind]()
    result = nd.dedup(data)
    assert result.kept.tolist() == KEPT
    assert list(map(int, result.kept_id.to_pylist())) == [3, 1, 3, 15, 9, 9, 6]
    assert result.similarity.tolist() == [1] * 7
    assert result.cluster.tolist() == [0, 1, 0, 2, 3, 3, 4]
    table = result.table
    assert type(table) is (pa.Table if isinstance(data, pa.RecordBatch) else type(data))
    assert len(table) == 5
    ids = table["id"].to_pylist() if hasattr(table["id"], "to_pylist") else list(table["id"])
    assert list(map(int, ids)) == [3, 1, 15, 9, 6]
    assert [list(map(int, (r["row"], r["id"], r["kept_row"], r["kept_id"])))
            for r in result.removed.to_pylist()] == [[2, 4, 0, 3], [5, 2, 4, 9]]
    pairs = nd.pairs(data)
    assert list(map(int, pairs["id_a"].to_pylist())) == [3, 9]


def test_lazy_frame():
    result = nd.dedup(polars.LazyFrame({"id": IDS, "text": TEXTS}))
    assert result.kept.tolist() == KEPT and isinstance(result.table, polars.DataFrame)


@pytest.mark.parametrize("make", [
    lambda: pa.array(TEXTS), lambda: pa.chunked_array([TEXTS[:2], [], TEXTS[2:]]),
    lambda: polars.Series(TEXTS), lambda: pandas.Series(TEXTS, index=range(7)),
    lambda: list(TEXTS), lambda: tuple(TEXTS), lambda: np.array(TEXTS, object)])
def test_columns(make):
    data = make()
    result = nd.dedup(data)
    assert result.kept.tolist() == KEPT
    assert result.kept_id.tolist() == [0, 1, 0, 3, 4, 4, 6]
    assert list(result.table) == [t for t, k in zip(TEXTS, KEPT) if k] or [
        t.as_py() for t in result.table] == [t for t, k in zip(TEXTS, KEPT) if k]
    assert "id" not in result.removed.column_names
    assert nd.MinHash(16).signatures(data).shape == (7, 16)
    assert (nd.SimHash().fingerprints(data) == nd.SimHash().fingerprints(TEXTS)).all()


def test_generators():
    assert nd.dedup(t for t in TEXTS).kept.tolist() == KEPT
    result = nd.dedup(zip(IDS, TEXTS))
    assert result.kept.tolist() == KEPT
    assert result.kept_id.to_pylist() == [3, 1, 3, 15, 9, 9, 6]
    with pytest.raises(nd.ArgumentError, match="generator"):
        result.table
    assert nd.dedup(zip("abcdefg", TEXTS)).kept_id.to_pylist() == ["a", "b", "a", "d", "e", "e", "g"]
    many = nd.dedup(f"a text of its own, number {i // 2}" for i in range(5000))
    assert many.kept.tolist() == [True, False] * 2500


def test_columns_by_name():
    columns = {"id": IDS, "text": TEXTS, "n": list(range(7))}
    result = nd.dedup(columns)
    assert result.kept.tolist() == KEPT and result.table["n"] == [0, 1, 3, 4, 6]
    assert result.kept_id.to_pylist() == [3, 1, 3, 15, 9, 9, 6]
    with pytest.raises(nd.ArgumentError, match="no column 'text'"):
        nd.dedup({"a": "one text", "b": "another"})


def test_latest_date():
    dates = pandas.to_datetime([f"2026-0{i}-01" for i in (3, 1, 4, 1, 5, 9, 2)])
    for kind in (pa.timestamp("ns"), pa.timestamp("ms", "UTC"), pa.date32(), pa.date64()):
        table = rows().append_column("date", pa.array(dates).cast(kind))
        assert nd.dedup(table, keep="max:date").kept.tolist() == [
            False, True, True, True, False, True, True]


def test_lists_of_rows():
    result = nd.dedup([(id, text) for id, text in zip(IDS, TEXTS)])
    assert result.kept_id.to_pylist() == [3, 1, 3, 15, 9, 9, 6] and len(result.table) == 5
    dicts = [{"id": str(id), "text": text, "more": None} for id, text in zip(IDS, TEXTS)]
    result = nd.dedup(dicts)
    assert result.table == [row for row, kept in zip(dicts, KEPT) if kept]
    assert nd.dedup(dicts, keep="longest").kept.tolist() == [False, True, True, True, False, True,
                                                              True]


def test_reader():
    reader = pa.RecordBatchReader.from_batches(rows().schema, rows().to_batches(max_chunksize=2))
    result = nd.dedup(reader)
    assert result.kept.tolist() == KEPT
    assert result.kept_id.to_pylist() == ["3", "1", "3", "15", "9", "9", "6"]
    with pytest.raises(nd.ArgumentError, match="reader"):
        result.table


def test_object_with_arrow_stream():
    class Stranger:
        def __arrow_c_stream__(self, requested_schema=None):
            return rows().__arrow_c_stream__(requested_schema)

    result = nd.dedup(Stranger())
    assert result.kept.tolist() == KEPT and isinstance(result.table, pa.Table)


def test_paths(tmp_path):
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(json.dumps({"id": id, "text": text}) + "\n"
                            for id, text in zip(IDS, TEXTS)))
    for data in (path, str(path), [path]):
        result = nd.dedup(data, output=tmp_path / "kept.jsonl")
        assert result.kept.tolist() == KEPT
        assert result.kept_id.to_pylist() == ["3", "1", "3", "15", "9", "9", "6"]
        with pytest.raises(nd.ArgumentError, match="output=FILE"):
            result.table
    assert [json.loads(line)["id"] for line in (tmp_path / "kept.jsonl").read_text().splitlines()
            ] == [3, 1, 15, 9, 6]
    folder = tmp_path / "folder"
    folder.mkdir()
    for id, text in zip(IDS, TEXTS):
        (folder / f"{id}.txt").write_text(text)
    assert nd.dedup(folder).summary.kept == 5
    with pytest.warns(nd.DataWarning, match=r"documents.jsonl:\d+: id"):
        two = nd.dedup([path, path])
    assert two.summary.documents == 14 and two.summary.kept == 5


def test_other_columns():
    table = rows().rename_columns(["key", "body"])
    assert nd.dedup(table, text="body", id="key").kept_id.to_pylist() == [3, 1, 3, 15, 9, 9, 6]
    assert nd.dedup(table, text="body").kept_id.tolist() == [0, 1, 0, 3, 4, 4, 6]
    assert nd.dedup(rows(), id=None).kept_id.tolist() == [0, 1, 0, 3, 4, 4, 6]
    assert nd.dedup(rows(), keep="max:id").kept.tolist() == [False, True, True, True, True, False,
                                                             True]


def test_empty():
    for data in (rows().slice(0, 0), [], iter([]), pa.array([], pa.string()),
                 polars.DataFrame({"text": []}, schema={"text": polars.String})):
        result = nd.dedup(data)
        assert len(result) == 0 and result.removed.num_rows == 0
        assert result.kept.tolist() == [] and result.cluster.tolist() == []
    assert nd.pairs([]).num_rows == 0
    assert nd.MinHash(8).signatures([]).shape == (0, 8)


@pytest.mark.parametrize("make", [
    lambda texts: texts, lambda texts: pa.array(texts), lambda texts: iter(texts),
    lambda texts: polars.Series(texts), lambda texts: pandas.Series(texts),
    lambda texts: pa.table({"text": pa.array(texts).dictionary_encode()})])
def test_nulls(make):
    texts = [None, TEXTS[0], None, TEXTS[2], None]
    with pytest.raises(nd.InputError, match='row 0: the text is null; nulls="skip"'):
        nd.dedup(make(texts))
    result = nd.dedup(make(texts), nulls="skip")
    assert result.kept.tolist() == [True, True, True, False, True]
    assert result.summary.skipped == 3
    assert result.removed["row"].to_pylist() == [3] and result.removed["kept_row"].to_pylist() == [1]
    found = nd.MinHash(4).signatures(make(texts), nulls="skip")
    assert found.shape == (5, 4) and (found[1] == found[3]).all() and not found[[0, 2, 4]].any()


class Text(str):
    pass


def test_texts_of_a_list():
    """Each kind of str has the UTF-8 that Python gives it; bytes are texts, too."""
    texts = ["plain", "", "Stra\u00dfe", "\u0436\u0443\u043a", "\u6d77", "\U0001f642 end",
             Text("caf\u00e9"), "caf\u00e9".encode(), "a\0b", "x" * 5000 + "\u00e9"]
    column = pa.array([text.encode() if isinstance(text, str) else text for text in texts],
                      pa.large_binary())
    for given in (texts, tuple(texts), iter(texts), pandas.Series(texts, dtype=object)):
        found = nd.MinHash(16, analyzer="chars").signatures(given)
        assert (found == nd.MinHash(16, analyzer="chars").signatures(column)).all()


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan"), pandas.NA])
def test_missing_texts_of_a_list(missing):
    texts = ["a text"] * 9 + [missing] + ["a text"] * 9
    with pytest.raises(nd.InputError, match='row 9: the text is null; nulls="skip"'):
        nd.dedup(texts)
    result = nd.dedup(texts, nulls="skip")
    assert np.flatnonzero(result.kept).tolist() == [0, 9] and result.summary.skipped == 1


@pytest.mark.parametrize("other", [1, 1.5, ["a"], object()])
def test_what_is_no_text_of_a_list(other):
    wanted = f"row 2: a text must be a str, not {type(other).__name__}"
    with pytest.raises(nd.InputError, match=wanted):
        nd.dedup(["a", "b", other])


def test_lone_surrogates_of_a_list():
    texts = ["fine", "caf\u00e9 \ud800 end", "caf\u00e9 \ufffd end"]
    with pytest.raises(nd.InputError, match="record 2: invalid UTF-8 at byte 6"):
        nd.dedup(texts)
    assert nd.dedup(texts, invalid="skip").summary.skipped == 1
    assert nd.dedup(texts, invalid="replace").kept.tolist() == [True, True, False]


def test_many_skipped_rows():
    """Rows are found while other threads read on, and leave out more rows."""
    texts = [None if i % 2 else f"a text of its own, {i}" for i in range(60000)]
    found = nd.MinHash(4).signatures(pa.array(texts), nulls="skip", threads=4)
    assert (found.any(axis=1) == [text is not None for text in texts]).all()


def as_dataset(texts):
    return pytest.importorskip("datasets").Dataset.from_dict({"text": texts})


@pytest.mark.parametrize("make, copies", [
    (pa.array, False), (lambda texts: pa.table({"text": texts}), False),
    (lambda texts: pa.chunked_array([texts[:7000], texts[7000:]]), False),
    (polars.Series, False), (lambda texts: polars.DataFrame({"text": texts}), False),
    (lambda texts: pandas.Series(texts, dtype=pandas.ArrowDtype(pa.string())), False),
    (lambda texts: pandas.concat([pandas.DataFrame({"text": part}, dtype="string[pyarrow]")
                                  for part in (texts[:7000], texts[7000:])]), False),
    (lambda texts: pandas.DataFrame({"text": texts}, dtype=object), True),
    (as_dataset, False), (lambda texts: as_dataset(texts).shuffle(seed=1), True),
    (lambda texts: pa.table({"text": texts}).to_reader(1000), True), (list, True), (iter, True)])
def test_texts_that_stay_are_not_copied(make, copies):
    """Texts of tables in memory are read there again; others are copied to a temporary file."""
    texts = [" ".join([f"w{i % 3000}x{j}" for j in range(120)] + [str(i)]) for i in range(9000)]
    summary = nd.dedup(make(texts), memory=64 << 20).summary
    assert summary.kept == 3000 and summary.verified >= 6000
    assert (summary.work_bytes > summary.text_bytes) == copies


def test_labels_beside_texts_that_stay():
    """A column is added to the batches on their way."""
    texts = [f"{i // 2} is a text of its own, and a copy" for i in range(2000)]
    labels = [f"label {i % 2}" for i in range(2000)]
    classes = nd.dedup(pa.array(texts), losses_by=labels).summary.losses
    assert [(item.name, item.removed) for item in classes if item.kind == "field"] == [
        ("label 1", 1000), ("label 0", 0)]


@pytest.mark.parametrize("column", [[1, 2], [1.5, 2.0], [True, False],
                                    pandas.to_datetime(["2026-01-01", "2026-01-02"])])
def test_a_column_of_pandas_without_texts(column):
    for data in (pandas.Series(column), pandas.DataFrame({"text": column})):
        with pytest.raises(nd.ArgumentError, match='column "text" must hold texts'):
            nd.dedup(data)


def test_a_text_of_pandas_that_is_none():
    data = pandas.Series(["a text", 1], dtype=object)
    for given in (data, pandas.DataFrame({"text": data})):
        with pytest.raises(nd.InputError, match="row 1: a text must be a str, not int"):
            nd.dedup(given)


def test_datasets():
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict({"id": IDS, "text": TEXTS})
    assert nd.dedup(data).kept.tolist() == KEPT
    filtered = data.filter(lambda row: row["id"] != 3)
    result = nd.dedup(filtered)
    assert result.kept.tolist() == [True, True, True, True, False, True]
    assert isinstance(result.table, datasets.Dataset) and result.table["id"][:] == [1, 4, 15, 9, 6]
    assert result.kept_id.to_pylist() == [1, 4, 15, 9, 9, 6]
    assert nd.dedup(data.shuffle(seed=1).select(range(7))).summary.kept == 5
    with pytest.raises(TypeError, match="DatasetDict"):
        nd.dedup(datasets.DatasetDict(train=data))
    assert nd.dedup(data["text"]).kept.tolist() == nd.dedup(data[:]).kept.tolist() == KEPT
    with pytest.raises(nd.ArgumentError, match="read only once"):
        nd.dedup(data.to_iterable_dataset()).table
    kept = data.filter(lambda rows: nd.dedup(rows).kept.tolist(), batched=True)
    assert kept["id"][:] == [3, 1, 15, 9, 6]


def test_short_views():
    """pyarrow before version 25 would crash."""
    short = pa.array(["a b", "c", "a b"]).cast(pa.string_view())
    for data in (short, pa.table({"text": short}), pa.table({"text": short}).to_reader()):
        assert nd.dedup(data).kept.tolist() == [True, True, False]


def test_nanoarrow():
    nanoarrow = pytest.importorskip("nanoarrow")
    result = nd.dedup(nanoarrow.ArrayStream(rows()))
    assert result.kept.tolist() == KEPT and result.table["id"].to_pylist() == [3, 1, 15, 9, 6]
    column = nanoarrow.Array(TEXTS, nanoarrow.string())
    assert nd.dedup(column).kept.tolist() == KEPT


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    documents = rows()  # noqa: F841 (DuckDB looks it up)
    result = nd.dedup(duckdb.sql("select * from documents where id <> 1"))
    assert result.kept.tolist() == [True, False, True, True, False, True]
    assert isinstance(result.table, pa.Table)


def test_output_files(tmp_path):
    shards = tmp_path / "shards"
    shards.mkdir()
    for part in (0, 1):
        (shards / f"{part}.csv").write_text("id,text\n" + "".join(
            f'{id},"{text}"\n' for id, text in list(zip(IDS, TEXTS))[part::2]))
    out = tmp_path / "out"
    result = nd.dedup(shards, output=f"{out}/", removed_records=tmp_path / "rest.jsonl")
    assert sorted(path.name for path in out.iterdir()) == ["0.csv", "1.csv"]
    rest = [json.loads(line) for line in (tmp_path / "rest.jsonl").read_text().splitlines()]
    assert len(rest) == result.summary.removed == 2 and set(rest[0]) == {"id", "text"}
    parts = tmp_path / "parts"
    parts.mkdir()
    nd.dedup(shards, output=parts, mark=True, shard_size=100, output_format="json-lines")
    marked = [json.loads(line) for path in sorted(parts.iterdir())
              for line in path.read_text().splitlines()]
    assert [record["neardup_kept"] for record in marked] == result.kept.tolist()
    assert [record["neardup_of"] or record["id"] for record in marked] == result.kept_id.to_pylist()
    with pytest.raises(nd.ArgumentError, match="not written as TSV"):
        nd.dedup(shards, output=tmp_path / "kept.tsv")
    with pytest.raises(nd.ArgumentError, match='output_format must be "auto"'):
        nd.dedup(shards, output=tmp_path / "kept", output_format="parquet")


def test_ids_of_a_reader_with_rows_left_out():
    table = pa.table({"id": ["a", "b", "c", "d", "e"], "text": ["x y z", None, "x y z", "q", None]})
    for data in (table, table.to_reader(max_chunksize=2)):
        result = nd.dedup(data, nulls="skip")
        assert [row["id"] for row in result.removed.to_pylist()] == ["c"]
        ids = result.kept_id.to_pylist()
        assert [ids[row] for row in (0, 2, 3)] == ["a", "a", "d"] and len(ids) == 5


@pytest.mark.filterwarnings("ignore::neardup.DataWarning")
def test_rows_behind_a_record_that_is_too_long():
    """The library leaves it out, too; and its number."""
    long = "too long " * 20
    texts = [long, "one two three four", None, long, "four three two one", "one two three four", None]
    options = {"on_error": "skip", "nulls": "skip", "max_record": 60}
    ids = [f"id{row}" for row in range(len(texts))]
    table = pa.table({"id": ids, "text": texts})
    for data in (texts, table, table.to_reader(max_chunksize=2), iter(texts)):
        result = nd.dedup(data, **options)
        assert result.kept.tolist() == [True] * 5 + [False, True] and result.kept_row[5] == 1
        pair, = result.review()
        assert (pair.a, pair.b) == ((1, 5) if "id" not in result.removed.column_names
                                    else ("id1", "id5"))
        assert result.summary.largest_groups[0].kept == pair.a and len(result) == 7
    assert nd.dedup(table.to_reader(), **options).removed.to_pylist()[0]["id"] == "id5"
    assert nd.pairs(texts, **options).select(["id_a", "id_b"]).to_pylist() == [{"id_a": 1, "id_b": 5}]
    texts[5] = "one two three four five"
    audits = [nd.audit(texts, threshold=0.5, ngram=2, recall=0.001, perms=1, seed=seed, **options)
              for seed in range(20)]
    missed = {(row["id_a"], row["id_b"]) for each in audits for row in each.missed_pairs.to_pylist()}
    assert missed == {(1, 5)} and audits[0].true_pairs == 2
