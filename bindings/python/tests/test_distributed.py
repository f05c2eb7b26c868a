"""Dedup by the steps for many machines against dedup on one: the same removals, evidence, counts."""

import random

import pyarrow as pa
import pytest
from local_engine import LocalEngine

import neardup as nd
from neardup import _distributed_flow, distributed


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


@pytest.mark.parametrize("seed", range(8))
def test_same_answers(seed):
    draw = random.Random(100 + seed)
    texts = corpus(seed, draw.choice([1, 30, 300, 600]))
    threshold = draw.choice([0.5, 0.8, 0.9])
    ids = [f"{number:05}" for number in range(len(texts))]
    settings = distributed.Settings(threshold=threshold, perms=draw.choice([64, 128]), recall=0.99,
                                    buckets=draw.choice([1, 5, 40]))
    engine = LocalEngine(draw.choice([1, 2, 7]), draw.choice([1, 13, 1000]))
    rows = list(zip(ids, texts))
    draw.shuffle(rows)
    table = pa.table({"id": [id for id, _ in rows], "text": [text for _, text in rows]})
    found = _distributed_flow.dedup(engine, engine._split(table), table.schema, settings)
    alone = nd.dedup(pa.table({"id": ids, "text": texts}), threshold=threshold,
                     perms=settings.perms, recall=0.99)
    assert found.left_out == 0 == alone.summary.bounded_documents
    assert removed_of(pa.concat_tables(found.removed)) == removed_of(alone.removed)
    if len(texts) > 100:
        assert alone.summary.large_buckets and alone.summary.exact_copies


def test_bad_rows():
    def run(columns, **settings):
        engine = LocalEngine(2)
        table = pa.table(columns)
        return _distributed_flow.dedup(engine, engine._split(table), table.schema,
                                       distributed.Settings(**settings))

    with pytest.raises(nd.InputError, match="id 'b': the text is null"):
        run({"id": ["a", "b"], "text": ["x", None]})
    assert removed_of(pa.concat_tables(run({"id": ["a", "b", "c"], "text": ["x", None, "x"]},
                                           nulls="skip").removed)) == [("c", "a", 1, 1)]
    with pytest.raises(nd.InputError, match="a row has no 'id'"):
        run({"id": ["a", None], "text": ["x", "y"]})
    with pytest.raises(nd.ArgumentError, match="buckets"):
        distributed.Settings(buckets=0)
    with pytest.raises(nd.ArgumentError):
        distributed.Settings(threshold=0)
