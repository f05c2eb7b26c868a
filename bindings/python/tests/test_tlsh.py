"""TLSH digests, against the reference's Python package, the command and all pairs."""

import pickle
import random
import threading

import numpy as np
import pyarrow as pa
import pytest

import neardup as nd

from conftest import make_documents

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
VARIANTS = [(128, 1), (128, 3), (256, 1), (256, 3)]
SIZES = {(128, 1): 72, (128, 3): 76, (256, 1): 136, (256, 3): 140}


@pytest.fixture(scope="module")
def texts():
    return make_documents(7, 300) + ["", "short", "a" * 500, None]


def test_reference(texts):
    reference = pytest.importorskip("tlsh")
    made = 0
    for text in texts[:-1]:
        its = reference.hash(text.encode())
        assert (nd.tlsh(text) or "TNULL") == nd.tlsh(text.encode()) if its != "TNULL" else (
            nd.tlsh(text) is None)
        if its != "TNULL":
            assert nd.tlsh(text) == its
            made += 1
    assert made > 150
    digests = [digest for digest in nd.tlsh(texts, nulls="skip").to_pylist() if digest][:60]
    for a in digests:
        for b in digests:
            assert nd.tlsh_distance(a, b) == reference.diff(a, b)
            assert nd.tlsh_distance(a[2:].lower(), b, length=False) == reference.diffxlen(a, b)


@pytest.mark.parametrize("buckets, checksum", VARIANTS)
def test_command(texts, jsonl, command, buckets, checksum):
    lines = command("tlsh", jsonl, "-q", "--buckets", buckets, "--checksum", checksum).splitlines()
    expected = [line.split("\t")[1] for line in lines]
    found = nd.tlsh(jsonl, buckets=buckets, checksum=checksum)
    assert [digest or "TNULL" for digest in found.to_pylist()] == expected
    assert {len(digest) for digest in found.to_pylist() if digest} == {SIZES[buckets, checksum]}
    assert found.null_count > 20 and found.type == pa.large_string()


@pytest.mark.parametrize("make", [list, pa.array, pandas.Series, polars.Series, iter,
                                  lambda texts: pa.table({"text": texts})])
def test_kinds(texts, make):
    found = nd.tlsh(make(texts), nulls="skip")
    assert found.to_pylist() == [text and nd.tlsh(text) for text in texts[:-4]] + [None] * 4


def distances(digests, others, **options):
    return {(a, b): nd.tlsh_distance(digests[a], others[b], **options)
            for a in range(len(digests)) for b in range(len(others)) if digests[a] and others[b]}


@pytest.mark.parametrize("buckets, checksum", VARIANTS)
@pytest.mark.parametrize("length", [True, False])
@pytest.mark.parametrize("threads", [1, 3, 300])
def test_search(texts, buckets, checksum, length, threads):
    options = {"buckets": buckets, "checksum": checksum}
    digests = nd.tlsh(texts, nulls="skip", **options).to_pylist()[:150]
    others = nd.tlsh(make_documents(8, 40) + texts[:20], **options).to_pylist()
    index = nd.TlshIndex(digests)
    assert len(index) == sum(map(bool, digests))
    pairs, both = distances(digests, digests, length=length), distances(others, digests, length=length)
    for k in (0, 60, 200):
        joined = index.join(k, length=length, threads=threads)
        assert [tuple(row.values()) for row in joined.to_pylist()] == sorted(
            (a, b, distance) for (a, b), distance in pairs.items() if a < b and distance <= k)
        expected = sorted((a, distance, b) for (a, b), distance in both.items() if distance <= k)
        found = index.query(others, k, length=length, threads=threads)
        assert [(row["query"], row["distance"], row["id"]) for row in found.to_pylist()] == expected
        assert index.join(k, other=others, length=length).num_rows == len(expected)
        for row, digest in enumerate(others):
            if digest:
                assert [(row, m.distance, m.id) for m in index.query(digest, k, length=length)] == [
                    each for each in expected if each[0] == row]
    assert joined.num_rows > 30 and found.num_rows > 20


@pytest.mark.parametrize("make", [
    list, np.array, pa.array, pandas.Series, polars.Series, iter, lambda digests: pa.chunked_array(
        [digests[:3], digests[3:]]), lambda digests: pa.array([None, *digests])[1:],
    lambda digests: pa.array(digests, pa.string_view())])
