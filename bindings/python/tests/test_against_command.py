"""The package gives the answers of the command, whatever the options."""

import json

import numpy as np
import pyarrow as pa
import pytest

import neardup as nd

from conftest import make_documents

OPTIONS = [
    {},
    {"threshold": 0.5},
    {"threshold": 0.6, "recall": 0.9, "perms": 64},
    {"analyzer": "chars", "ngram": 7},
    {"ngram": 1, "seed": 99},
    {"keep": "longest"},
    {"keep": "max:n"},
    {"keep": "min:n"},
    {"threshold": 0.5, "group": "component"},
    {"verify": "none"},
    {"sketch": "simhash"},
    {"sketch": "simhash", "k": 12, "weights": "tf", "ngram": 2, "verify": "cosine"},
    {"sketch": "simhash", "verify": "none", "bits": 128},
    {"sketch": "sentences", "sentences": 2},
    {"sketch": "tlsh", "threshold": 0.5},
    {"sketch": "tlsh", "verify": "none", "distance": 40},
    {"threads": 1},
    {"max_compare": 3},
    {"measure": "containment"},
    {"measure": "containment", "threshold": 0.5, "keep": "longest"},
    {"preset": "noisy"},
    {"preset": "short", "ngram": 5},
    {"differ_by": ["numbers", "w1,w2"], "threshold": 0.5},
]


def flags(options):
    words = []
    for name, value in options.items():
        if name == "sketch" and value == "sentences":
            value = f"sentences:{options['sentences']}"
        if name == "differ_by":
            words += [word for one in value for word in ("--differ-by", one)]
        elif name != "sentences":
            words += ["--" + name.replace("_", "-"), str(value)]
    return words


def read_table(path):
    lines = path.read_text().splitlines()
    names = lines[0].lstrip("#").split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:]]


@pytest.fixture(scope="module")
def table(documents):
    return pa.table({"id": [f"d{row}" for row in range(len(documents))], "text": documents,
                     "n": [row * 7 % 50 for row in range(len(documents))]})


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: ",".join(map(str, o.values())) or "none")
def test_dedup(table, jsonl, command, tmp_path, options):
    command("dedup", jsonl, "-q", "-o", tmp_path / "kept", "--removed", tmp_path / "removed",
            "--clusters", tmp_path / "clusters", *flags(options))
    kept = [json.loads(line)["id"] for line in (tmp_path / "kept").read_text().splitlines()]
    removed = read_table(tmp_path / "removed")
    clusters = {row["id"]: row["cluster"] for row in read_table(tmp_path / "clusters")}
    for data in (table, jsonl):
        result = nd.dedup(data, **options)
        assert result.summary.kept == len(kept)
        assert len(result) == len(table) == len(result.kept)
        ids = np.array(table.column("id").to_pylist())
        assert ids[result.kept].tolist() == kept
        found = result.removed.to_pylist()
        assert [(row["id"], row["kept_id"]) for row in found] == [
            (row["id"], row["kept"]) for row in removed]
        measure = next(name for name in ("jaccard", "containment", "cosine", "distance")
                       if name in found[0])
        for mine, its in zip(found, removed):
            assert float(its[measure]) == pytest.approx(mine[measure], abs=1e-6)
        assert result.kept_id.to_pylist() == [clusters[id] for id in ids]
        groups = {}
        for id, number in zip(ids, result.cluster.tolist()):
            groups.setdefault(number, clusters[id])
            assert groups[number] == clusters[id]
        assert sorted(groups) == list(range(len(kept)))
    assert result.removed.num_rows > 20


@pytest.mark.parametrize("options", [o for o in OPTIONS if not {"keep", "group"} & set(o)],
                         ids=lambda o: ",".join(map(str, o.values())) or "none")
