"""Dedup by the steps for many machines against dedup on one: the same removals, evidence, counts."""

import hashlib
import json
import random

import numpy as np
import pyarrow as pa
import pytest
from local_engine import LocalEngine

import neardup as nd
from neardup import _core, _runs, _table_engine, distributed


def corpus(seed, count):
    """Chains of revisions, pages of templates (large buckets), exact copies, texts without words."""
    draw = random.Random(seed)
    words = [f"w{n}" for n in range(400)]
    templates = [draw.choices(words, k=60) for _ in range(3)]
    texts = []
    for _ in range(count):
        kind = draw.random()
        if texts and kind < 0.25:
            text = draw.choice(texts)
        elif texts and kind < 0.5:
            text = draw.choice(texts).split()
            for _ in range(draw.randrange(4)):
                if text:
                    text[draw.randrange(len(text))] = draw.choice(words)
            text = " ".join(text)
        elif kind < 0.85:
            text = " ".join([*draw.choice(templates), *draw.choices(words, k=draw.randrange(16))])
        elif kind < 0.9:
            text = draw.choice(["", "?!", "one word"])
        else:
            text = " ".join(draw.choices(words, k=draw.randrange(3, 80)))
        texts.append(text)
    return texts


def removed_of(table):
    return sorted(zip(*(table[name].to_pylist() for name in
                        ("id", "kept_id", "intersection", "union"))))


def run(seed, thresholds=(0.5, 0.8, 0.9)):
    """Texts in an order, the same rows shuffled, settings and an engine."""
    draw = random.Random(100 + seed)
    texts = corpus(seed, draw.choice([1, 30, 300, 600]))
    ids = [f"{number:05}" for number in range(len(texts))]
    settings = {"threshold": draw.choice(thresholds), "perms": draw.choice([64, 128]),
                "recall": 0.99}
    engine = LocalEngine(draw.choice([None, 1, 5, 40]), draw.choice([1, 13, 1000]))
    rows = list(zip(ids, texts))
    draw.shuffle(rows)
    return rows, sorted(rows), settings, engine


def table_of(rows):
    return pa.table({"id": pa.array([id for id, _ in rows], pa.string()),
                     "text": pa.array([text for _, text in rows], pa.string())})


@pytest.mark.parametrize("group", ["greedy", "component"])
@pytest.mark.parametrize("seed", range(8))
def test_same_answers(seed, group, monkeypatch):
    monkeypatch.setattr(_table_engine, "LOOKED_UP_TOGETHER", [1 << 29, 5000][seed % 2])
    shuffled, rows, settings, engine = run(seed)
    table = table_of(shuffled)
    found = distributed.dedup(engine, engine.documents(table), table.schema,
                              distributed.Settings(**settings, group=group))
    alone = nd.dedup(table_of(rows), group=group, **settings)
    assert found.left_out == 0 == alone.summary.bounded_documents
    assert removed_of(engine.collect(found.removed)) == removed_of(alone.removed)
    if len(rows) > 100:
        assert alone.summary.large_buckets and alone.summary.exact_copies


@pytest.mark.parametrize("seed", range(8))
def test_same_pairs(seed, monkeypatch):
    monkeypatch.setattr(distributed._flow, "_PAIRS_TOGETHER", 20)
    shuffled, rows, settings, engine = run(seed)
    table = table_of(shuffled)
    found = distributed.pairs(engine, engine.documents(table), table.schema,
                              distributed.Settings(**settings))
    alone = nd.pairs(table_of(rows), **settings)
    names = ("id_a", "id_b", "intersection", "union")
    assert found.left_out == 0
    assert sorted(zip(*(engine.collect(found.pairs)[name].to_pylist() for name in names))) == (
        sorted(zip(*(alone[name].to_pylist() for name in names))))


