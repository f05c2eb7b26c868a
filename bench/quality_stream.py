"""Quality of `neardup stream`, for bench/quality: leader-follower clusters against the `cluster`
labels of a corpus, its documents in the order of the file.

A label is the same page in other versions, lineage and not human judgement: pages that were rewritten share one, and pages of one template do not. So ARI
(Hubert and Arabie 1985: pairs that both put together, corrected for chance, 1 is perfect) tells which settings come nearest, not how good clusters can be.
Purity is the share of documents whose label is the commonest of their cluster; alone it is highest where every document is a cluster.
"""
import collections
import json
import os

from bench_common import Ran, table

THRESHOLDS, RADII = (.3, .5, .7, .8, .9), (3, 6, 8, 10)

STREAM_HEAD = ['corpus, settings', 'documents', 'labels', 'clusters', 'ARI', 'purity']


def settings(idf):
    for threshold in THRESHOLDS:
        yield f'MinHash {threshold}', ['--threshold', str(threshold)]
    for name, weights in (('tf', []), ('tf-idf', ['--weights', f'tfidf:{idf}'])):
        for mode in ('leader', 'follow'):
            for k in RADII:
                yield f'SimHash {name}, {mode}, k = {k}', ['--k', str(k), '--mode', mode, *weights]


def pairs(counts):
    return sum(n * (n - 1) // 2 for n in counts.values())


def adjusted_rand(found, labels):
    together = pairs(collections.Counter(zip(found, labels)))
    ours, theirs = pairs(collections.Counter(found)), pairs(collections.Counter(labels))
    chance = ours * theirs / max(1, len(found) * (len(found) - 1) // 2)
    most = (ours + theirs) / 2
    return 1.0 if most == chance else (together - chance) / (most - chance)


def purity(found, labels):
    of = collections.defaultdict(collections.Counter)
    for cluster, label in zip(found, labels):
        of[cluster][label] += 1
    return sum(max(counts.values()) for counts in of.values()) / max(1, len(found))


def measure_streams(programs, name, path, folder):
    """Returns a row per setting; none if the documents have no labels."""
    with open(path, encoding='utf8') as f:
        labels = [json.loads(line).get('cluster') for line in f]
    if None in labels:
        return []
    idf, rows = os.path.join(folder, 'idf.tsv'), []
    Ran([programs.neardup, 'idf', path, '-o', idf, '-q'])
    for n, (form, arguments) in enumerate(settings(idf)):
        run = Ran([programs.neardup, 'stream', path, '--state', os.path.join(folder, f'stream-{n}'), '-q', '--threads', '1', *arguments])
        found = [json.loads(line)['cluster'] for line in run.stdout.splitlines()]
        rows.append({'corpus': name, 'settings': form, 'documents': len(labels), 'labels': len(set(labels)), 'clusters': len(set(found)),
                     'ari': adjusted_rand(found, labels), 'purity': purity(found, labels)})
    return rows


def streams_table(rows):
    return table(STREAM_HEAD, [[f'{r["corpus"]}: {r["settings"]}', r['documents'], r['labels'], r['clusters'], f'{r["ari"]:.4f}', f'{r["purity"]:.4f}']
                               for r in rows])