def test_pairs(table, jsonl, command, tmp_path, options):
    command("pairs", jsonl, "-q", "-o", tmp_path / "pairs", *flags(options))
    expected = [(row["id_a"], row["id_b"]) for row in read_table(tmp_path / "pairs")]
    for data in (table, jsonl):
        found = nd.pairs(data, **options)
        assert list(zip(found.column("id_a").to_pylist(),
                        found.column("id_b").to_pylist())) == expected
    assert len(expected) > 20


@pytest.mark.parametrize("options", [
    {}, {"sample": 60, "sample_seed": 5}, {"recall": 0.5, "perms": 40}, {"verify": "none"},
    {"recall": 0.5, "perms": 40, "threshold": 0.5, "group": "component", "sample": 100},
    {"sketch": "simhash", "verify": "none", "k": 1},
    {"sketch": "tlsh", "distance": 20}, {"keep": "max:n", "protect": "id=d3"},
    {"measure": "containment", "max_compare": 1},
    {"measure": "containment", "sample": 60, "threshold": 0.5}],
    ids=lambda o: ",".join(map(str, o.values())) or "none")
def test_audit(table, jsonl, command, tmp_path, options):
    its = json.loads(command("audit", jsonl, "-q", "--json", "--missed", tmp_path / "missed",
                             *flags(options)))
    missed = read_table(tmp_path / "missed")
    for data in (table, jsonl):
        mine = nd.audit(data, **options)
        for name in ("documents", "sampled", "true_pairs", "copies", "found", "missed", "removed",
                     "wrong", "kept", "left", "bounded_comparisons"):
            assert getattr(mine, name) == its[name]
        for name in ("recall", "precision", "clean"):
            assert list(getattr(mine, name)) == pytest.approx(
                [its[name], its[name + "_low"], its[name + "_high"]], abs=1e-6)
        assert mine.promised == pytest.approx(its.get("promised", 0), abs=1e-6)
        assert [(row["id_a"], row["id_b"], row["pairs"], row["remains"], row["union"])
                for row in mine.missed_pairs.to_pylist()] == [
            (row["id_a"], row["id_b"], int(row["pairs"]), row["remains"] == "1",
             int(row["union"])) for row in missed]
        measure = options.get("measure", "jaccard")
        assert mine.missed_pairs[measure].to_pylist() == pytest.approx(
            [float(row[measure]) for row in missed], abs=1e-6)
        assert f"{mine.missed:,} pairs missed" in repr(mine) and "recall" in mine._repr_html_()
    assert mine.true_pairs > 10 and mine.summary.documents == len(table)
    if options == {"recall": 0.5, "perms": 40} or {"k", "max_compare"} & set(options):
        assert missed


def test_index(table, jsonl, command, tmp_path):
    """An index that the package makes is the one that the command makes, file by file."""
    command("index", "create", tmp_path / "by_command", "--threshold", "0.6")
    command("index", "add", tmp_path / "by_command", jsonl, "-q")
    with nd.Index.create(tmp_path / "by_package", threshold=0.6) as index:
        assert index.add(table).summary.kept == len(index)
        queries = make_documents(2, 50) + table.column("text").to_pylist()[::5]
        found = index.query(queries)
        for row, text in enumerate(queries):
            matches = index.query(text)
            assert [m.id for m in matches] == [
                r["id"] for r in found.to_pylist() if r["query"] == row]
            assert index.query(text, kind="best") == matches[:1]
    asked = tmp_path / "queries.jsonl"
    asked.write_text("".join(json.dumps({"id": str(row), "text": text}) + "\n"
                             for row, text in enumerate(queries)))
    rows = []
    for line in command("index", "query", tmp_path / "by_package", asked, "-q",
                        "--json").splitlines():
        answer = json.loads(line)
        rows += [(answer["id"], m["id"], m["jaccard"]) for m in answer["matches"]]
    assert [row[:2] for row in rows] == [(str(r["query"]), r["id"]) for r in found.to_pylist()]
    assert [row[2] for row in rows] == pytest.approx(found["jaccard"].to_pylist(), abs=1e-6)
    assert rows
    info = [command("index", "info", tmp_path / name) for name in ("by_command", "by_package")]
    assert [line for line in info[0].splitlines() if "documents" in line] == [
        line for line in info[1].splitlines() if "documents" in line]