@pytest.mark.parametrize("seed", range(8))
def test_against_earlier_runs(seed):
    """Three runs, each against those before it, like three batches into an index."""
    shuffled, rows, settings, _ = run(seed)
    index = nd.Index(**settings)
    engines, earlier, first_part = [], [], 0
    cuts = [0, len(rows) // 2, len(rows) * 3 // 4, len(rows)]
    for begin, end in zip(cuts, cuts[1:]):
        batch = {id for id, _ in rows[begin:end]}
        table = table_of([row for row in shuffled if row[0] in batch])
        engine = LocalEngine(3)
        engines.append(engine)  # it has the files of its run
        found = distributed.dedup(engine, engine.documents(table), table.schema, distributed.Settings(
            **settings, first_part=first_part), earlier)
        alone = nd.dedup(table_of(rows[begin:end]), index=index, **settings)
        assert found.left_out == 0 == alone.summary.bounded_documents
        assert removed_of(engine.collect(found.removed)) == removed_of(alone.removed)
        earlier.append(distributed.Run(found.sketches, found.removed))
        first_part = found.sketches.end_part


def test_sketches_of_another_version(tmp_path):
    """They have no values in common with these, so duplicates would be lost."""
    table = table_of([("a", "one two three"), ("b", "One, two, three!")])
    sketched = next(distributed.sketch(distributed.Settings(), table.to_batches()))
    values = [value for name in ("bands", "sketch", "set") for value in sketched[name].to_pylist()]
    # Other values are another version.
    assert hashlib.sha256(b"".join(values)).hexdigest()[:16] == "0b4a698c40083729"
    other = distributed.Settings(sketches=4)
    with pytest.raises(nd.ArgumentError, match="sketches of version 4, and neardup on one of its"):
        next(distributed.sketch(other, table.to_batches()))

    def begin(name, s=distributed.Settings(), against=None):
        return _runs.begin(LocalEngine(folder=str(tmp_path / name)), s, against, "dedup")

    begin("later", other)
    begin("run")
    settings = tmp_path / "run" / "settings.json"
    before = json.loads(settings.read_text())
    assert before.pop("sketches") == 3
    settings.write_text(json.dumps(before))  # as the first version has it
    for folder, version in (("later", 4), ("run", 1)):
        refused = f"^{tmp_path / folder} has a run with sketches of version {version}, and this"
        with pytest.raises(nd.ArgumentError, match=refused):
            begin(folder)
        with pytest.raises(nd.ArgumentError, match=refused):
            begin("new", against=str(tmp_path / folder))
    assert not (tmp_path / "new").exists()


def test_names_of_columns():
    """The columns have names that the tables of a run use, too."""
    shuffled, rows, settings, engine = run(3)
    places = {id: number for number, (id, _) in enumerate(rows)}
    table = pa.table({"doc": [id for id, _ in shuffled], "run": [text for _, text in shuffled],
                      "rank": [places[id] // 9 for id, _ in shuffled],
                      "set": [places[id] % 9 for id, _ in shuffled]})
    names = distributed.Settings(**settings, text="run", id="doc", order=["rank", "set", "doc"])
    found = distributed.dedup(engine, engine.documents(table), table.schema, names)
    alone = nd.dedup(table_of(rows), **settings)
    assert len(rows) > 100 and removed_of(engine.collect(found.removed)) == removed_of(
        alone.removed)
    engine = LocalEngine(2)
    found = distributed.pairs(engine, engine.documents(table), table.schema, names)
    assert len(engine.collect(found.pairs)) == len(nd.pairs(table_of(rows), **settings))


SKETCH, OFFSETS, SETS = b"s" * 4, np.array([0, 8]), np.array([7], np.uint64)


@pytest.mark.parametrize("call", [
    lambda: _core.near(0.5, 4, SKETCH, SKETCH * 2),
    lambda: _core.near(0.5, 3, SKETCH, SKETCH),
    lambda: _core.near(1.5, 4, SKETCH, SKETCH),
    lambda: _core.near(0.5, 4, SKETCH),
    lambda: _core.verify(0.5, 4, SKETCH, OFFSETS, SETS, SKETCH * 2, np.array([0, 8, 8]),
                         SETS),
    lambda: _core.verify(0.5, 4, SKETCH, np.array([0, 16]), SETS, SKETCH, OFFSETS, SETS),
    lambda: _core.verify(0.5, 4, SKETCH, np.array([8, 0]), SETS, SKETCH, OFFSETS, SETS),
    lambda: _core.verify(0.5, 4, SKETCH, np.array([0, 4]), SETS, SKETCH, OFFSETS, SETS),
    lambda: _core.verify(0.5, 4, SKETCH, b"", SETS, SKETCH, OFFSETS, SETS),
    lambda: _core.large_buckets(0.5, 4, 0),
    lambda: _core.large_buckets(0.5, 4, 9).add(b"", b"", b""),
    lambda: _core.large_buckets(0.5, 4, 9).add(np.array([1]), b"", np.array([0, 0]), b"", SKETCH,
                                               OFFSETS, SETS),
    lambda: _core.large_buckets(0.5, 4, 9).add_all(np.array([1]), b"0", np.array([0, 4]), b"", SKETCH,
                                                   OFFSETS, SETS),
    lambda: _core.edge_decider(2).take(np.array([[1, 0], [2, 0]], np.uint64)),
    lambda: _core.edge_decider(2).take(np.array([[0, 1]], np.uint64)),
    lambda: _core.edge_decider(2).take(b"12345678"),
])
def test_bad_arrays(call):
    with pytest.raises((nd.ArgumentError, TypeError)):
        call()


def test_bad_rows():
    def run(columns, **settings):
        engine = LocalEngine(2)
        table = pa.table(columns)
        return removed_of(engine.collect(distributed.dedup(
            engine, engine.documents(table), table.schema,
            distributed.Settings(**settings)).removed))

    with pytest.raises(nd.InputError, match="id 'b': the text is null"):
        run({"id": ["a", "b"], "text": ["x", None]})
    assert run({"id": ["a", "b", "c"], "text": ["x", None, "x"]},
               nulls="skip") == [("c", "a", 1, 1)]
    with pytest.raises(nd.InputError, match="a row has no 'id'"):
        run({"id": ["a", None], "text": ["x", "y"]})
    with pytest.raises(nd.InputError, match="id 'b' is in several rows"):
        run({"id": ["a", "b", "b"], "text": ["x", "y", "z"]})
    with pytest.raises(nd.ArgumentError, match="partitions"):
        distributed.Settings(partitions=0)
    with pytest.raises(nd.ArgumentError):
        distributed.Settings(threshold=0)
