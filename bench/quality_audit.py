"""Whether `neardup audit` and `neardup tune` tell the truth, for bench/quality. Audit: its recall
on samples beside the exact recall, which comes from the corpus's own pairs and the answer of
`neardup pairs`; and its time beside `neardup dedup`.

With a sample of all documents the numbers must be the exact ones, where the corpus's truth cuts
texts as neardup does. With samples of 1,000 documents (a third of a smaller corpus) the interval
must have the exact recall about 19 times in 20; how often it has is printed.

Tune: its share on samples beside that of all documents, and beside the shares that `neardup
dedup` removes; and its time.
"""

import json

from bench_common import Ran, table

SAMPLES = 10
FORMS = (
    ('default', 0.8, []),
    ('40 permutations', 0.8, ['--recall', '.5', '--perms', '40']),
    ('160 permutations', 0.6, ['--perms', '160']),
    ('SimHash, not verified', 0.8, ['--sketch', 'simhash', '--verify', 'none']),
)

HEAD = [
    'corpus, t, configuration',
    'true pairs',
    'exact recall',
    'sample',
    'one sample: recall',
    'interval',
    f'has it, of {SAMPLES}',
    'left, all',
    'audit s',
    'dedup s',
]


def audit(programs, path, arguments):
    return json.loads(Ran([programs.neardup, 'audit', path, '-q', '--json', *arguments]).stdout)


def seconds(programs, command, path, arguments):
    run = Ran([programs.neardup, command, path, '-o', '/dev/null', '--summary', '-', *arguments])
    return json.loads(run.stdout)['seconds_total']


def exact(programs, path, ids, truth, threshold, arguments):
    """Returns the number of true pairs, and how many of them `pairs` finds."""
    number = {text: i for i, text in enumerate(ids)}
    run = Ran([programs.neardup, 'pairs', path, '-q', *arguments])
    found = set()
    for line in run.stdout.splitlines()[1:]:
        a, b = line.split('\t')[:2]
        found.add(tuple(sorted((number[a], number[b]))))
    true = [pair for pair, similarity in truth.items() if similarity >= threshold]
    return len(true), sum(pair in found for pair in true)


def measure_audits(programs, name, path, ids, truth, comparable):
    """Returns a row per configuration. `comparable`: the truth cuts all texts as neardup does."""
    rows = []
    for form, threshold, flags in FORMS:
        arguments = ['--threshold', str(threshold), *flags]
        # Fingerprints that alone decide have no threshold.
        answered_by = flags if '--verify' in flags else arguments
        whole = audit(programs, path, [*arguments, '--sample', str(len(ids))])
        pairs, found = exact(programs, path, ids, truth, threshold, answered_by)
        if not comparable:
            pairs, found = whole['true_pairs'] // 2, whole['found'] // 2
        size = min(1000, len(ids) // 3)
        samples = [
            audit(programs, path, [*arguments, '--sample', str(size), '--sample-seed', str(seed)])
            for seed in range(SAMPLES)
        ]
        recall = found / pairs if pairs else 1.0
        near = recall - 1e-6, recall + 1e-6
        rows.append(
            {
                'corpus': name,
                'form': form,
                'threshold': threshold,
                'pairs': pairs,
                'recall': recall,
                'sample': size,
                'whole': whole,
                'samples': samples,
                'covered': sum(
                    s['recall_low'] <= near[1] and s['recall_high'] >= near[0] for s in samples
                ),
                'agrees': (whole['true_pairs'], whole['found']) == (2 * pairs, 2 * found),
                'audit_seconds': seconds(
                    programs, 'audit', path, [*arguments, '--sample', str(size)]
                ),
                'dedup_seconds': seconds(programs, 'dedup', path, answered_by),
            }
        )
    return rows


def audit_table(rows):
    return table(
        HEAD,
        [
            [
                f'{r["corpus"]} {r["threshold"]}, {r["form"]}',
                r['pairs'],
                f'{r["recall"]:.4f}',
                r['sample'],
                f'{r["samples"][0]["recall"]:.4f}',
                f'{r["samples"][0]["recall_low"]:.4f} to {r["samples"][0]["recall_high"]:.4f}',
                r['covered'],
                r['whole']['left'],
                f'{r["audit_seconds"]:.2f}',
                f'{r["dedup_seconds"]:.2f}',
            ]
            for r in rows
        ],
    )


# ---- tune

TUNE_HEAD = [
    'corpus, t',
    'tune, all documents',
    'dedup',
    'dedup, components',
    'sample',
    'one sample',
    'interval',
    f'has it, of {SAMPLES}',
    'tune s',
    'dedup s',
]


def tune(programs, path, threshold, arguments):
    """Returns what tune says of one threshold."""
    found = json.loads(
        Ran([programs.neardup, 'tune', path, '-q', '--json', '--lowest', '.5', *arguments]).stdout
    )
    return next(step for step in found['steps'] if step['threshold'] == threshold)


def removed_share(programs, path, threshold, *arguments):
    run = Ran(
        [
            programs.neardup,
            'dedup',
            path,
            '-o',
            '/dev/null',
            '--summary',
            '-',
            '--threshold',
            str(threshold),
            '--perms',
            '160',
            *arguments,
        ]
    )
    summary = json.loads(run.stdout)
    return summary['removed'] / summary['documents']


def measure_tunes(programs, name, path, documents):
    """Returns a row per threshold."""
    rows = []
    size = min(1000, documents // 3)
    for threshold in (0.8, 0.5):
        share = tune(programs, path, threshold, ['--sample', str(documents)])['removed']
        samples = [
            tune(programs, path, threshold, ['--sample', str(size), '--sample-seed', str(seed)])
            for seed in range(SAMPLES)
        ]
        rows.append(
            {
                'corpus': name,
                'threshold': threshold,
                'share': share,
                'sample': size,
                'samples': samples,
                'dedup': removed_share(programs, path, threshold),
                'component': removed_share(programs, path, threshold, '--group', 'component'),
                'covered': sum(s['removed_low'] <= share <= s['removed_high'] for s in samples),
                'tune_seconds': seconds(
                    programs, 'tune', path, ['--examples', '0', '--sample', str(size)]
                ),
                'dedup_seconds': seconds(programs, 'dedup', path, ['--threshold', '.8']),
            }
        )
    return rows


def tune_table(rows):
    return table(
        TUNE_HEAD,
        [
            [
                f'{r["corpus"]} {r["threshold"]}',
                f'{r["share"]:.4f}',
                f'{r["dedup"]:.4f}',
                f'{r["component"]:.4f}',
                r['sample'],
                f'{r["samples"][0]["removed"]:.4f}',
                f'{r["samples"][0]["removed_low"]:.4f} to {r["samples"][0]["removed_high"]:.4f}',
                r['covered'],
                f'{r["tune_seconds"]:.2f}',
                f'{r["dedup_seconds"]:.2f}',
            ]
            for r in rows
        ],
    )
