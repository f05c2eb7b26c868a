"""Identical documents: the answers of the command, and of a dict of texts."""

import json
import random
import unicodedata

import pyarrow as pa
import pytest

import neardup as nd

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pytestmark = pytest.mark.filterwarnings("ignore::neardup.DataWarning")  # of the losses


def make_texts(seed, count):
    """Few different texts, in different forms."""
    rng = random.Random(seed)
    words = ["It", "it", "IT", "été", "e\u0301te\u0301", "rains", "天", "🙂", "!", ","]
    spaces = [" ", "  ", "\n", "\u3000"]
    return [rng.choice(["", " "]) + "".join(rng.choice(words) + rng.choice(spaces)
                                            for _ in range(rng.randrange(3))) for _ in range(count)]


KEYS = {
    "bytes": lambda text: text,
    "text": lambda text: " ".join(unicodedata.normalize("NFC", text).split()),
    # words, or where there are none the characters
    "tokens": lambda text: tuple(nd.tokens(text)) or unicodedata.normalize("NFC", text),
}


def kept_rows(texts, key, order):
    """The row that stays in the place of each row."""
    first = {}
    for row in order:
        first.setdefault(key(texts[row]), row)
    return [first[key(text)] for text in texts]


@pytest.mark.parametrize("by", KEYS)
@pytest.mark.parametrize("keep", ["first", "longest", "max:n"])
@pytest.mark.parametrize("threads", [1, 3])
def test_oracle(by, keep, threads):
    texts = make_texts(3, 2000)
    numbers = [row * 7 % 50 for row in range(len(texts))]
    rank = {"first": lambda row: row, "longest": lambda row: -len(texts[row].encode()),
            "max:n": lambda row: -numbers[row]}[keep]
    expected = kept_rows(texts, KEYS[by], sorted(range(len(texts)), key=rank))
    result = nd.exact(pa.table({"text": texts, "n": numbers}), by=by, keep=keep, threads=threads)
    assert result.kept_row.tolist() == expected
    assert result.kept.tolist() == [row == kept for row, kept in enumerate(expected)]
    assert result.similarity.tolist() == [1] * len(texts)
    assert result.removed.to_pylist() == [
        {"row": row, "kept_row": kept} for row, kept in enumerate(expected) if row != kept]
    assert result.summary.removed == result.summary.exact_copies == len(result.removed) > 300


@pytest.mark.parametrize("options", [
    {}, {"by": "text"}, {"by": "tokens"}, {"by": "tokens", "analyzer": "chars"},
    {"by": "text", "keep": "max:n"}, {"protect": "n=3"}],
    ids=lambda o: ",".join(map(str, o.values())) or "none")
def test_command(command, tmp_path, options):
    rows = [{"id": f"d{row}", "text": text, "n": row * 7 % 50}
            for row, text in enumerate(make_texts(4, 600))]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    flags = [word for name, value in options.items() for word in (f"--{name}", value)]
    command("exact", path, "-q", "-o", tmp_path / "kept", "--removed", tmp_path / "removed", *flags)
    removed = [line.split("\t")[:2]
               for line in (tmp_path / "removed").read_text().splitlines()[1:]]
    for data in (path, pa.Table.from_pylist(rows), rows):
        result = nd.exact(data, **options)
        assert [[row["id"], row["kept_id"]] for row in result.removed.to_pylist()] == removed
    nd.exact(path, output=tmp_path / "mine", **options)
    assert (tmp_path / "mine").read_bytes() == (tmp_path / "kept").read_bytes()
    assert len(removed) > 100


@pytest.mark.parametrize("make", [list, pa.array, pandas.Series, polars.Series, iter,
                                  lambda texts: list(zip("abcd", texts))])
def test_kinds(make):
    assert nd.exact(make(["x", "y", "x", "X"])).kept.tolist() == [True, True, False, True]


def test_result():
    result = nd.exact(["x y", None, "x y", "X, y"], by="tokens", nulls="skip")
    assert result.table == ["x y", None] and result.cluster.tolist() == [0, 1, 0, 0]
    assert result.why(3).jaccard == 1 and repr(result) == (
        "Dedup(3 documents: 1 kept, 2 removed, 1 skipped)")
    assert [(pair.verdict, pair.a, pair.b) for pair in result.review()] == [
        ("copy", 0, 2), ("copy", 0, 3)]
    assert "kept_text" in result._repr_html_()


