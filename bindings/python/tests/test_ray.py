"""Dedup on a Ray cluster of a head and a second node, against dedup in this process."""

import functools
import logging
import os

import pytest
from ray_cluster import Cluster

pytest.importorskip("ray.data")

import pyarrow as pa
from test_distributed import corpus, removed_of

import neardup as nd
import neardup._ray_engine as engine
from neardup import _runs, _table_engine
from neardup.ray import dedup


pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def ray(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("ray"))
    try:
        with cluster.session() as ray:
            logging.getLogger("ray.data").setLevel(logging.ERROR)
            ray.data.DataContext.get_current().enable_progress_bars = False
            yield ray
    finally:
        cluster.stop()


TEXTS = corpus(3, 600)
TABLE = pa.table({"id": [f"{number:05}" for number in range(len(TEXTS))], "text": TEXTS,
                  "n": range(len(TEXTS))})


def arrow(ds):
    return pa.concat_tables(ds.iter_batches(batch_size=None, batch_format="pyarrow"))


def check(found, table=TABLE, **options):
    alone = nd.dedup(table, **options)
    kept, removed = found
    assert removed_of(arrow(removed)) == removed_of(alone.removed)
    assert arrow(kept).sort_by("n") == alone.table.sort_by("n")
    assert found.left_out == 0


@pytest.mark.parametrize("blocks, partitions, alone", [(1, None, 1 << 20), (3, 3, 1 << 20),
                                                       (7, 5, 50)])
def test_same_answers(ray, tmp_path, monkeypatch, blocks, partitions, alone):
    monkeypatch.setattr(_table_engine, "ORDERED_ALONE", alone)
    monkeypatch.setattr(_table_engine, "SAMPLE", 100)
    monkeypatch.setattr(_runs, "MAP_SIZE", 100)
    rows = TABLE.take(pa.array([n * 7 % len(TABLE) for n in range(len(TABLE))]))
    found = dedup(ray.data.from_arrow(rows, override_num_blocks=blocks), partitions=partitions,
                  checkpoint=str(tmp_path / "run"))
    check(found)
    assert found.rounds > 0
    assert not (tmp_path / "run" / "exchange").exists()


def test_both_nodes_work(ray, tmp_path, monkeypatch):
    def noting(work, number, original=engine._run_number):
        import ray
        (tmp_path / f"node-{ray.get_runtime_context().get_node_id()}").touch()
        return original(work, number)

    monkeypatch.setattr(engine, "_TASK", ray.remote(noting).options(
        scheduling_strategy="SPREAD"))
    ds = ray.data.from_arrow(TABLE, override_num_blocks=2)
    check(dedup(ds, checkpoint=str(tmp_path / "run"), threshold=0.6, partitions=2), threshold=0.6)
    assert {f"node-{node['NodeID']}" for node in ray.nodes()} == {
        path.name for path in tmp_path.glob("node-*")}


def test_repeated_tasks(ray, tmp_path, monkeypatch):
    """A worker dies behind a block, another one behind its file. Ray repeats their tasks."""
    def die_once(block):
        yield block
        if block["n"][0].as_py() and not (tmp_path / "died").exists():
            (tmp_path / "died").touch()
            os._exit(1)

    def die_behind_a_file(work, number, original=engine._run_number):
        done, job = original(work, number), work[1]
        is_it = number == 1 and isinstance(job, functools.partial) and "buckets" in job.args
        if is_it and not (tmp_path / "buckets").exists():
            (tmp_path / "buckets").touch()
            os._exit(1)
        return done

    monkeypatch.setattr(engine, "_TASK", ray.remote(die_behind_a_file))
    ds = ray.data.from_arrow(TABLE, override_num_blocks=3).map_batches(
        die_once, batch_size=None, batch_format="pyarrow")
    check(dedup(ds, checkpoint=str(tmp_path / "run"), partitions=2))
    assert {"died", "buckets"} <= {path.name for path in tmp_path.iterdir()}


