"""Dedup on a Spark cluster of a master and two workers, against dedup in this process."""

import pytest

pytest.importorskip("pyspark")

import pyarrow as pa
from spark_cluster import Cluster
from test_distributed import corpus, removed_of

import neardup as nd
from neardup.spark import dedup


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("spark"))
    yield cluster
    cluster.stop()


def test_same_answers(cluster, tmp_path):
    texts = corpus(3, 600)
    ids = [f"{number:05}" for number in range(len(texts))]
    alone = nd.dedup(pa.table({"id": ids, "text": texts}))
    with cluster.session(**{"spark.speculation": "true"}) as spark:
        df = spark.createDataFrame(list(zip(ids, texts)), ["id", "text"]).repartition(3)
        found = dedup(df, checkpoint=str(tmp_path / "run"))
        assert removed_of(found.removed.toArrow()) == removed_of(alone.removed)
        assert sorted(row.id for row in found.kept.select("id").collect()) == sorted(
            id for id, kept in zip(ids, alone.kept) if kept)
        assert found.left_out == 0 and found.rounds > 0
