"""The libraries that bench/peers measures, each in a process of its own in the peers' environment:
peer_workers.py TOOL FILE.jsonl REMOVED. Prints one JSON object, with the seconds. Writes the
removals as JSON: [document, the document that it duplicates; -1: the tool does not say].

All start with the file alone and read it into a list of texts in the same way, as `reading` does,
which only reads. The seconds begin after the imports, and end with the list of removals. Some tools
import at their first call (pyarrow: pandas, where it is installed), so each is called once before.
"""
import argparse
import json
import os
import pickle
import re
import time

THRESHOLD, PERMUTATIONS, NGRAM = 0.8, 128, 5
BATCH = 1000  # texts whose 5-grams are in memory at once
WORDS = re.compile(r'\w+')


def read_texts(path):
    import orjson
    with open(path, 'rb') as f:
        return [orjson.loads(line)['text'] for line in f]


def five_grams(text):
    words = WORDS.findall(text.lower())
    return [' '.join(words[i:i + NGRAM]) for i in range(max(1, len(words) - NGRAM + 1))]


def batches(texts):
    """Yields the number of the first text of a batch, and the batch."""
    for first in range(0, len(texts), BATCH):
        yield first, texts[first:first + BATCH]


# Each of these imports a tool and returns a function: texts -> removals.

def reading(_):
    return lambda texts: []


def neardup(threads):
    import neardup as nd

    def removals(texts):
        removed = nd.dedup(texts, threshold=THRESHOLD, threads=threads, progress=False).removed
        return list(zip(removed['row'].to_pylist(), removed['kept_row'].to_pylist()))
    return removals


def datasketch(_):
    """Signatures are made in bulk. Its manual names hash functions faster than its SHA-1; xxHash is
    one that PyPI has."""
    from datasketch import MinHash, MinHashLSH
    from xxhash import xxh32_intdigest

    def removals(texts):
        lsh, removed = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS), []
        for first, batch in batches(texts):
            sets = ({gram.encode() for gram in five_grams(text)} for text in batch)
            sketches = MinHash.bulk(sets, num_perm=PERMUTATIONS, hashfunc=xxh32_intdigest)
            for number, sketch in enumerate(sketches, first):
                found = lsh.query(sketch)
                if found:
                    removed.append((number, min(found)))
                else:
                    lsh.insert(number, sketch, check_duplication=False)
        return removed
    return removals


def gaoya(_):
    from gaoya.minhash import MinHashStringIndex

    def removals(texts):
        index, removed = MinHashStringIndex(32, THRESHOLD, 25, 5, None, 'word', True,
                                            (NGRAM, NGRAM), 'vec'), []
        for number, text in enumerate(texts):
            found = index.query(text)
            if found:
                removed.append((number, min(found)))
            else:
                index.insert_document(number, text)
        return removed
    return removals


def rensa(_):
    from rensa import RMinHashDeduplicator

    def removals(texts):
        deduplicator = RMinHashDeduplicator(threshold=THRESHOLD, num_perm=PERMUTATIONS,
                                            use_lsh=True)
        removed = []
        for first, batch in batches(texts):
            kept = deduplicator.add_pairs([(str(number), five_grams(text))
                                           for number, text in enumerate(batch, first)])
            removed += [(number, -1) for number, stays in enumerate(kept, first) if not stays]
        return removed
    return removals


def semhash(_):
    """The first two steps of SemHash.from_records. The third asks a model, which is downloaded."""
    from semhash.records import group_records_by_key, prepare_records

    def removals(texts):
        records, columns, _ = prepare_records(texts, None)
        # The records of a group are objects of `records`.
        number_of = {id(record): number for number, record in enumerate(records)}
        _, groups = group_records_by_key(records, columns)
        return [(number_of[id(record)], number_of[id(group[0])])
                for group in groups for record in group[1:]]
    return removals


TOOLS = {tool.__name__: tool for tool in (reading, neardup, datasketch, gaoya, rensa, semhash)}


def text_dedup_removals(output):
    """text-dedup is a command; with --debug it writes its clusters. It keeps one document of each,
    not always the first. That is not held against it: all but the first count as removed."""
    with open(os.path.join(output, 'uf.pkl'), 'rb') as f:
        clusters = pickle.load(f)
    first_of = {}
    for number in sorted(clusters.parent):
        first_of.setdefault(clusters.find(number), number)
    return [(number, -1) for number in sorted(clusters.parent)
            if first_of[clusters.find(number)] != number]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('tool', choices=(*TOOLS, 'text-dedup-output'))
    parser.add_argument('file', help='text-dedup-output: the folder that text-dedup wrote')
    parser.add_argument('removed')
    parser.add_argument('--threads', type=int, default=1)
    options = parser.parse_args()
    if options.tool == 'text-dedup-output':
        removed = text_dedup_removals(options.file)
    else:
        find = TOOLS[options.tool](options.threads)
        find(['a first text'])
        start = time.perf_counter()
        removed = find(read_texts(options.file))
        print(json.dumps({'seconds': time.perf_counter() - start}))
    with open(options.removed, 'w', encoding='utf8') as f:
        json.dump(removed, f)


if __name__ == '__main__':
    main()