def test_goes_on(ray, tmp_path, monkeypatch):
    ds = ray.data.from_arrow(TABLE, override_num_blocks=2)
    checkpoint = tmp_path / "run"
    save = engine.RayEngine.save

    def die_at(name, before):
        def dying(self, table, make):
            if table != name:
                return save(self, table, make)
            if before:
                raise KeyboardInterrupt
            monkeypatch.setattr(self.folder, "write_list", lambda *_: 1 / 0)
            return save(self, table, make)

        monkeypatch.setattr(engine.RayEngine, "save", dying)

    die_at("order", before=True)
    with pytest.raises(KeyboardInterrupt):
        dedup(ds, checkpoint=str(checkpoint), partitions=3)
    die_at("decided", before=False)  # its files are written, its list is not
    with pytest.raises(ZeroDivisionError):
        dedup(ds, checkpoint=str(checkpoint))
    half = set((checkpoint / "decided").iterdir())
    assert half
    monkeypatch.undo()
    with pytest.raises(nd.ArgumentError, match=(
            f"^{checkpoint} has a run with other options: threshold is 0.7, and in that run it is 0.8; "
            "partitions is 2, and in that run it is 3$")):
        dedup(ds, checkpoint=str(checkpoint), threshold=0.7, partitions=2)
    before = {path: path.stat().st_mtime_ns for path in checkpoint.glob("[esb]*/*")}
    check(dedup(ds, checkpoint=str(checkpoint)))
    assert not half & set((checkpoint / "decided").iterdir())
    after = {path: path.stat().st_mtime_ns for path in checkpoint.glob("[esb]*/*")}
    assert {path.parent.name for path in before} == {"sketches", "buckets", "edges"}
    assert before.items() <= after.items()


def test_no_rows_and_no_removals(ray, tmp_path):
    empty = pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.string())})
    kept, removed = dedup(ray.data.from_arrow(empty), checkpoint=str(tmp_path / "empty"))
    assert kept.count() == removed.count() == 0
    kept, removed = dedup(ray.data.from_items([{"id": 1, "text": "one"}, {"id": 2, "text": "two"}]),
                          checkpoint=str(tmp_path / "two"))
    assert (kept.count(), removed.count()) == (2, 0)
    assert removed.columns() == ["id", "kept_id", "jaccard", "intersection", "union"]


def test_order_and_nulls(ray, tmp_path):
    """The columns have names that the tables of a run use, too."""
    rows = [{"doc": 3, "rank": 1.5, "set": 1, "run": "x y z"},
            {"doc": 1, "rank": 2.5, "set": 0, "run": "x y z"},
            {"doc": 2, "rank": 0.5, "set": 1, "run": None}]
    kept, removed = dedup(ray.data.from_items(rows, override_num_blocks=3), text="run", id="doc",
                          order_by=["rank", "set", "doc"], nulls="skip",
                          checkpoint=str(tmp_path / "run"))
    assert sorted(row["doc"] for row in kept.take_all()) == [2, 3]
    assert removed.take_all() == [{"id": 1, "kept_id": 3, "jaccard": 1.0, "intersection": 1,
                                   "union": 1}]


@pytest.mark.parametrize("columns, error, message", [
    ({"id": ["a", "b"]}, nd.ArgumentError, "no column 'text'; the columns are 'id'"),
    ({"id": ["a", "b"], "text": ["x", None]}, nd.InputError,
     "id 'b': the text is null; nulls=\"skip\" leaves such rows out"),
    ({"id": ["a", None], "text": ["x", "y"]}, nd.InputError, "a row has no 'id'"),
    ({"id": ["a", "b", "a"], "text": ["x", "y", "z"]}, nd.InputError,
     "id 'a' is in several rows; ids must differ"),
])
def test_errors(ray, tmp_path, columns, error, message):
    ds = ray.data.from_arrow(pa.table(columns), override_num_blocks=2)
    with pytest.raises(error) as raised:
        dedup(ds, checkpoint=str(tmp_path / "run"))
    assert type(raised.value) is error and message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_folder_with_other_files(ray, tmp_path):
    """Nothing there is replaced."""
    (tmp_path / "exchange").mkdir()
    (tmp_path / "exchange" / "mine").write_text("mine")
    for folder in (tmp_path, tmp_path / "exchange" / "mine"):
        with pytest.raises(nd.ArgumentError, match=f"^{folder} has files and no run of neardup"):
            dedup(ray.data.from_arrow(TABLE), checkpoint=str(folder))
    assert [path.name for path in tmp_path.glob("**/*")] == ["exchange", "mine"]