def test_digests_of_any_kind(texts, make):
    digests = [digest for digest in nd.tlsh(texts, nulls="skip").to_pylist() if digest][:30]
    index = nd.TlshIndex(make(digests), [f"d{row}" for row in range(30)])
    expected = nd.TlshIndex(digests).query(digests, 100)
    found = index.query(make(digests), 100)
    assert found["id"].to_pylist() == [f"d{row}" for row in expected["id"].to_pylist()]
    assert found.drop_columns("id") == expected.drop_columns("id")
    assert index.query(digests[3], 0) == [nd.TlshMatch("d3", 0, digests[3])]
    again = pickle.loads(pickle.dumps(index))
    assert again.join(200) == index.join(200) and repr(again) == "TlshIndex(30 digests)"


def test_rows_without_a_digest(texts):
    different = [texts[row] for row in (0, 1, 3, 4, 6, 7, 9, 10, 12)]
    digests = [None, *nd.tlsh(different).to_pylist(), None]
    rows = [row for row, digest in enumerate(digests) if digest]
    for ids in (None, np.arange(11) * 10):
        index = nd.TlshIndex(digests, ids)
        found = index.query(digests, 0)
        assert found["query"].to_pylist() == rows
        assert found["id"].to_pylist() == [row if ids is None else 10 * row for row in rows]
    empty = nd.TlshIndex([None])
    assert len(empty) == 0 and empty.join(2000).num_rows == 0
    assert empty.query(digests[rows[0]], 2000) == [] and empty.query([], 5).num_rows == 0
    assert nd.tlsh([]).to_pylist() == []
    other = nd.tlsh(texts[0] * 9, buckets=256)
    assert nd.TlshIndex(digests).query(other, 9999) == []


GOOD = "T18AA02202E38C0B3280A2802E03AFC08C030008FAC80C0A00CCCAF20A8B8202C82B20A0"


@pytest.mark.parametrize("call, kind, message", [
    (lambda: nd.tlsh(5), TypeError, "documents must be"),
    (lambda: nd.tlsh("a\ud800"), nd.InputError, "text: character 1 is a lone surrogate"),
    (lambda: nd.tlsh("a", buckets=64), nd.ArgumentError, "buckets must be 128 or 256, not 64"),
    (lambda: nd.tlsh(["a"], checksum=2), nd.ArgumentError, "checksum must be 1 or 3 bytes, not 2"),
    (lambda: nd.tlsh(["a", None]), nd.InputError, "row 1: the text is null"),
    (lambda: nd.tlsh_distance(GOOD, "T1"), nd.InputError, "b: "),
    (lambda: nd.tlsh_distance(None, GOOD), TypeError, "a must be a str, not NoneType"),
    (lambda: nd.tlsh_distance(GOOD, "T1" + "A" * 74), nd.ArgumentError, "different variants"),
    (lambda: nd.TlshIndex([GOOD, "x"]), nd.InputError, "digest 1: "),
    (lambda: nd.TlshIndex([GOOD, "A" * 74]), nd.ArgumentError, "one variant"),
    (lambda: nd.TlshIndex([5]), nd.InputError, "digest 0: "),
    (lambda: nd.TlshIndex([GOOD, 5]), nd.ArgumentError, "digests must all be of one type"),
    (lambda: nd.TlshIndex([[GOOD]]), nd.ArgumentError, "digests must be str"),
    (lambda: nd.TlshIndex([GOOD], ["a", "b"]), nd.ArgumentError, "1 digests and 2 ids"),
    (lambda: nd.TlshIndex([GOOD]).query(GOOD, -1), nd.ArgumentError, "k must be 0 to"),
    (lambda: nd.TlshIndex([GOOD]).query("x", 1), nd.InputError, "digest 0: "),
    (lambda: nd.TlshIndex([GOOD]).join(1, other=["x"]), nd.InputError, "digest 0: ")])
def test_refusals(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_progress_and_threads(texts):
    digests = nd.tlsh(texts, nulls="skip").to_pylist()
    index = nd.TlshIndex(digests)
    seen = []
    index.join(100, progress=lambda *step: seen.append(step))
    assert seen[-1][2] == len(index)
    with pytest.raises(ZeroDivisionError):
        index.join(100, progress=lambda *_: 1 // 0)
    rng = random.Random(1)
    expected = index.query(digests, 80)
    wrong = []

    def ask():
        for _ in range(20):
            row = rng.randrange(200)
            if digests[row] and [m.id for m in index.query(digests[row], 80)] != [
                    found["id"] for found in expected.to_pylist() if found["query"] == row]:
                wrong.append(row)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
