"""Measurements of bench/spark, on a cluster of its own on loopback: prints a JSON object.

    python spark_figures.py INPUT REMOVED dedup|files|plain|ml...
    python spark_figures.py EXISTING,NEW PAIRS hamming

INPUT is a folder of Parquet or of JSON Lines (*.jsonl); dedup gets its texts from Spark, and files
reads them itself. The files REMOVED-JOB get the removed ids, a line each. EXISTING and NEW are
folders of Parquet with fingerprints; the file PAIRS-hamming gets the pairs.
The cluster has a master and two workers with a core each. The seconds do not count its start, nor
that of the session, nor a first small job, which loads what Java and Python load once.
"""
import json
import os
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / 'bindings' / 'python' / 'tests'))
from spark_cluster import Cluster

THRESHOLD, BANDS = 0.8, 25
TICK = os.sysconf('SC_CLK_TCK')


def processes_below(roots):
    """The processes that descend from others, those included: id -> ticks of the processor, with the
    ticks of its children that have ended."""
    parents, found = {}, {}
    for path in Path('/proc').glob('[0-9]*/stat'):
        try:
            fields = path.read_text().rpartition(')')[2].split()
        except OSError:
            continue
        number = int(path.parent.name)
        parents[number] = int(fields[1])
        found[number] = sum(map(int, fields[11:15]))
    below, fresh = set(roots), set(roots)
    while fresh:
        fresh = {number for number, parent in parents.items() if parent in fresh} - below
        below |= fresh
    return {number: found[number] for number in below if number in found}


def memory_of(process):
    """Bytes; pages that processes share count in parts."""
    try:
        lines = Path(f'/proc/{process}/smaps_rollup').read_text().splitlines()
    except OSError:
        return 0  # it has ended
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith('Pss:'))


class Watch:
    """Samples the executors' memory, and their processor time at the end."""

    def __init__(self, cluster):
        self.roots, self.peak, self.ended = [worker.pid for worker in cluster.workers], 0, False
        self.thread = threading.Thread(target=self._sample, daemon=True)
        self.before = self._ticks()
        self.thread.start()

    def _ticks(self):
        return sum(processes_below(self.roots).values())

    def _sample(self):
        while not self.ended:
            self.peak = max(self.peak, sum(map(memory_of, processes_below(self.roots))))
            time.sleep(1)

    def end(self):
        self.ended = True
        self.thread.join()
        return {'peak': self.peak, 'processor': (self._ticks() - self.before) / TICK}


def stages_of(spark):
    url = f'{spark.sparkContext.uiWebUrl}/api/v1/applications/{spark.sparkContext.applicationId}'
    with urllib.request.urlopen(f'{url}/stages') as answer:
        return json.load(answer)


def read(spark, path):
    if any(Path(path).glob('*.jsonl')):
        return spark.read.schema('id string, text string').json(path)
    return spark.read.parquet(path)


def dedup(spark, path, folder, steps, of=read):
    import neardup.spark as module
    from neardup._spark_engine import SparkEngine
    for name in ('save', 'save_sketches', 'rank', 'repeated', 'first', 'sum'):
        def timed(self, *arguments, method=getattr(SparkEngine, name), name=name):
            begin = time.perf_counter()
            result = method(self, *arguments)
            step = arguments[0] if name == 'save' else name
            steps[step] = steps.get(step, 0) + time.perf_counter() - begin
            return result
        setattr(SparkEngine, name, timed)
    found = module.dedup(of(spark, path), checkpoint=f'{folder}/run', threshold=THRESHOLD)
    begin = time.perf_counter()
    found.kept.write.parquet(f'{folder}/kept')
    steps.update({'kept': time.perf_counter() - begin, 'left out': found.left_out})
    return found.removed.select('id')


def files(spark, path, folder, steps):
    import neardup.spark as module
    kind = 'jsonl' if any(Path(path).glob('*.jsonl')) else 'parquet'
    return dedup(spark, path, folder, steps, lambda *_: module.Files(read(spark, path), [path], kind))


def same(spark, path, folder, steps):
    """Removed rows, and their evidence, against those of neardup.dedup in this process."""
    import pyarrow.parquet as pq
    import neardup as nd
    import neardup.spark as module
    rows = read(spark, path)
    table = pq.read_table(path).sort_by('id')
    columns = ['id', 'kept_id', 'jaccard', 'intersection', 'union']
    for number, (threshold, group, partitions) in enumerate((
            (.8, 'greedy', 1), (.8, 'greedy', 3), (.8, 'component', 16), (.5, 'greedy', 16))):
        found = module.dedup(rows.repartition(partitions), checkpoint=f'{folder}/{number}',
                             threshold=threshold, group=group, partitions=partitions)
        expected = nd.dedup(table, threshold=threshold, group=group).removed
        answers = [sorted(zip(*(removed[name].to_pylist() for name in columns)))
                   for removed in (found.removed.toArrow(), expected)]
        assert answers[0] == answers[1] or found.left_out, (path, threshold, group, partitions)
        steps[f'{threshold} {group} {partitions}'] = [
            f'{len(table):,}', threshold, group, partitions, f'{len(answers[0]):,}', found.rounds,
            found.left_out, answers[0] == answers[1]]
    return rows.limit(0)


def hamming(spark, paths, folder, steps):
    import neardup.spark as module
    existing, new = paths.split(',')
    rows = module.Files(read(spark, existing), [existing], 'parquet')
    found = module.hamming_join(rows, read(spark, new))
    return found.selectExpr("concat_ws(' ', id, new_id, distance) id")


