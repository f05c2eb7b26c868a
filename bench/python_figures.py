"""Figures of the Python package, for bench/python_calls: python_figures.py TEXTS.jsonl THREADS ROUNDS.
Prints one JSON object, with the names of bench/calls_bench."""
import collections
import json
import sys
import time

import pyarrow as pa
import pyarrow.json

import neardup as nd

A = ('Storm warning for the whole coast tonight: ferries stop at nine, schools stay closed '
     'tomorrow, please do not drive unless you must!')
B = ('Storm warning for the whole coast tonight: ferries stop at ten, schools stay closed '
     'tomorrow, please do not drive unless you must')
SINGLE_CALLS, QUERIES = 20000, 20000


def seconds(call, rounds=1):
    """The least of some rounds."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def do(results):
    """Goes through results and keeps none: a growing list of them would cost more than the calls."""
    collections.deque(results, maxlen=0)


def main():
    table = pyarrow.json.read_json(sys.argv[1]).select(['text'])
    threads, rounds = int(sys.argv[2]), int(sys.argv[3])
    index = nd.Index()
    index.add(pa.table({'id': [str(row) for row in range(len(table))], 'text': table['text']}),
              threads=threads, progress=False)
    queries = table.slice(0, QUERIES)
    tweets = range(SINGLE_CALLS)
    texts = table['text'].slice(0, SINGLE_CALLS).to_pylist()
    figures = {
        'texts': len(table),
        'jaccard_ns': seconds(lambda: do(nd.jaccard(A, B) for _ in tweets), 5) / SINGLE_CALLS * 1e9,
        'search_ns': seconds(lambda: do(index.query(text) for text in texts), 5) / len(texts) * 1e9,
        'dedup': seconds(lambda: nd.dedup(table, threads=threads, progress=False), rounds),
        'signatures': seconds(lambda: nd.MinHash().signatures(table, threads=threads,
                                                              progress=False), rounds),
        'fingerprints': seconds(lambda: nd.SimHash().fingerprints(table, threads=threads,
                                                                  progress=False), rounds),
        'query': seconds(lambda: index.query(queries, threads=threads, progress=False), rounds),
    }
    print(json.dumps(figures))


if __name__ == '__main__':
    main()
