"""The quality of presets: their clusters against the originals of generated corpora
(preset_corpora.py), beside those of the defaults.

Pairwise precision and recall: of the pairs of texts that a result has in one cluster, the share
that are copies of one original; of the pairs of such copies, the share that it has in one
cluster. ARI: the adjusted Rand index (Hubert and Arabie, "Comparing partitions", 1985). Clusters
are those of `neardup dedup --clusters`: with --group component, and greedy, the default, which
puts a text only to one that stays. Seconds are those of the processor, which other programs do
not lengthen much. Presets were tuned on seeds 1 and 3; the report has seeds 2 and 4.
"""

import collections
import os
import tempfile

from bench_common import Ran, table
from preset_corpora import GENERATORS, write_corpus

HELD_SEEDS = (2, 4)
HEAD = [
    'corpus, seed',
    'texts',
    'originals',
    'MB',
    'preset',
    'group',
    'precision',
    'recall',
    'ARI',
    'CPU seconds',
    'MB/s',
]


def pairs(counts):
    return sum(n * (n - 1) // 2 for n in counts)


def agreement(truth, clusters):
    """Pairwise precision and recall, and the adjusted Rand index."""
    cells = pairs(collections.Counter(zip(truth, clusters)).values())
    of_truth, of_clusters = (
        pairs(collections.Counter(labels).values()) for labels in (truth, clusters)
    )
    by_chance = of_truth * of_clusters / pairs([len(truth)])
    most = (of_truth + of_clusters) / 2
    return (
        cells / of_clusters if of_clusters else 1.0,
        cells / max(1, of_truth),
        (cells - by_chance) / (most - by_chance),
    )


def measure(programs, path, truth, preset, group, folder):
    """The options are the preset's; all others are those that a user has without flags."""
    clusters = os.path.join(folder, 'clusters.tsv')
    run = Ran(
        [
            programs.neardup,
            'dedup',
            path,
            '-q',
            '-o',
            os.path.join(folder, 'kept.jsonl'),
            '--clusters',
            clusters,
            '--preset',
            preset,
            '--group',
            group,
            '--threads',
            '1',
            '--summary',
            '-',
        ]
    )
    with open(clusters, encoding='utf8') as f:
        found = [line.split('\t')[1] for line in f][1:]
    precision, recall, ari = agreement(truth, found)
    summary = run.json()
    return {
        'preset': preset,
        'group': group,
        'precision': precision,
        'recall': recall,
        'ari': ari,
        'seconds': run.processor,
        'mb_per_second': summary['text_bytes'] / 1e6 / run.processor,
        'text_bytes': summary['text_bytes'],
        'bounded_documents': summary['bounded_documents'],
    }


def measure_presets(programs, small, say):
    """`say` is told of the corpora for which this machine has no material."""
    results = []
    for kind in GENERATORS:
        for seed in HELD_SEEDS:
            with tempfile.TemporaryDirectory(prefix='neardup-presets-') as folder:
                path = os.path.join(folder, 'corpus.jsonl')
                truth = write_corpus(kind, programs.make_corpus, seed, small, path)
                if len(set(truth)) < 100:
                    say(
                        f'ABSENT: this machine has material for {len(set(truth))} originals '
                        f'only of {kind}, so there is no result for it'
                    )
                    continue
                for preset in ('web', kind):
                    for group in ('component', 'greedy'):
                        results.append(
                            {
                                'corpus': kind,
                                'seed': seed,
                                'texts': len(truth),
                                'originals': len(set(truth)),
                                **measure(programs, path, truth, preset, group, folder),
                            }
                        )
    return results


def presets_table(results):
    return table(
        HEAD,
        [
            [
                f'{r["corpus"]} {r["seed"]}',
                r['texts'],
                r['originals'],
                f'{r["text_bytes"] / 1e6:.1f}',
                r['preset'],
                r['group'],
                f'{r["precision"]:.4f}',
                f'{r["recall"]:.4f}',
                f'{r["ari"]:.4f}',
                f'{r["seconds"]:.2f}',
                f'{r["mb_per_second"]:.1f}',
            ]
            for r in results
        ],
    )


def preset_problems(results):
    """A preset must be better than the default on its own corpus."""
    problems = []
    for r in results:
        default = next(
            d
            for d in results
            if d['preset'] == 'web'
            and (d['corpus'], d['seed'], d['group']) == (r['corpus'], r['seed'], r['group'])
        )
        if r['preset'] != 'web' and r['ari'] <= default['ari']:
            problems.append(
                f'{r["corpus"]} {r["seed"]}, {r["group"]}: ARI {r["ari"]:.4f} with the preset, '
                f'{default["ari"]:.4f} without'
            )
    return problems
