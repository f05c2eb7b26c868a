"""Results look as a person expects, and single calls work in every way of calling them."""

import pickle
import random
import re

import numpy as np
import pyarrow as pa
import pytest

import neardup as nd

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

A = "the cat sat on the mat, and the dog lay by the door of the old house all day long"
B = "the cat sat on a mat; and the dog lay by the door of the old house all night long"


def test_comparison():
    c = nd.compare(A, B, least_run=4, gap=0)
    assert [A[p.a_begin:p.a_end] for p in c.passages] == [
        "the cat sat on", "mat, and the dog lay by the door of the old house all"]
    assert c.differences == [nd.Difference("the", "a"), nd.Difference("day", "night")]
    page = c._repr_html_()
    assert page.count("<mark") == 4 and ">night</mark>" in page and "jaccard" in page
    text = re.sub("<[^>]*>", "", page)
    assert A in text and B in text
    assert nd.compare("", "").jaccard == 1 and nd.compare("a<b>", "&")._repr_html_()


def longest_common(a, b):
    """The length of the longest common subsequence: the table of Wagner and Fischer (1974)."""
    row = [0] * (len(b) + 1)
    for x in a:
        above = row[:]
        for j, y in enumerate(b):
            row[j + 1] = above[j] + 1 if x == y else max(above[j + 1], row[j])
    return row[-1]


def test_differences_are_the_fewest():
    words = ["a", "b", "the", "水", "火", "été", "ไทย", "🙂", "।", "x-y"]
    choose = random.Random(1)
    for _ in range(300):
        a, b = (choose.choice([" ", "", ", "]).join(choose.choices(words, k=choose.randint(0, 12)))
                for _ in "ab")
        c = nd.compare(a, b, ngram=1, bottom_k=2, perms=1, recall=0.5)
        outside = []
        for side, text in enumerate((a, b)):
            spans = [span[2 * side:2 * side + 2] for span in c._differences.spans]
            outside.append([token for token, begin, end in nd.tokens(text, spans=True)
                            if not any(x <= begin and end <= y for x, y in spans)])
            assert [d[side] for d in c.differences] == [text[x:y] for x, y in spans]
        assert outside[0] == outside[1]
        both = [nd.tokens(text) for text in (a, b)]
        most = longest_common(*both)
        assert len(outside[0]) == most
        assert c.same == (2 * most / sum(map(len, both)) if any(both) else 1)


def test_differences_by_characters_and_in_long_texts():
    c = nd.compare("他每天早上去公园跑步然后回家吃饭", "他每天晚上去公园跑步然后回家吃饭")
    assert c.differences == [("早", "晚")] and c.same == 15 / 16
    long = [f"w{i}" for i in range(200_000)]
    other = long[:100] + ["new"] + long[100:]
    c = nd.compare(" ".join(long), " ".join(other), perms=1, recall=0.5)
    assert c.differences == [("", "new")]


def test_spans_are_positions_in_the_str():
    text = "Ä 深圳 🙂 été"
    for token, begin, end in nd.tokens(text, spans=True):
        assert nd.tokens(text[begin:end]) == [token]
    c = nd.compare("🙂 äöü one two three four", "x äöü one two three four", least_run=3)
    passage, = c.passages
    assert c.text_a[passage.a_begin:passage.a_end] == "äöü one two three four"
    assert c.text_b[passage.b_begin:passage.b_end] == "äöü one two three four"


def test_representations(tmp_path):
    result = nd.dedup([A, A, B, "x"] + ["y"] * 20)
    assert repr(result).startswith("Dedup(24 documents: 4 kept, 20 removed)")
    assert result._repr_html_().count("<tr>") == 11 and "first 10 of 20" in result._repr_html_()
    assert "removed=20" in repr(result.summary)
    index = nd.Index()
    index.add([("a", A)])
    assert repr(index) == "Index(in memory: 1 documents, threshold 0.8, words, ngram 5)"
    assert "<table>" in index._repr_html_()
    prints = nd.HammingIndex.build(np.array([5], np.uint64))
    assert repr(prints) == "HammingIndex(in memory: 1 fingerprints of 64 bits, k 3)"
    stream = nd.Stream(tmp_path)
    stream.add("a", A)
    assert repr(stream).endswith(": 1 documents in 1 clusters, minhash)")
    assert "<table>" in stream._repr_html_()
    assert repr(nd.plan()).startswith("Plan(25 bands of 5 rows")
    assert "perms=128" in repr(nd.MinHash()) and "bits=64" in repr(nd.SimHash())