def test_fingerprints(documents, jsonl, command, tmp_path):
    for bits, dtype in ((16, np.uint64), (32, np.uint64), (64, np.uint64), (128, np.uint64)):
        lines = command("simhash", jsonl, "--bits", bits, "-q").splitlines()
        expected = [int(line.split("\t")[1], 16) for line in lines]
        found = nd.SimHash(bits=bits).fingerprints(documents)
        assert found.dtype == dtype and found.shape == ((400, 2) if bits == 128 else (400,))
        if bits == 128:
            found = [int(low) | int(high) << 64 for low, high in found]
        assert [int(number) for number in found] == expected


def test_hamming(documents, command, tmp_path):
    prints = nd.SimHash().fingerprints(documents)
    ids = [f"d{row}" for row in range(len(prints))]
    table = tmp_path / "prints"
    table.write_text("".join(f"{id}\t{number:016x}\n" for id, number in zip(ids, prints)))
    joined = [line.split("\t") for line in
              command("hamming", "join", table, "-k", 8, "-q").splitlines()[1:]]
    for path in (None, tmp_path / "index"):
        with nd.HammingIndex.build(prints, ids, k=8, path=path) as index:
            found = index.join()
            assert [list(map(str, row.values())) for row in found.to_pylist()] == joined
            pairs = index.query(prints)
            assert pairs.num_rows == 2 * len(joined) + len(prints)
            others = index.join(other=prints[100:])
            assert sorted(zip(others["id_b"].to_pylist(), others["id_a"].to_pylist())) == sorted(
                (row["query"] - 100, row["id"]) for row in pairs.to_pylist() if row["query"] >= 100)
            for row in range(0, len(prints), 37):
                nearest = index.nearest(int(prints[row]), limit=3)
                assert nearest[0].distance == 0 and nearest[0].fingerprint == int(prints[row])
                assert index.count(int(prints[row])) == len(index.query(int(prints[row])))
    assert len(joined) > 20


def test_stream(table, jsonl, command, tmp_path):
    lines = command("stream", jsonl, "--state", tmp_path / "by_command", "--threshold", "0.5",
                    "-q").splitlines()
    expected = [(answer["id"], answer["cluster"]) for answer in map(json.loads, lines)]
    with nd.Stream(tmp_path / "by_package", threshold=0.5) as stream:
        found = stream.add_all(table)
        assert list(zip(found["id"].to_pylist(), found["cluster"].to_pylist())) == expected
        clusters = stream.clusters(least=2, topics=3, members=True).to_pylist()
        assert sum(c["size"] for c in stream.clusters().to_pylist()) == len(stream) == len(table)
        assert all(len(c["members"]) == c["size"] for c in clusters) and clusters
    with nd.Stream(tmp_path / "one_by_one", threshold=0.5, topics=3) as stream:
        answers = [stream.add(row["id"], row["text"]) for row in table.to_pylist()]
        assert [(a.id, a.cluster) for a in answers] == expected


def test_keywords_and_idf(documents, jsonl, command, tmp_path):
    expected = command("idf", jsonl, "-q", "-o", tmp_path / "idf") or (tmp_path / "idf").read_text()
    found = nd.idf(documents, output=tmp_path / "mine")
    assert (tmp_path / "mine").read_text() == expected
    assert found.num_rows > 200
    lines = command("keywords", jsonl, "-q", "--top", 5, "--weights",
                    f"tfidf:{tmp_path / 'idf'}").splitlines()
    lists = nd.keywords(documents, top=5).to_pylist()
    for line, mine in zip(lines, lists):
        its = json.loads(line)["keywords"]
        assert [k["term"] for k in mine] == [term for term, _ in its]
        assert [k["weight"] for k in mine] == pytest.approx([weight for _, weight in its], abs=1e-4)


