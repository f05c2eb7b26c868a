"""The functions on a Spark cluster of a master and two workers, against this process."""

import json
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import PySparkException
from python_pages import GUIDE, run_page
from spark_cluster import Cluster
from test_distributed import corpus, removed_of

import neardup as nd
from neardup import spark_command
from neardup._spark_engine import own_error
from neardup.spark import Files, dedup, hamming_join, pairs, simhash, sketch


pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("spark"))
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def spark(cluster):
    """Adaptive execution would make half as many jobs more, and a task that fails takes its worker
    with it each time: test_worker_killed has adaptive execution and all four attempts."""
    with cluster.session(**{"spark.speculation": "true", "spark.task.maxFailures": "2",
                            "spark.sql.adaptive.enabled": "false"}) as spark:
        yield spark


def named(texts):
    return [f"{number:05}" for number in range(len(texts))]


def frame(spark, texts, partitions):
    return spark.createDataFrame(list(zip(named(texts), texts)), "id string, text string").repartition(
        partitions)


def alone(texts, **options):
    return nd.dedup(pa.table({"id": named(texts), "text": texts}), **options)


def ids_of(df):
    return sorted(row.id for row in df.select("id").collect())


def kept_of(result, texts):
    return [id for id, kept in zip(named(texts), result.kept) if kept]


@pytest.mark.parametrize(("group", "partitions"), [("greedy", 4), ("component", 3)])
def test_same_answers(spark, tmp_path, group, partitions):
    texts = corpus(3, 250)
    expected = alone(texts, group=group)
    found = dedup(frame(spark, texts, partitions), checkpoint=str(tmp_path / "run"), group=group,
                  partitions=partitions)
    kept, removed = found
    table = removed.toArrow()
    assert removed_of(table) == removed_of(expected.removed)
    jaccard = {row["id"]: row["jaccard"] for row in expected.removed.to_pylist()}
    assert {row["id"]: row["jaccard"] for row in table.to_pylist()} == jaccard
    assert ids_of(kept) == kept_of(expected, texts)
    assert found.left_out == 0 and found.rounds > 0


def test_resume_and_against(spark, tmp_path):
    """A run goes on where it died; then tomorrow's rows against it, without its texts."""
    texts = corpus(5, 240)
    first, second = texts[:160], texts[160:]
    index = nd.Index()
    today = nd.dedup(pa.table({"id": named(texts)[:160], "text": first}), index=index)
    tomorrow = nd.dedup(pa.table({"id": named(texts)[160:], "text": second}), index=index)
    df = frame(spark, texts, 3)
    before, after = df.filter("id < '00160'"), df.filter("id >= '00160'")
    folder = tmp_path / "today"
    result = dedup(before, checkpoint=str(folder), partitions=3)
    assert removed_of(result.removed.toArrow()) == removed_of(today.removed)
    files = set(folder.glob("*/*.parquet"))
    for name in ("edges", "removed"):  # not all of the table is there
        (folder / name / "list.json").unlink()
    again = dedup(before, checkpoint=str(folder))
    assert removed_of(again.removed.toArrow()) == removed_of(today.removed)
    assert {path.parent.name for path in files ^ set(folder.glob("*/*.parquet"))} == {
        "edges", "removed"}
    found = dedup(after, checkpoint=str(tmp_path / "tomorrow"), against=str(folder))
    assert removed_of(found.removed.toArrow()) == removed_of(tomorrow.removed)
    assert ids_of(found.kept) == [id for id, kept in zip(named(texts)[160:], tomorrow.kept) if kept]
    other = f"^{folder} has a run with other options: threshold is 0.7, and in that run it is 0.8"
    with pytest.raises(nd.ArgumentError, match=f"{other}; partitions is 2, and in that run it is 3$"):
        dedup(before, checkpoint=str(folder), threshold=0.7, partitions=2)
    with pytest.raises(nd.ArgumentError, match=f"{other}$"):
        dedup(after, checkpoint=str(tmp_path / "other"), against=result, threshold=0.7)
    with pytest.raises(nd.ArgumentError, match="has no finished run"):
        dedup(after, checkpoint=str(tmp_path / "other"), against=str(tmp_path))
    with pytest.raises(nd.InputError, match="id '00000' is in several rows"):
        dedup(df.filter("id = '00000'"), checkpoint=str(tmp_path / "other"), against=result)


def test_pairs(spark, tmp_path):
    texts = corpus(4, 150)
    expected = nd.pairs(pa.table({"id": named(texts), "text": texts}), threshold=0.5)
    found = pairs(frame(spark, texts, 2), checkpoint=str(tmp_path / "run"), threshold=0.5).toArrow()
    names = ["id_a", "id_b", "jaccard", "intersection", "union"]
    assert found.column_names == names
    assert sorted(zip(*(found[name].to_pylist() for name in names))) == sorted(
        zip(*(expected[name].to_pylist() for name in names)))


