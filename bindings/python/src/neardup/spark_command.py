"""The command neardup-spark: near-duplicates of files on any file system that Spark reads.

    neardup-spark dedup --input s3a://bucket/docs --format parquet --output s3a://bucket/clean
    spark-submit .../neardup/spark_command.py dedup ...
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from neardup import Error, StorageError
from neardup._spark_engine import exists, session
from neardup.distributed import Settings
from neardup.distributed._costs import describe
from neardup.spark import Files, dedup, hamming_join, pairs


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="neardup-spark", description=(
        "Near-duplicates on a Spark cluster, with the answers of one machine."))
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, about in (("dedup", "keep one of each group of near-duplicates"),
                        ("pairs", "every pair of near-duplicates")):
        command = commands.add_parser(name, help=about, description=about,
                                      formatter_class=argparse.ArgumentDefaultsHelpFormatter)
        _add_files(command)
        _add_similarity(command)
        if name == "dedup":
            command.add_argument("--against", metavar="CHECKPOINT", help="an earlier run: its "
                                 "documents that stayed precede these, and their texts are not read")
            command.add_argument("--group", choices=("greedy", "component"), default="greedy")
    join = commands.add_parser("hamming-join", help="new fingerprints near existing ones",
                               formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    join.add_argument("--existing", required=True, help="Parquet with the existing fingerprints")
    join.add_argument("--new", required=True, help="Parquet with the new ones, at most 2^24")
    join.add_argument("--output", required=True, help="Parquet: id, new_id, distance")
    join.add_argument("--fingerprint", default="fp", metavar="COLUMN")
    join.add_argument("--id", default="id", metavar="COLUMN")
    join.add_argument("-k", type=int, default=3, help="most bits that differ")
    _add_spark(join)
    return parser


def _add_files(command: argparse.ArgumentParser) -> None:
    command.add_argument("--input", required=True, nargs="+", metavar="PATH")
    command.add_argument("--format", choices=("parquet", "jsonl"), required=True)
    command.add_argument("--output", required=True, metavar="PATH", help="a new folder; for dedup "
                         "with the folders kept, in the format of the input, and removed, in Parquet")
    command.add_argument("--checkpoint", metavar="PATH", help="a folder for the tables of the run; a "
                         "run that died goes on from there (default: OUTPUT-checkpoint)")
    command.add_argument("--dry-run", action="store_true", help="print the steps, and the bytes that "
                         "each of them moves, and end")
    command.add_argument("--text", default="text", metavar="FIELD")
    command.add_argument("--id", default="id", metavar="FIELD")
    command.add_argument("--order-by", metavar="FIELD[,FIELD]...", help="the order of the documents; "
                         "the first of several duplicates stays (default: the id)")
    command.add_argument("--partitions", type=int, help="of exchanges (default: one for each 50,000 "
                         "documents)")
    _add_spark(command)


def _add_spark(command: argparse.ArgumentParser) -> None:
    command.add_argument("--master", help="URL of the cluster (default: Spark's configuration)")


def _add_similarity(command: argparse.ArgumentParser) -> None:
    command.add_argument("--threshold", type=float, default=0.8)
    command.add_argument("--recall", type=float, default=0.999)
    command.add_argument("--perms", type=int, default=128)
    command.add_argument("--analyzer", choices=("words", "chars", "segment"), default="words")
    command.add_argument("--ngram", type=int, default=5)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--nulls", choices=("error", "skip"), default="error")
    command.add_argument("--max-compare", type=int, default=1000)


_OPTIONS = ("text", "id", "threshold", "recall", "perms", "analyzer", "ngram", "seed", "nulls",
            "max_compare", "partitions")


def _beside(given: argparse.Namespace, name: str) -> str:
    """A name of a column beside the fields."""
    while name in map(str.lower, [given.text, given.id, *_order(given)]):
        name += "_"
    return name


def _line(given: argparse.Namespace) -> str:
    """The column of a line of JSON Lines, as it is written again."""
    return _beside(given, "line")


def _order(given: argparse.Namespace) -> list[str]:
    return given.order_by.split(",") if given.order_by else [given.id]


def _open(spark: SparkSession, kind: str, *paths: str) -> DataFrame:
    """What Spark says of files that it cannot read begins with the reason."""
    try:
        return spark.read.load(list(paths), kind)
    except (PySparkException, Py4JJavaError) as problem:
        told = problem.java_exception.getMessage() if isinstance(problem, Py4JJavaError) else problem
        reason = re.sub(r"^\[[\w.]+\] | SQLSTATE: .*", "", str(told).split("\n")[0]).split(". ")[0]
        raise StorageError(f"cannot read {', '.join(paths)} as {kind}: {reason}") from None


# The begin of a message which `session` takes for one of the package.
_MALFORMED = "neardup.InputError: a line is malformed, or has a field of another type: "


def _read(spark: SparkSession, given: argparse.Namespace) -> DataFrame:
    if given.format == "parquet":
        return _open(spark, "parquet", *given.input)
    lines = _open(spark, "text", *given.input)
    fields = {name: "string" for name in (given.text, given.id)}
    order = _order(given)
    if set(order) - {given.id}:  # numbers have another order than texts
        kinds = dict(spark.read.json(given.input).dtypes)
        fields |= {name: kinds.get(name, "string") for name in order if name not in fields}
    malformed = _beside(given, "malformed")
    schema = ", ".join(f"`{name}` {kind}" for name, kind in (fields | {malformed: "string"}).items())
    record = F.from_json("value", schema, {"columnNameOfCorruptRecord": malformed})
    begin = F.regexp_replace(F.substring("value", 1, 80), r"\p{Cntrl}", "?")
    checked = F.when(F.col("record")[malformed].isNull(), F.col("record")).otherwise(
        F.raise_error(F.concat(F.lit(_MALFORMED), begin)))
    parsed = lines.filter("trim(value) != ''").select("value", record.alias("record")).select(
        "value", checked.alias("record"))
    return parsed.select(F.col("value").alias(_line(given)),
                         *(F.col("record")[name].alias(name) for name in fields))


def _find(spark: SparkSession, given: argparse.Namespace) -> None:
    df = _read(spark, given)
    options = {name: getattr(given, name) for name in _OPTIONS}
    output = given.output.rstrip("/")
    if given.dry_run:
        print(describe(Settings(threshold=given.threshold, recall=given.recall, perms=given.perms,
                                ngram=given.ngram), df.rdd.getNumPartitions(), given.partitions,
                       df.count() if given.format == "parquet" else None))
        return
    if exists(spark, output):
        raise Error(f"{output} exists: --output must be a new folder")
    options |= {"order_by": _order(given), "checkpoint": given.checkpoint or f"{output}-checkpoint"}
    is_pattern = any(set("*?[{") & set(path) for path in given.input)
    documents = df if is_pattern else Files(df, given.input, given.format)
    if given.command == "pairs":
        pairs(documents, **options).write.parquet(output)
        return
    result = dedup(documents, against=given.against, group=given.group, **options)
    result.removed.write.parquet(f"{output}/removed")
    if given.format == "jsonl":
        result.kept.select(_line(given)).write.text(f"{output}/kept")
    else:
        result.kept.write.parquet(f"{output}/kept")
    removed = spark.read.parquet(f"{output}/removed").count()
    print(f"removed {removed:,} documents; the others are in {output}/kept")


def _join(spark: SparkSession, given: argparse.Namespace) -> None:
    existing, new = (_open(spark, "parquet", path) for path in (given.existing, given.new))
    hamming_join(existing, new, fingerprint=given.fingerprint, id=given.id, k=given.k).write.parquet(
        given.output)


def run(arguments: list[str]) -> None:
    """Runs the command in the session that there is, or in a new one."""
    given = _parser().parse_args(arguments)
    builder: Any = SparkSession.builder
    if SparkSession.getActiveSession() is None:  # else each task begins 40 ms later
        builder = builder.config("spark.python.unix.domain.socket.enabled", "true")
    if given.master:
        builder = builder.master(given.master)
    spark = builder.appName(f"neardup {given.command}").getOrCreate()
    try:
        with session(spark):
            (_join if given.command == "hamming-join" else _find)(spark, given)
    except Error as problem:
        sys.exit(f"neardup-spark: {problem}")


def main() -> None:
    try:
        run(sys.argv[1:])
    finally:
        active = SparkSession.getActiveSession()
        if active is not None:
            active.stop()


if __name__ == "__main__":
    main()
