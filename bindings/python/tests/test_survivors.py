"""Which documents stay: protected ones, and all where too many would go; and where documents were
lost."""

import json

import numpy as np
import pyarrow as pa
import pytest

import neardup as nd

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

A = "the cat sat on the mat, and the dog lay by the door of the old house all day long"
COLUMNS = {"id": ["a", "b", "c", "d"], "text": [A, A, A + "!", A.upper()],
           "of": ["web", "own", "web", "own"], "n": [1, 2, 3, 2], "mine": [False, True, None, True],
           "weight": [0.5, 2.0, float("nan"), 2.0]}


def rows(columns=COLUMNS):
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


KINDS = [
    pa.table, pandas.DataFrame, polars.DataFrame, dict, rows,
    lambda columns: pa.table(columns).to_reader(max_chunksize=1),
    lambda columns: pa.table({**columns, "of": pa.array(columns["of"]).dictionary_encode()}),
    lambda columns: pa.table({**columns, "text": pa.array(columns["text"], pa.string_view())}),
    lambda columns: polars.DataFrame(columns, schema_overrides={"of": polars.Categorical}),
]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("protect", ["of=own", "n=2", "mine=true", "weight=2", ["of=nobody", "n=2"]])
def test_values_protect(make, protect):
    result = nd.dedup(make(COLUMNS), protect=protect)
    assert result.kept.tolist() == [False, True, False, True]
    assert result.kept_row.tolist() == [1, 1, 1, 3]
    assert result.summary.spared == 1 and result.summary.removed == 2


@pytest.mark.parametrize("make", [
    list, pa.array, polars.Series, pandas.Series, lambda texts: iter(texts),
    lambda texts: pa.chunked_array([texts[:1], texts[1:]]), lambda texts: list(zip("abcd", texts)),
    lambda texts: polars.DataFrame({"text": texts})])
@pytest.mark.parametrize("mask", [[False, True, False, True], np.array([0, 1, 0, 1], bool),
                                  pandas.Series([False, True, False, True]),
                                  pa.array([False, True, False, True])])
def test_a_mask_protects(make, mask):
    assert nd.dedup(make(COLUMNS["text"]), protect=mask).kept.tolist() == [False, True, False, True]


@pytest.mark.filterwarnings("ignore::neardup.DataWarning")  # of the losses
def test_protection_of_many_rows():
    """Each row's own, over many batches, with rows that are left out."""
    count = 5000
    own = [row % 7 == 3 for row in range(count)]
    texts = [None if row % 11 == 5 else A for row in range(count)]
    result = nd.dedup(texts, nulls="skip", protect=own)
    stay = [mine or text is None for mine, text in zip(own, texts)]
    assert result.kept.tolist() == stay
    table = pa.table({"text": texts, "own": own})
    assert nd.dedup(table, nulls="skip", protect="own=true").kept.tolist() == stay
    assert nd.dedup(texts, nulls="skip", protect=[]).summary.spared == 0


def test_files_protect(jsonl, command, tmp_path):
    lines = [json.loads(line) for line in jsonl.read_text().splitlines()]
    for row, line in enumerate(lines):
        line["of"] = "own" if row % 3 == 2 else "web"
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command("dedup", path, "-q", "-o", tmp_path / "kept", "--protect", "of=own")
    kept = [json.loads(line)["id"] for line in (tmp_path / "kept").read_text().splitlines()]
    for data in (path, pa.Table.from_pylist(lines)):
        result = nd.dedup(data, protect=["of=own"])
        assert [line["id"] for line, stays in zip(lines, result.kept) if stays] == kept
        assert result.summary.spared > 10
    with pytest.raises(nd.ArgumentError, match="in files"):
        nd.dedup(path, protect=np.ones(len(lines), bool))
    with pytest.warns(nd.DataWarning, match="no record is protected"):
        nd.dedup(path, protect="of=nobody")


@pytest.mark.parametrize("protect, message", [
    ("own", 'must be "COLUMN=VALUE", not \'own\''), ("=x", "COLUMN=VALUE"), ([1, 2], "a boolean"),
    (np.ones((2, 2), bool), "a boolean"), ("none=x", "no column 'none'"),
    (np.ones(3, bool), "protect has 3 values"), (np.ones(5, bool), "protect has 5 values"),
    ("list=x", "column 'list' must hold texts")])
def test_bad_protection(protect, message):
    table = pa.table({**COLUMNS, "list": [[1]] * 4})
    with pytest.raises(nd.ArgumentError, match=message):
        nd.dedup(table, protect=protect)


