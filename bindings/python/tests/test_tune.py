"""What thresholds would remove: the figures and pairs of the command, and what a notebook shows."""

import json
import re

import pyarrow as pa
import pytest

import neardup as nd

from conftest import make_documents
from test_against_command import flags

MEMBERS = ["threshold", "removed", "removed_low", "removed_high", "groups", "groups_low",
           "groups_high", "nearest"]


@pytest.fixture(scope="module")
def table(documents):
    return pa.table({"id": [f"d{row}" for row in range(len(documents))], "text": documents})


def check_run(mine, its):
    for name in ("exact_copies", "sampled_copies"):
        assert getattr(mine, name) == its[name]
    assert mine.steps.num_rows == len(its["steps"]) > 0
    for step, expected in zip(mine.steps.to_pylist()[::-1], its["steps"]):
        assert [step[name] for name in MEMBERS] == pytest.approx(
            [expected[name] for name in MEMBERS], abs=1e-6)
    assert mine.neighbours.num_rows >= sum(mine.steps["nearest"].to_pylist()) > 0


@pytest.mark.parametrize("options", [
    {}, {"lowest": 0.3, "sample": 60}, {"sample": 60, "sample_seed": 5, "threads": 1},
    {"measure": "containment", "lowest": 0.22}, {"analyzer": "chars", "ngram": 7},
    {"ngram": 1, "seed": 99, "lowest": 1 / 3}],
    ids=lambda o: ",".join(map(str, o.values())) or "none")
def test_figures_of_the_command(table, jsonl, command, options):
    its = json.loads(command("tune", jsonl, "-q", "--json", "--beside", "ngram=3", "--beside",
                             "analyzer=chars,ngram=5", *flags(options)))
    for data in (table, jsonl):
        mine = nd.tune(data, beside=[{"ngram": 3}, {"analyzer": "chars", "ngram": 5}], **options)
        assert (mine.documents, mine.sampled) == (its["documents"], its["sampled"])
        check_run(mine, its)
        assert list(mine.beside) == [other["settings"] for other in its["beside"]]
        for other, expected in zip(mine.beside.values(), its["beside"]):
            check_run(other, expected)
        assert mine.summary.documents == len(table)


@pytest.mark.parametrize("options", [{}, {"sample": 100, "lowest": 0.3},
                                     {"measure": "containment"}],
                         ids=lambda o: ",".join(map(str, o.values())) or "none")
def test_examples_and_rows_of_the_command(table, jsonl, command, documents, options):
    lines = command("tune", jsonl, "-q", *flags(options)).splitlines()
    rows = [words_of(line) for line in lines if re.match(" +[01][.]", line)]
    kept, removed = ([line.split()[1] for line in lines if line.startswith(f"  {word} ")]
                     for word in ("kept", "removed"))
    told = [re.search(r"(jaccard|containment) (\S+)  \(one of ([\d,]+)\)", line) for line in lines]
    values = [(found[1], float(found[2]), int(found[3])) for found in told if found]
    for data in (table, jsonl):
        mine = nd.tune(data, **options)
        assert [words_of(line) for line in repr(mine).splitlines()[2:]] == rows
        pairs = mine.examples()
        assert [(pair.a, pair.b) for pair in pairs] == list(zip(kept, removed))
        assert [(pair.measure, pytest.approx(pair.value, abs=1e-3), pair.pairs)
                for pair in pairs] == values
        for pair in mine.examples(3):
            assert pair.text_a == documents[int(pair.a[1:])]
            assert pair.text_b == documents[int(pair.b[1:])]
        assert len(pairs) < len(mine.examples(3)) <= mine.neighbours.num_rows
        assert len(mine.examples(1000)) == sum(mine.steps["nearest"].to_pylist())
        assert len(mine.examples(0)) == 0
    assert len(pairs) > 3


def words_of(line):
    """The figures of a row, without the bar."""
    return [word for word in line.replace("to", " ").split() if re.fullmatch(r"[\d.,]+|%", word)]