def test_passages(documents, command, tmp_path):
    queries, sources = documents[:40], documents[40:]
    for name, texts in (("queries", queries), ("sources", sources)):
        (tmp_path / name).write_text("".join(json.dumps({"id": str(row), "text": text}) + "\n"
                                             for row, text in enumerate(texts)))
    lines = command("passages", tmp_path / "queries", "--in", tmp_path / "sources", "-q",
                    "--json").splitlines()
    found = nd.passages(queries, sources).to_pylist()
    by_path = nd.passages(queries, tmp_path / "sources").to_pylist()
    assert [{**row, "source": str(row["source"])} for row in found] == by_path
    assert len(found) == len(lines) > 5


def test_compare(documents, command, tmp_path):
    for a, b in ((0, 2), (3, 5), (1, 4)):
        for name, text in (("a", documents[a]), ("b", documents[b])):
            (tmp_path / name).write_text(text)
        expected = json.loads(command("compare", tmp_path / "a", tmp_path / "b", "--json"))
        found = nd.compare(documents[a], documents[b])
        for name in ("jaccard", "containment", "a_in_b", "b_in_a", "cosine_tf", "minhash_estimate",
                     "bottom_k_jaccard", "distance", "bands", "rows", "intersection", "union",
                     "found"):
            assert getattr(found, name) == expected[name], name
        assert found.anchors == found.least_anchors == 0
        assert found.a["simhash"] == expected["a"]["simhash"]
        assert nd.jaccard(documents[a], documents[b]) == found.jaccard
        assert nd.containment(documents[a], documents[b]) == found.containment
        assert nd.cosine(documents[a], documents[b]) == found.cosine_tf
        assert [documents[a][p.a_begin:p.a_end] for p in found.passages] == [
            p["a"]["text"] for p in expected["passages"]]


@pytest.mark.parametrize("threshold", [0.4, 0.5, 0.8])
def test_compare_by_containment(documents, command, tmp_path, threshold):
    """Of a text that is half in the other one, of one that is in it, and of small sets."""
    whole = " ".join(documents[:30])
    words = whole.split()
    sure = []
    for other in (" ".join(documents[20:50]), " ".join(documents[:12]),
                  " ".join([*words[:22], *map(str, range(8))]), documents[0], "other"):
        for name, text in (("a", whole), ("b", other)):
            (tmp_path / name).write_text(text)
        its = json.loads(command("compare", tmp_path / "a", tmp_path / "b", "--json", "--measure",
                                 "containment", "--threshold", threshold))
        mine = nd.compare(whole, other, measure="containment", threshold=threshold)
        for name in ("containment", "anchors", "least_anchors", "found"):
            assert getattr(mine, name) == its[name], name
        assert (mine.bands, mine.rows) == (0, 0) and "anchors" in mine._repr_html_()
        sure.append(mine.found in (0, 1))
    assert sure == [False, True, True, True, True]


@pytest.mark.parametrize("options", [
    {}, {"threshold": 0.6, "perms": 200}, {"measure": "containment"},
    {"measure": "containment", "threshold": 0.3, "recall": 0.95}])
def test_plan(command, options):
    its = json.loads(command("plan", "--json", *flags(options)))
    mine = nd.plan(**options)
    for name in ("bands", "rows", "perms", "anchors", "least_anchors"):
        assert getattr(mine, name) == its.get(name, 0), name
    similarities = [step["similarity"] for step in its["curve"]]
    assert mine.probability(similarities).tolist() == pytest.approx(
        [step["found"] for step in its["curve"]], abs=1e-8)
    assert mine.probability(mine.threshold) == pytest.approx(its["found_at_threshold"], abs=1e-8)
