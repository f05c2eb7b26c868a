"""The sample of compared pairs is that of the command, and has the texts of its documents."""

import gzip
import json
import re

import pyarrow as pa
import pytest

import neardup as nd

WORDS = [f"w{i}" for i in range(60)]


def changed(*places):
    return " ".join("new" if i in places else word for i, word in enumerate(WORDS))


TEXTS = [changed(), changed(30), changed(), None, changed(9, 29), changed(9, 29, 49), "else", ""]


@pytest.mark.parametrize("options", [
    {}, {"threshold": 0.5}, {"analyzer": "chars", "ngram": 7}, {"keep": "longest"},
    {"group": "component", "threshold": 0.6}, {"verify": "none"}, {"sketch": "sentences"},
    {"sketch": "simhash", "verify": "cosine", "k": 12}, {"sketch": "simhash", "verify": "none"}],
    ids=lambda o: ",".join(map(str, o.values())) or "none")
def test_all_pairs_of_the_command(documents, jsonl, command, tmp_path, options):
    flags = [word for name, value in options.items() for word in (
        f"--{name}", "sentences:3" if value == "sentences" else str(value))]
    command("dedup", jsonl, "-q", "-o", tmp_path / "kept", "--review", tmp_path / "review", *flags)
    lines = [line.split("\t") for line in (tmp_path / "review").read_text().splitlines()]
    texts = {str(json.loads(line)["id"]): json.loads(line)["text"]
             for line in jsonl.read_text().splitlines()}
    ids = list(texts)
    for data in (jsonl, pa.table({"id": ids, "text": list(texts.values())})):
        review = nd.dedup(data, **options).review(100_000)
        assert [(p.a, p.b, p.value, p.verdict, p.pairs) for p in review] == [
            (a, b, float(value), verdict, int(pairs))
            for a, b, value, verdict, pairs, *_ in lines[1:]]
        for pair in review:
            assert (pair.text_a, pair.text_b) == (texts[pair.a], texts[pair.b])
            assert pair.measure == lines[0][2]
            if pair.verdict == "copy" and "chars" not in options.values():
                assert pair.differences == [] and pair.same == 1
            elif pair.verdict != "copy" and pair.measure == "jaccard" and pair.value < 1:
                assert pair.differences
    assert len(review) >= 20


def test_rows_and_differences():
    result = nd.dedup(TEXTS, nulls="skip")
    review = result.review()
    assert [(p.verdict, p.a, p.b) for p in review] == [
        ("duplicate", 0, 1), ("duplicate", 4, 5), ("rejected", 0, 4), ("rejected", 1, 4),
        ("rejected", 0, 5), ("copy", 0, 2)]
    for pair in review:
        assert pair.text_a == TEXTS[pair.a] and pair.text_b == TEXTS[pair.b]
        mine = nd.compare(pair.text_a, pair.text_b)
        assert pair.differences == mine.differences and pair.same == mine.same
        if pair.measure == "jaccard":
            assert pair.value == pytest.approx(mine.jaccard, abs=1e-6)
    first = review[0]
    assert repr(first) == ("ReviewPair(duplicate, jaccard=0.836, a=0, b=1, 1 differences: "
                           "'w30' -> 'new')")
    assert repr(review).splitlines()[1] == repr(first)
    page = review._repr_html_()
    assert page.count("<table") == len(review) and ">w30</mark>" in page
    text = re.sub("<[^>]*>", "", first._repr_html_())
    assert TEXTS[0] in text and TEXTS[1] in text
    assert isinstance(review[1:], nd.Review) and len(review[1:]) == len(review) - 1


def test_the_nearest_ones():
    texts = [" ".join([f"g{g}w{i}" for i in range(40)] + [f"x{g}-{v}-{i}" for i in range(v)])
             for g in range(30) for v in (0, 1 + g)]
    result = nd.dedup(texts, threshold=0.7, recall=0.9999)
    for n in (0, 1, 7, 10, 20, 1000):
        review = result.review(n)
        removed = [p.value for p in review if p.verdict == "duplicate"]
        rejected = [p.value for p in review if p.verdict == "rejected"]
        assert len(review) <= n and removed == sorted(removed)
        assert rejected == sorted(rejected, reverse=True)
        if 1 < n <= 10:
            assert len(rejected) == n // 2 and len(removed) == n - n // 2
    everything = result.review(1000)
    assert min(p.value for p in everything if p.verdict == "duplicate") == result.review(2)[0].value
    assert min(result.similarity) == pytest.approx(result.review(2)[0].value, abs=1e-6)
    with pytest.raises(nd.ArgumentError, match="n must be 0 or more"):
        result.review(-1)
    assert len(nd.dedup([]).review()) == 0 and len(nd.dedup(["a", "b"]).review()) == 0


def test_files(tmp_path):
    """Files that are compressed, several ones, texts of a directory, ids with tabs."""
    lines = [json.dumps({"id": f"a\tb\\{row}\n", "text": text})
             for row, text in enumerate(TEXTS) if text]
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress("\n".join(lines[:2]).encode()))
    (tmp_path / "b.jsonl").write_text("broken\n" + "\n".join(lines[2:]))
    with pytest.warns(nd.DataWarning, match="b.jsonl:1"):
        result = nd.dedup([tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl"], on_error="skip")
        review = result.review(100)
    assert {p.verdict for p in review} == {"duplicate", "rejected", "copy"}
    for pair in review:
        for id, text in ((pair.a, pair.text_a), (pair.b, pair.text_b)):
            assert text == TEXTS[int(re.fullmatch(r"a\tb\\(\d)\n", id)[1])]
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in (("a.txt", TEXTS[0]), ("b.txt", TEXTS[1])):
        (folder / name).write_text(text)
    pair, = nd.dedup(folder).review()
    assert (pair.a, pair.b, pair.text_a, pair.text_b) == ("a.txt", "b.txt", TEXTS[0], TEXTS[1])
    result = nd.dedup(folder)
    (folder / "a.txt").unlink()
    pair, = result.review()
    assert pair.text_b is None and pair.differences is None and pair.same is None
    assert repr(pair).endswith(", without texts)") and "<mark" not in pair._repr_html_()


def test_without_texts():
    pair, = nd.dedup(iter(TEXTS[:2])).review()
    assert (pair.a, pair.b, pair.text_a) == (0, 1, None)
    index = nd.Index()
    index.add([("first", TEXTS[0])])
    pair, = index.add([("x", TEXTS[1])]).review()
    assert (pair.a, pair.b, pair.text_a, pair.text_b) == ("first", "x", None, TEXTS[1])
    reader = pa.table({"id": [7, 8], "text": TEXTS[:2]}).to_reader()
    pair, = nd.dedup(reader).review()
    assert (pair.a, pair.b) == ("7", "8")
    pair, = nd.dedup(pa.table({"id": [7, 8], "text": TEXTS[:2]})).review()
    assert (pair.a, pair.b) == (7, 8)


def test_hostile_texts():
    texts = [f"{changed()} <b>\x1b[31m", f"{changed(3)} <script>\x1b[31m"]
    pair, = nd.dedup(texts, threshold=0.5).review()
    assert "<script>" not in pair._repr_html_() and "\x1b" not in repr(pair)