def test_odd_rows(spark, tmp_path):
    """A partition of one document, empty texts, nulls, a text of 50 MB and its revision."""
    words = np.random.default_rng(1).integers(0, 1 << 40, 4_000_000)
    long = " ".join(map("{:x}".format, words.tolist()))
    assert len(long) > 40e6
    texts = ["", long, None, "?!", long + " more", "short", "short"]
    df = frame(spark, texts, 1).repartitionByRange(len(texts), "id")
    sizes = [len(part) for part in df.select("id").rdd.glom().collect()]
    assert sizes == [1] * len(texts)
    found = dedup(df, checkpoint=str(tmp_path / "run"), nulls="skip", ngram=1)
    expected = alone(texts, nulls="skip", ngram=1)
    assert removed_of(found.removed.toArrow()) == removed_of(expected.removed)
    assert ids_of(found.kept) == kept_of(expected, texts)


def test_bad_rows(spark, tmp_path):
    def run(rows, folder=None, **options):
        df = spark.createDataFrame(rows, "id string, text string, day int")
        folder = tmp_path / (folder or str(time.monotonic_ns()))
        return dedup(df, checkpoint=str(folder), **options)

    with pytest.raises(nd.InputError, match="^id 'b': the text is null; nulls="):
        run([("a", "x", 1), ("b", None, 1)])
    with pytest.raises(nd.InputError, match="^a row has no 'id'"):
        run([("a", "x", 1), (None, "y", 1)])
    with pytest.raises(nd.InputError, match=r"^a row \(id 'b'\) has no 'day'"):
        run([("a", "x", 1), ("b", "y", None)], order_by=["day", "id"])
    with pytest.raises(nd.InputError, match="^id 'b' is in several rows; ids must differ"):
        run([("a", "x", 1), ("b", "y", 1), ("b", "z", 1)])
    with pytest.raises(nd.ArgumentError, match="there is no column 'body'; the columns are 'id'"):
        run([("a", "x", 1)], text="body")
    with pytest.raises(nd.ArgumentError, match="threshold"):
        run([("a", "x", 1)], threshold=1.5)
    with pytest.raises(nd.ArgumentError, match="components need all pairs"):
        run([("a", "x", 1)], group="component", against="somewhere")
    (tmp_path / "mine" / "sketches").mkdir(parents=True)
    with pytest.raises(nd.ArgumentError, match=f"^{tmp_path}/mine has files and no run of neardup"):
        run([("a", "x", 1)], folder="mine")
    assert len([*(tmp_path / "mine").glob("**/*")]) == 1


def test_errors_of_tasks():
    """Only errors of the package count as its errors."""
    traced = "Traceback ...\n{}: it is bad\nat org.apache"
    found = own_error(Exception(traced.format("neardup.InputError")))
    assert type(found) is nd.InputError and str(found) == "it is bad"
    for name in ("neardup.Index", "neardup.annotations", "neardup.missing", "other.InputError"):
        assert own_error(Exception(traced.format(name))) is None


def test_names_of_columns(spark, tmp_path):
    """The columns have names that the tables of a run use, too, or dots."""
    rows = [("a", "x y", 2, 0), ("b", "x y", 1, 1), ("c", "x z", 3, 1)]
    df = spark.createDataFrame(rows, "doc string, `run.text` string, rank int, `a.set` int")
    kept, removed = dedup(df, text="run.text", id="doc", order_by=["rank", "a.set", "doc"],
                          checkpoint=str(tmp_path / "run"))
    assert [(row.id, row.kept_id) for row in removed.collect()] == [("a", "b")]
    assert sorted(map(tuple, kept.collect())) == rows[1:]


def test_files(spark, tmp_path):
    """Tasks read the files. Rows that are not those of the files are found out."""
    texts = corpus(9, 120)
    table = pa.table({"n": range(len(texts)), "id": named(texts), "text": texts})
    (tmp_path / "in").mkdir()
    for part in (0, 1):
        pq.write_table(table.slice(part * 70, 70), tmp_path / "in" / f"{part}.parquet")
    rows, urls = spark.read.parquet(str(tmp_path / "in")), [f"file://{tmp_path}/in"]
    expected = alone(texts)
    kept, removed = dedup(Files(rows, urls, "parquet"), checkpoint=str(tmp_path / "run"))
    assert removed_of(removed.toArrow()) == removed_of(expected.removed)
    assert ids_of(kept) == kept_of(expected, texts)
    other = rows.selectExpr("'x' || id id", "text")
    kept, _ = dedup(Files(other, urls, "parquet"), checkpoint=str(tmp_path / "other"))
    with pytest.raises(PySparkException, match="id 'x00.*' was not there when duplicates were "):
        kept.count()
    near = hamming_join(Files(rows, urls, "parquet"), rows.filter("n < 2"), fingerprint="n", k=0)
    assert sorted(map(tuple, near.collect())) == [("00000", "00000", 0), ("00001", "00001", 0)]