@pytest.mark.parametrize("make", [
    list, pa.array, pandas.Series, polars.Series, lambda texts: pa.table({"text": texts}),
    lambda texts: pandas.DataFrame({"id": ["a", "b", "c"], "text": texts}),
    lambda texts: polars.DataFrame({"text": texts}), lambda texts: {"text": texts},
    lambda texts: list(zip("abc", texts)), lambda texts: [{"text": text} for text in texts]])
def test_why(make):
    result = nd.dedup(make([A, "<i>", A.upper()]), ngram=3)
    why = result.why(2)
    assert (why.text_a, why.text_b, why.jaccard) == (A.upper(), A, 1)
    assert why.union == len(set(zip(*(nd.tokens(A)[i:] for i in range(3)))))
    page = result._repr_html_()
    assert A[:60] in page and A.upper()[:60] in page and "<i>" not in page
    for row, message in ((0, "row 0 stays"), (3, "row must be 0 to 2"), (-1, "row must be")):
        with pytest.raises(nd.ArgumentError, match=message):
            result.why(row)


def test_why_by_containment():
    texts = [" ".join(f"w{i}" for i in range(200)), " ".join(f"w{i}" for i in range(60, 160))]
    why = nd.dedup(texts, measure="containment").why(1)
    assert why.containment == why.found == 1 and why.anchors == 64 and why.jaccard < 0.5


def test_why_without_texts():
    with pytest.raises(nd.ArgumentError, match="generator"):
        nd.dedup(iter([A, A])).why(1)
    index = nd.Index()
    index.add([("a", A)])
    added = index.add([("b", A)])
    with pytest.raises(nd.ArgumentError, match="row 0 duplicates 'a' of the index"):
        added.why(0)
    assert A[:60] in added._repr_html_()


def test_plan():
    p = nd.plan(0.7, 0.99, 256)
    assert p.probability(0.7) >= 0.99 and p.bands * p.rows <= 256
    curve = p.probability(np.array([[0.1, 0.5], [0.7, 0.9]]))
    assert curve.shape == (2, 2) and (np.diff(curve.ravel()) > 0).all()
    pyplot = pytest.importorskip("matplotlib").use("Agg") or pytest.importorskip("matplotlib.pyplot")
    axes = p.plot()
    assert axes.get_xlabel() == "Jaccard similarity"
    axes = nd.plan(0.7, measure="containment").plot()
    assert axes.get_xlabel() == "containment" and axes.get_title() == "33 of 64 anchors"
    pyplot.close("all")


def test_dedup_with_index(tmp_path):
    first = nd.dedup([("a", A), ("x", "something else")], index=tmp_path / "index", threshold=0.7)
    assert first.summary.kept == 2
    again = nd.dedup([("b", A), ("c", "new"), ("d", "New!")], index=tmp_path / "index",
                     threshold=0.7)
    assert again.kept.tolist() == [False, True, False]
    assert again.kept_id.to_pylist() == ["a", "c", "c"] and again.kept_row.tolist() == [-1, 1, 1]
    assert again.cluster.tolist() == [0, 1, 1]
    assert again.removed.select(["row", "id", "kept_row", "kept_id"]).to_pylist() == [
        {"row": 0, "id": "b", "kept_row": None, "kept_id": "a"},
        {"row": 2, "id": "d", "kept_row": 1, "kept_id": "c"}]
    with nd.Index.open(tmp_path / "index") as index:
        assert len(index) == 3
        assert index.remove(["a", "nobody", "c"]) == 2 and index.remove("x") == 1
        index.compact()
        index.check()
        assert index.info["documents"] == index.info["removed"] == 0
        assert index.add_unless_duplicate("a", A) is None
        evidence = index.add_unless_duplicate("b", A.upper())
        assert evidence.id == "a" and evidence.similarity == 1 and not evidence.estimated
        assert index.add_unless_duplicate("a", "replaced", replace=True) is None
        assert index.query(A) == [] and index.query("replaced")[0] == ("a", 1.0, 1, 1, False)
    with nd.Index.open(tmp_path / "index", read_only=True) as index:
        copy = pickle.loads(pickle.dumps(index))
        assert copy.query("replaced") == index.query("replaced") and len(copy) == 1


