"""Dedup on a Ray cluster of a head and a second node, against dedup in this process."""

import pytest
from ray_cluster import Cluster

pytest.importorskip("ray.data")

import pyarrow as pa
from test_distributed import corpus, removed_of

import neardup as nd
from neardup.ray import dedup


@pytest.fixture(scope="module")
def ray(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("ray"))
    try:
        with cluster.session() as ray:
            yield ray
    finally:
        cluster.stop()


def arrow(ds):
    return pa.concat_tables(ds.iter_batches(batch_size=None, batch_format="pyarrow"))


@pytest.mark.parametrize("blocks", [1, 3])
def test_same_answers(ray, tmp_path, blocks):
    texts = corpus(3, 600)
    ids = [f"{number:05}" for number in range(len(texts))]
    table = pa.table({"id": ids, "text": texts})
    alone = nd.dedup(table)
    found = dedup(ray.data.from_arrow(table, override_num_blocks=blocks), checkpoint=str(tmp_path / "run"))
    assert removed_of(arrow(found.removed)) == removed_of(alone.removed)
    assert arrow(found.kept)["id"].to_pylist() == [id for id, kept in zip(ids, alone.kept) if kept]
    assert found.left_out == 0 and found.rounds > 0
