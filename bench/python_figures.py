"""Figures of the Python package, for bench/python_calls: python_figures.py TEXTS.jsonl THREADS.
Prints one JSON object, with the names of bench/calls_bench."""
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


def seconds(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def main():
    table = pyarrow.json.read_json(sys.argv[1]).select(['text'])
    threads = int(sys.argv[2])
    index = nd.Index()
    index.add(pa.table({'id': [str(row) for row in range(len(table))], 'text': table['text']}),
              threads=threads, progress=False)
    queries = table.slice(0, QUERIES)
    tweets = range(SINGLE_CALLS)
    texts = table['text'].slice(0, SINGLE_CALLS).to_pylist()
    figures = {
        'texts': len(table),
        'dedup': seconds(lambda: nd.dedup(table, threads=threads, progress=False)),
        'signatures': seconds(lambda: nd.MinHash().signatures(table, threads=threads,
                                                              progress=False)),
        'fingerprints': seconds(lambda: nd.SimHash().fingerprints(table, threads=threads,
                                                                  progress=False)),
        'query': seconds(lambda: index.query(queries, threads=threads, progress=False)),
        'jaccard_ns': min(seconds(lambda: [nd.jaccard(A, B) for _ in tweets])
                          for _ in range(5)) / SINGLE_CALLS * 1e9,
        'search_ns': min(seconds(lambda: [index.query(text) for text in texts])
                         for _ in range(5)) / len(texts) * 1e9,
    }
    print(json.dumps(figures))


if __name__ == '__main__':
    main()