@pytest.mark.parametrize("by", KEYS)
@pytest.mark.parametrize("in_files", [False, True])
def test_index(tmp_path, by, in_files):
    texts = make_texts(5, 900)
    columns = {"id": [f"d{row}" for row in range(len(texts))], "text": texts}
    whole = nd.exact(pa.table(columns), by=by)
    removed, kept = [], []
    for begin in range(0, len(texts), 300):
        piece = data = pa.table(columns).slice(begin, 300)
        if in_files:
            data = tmp_path / f"{begin}.jsonl"
            data.write_text("".join(json.dumps(row) + "\n" for row in piece.to_pylist()))
        found = nd.exact(data, by=by, index=tmp_path / "index")
        kept += found.kept.tolist()
        rows = found.removed.to_pylist()
        removed += [(row["id"], row["kept_id"]) for row in rows]
        for row in rows:
            in_piece = row["kept_id"] in piece["id"].to_pylist()
            assert row["kept_row"] == (int(row["kept_id"][1:]) - begin if in_piece else None)
    assert kept == whole.kept.tolist()
    assert removed == [(row["id"], row["kept_id"]) for row in whole.removed.to_pylist()]
    with nd.Index.open(tmp_path / "index") as index:
        index.check()
        assert len(index) == sum(kept)
        found = nd.exact([("new", texts[0])], by=by, index=index)
        assert found.kept_row.tolist() == [-1] and found.kept_id.to_pylist() == ["d0"]
        with pytest.raises(nd.ArgumentError, match="row 0 duplicates 'd0' of the index"):
            found.why(0)
        assert nd.exact([("d0", "another text")], by=by, index=index, replace=True).kept.all()
        assert nd.exact([("new", texts[0])], by=by, index=index).kept.all()
        assert len(index) == sum(kept) + 1


def test_resume(tmp_path):
    data = [("a", "x"), ("b", "x"), ("c", "y")]
    for resume in (False, True):
        result = nd.exact(iter(data), index=tmp_path / "index", resume=resume)
        assert result.kept.tolist() == [True, False, True]
        assert result.removed.to_pylist() == [{"row": 1, "id": "b", "kept_row": 0, "kept_id": "a"}]


def test_refusals_of_an_index(tmp_path):
    nd.exact([("a", "x")], index=tmp_path / "hashes")
    nd.dedup([("a", "x")], index=tmp_path / "sketches")
    for call, message in [
            (lambda: nd.exact(["x"], index=tmp_path / "new"), "need ids"),
            (lambda: nd.exact([("b", "x")], index=tmp_path / "hashes", by="text"), "by"),
            (lambda: nd.exact([("a", "y")], index=tmp_path / "hashes"), "the id"),
            (lambda: nd.exact([("b", "x")], index=tmp_path / "sketches"), "index"),
            (lambda: nd.dedup([("b", "x")], index=tmp_path / "hashes"), "index")]:
        with pytest.raises(nd.Error, match=message):
            call()
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("call, kind, message", [
    (lambda: nd.exact(["a"], by="words"), nd.ArgumentError, 'by must be "bytes", "text" or "tokens"'),
    (lambda: nd.exact(["a", None]), nd.InputError, "row 1: the text is null"),
    (lambda: nd.exact(["a", "\ud800"]), nd.InputError, "UTF-8"),
    (lambda: nd.exact(["a"], output="x"), nd.ArgumentError, "output is for documents of files"),
    (lambda: nd.exact(["a", "a"], max_removed=0.2), nd.InputError, "max_removed"),
    (lambda: nd.exact(["a"], max_removed=2), nd.ArgumentError, "max_removed must be above 0"),
    (lambda: nd.exact([("a", "x"), ("a", "y")]), nd.InputError, "row 1: row 0 has the id 'a'"),
    (lambda: nd.exact(["a"], memory=5), nd.ArgumentError, "memory")])
def test_refusals(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