def plain(spark, path, folder, steps):
    """Band keys, groups by key, each bucket's members with its least one, and the least of each
    component stays; no comparison: the way of the scripts that were used before."""
    from pyspark.sql import functions as F
    from neardup.spark import sketch
    keys = sketch(read(spark, path), threshold=THRESHOLD).select('id', F.posexplode(F.transform(
        F.sequence(F.lit(0), F.lit(BANDS - 1)),
        lambda band: F.substring(F.col('bands'), band * 8 + 1, 8))).alias('band', 'key'))
    buckets = keys.groupBy('band', 'key').agg(F.collect_list('id').alias('ids')).filter(
        F.size('ids') > 1)
    edges = buckets.select(F.explode('ids').alias('later'), F.array_min('ids').alias('earlier')
                           ).filter('later != earlier').distinct()
    for turn in range(100):
        edges.write.parquet(f'{folder}/edges-{turn}')
        edges = spark.read.parquet(f'{folder}/edges-{turn}')
        both = edges.union(edges.select('earlier', 'later')).toDF('node', 'other')
        first = both.groupBy('node').agg(F.min('other').alias('first')).select(
            'node', F.least('node', 'first').alias('first'))
        large = both.join(first, 'node').filter('other > node').select(
            F.col('other').alias('later'), F.col('first').alias('earlier')).distinct()
        least = large.groupBy('later').agg(F.min('earlier').alias('first'))
        small = large.join(least, 'later').select(
            F.when(F.col('earlier') == F.col('first'), F.col('later')).otherwise(
                F.col('earlier')).alias('later'), F.col('first').alias('earlier')).distinct()
        after = small.cache()
        if after.exceptAll(edges).isEmpty() and edges.exceptAll(after).isEmpty():
            break
        edges = after
    steps['turns'] = turn + 1
    return edges.select(F.col('later').alias('id')).distinct()


def ml(spark, path, folder, steps):
    """MinHashLSH of Spark ML: a hash table for each band of one row; its join computes the exact
    Jaccard similarity of hashed shingles. The later document of each pair goes."""
    from pyspark.ml import Pipeline
    from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, RegexTokenizer
    from pyspark.sql import functions as F
    df = read(spark, path)
    words = RegexTokenizer(inputCol='text', outputCol='words', pattern=r'\W+')
    shingles = NGram(n=5, inputCol='words', outputCol='shingles')
    vectors = HashingTF(inputCol='shingles', outputCol='features', numFeatures=1 << 22, binary=True)
    made = Pipeline(stages=[words, shingles, vectors]).fit(df).transform(df).filter(
        F.size('shingles') > 0).select('id', 'features').cache()
    model = MinHashLSH(inputCol='features', outputCol='hashes', numHashTables=BANDS, seed=1).fit(made)
    pairs = model.approxSimilarityJoin(made, made, 1 - THRESHOLD + 1e-9).filter(
        'datasetA.id < datasetB.id')
    return pairs.select(F.col('datasetB.id').alias('id')).distinct()


def measure(spark, cluster, job, source, target, folder):
    folder = f'{folder}/{job}'
    before, watch, steps = len(stages_of(spark)), Watch(cluster), {}
    begin = time.perf_counter()
    jobs = {'dedup': dedup, 'files': files, 'plain': plain, 'ml': ml, 'hamming': hamming,
            'same': same}
    found = jobs[job](spark, source, folder, steps)
    ids = [row.id for row in found.collect()]
    seconds = time.perf_counter() - begin
    Path(f'{target}-{job}').write_text('\n'.join(ids) + '\n', encoding='utf8')
    stages = stages_of(spark)
    written = sum(path.stat().st_size for path in Path(folder, 'run').rglob('*') if path.is_file())
    stages = stages[:len(stages) - before]  # the newest come first
    return {'seconds': seconds, **watch.end(), 'removed': len(ids), 'steps': steps,
            'written': written, 'shuffled': sum(stage['shuffleWriteBytes'] for stage in stages),
            'spilled': sum(stage['diskBytesSpilled'] for stage in stages)}


def main():
    source, target, *jobs = sys.argv[1:]
    os.environ.setdefault('PYSPARK_PYTHON', sys.executable)
    java = '-XX:+UseParallelGC'
    # Where Java only moves bytes, its second compiler takes more time than it saves.
    if 'BENCH_COLD' in os.environ or not {'plain', 'ml'} & set(jobs):
        java += ' -XX:TieredStopAtLevel=1'
    with tempfile.TemporaryDirectory(dir=os.environ.get('BENCH_FOLDER')) as folder:
        cluster = Cluster(folder, memory='4g')
        try:
            with cluster.session(**{
                    'spark.ui.enabled': 'true', 'spark.ui.port': '0', 'spark.driver.memory': '2g',
                    'spark.executor.memory': '3g', 'spark.sql.codegen.wholeStage': 'true',
                    'spark.driver.extraJavaOptions': java, 'spark.executor.extraJavaOptions': java,
                    'spark.local.dir': folder, 'spark.ui.showConsoleProgress': 'false',
                    'spark.sql.shuffle.partitions': '8',
                    'spark.speculation': str('same' in jobs).lower(),
                    'spark.sql.files.maxPartitionBytes': '32m'}) as spark:
                if 'BENCH_COLD' not in os.environ:
                    spark.range(10000, numPartitions=4).selectExpr(
                        'string(id) id', 'repeat(string(id), 50) text').write.parquet(
                        f'{folder}/texts')
                    dedup(spark, f'{folder}/texts', f'{folder}/warm', {}).count()
                print(json.dumps({job: measure(spark, cluster, job, source, target, folder)
                                  for job in jobs}))
        finally:
            cluster.stop()


if __name__ == '__main__':
    main()