def test_neighbours():
    """A plain search for the most similar document before each one."""
    texts = list(dict.fromkeys(make_documents(4, 100)))
    for measure, similarity in (("jaccard", nd.jaccard), ("containment", nd.containment)):
        expected = []
        for b, text in enumerate(texts):
            values = [similarity(other, text, ngram=2) for other in texts[:b]]
            if values and max(values) >= 0.4:
                expected.append((values.index(max(values)), b, max(values)))
        found = nd.tune(texts, measure=measure, ngram=2, lowest=0.4).neighbours
        columns = [found[name].to_pylist() for name in ("id_a", "id_b", measure)]
        assert list(zip(*columns)) == expected
        assert len(expected) > 10


A = "one two three four five six seven eight <b>nine</b> ten"
B = A.replace("ten", "eleven")


def test_notebook():
    tune = nd.tune([A, B, A, "other"], ngram=2, lowest=0.7, beside=[{"ngram": 1}])
    assert repr(tune).splitlines() == [
        "Tune(4 of 4 documents compared with all: 1 exact copies, which every threshold removes)",
        "threshold  removed            95 %  documents  groups  nearest  ngram=1",
        *(f"     {step}   25.0 %  25.0 to 25.0 %          1       1        0   25.0 %"
          for step in ("1.00", "0.95", "0.90", "0.85")),
        "     0.80   50.0 %  50.0 to 50.0 %          2       1        1   50.0 %  " + "█" * 30,
        *(f"     {step}   50.0 %  50.0 to 50.0 %          2       1        0   50.0 %"
          for step in ("0.75", "0.70"))]
    page = tune._repr_html_()
    assert page.count("<tr>") == 8 and "<th>ngram=1</th>" in page
    assert page.count("0, 1, 1 differences: &#x27;ten&#x27; -&gt; &#x27;eleven&#x27;") == 1
    empty = nd.tune([])
    assert empty.documents == 0 and len(empty.examples()) == 0 and empty._repr_html_()
    assert "0.50" in repr(empty)


def test_rows_without_texts_and_ids():
    assert nd.tune([None, A, B], ngram=2, nulls="skip").examples()[0].text_b == B
    pair, = nd.tune(iter([A, B]), ngram=2).examples()
    assert (pair.a, pair.b, pair.text_a) == (0, 1, None)
    pair, = nd.tune(pa.table({"id": [7, 8], "text": [A, B]}).to_reader(), ngram=2).examples()
    assert (pair.a, pair.b, pair.text_a) == ("7", "8", None)
    tune = nd.tune([("x", A), (None, None), ("y", B)][::2], preset="short")
    assert tune.neighbours.to_pylist()[0]["id_b"] == "y"


@pytest.mark.parametrize("options, message", [
    ({"lowest": 0}, "lowest"), ({"lowest": 1.5}, "lowest"), ({"sample": 0}, "sample"),
    ({"measure": "cosine"}, "measure must be"),
    ({"beside": [{"sample": 5}]}, "beside takes preset"), ({"beside": [{}]}, "beside takes"),
    ({"beside": [{"ngram": 0}]}, "ngram"),
    ({"preset": "news", "measure": "containment"}, "preset=\"news\" is not for")])
def test_bad_options(options, message):
    with pytest.raises(nd.ArgumentError, match=message):
        nd.tune([A, B], **options)


def test_other_failures():
    with pytest.raises(nd.ArgumentError, match="read again: .* generator, which is read only once"):
        nd.tune(iter([A, B]), beside=[{"ngram": 3}])
    with pytest.raises(nd.ArgumentError, match="n must be 0 or more"):
        nd.tune([A, B]).examples(-1)
    with pytest.raises(nd.InputError, match="row 1: row 0 has the id"):
        nd.tune([("a", A), ("a", B)])
    with pytest.raises(ZeroDivisionError):
        nd.tune([A] * 3000, progress=lambda *_: 1 // 0)
