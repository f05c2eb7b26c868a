"""Quality of fingerprints, for bench/quality: the pairs that each kind of feature finds and lets
through by distance alone, and the removals of jobs with fingerprints beside jobs with MinHash."""
import os
import random

from bench_common import Ran, table

FEATURES = (('words by tf', []), ('words by tf-idf of the corpus', ['--weights', 'tfidf:{idf}']), ('word pairs by tf', ['--features', 'shingles', '--ngram', '2']),
            ('3-shingles as a set', ['--features', 'shingles', '--ngram', '3', '--weights', 'none']),
            ('5-shingles as a set', ['--features', 'shingles', '--ngram', '5', '--weights', 'none']))
RECALL_AT, WITHIN, RANDOM_WITHIN, RANDOM_PAIRS = (3, 6, 8), 8, 3, 1000000

FEATURES_HEAD = ['features', *(f'recall J >= .8, k = {k}' for k in RECALL_AT), f'of J .5 to .7 within {WITHIN}', f'of random pairs within {RANDOM_WITHIN}']

SKETCHES = (('minhash', []), ('simhash', ['--sketch', 'simhash']), ('simhash, cosine', ['--sketch', 'simhash', '--verify', 'cosine']),
            ('simhash, none', ['--sketch', 'simhash', '--verify', 'none', '--k', '6']), ('simhash, none, k = 3', ['--sketch', 'simhash', '--verify', 'none', '--k', '3']))

SKETCHES_HEAD = ['corpus, sketch and what verifies', 'removed', 'brute force', 'recall', 'precision', 'pairs J >= .8 within reach', 'verified', 'rejected', 'seconds']


def fingerprints(programs, corpus, arguments):
    output = Ran([programs.neardup, 'simhash', corpus, '-q', *arguments]).stdout
    return [int(line.rpartition('\t')[2], 16) for line in output.splitlines()]


def share(distances, k):
    return sum(d <= k for d in distances) / max(1, len(distances))


def measure_features(programs, corpus, truth, folder):
    """Returns a row per kind of features: the shares of true pairs and of random pairs that are
    near enough."""
    idf = os.path.join(folder, 'idf.tsv')
    Ran([programs.neardup, 'idf', corpus, '-q', '-o', idf])
    chance, rows = random.Random(1), []
    for name, arguments in FEATURES:
        prints = fingerprints(programs, corpus, [a.format(idf=idf) for a in arguments])
        distances = {pair: (prints[pair[0]] ^ prints[pair[1]]).bit_count() for pair in truth}
        alike = [d for pair, d in distances.items() if truth[pair] >= .8]
        unlike = [d for pair, d in distances.items() if .5 <= truth[pair] < .7]
        apart = [(a ^ b).bit_count() for a, b in (chance.sample(prints, 2) for _ in range(RANDOM_PAIRS))]
        rows.append({'features': name, 'recall': {k: share(alike, k) for k in RECALL_AT}, 'unlike': share(unlike, WITHIN), 'random': share(apart, RANDOM_WITHIN)})
    return rows


def features_table(rows):
    cells = [[r['features'], *(f'{r["recall"][k]:.3f}' for k in RECALL_AT), f'{r["unlike"]:.3f}', f'{r["random"]:.4f}'] for r in rows]
    return table(FEATURES_HEAD, cells)


def read_column(path, columns):
    with open(path, encoding='utf8') as f:
        next(f)
        return [tuple(line.rstrip('\n').split('\t')[c] for c in columns) for line in f]


def measure_sketches(programs, name, corpus, ids, folder, threshold=.8):
    """Compares removals with the removals of brute force. Precision: the share of removed documents
    that have an earlier one with J >= threshold; recall: the share of brute force's removals
    found."""
    number_of = {i: n for n, i in enumerate(ids)}
    oracle = [programs.brute_force, '--threshold', str(threshold)]
    exact = {line.split('\t')[0] for line in Ran([*oracle, '--survivors', corpus]).stdout.splitlines()[1:]}
    pairs = {tuple(sorted(map(int, line.split('\t')[:2]))) for line in Ran([*oracle, corpus]).stdout.splitlines()}
    has_earlier = {j for _, j in pairs}
    rows = []
    for sketch, arguments in SKETCHES:
        removed, found = (os.path.join(folder, file) for file in ('sketch-removed.tsv', 'sketch-pairs.tsv'))
        run = Ran([programs.neardup, 'dedup', corpus, '-o', os.devnull, '--removed', removed, '--summary', '-', '-q', '--threads', '1', *arguments])
        Ran([programs.neardup, 'pairs', corpus, '-o', found, '-q', *arguments])
        mine = {row[0] for row in read_column(removed, (0,))}
        right = sum(number_of[i] in has_earlier for i in mine)
        reached = sum(tuple(sorted((number_of[a], number_of[b]))) in pairs for a, b in read_column(found, (0, 1)))
        summary = run.json()
        rows.append({'corpus': name, 'sketch': sketch, 'removed': len(mine), 'brute_force': len(exact), 'recall': len(mine & exact) / max(1, len(exact)),
                     'precision': right / max(1, len(mine)), 'pairs': reached / max(1, len(pairs)), 'verified': summary['verified'], 'rejected': summary['rejected'],
                     'seconds': run.seconds})
    return rows


def sketches_table(rows):
    cells = [[f'{r["corpus"]} {r["sketch"]}', r['removed'], r['brute_force'], f'{r["recall"]:.4f}', f'{r["precision"]:.4f}', f'{r["pairs"]:.4f}', r['verified'], r['rejected'],
              f'{r["seconds"]:.2f}'] for r in rows]
    return table(SKETCHES_HEAD, cells)