def test_nobody_is_protected():
    with pytest.warns(nd.DataWarning, match="no row is protected: none has of=x or n=z"):
        nd.dedup(pa.table(COLUMNS), protect=["of=x", "n=z"])
    with pytest.raises(nd.ArgumentError, match="no column"):
        nd.dedup([A], protect="of=own")

    def boom():
        yield {"text": A, "of": "own"}
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        nd.dedup(boom(), protect=[True, False])


def test_max_removed(tmp_path):
    texts = [A, A, A, "another text"]
    assert nd.dedup(texts, max_removed=0.5).summary.removed == 2
    with pytest.raises(nd.InputError, match="max_removed.* is 0.49, and 0.500 of the documents"):
        nd.dedup(texts, max_removed=0.49)
    with nd.Index.create(tmp_path / "index") as index:
        with pytest.raises(nd.InputError):
            index.add([(str(row), text) for row, text in enumerate(texts)], max_removed=0.1)
        assert len(index) == 0
    for bad in (0, -1, 1.5, float("nan")):
        with pytest.raises(nd.ArgumentError, match="max_removed"):
            nd.dedup(texts, max_removed=bad)


def test_losses(tmp_path, command):
    texts = [" ".join(f"g{min(row // 150, 2) + max(row - 300, 0)}w{word}" for word in range(60))
             + (f" {row}" if row % 5 else "") for row in range(450)]
    with pytest.warns(nd.DataWarning) as caught:
        summary = nd.dedup(texts).summary
    assert [(group.kept, group.removed, group.exact_copies, group.example)
            for group in summary.largest_groups] == [(0, 149, 29, 1), (150, 149, 29, 151)]
    assert sum(step.duplicates for step in summary.similarities) == summary.pairs - 58
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps({"id": f"d{row}", "text": text}) + "\n"
                            for row, text in enumerate(texts)))
    command("dedup", path, "-q", "-o", tmp_path / "kept", "--summary", tmp_path / "summary")
    its = json.loads((tmp_path / "summary").read_text())
    with pytest.warns(nd.DataWarning):
        of_file = nd.dedup(path).summary
    for mine, name in ((summary, lambda row: f"d{row}"), (of_file, str)):
        assert [(name(g.kept), g.removed, g.exact_copies, name(g.example))
                for g in mine.largest_groups] == [
            (g["id"], g["removed"], g["exact_copies"], g["example"]["id"])
            for g in its["largest_groups"]]
        assert [g.share for g in mine.largest_groups] == pytest.approx(
            [g["share"] for g in its["largest_groups"]], abs=1e-6)
        assert [list(step) for step in mine.similarities] == its["similarities"]
        for kind in ("length", "script"):
            assert [(c.name, c.documents, c.removed) for c in mine.losses if c.kind == kind] == [
                (c["name"], c["documents"], c["removed"]) for c in its["losses"][kind]]
        assert [(a.kind, a.removed, name(a.kept)) for a in mine.alarms] == [
            (a["kind"], a["removed"], a["kept"]["id"]) for a in its["alarms"]]
        assert mine.alarms
    assert {str(warning.message) for warning in caught} == {a.message for a in summary.alarms}
    assert [a.message for a in of_file.alarms] == [a["message"] for a in its["alarms"]]
    assert [c.name for c in of_file.losses if c.kind == "source"] == [str(path)]
    assert [c.name for c in summary.losses if c.kind == "source"] == []


LABELS = ["de", "en", None, "en"]


@pytest.mark.parametrize("job", [nd.dedup, nd.exact])
@pytest.mark.parametrize("make", [*KINDS, lambda columns: pa.table(
    {**columns, "lang": pa.array(columns["lang"]).dictionary_encode()}), lambda columns:
    polars.DataFrame(columns, schema_overrides={"lang": polars.Categorical})])
def test_losses_by_a_column(job, make):
    summary = job(make({**COLUMNS, "text": [A] * 4, "lang": LABELS}), losses_by="lang").summary
    assert [tuple(c) for c in summary.losses if c.kind == "field"] == [
        ("field", "en", 2, 2), ("field", "(none)", 1, 1), ("field", "de", 1, 0)]


@pytest.mark.parametrize("make", [list, pa.array, pandas.Series, polars.Series, lambda labels: pa.array(
    labels).dictionary_encode(), lambda labels: np.array(labels, object),
    lambda labels: pa.chunked_array([labels[:1], labels[1:]])])