def test_fingerprints(spark):
    texts = corpus(6, 300)
    df = frame(spark, texts, 3)
    for bits, kind in ((64, np.uint64), (32, np.uint32)):
        found = simhash(df, bits=bits).select("id", "fingerprint").toArrow().sort_by("id")
        expected = nd.SimHash(bits).fingerprints(texts)
        assert (np.asarray(found["fingerprint"]).view(kind) == expected).all()
        rows = simhash(df, bits=bits, column="fp").select("id", "fp")
        near = hamming_join(rows.filter("id < '00200'"), rows.filter("id >= '00200'"), k=2).toArrow()
        index = nd.HammingIndex.build(expected[:200], named(texts)[:200], k=2)
        hits = index.query(expected[200:], 2).to_pylist()
        assert sorted(zip(*(near[name].to_pylist() for name in ("id", "new_id", "distance")))) == (
            sorted((hit["id"], f"{200 + hit['query']:05}", hit["distance"]) for hit in hits))
        assert len(hits) > 30
    words = simhash(df, bits=128, column="fp").select("id", "fp").toArrow().sort_by("id")
    assert (np.frombuffer(b"".join(words["fp"].to_pylist()), np.uint64).reshape(-1, 2)
            == nd.SimHash(128).fingerprints(texts)).all()
    with pytest.raises(nd.ArgumentError, match="64 and 32 bits"):
        hamming_join(simhash(df, bits=32, column="fp"), simhash(df, column="fp"))
    table = sketch(df).toArrow()
    assert table.column_names == ["id", "hash", "bands", "sketch", "set"] and len(table) == 300
    assert len(set(table["hash"].to_pylist())) == len(set(texts))


def test_command(cluster, spark, tmp_path, capsys):
    texts = corpus(7, 100)
    lines = [json.dumps({"id": id, "text": text, "more": [1]}, ensure_ascii=False)
             for id, text in zip(named(texts), texts)]
    source, output = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    (source / "a.jsonl").write_text("\n".join(lines[:50]) + "\n", encoding="utf-8")
    (source / "b.jsonl").write_text("\n".join(lines[50:]) + "\n", encoding="utf-8")
    expected = alone(texts)
    arguments = ["dedup", "--input", str(source), "--format", "jsonl", "--output", str(output)]
    spark_command.run(arguments)
    assert f"removed {expected.summary.removed:,} documents" in capsys.readouterr().out
    kept = [line for path in (output / "kept").glob("part-*")
            for line in path.read_text(encoding="utf-8").split("\n") if line]
    assert sorted(kept) == sorted(line for line, stays in zip(lines, expected.kept) if stays)
    assert removed_of(pq.read_table(output / "removed")) == removed_of(expected.removed)
    with pytest.raises(SystemExit, match="exists: --output must be a new folder"):
        spark_command.run(arguments)
    bad = tmp_path / "bad.jsonl"
    bad.write_text(lines[0] + '\n{"id": "b", "text":\n', encoding="utf-8")
    for path, form, message in (
            (bad, "jsonl", f'{bad}: a line is malformed, or has a field of another type: {{"id": "b", "text":'),
            (bad, "parquet", f"cannot read {bad} as parquet: "),
            (tmp_path / "none", "jsonl", f"cannot read {tmp_path}/none as text: Path does not exist")):
        with pytest.raises(SystemExit, match="^neardup-spark: " + re.escape(message)):
            spark_command.run(["dedup", "--input", str(path), "--format", form, "--output",
                               str(tmp_path / f"{form}-{path.stem}")])

    submitted = subprocess.run(
        [cluster.home / "bin" / "spark-submit", "--master", "local[1]", "--conf",
         "spark.driver.host=127.0.0.1", "--conf", "spark.ui.enabled=false",
         Path(nd.__file__).with_name("spark_command.py"), *arguments, "--dry-run"],
        env={**cluster.environment, "PYTHONPATH": str(Path(nd.__file__).parent.parent)},
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert submitted.returncode == 0, submitted.stderr
    assert "bytes a document" in submitted.stdout and "sketches" in submitted.stdout


def test_page(spark):
    assert not run_page(GUIDE / "spark.md")


def test_worker_killed(cluster, tmp_path):
    """The last test: the cluster has one worker less afterwards."""
    texts = corpus(8, 250)
    expected = alone(texts)
    folder = tmp_path / "run"
    victim = cluster.workers[0]

    def kill():
        while not (folder / "copies" / "list.json").exists():
            if ended.wait(0.05):
                return
        for process in cluster.executors_of(victim):
            os.kill(process, signal.SIGKILL)
        victim.kill()

    ended = threading.Event()
    with cluster.session() as spark:
        killer = threading.Thread(target=kill)
        killer.start()
        try:
            found = dedup(frame(spark, texts, 6), checkpoint=str(folder), partitions=4)
        finally:
            ended.set()
            killer.join()
        assert victim.wait(10) == -signal.SIGKILL
        assert removed_of(found.removed.toArrow()) == removed_of(expected.removed)
        assert ids_of(found.kept) == kept_of(expected, texts)