def test_hamming():
    values = np.array([0, 1, 3, 7, 1 << 40], np.uint64)
    index = nd.HammingIndex.build(values, k=2)
    assert [tuple(near) for near in index.query(0)] == [(0, 0, 0), (1, 1, 1), (4, 1, 1 << 40),
                                                        (2, 2, 3)]
    named = nd.HammingIndex.build(values[1:3], pandas.Series(
        pa.chunked_array([["x", "a", "bb"]]).slice(1).to_pandas(types_mapper=pandas.ArrowDtype)))
    assert [near.id for near in named.query(1)] == ["a", "bb"]
    assert index.query(values).num_rows == sum(len(index.query(int(v))) for v in values)
    assert index.count(values).tolist() == [index.count(int(v)) for v in values]
    groups = index.groups(k=1)
    assert sorted(zip(groups["id"].to_pylist(), groups["group"].to_pylist())) == [
        (0, 0), (1, 0), (2, 0), (3, 0), (4, 0)]
    index.add(np.array([15], np.uint64))
    assert len(index) == 6 and index.nearest(15)[0].id == 5
    assert index.remove([5, 77]) == 1 and len(index) == 5
    wide = nd.HammingIndex.build(np.array([[1, 2], [1, 3]], np.uint64), ["a", "b"])
    assert wide.bits == 128 and wide.query(1 | 2 << 64, k=0)[0].fingerprint == 1 | 2 << 64
    wide.add(np.array([[1, 2]], np.uint64), ["a"], replace=True)
    assert len(wide) == 2
    assert nd.HammingIndex.build([1, 2**63 + 1]).query(2**63)[0].distance == 1
    assert nd.SimHash().distance(values, values[::-1]).tolist() == [1, 2, 0, 2, 1]
    assert nd.SimHash(128).distance([1, 2], [3, 0]) == 2


def test_stream(tmp_path):
    with nd.Stream(tmp_path / "s", sketch="simhash", k=6, mode="follow", topics=3,
                   expire=100) as stream:
        stream.add("other", "something quite different, of which nothing is told below", time=1)
        first = stream.add("a", A, time=5)
        assert first.is_new and first.cluster == "a"
        assert stream.add("a", A, time=5).again
        near = stream.add("b", A + " and", time=50.5)
        assert near.cluster == "a" and not near.is_new and near.distance <= 6
        assert near.topics and all(weight > 0 for _, weight in near.topics)
        assert stream.add("c", A, time=1000).is_new
        assert stream.info["clock"] == 1000 and stream.info["mode"] == "follow"
    with nd.Stream(tmp_path / "s", read_only=True) as reader:
        assert len(reader) == 4 and reader.info["k"] == 6
        assert reader.clusters()["cluster"].to_pylist() == ["c"]
    with pytest.raises(nd.ArgumentError, match="this stream was made with"):
        nd.Stream(tmp_path / "s", sketch="simhash", k=4)


def test_keywords():
    found = nd.keywords([A, None, "a new word"], top=2, nulls="skip")
    assert found.type == pa.list_(pa.struct([("term", pa.large_string()),
                                             ("weight", pa.float64())]))
    assert found[1].as_py() is None and len(found[0].as_py()) == 2