@pytest.mark.parametrize("data", [lambda: [A] * 4, lambda: iter([A] * 4), lambda: pa.array([A] * 4),
                                  lambda: pa.table({"text": [A] * 4})])
def test_losses_by_labels(make, data):
    losses = nd.dedup(data(), losses_by=make(LABELS), protect=[True, False, False, False]
                      ).summary.losses
    assert [tuple(c) for c in losses if c.kind == "field"] == [
        ("field", "en", 2, 2), ("field", "(none)", 1, 1), ("field", "de", 1, 0)]


@pytest.mark.parametrize("labels, names", [
    ([1, 2, 2, 1], ["2", "1"]), ([True, False, False, True], ["false", "true"]),
    ([None] * 4, ["(none)"]), (["a"] * 4, ["a"])])
def test_kinds_of_labels(labels, names):
    for by in (labels, "label"):
        losses = nd.dedup(pa.table({"text": [A] * 4, "label": labels}), losses_by=by).summary.losses
        assert [c.name for c in losses if c.kind == "field"] == names


@pytest.mark.filterwarnings("ignore::neardup.DataWarning")
@pytest.mark.parametrize("job", ["dedup", "exact"])
def test_losses_by_of_the_command(job, command, tmp_path):
    lines = [{"id": f"d{row}", "text": f"{A} {row % 700}", "lang": f"l{row % 6}" if row % 5 else None}
             for row in range(2000)]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command(job, path, "-q", "-o", tmp_path / "kept", "--summary", tmp_path / "summary",
            "--losses-by", "lang")
    its = json.loads((tmp_path / "summary").read_text())["losses"]["field"]
    for data, by in ((path, "lang"), (pa.Table.from_pylist(lines), "lang"), (lines, "lang"),
                     (lines, [line["lang"] for line in lines])):
        mine = getattr(nd, job)(data, losses_by=by).summary.losses
        assert [(c.name, c.documents, c.removed) for c in mine if c.kind == "field"] == [
            (c["name"], c["documents"], c["removed"]) for c in its]
    assert len(its) > 3


@pytest.mark.parametrize("labels, message", [
    ("none", "no column 'none'"), (["a"] * 3, "losses_by has 3 values"),
    (["a"] * 5, "losses_by has 5 values"), (5, "the name of a column, or a label for each row, not int"),
    (["a", 1, 1, 1], "values of several types"), ("list", "column 'list' must hold texts")])
def test_bad_labels(labels, message):
    with pytest.raises(nd.ArgumentError, match=message):
        nd.dedup(pa.table({**COLUMNS, "list": [[1]] * 4}), losses_by=labels)


def test_labels_and_files(jsonl):
    with pytest.raises(nd.ArgumentError, match="losses_by must be a field where the documents are in"):
        nd.dedup(jsonl, losses_by=["a"])
    with pytest.warns(nd.DataWarning, match="no record has the field nothing"):
        nd.dedup(jsonl, losses_by="nothing")


def test_names_of_lost_documents():
    numbers = nd.dedup([(7, A), (8, A)]).summary.largest_groups[0]
    assert (numbers.kept, numbers.example) == (7, 8)
    index = nd.Index()
    index.add([("first", A)])
    group = index.add([("x", A)]).summary.largest_groups[0]
    assert (group.kept, group.example) == ("first", "x")
    assert "alarms" not in repr(nd.dedup([A]).summary)


def test_audit_of_rows():
    texts = [A, "other", A.upper(), None, *(f"{row} {A}" for row in range(4, 30))]
    audit = nd.audit(texts, nulls="skip", recall=0.01, perms=1, threshold=0.5)
    rows = {row for pair in audit.missed_pairs.to_pylist() for row in (pair["id_a"], pair["id_b"])}
    assert rows and rows <= {0, *range(4, 30)} and audit.documents == 29
    assert audit.missed == audit.true_pairs - audit.found > 0
    with pytest.raises(nd.ArgumentError, match="sample"):
        nd.audit(texts, nulls="skip", sample=0)
    with pytest.raises(nd.ArgumentError, match="needs a column"):
        nd.audit([A], keep="max")
    with pytest.raises(nd.InputError, match="row 1: row 0 has the id"):
        nd.audit([("a", A), ("a", A)])
    assert str(nd.Share(1.0, 0.5, 1.0)) == "100.000 % (50.000 to 100.000 %)"
    with pytest.raises(ZeroDivisionError):
        nd.audit([A] * 3000, progress=lambda *_: 1 // 0)
