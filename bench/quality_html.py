"""Quality and speed of the text of HTML pages, for bench/quality: the main content against the
development pages of WCXB, and the same of other extractors in the same run.

WCXB (Web Content eXtraction Benchmark, CC-BY-4.0) has pages of seven kinds with their main content, made by people with the help of a model:
https://github.com/Murrough-Foley/web-content-extraction-benchmark. `--pages` takes a folder with its files, as `git clone` makes it; nothing of it is kept
here. F1 is the one of its evaluate.py: of the words of both texts as multisets, by page, then the mean. The points of src/html/html_main.c were tuned on
every other page, beginning with the first; `held` is the other half.

The pages are decoded as UTF-8, with U+FFFD for what is none, before any clock starts. Seconds are of the processor, on one thread, over all pages.
"""
import collections
import glob
import gzip
import json
import os
import re

from bench_common import ROOT, Ran, environment, table

# The first three ask for an extra of lxml in a way that some versions of pip cannot resolve, so their needs are named here.
ALONE = {'trafilatura': '2.3.1', 'jusText': '3.0.2', 'readability-lxml': '0.9'}
PACKAGES = {'Resiliparse': '2.0.1', 'lxml': '6.1.3', 'lxml_html_clean': '0.4.6', 'courlan': '1.4.0', 'htmldate': '1.11.0', 'chardet': '5.2.0', 'cssselect': '1.3.0',
            'certifi': '2026.10.18', 'urllib3': '2.8.0', 'charset-normalizer': '3.5.2'}
PUBLISHED = {'trafilatura': .791, 'jusText': .707, 'readability': .675}  # F1, from its README.md
HEAD = ['extractor', 'F1 tuned', 'F1 held', 'F1', 'precision', 'recall', 'published F1', 'MB/s', 'ms a page']
WORD = re.compile(r'\w+')


def unpack(pages, folder):
    """Writes the pages to a folder. Returns their paths, truths and kinds."""
    paths, truths, kinds = [], [], []
    for packed in sorted(glob.glob(os.path.join(pages, 'dev', 'html', '*.html.gz'))):
        name = os.path.basename(packed)[:-len('.html.gz')]
        with gzip.open(packed) as f, open(os.path.join(folder, name + '.html'), 'wb') as out:
            out.write(f.read().decode('utf8', 'replace').encode())
        with open(os.path.join(pages, 'dev', 'ground-truth', name + '.json'), encoding='utf8') as f:
            page = json.load(f)
        paths.append(os.path.join(folder, name + '.html'))
        truths.append(WORD.findall((page['ground_truth'].get('main_content') or '').lower()))
        kinds.append(page['_internal']['page_type']['primary'].replace('category', 'collection'))
    return paths, truths, kinds


def score(text, truth):
    """Precision, recall and F1 of a text."""
    found = WORD.findall(text.lower())
    if not truth or not found:
        return (float(not truth and not found),) * 3
    both = sum((collections.Counter(found) & collections.Counter(truth)).values())
    return both / len(found), both / len(truth), 2 * both / (len(found) + len(truth))


def read_texts(path):
    """The texts that html_bench wrote: each behind a line with its length in bytes."""
    with open(path, 'rb') as f:
        data = f.read()
    texts, at = [], 0
    while at < len(data):
        begin = data.index(b'\n', at) + 1
        at = begin + int(data[at:begin])
        texts.append(data[begin:at].decode())
    return texts


def ours(programs, paths, options, folder):
    texts = os.path.join(folder, 'texts')
    figures = Ran([programs.html_bench, *options, '--rounds', '5', '--texts', texts, *paths]).json()
    return read_texts(texts), figures['seconds']


def theirs(name, folder):
    python = environment(os.path.join(ROOT, 'build', 'html-peers'), PACKAGES, ALONE)
    out = os.path.join(folder, 'peer.json')
    Ran([python, os.path.join(ROOT, 'bench', 'html_peers.py'), name, out, folder])
    with open(out, encoding='utf8') as f:
        figures = json.load(f)
    return figures['texts'], figures['seconds']


def mean(rows, column):
    return sum(row[column] for row in rows) / max(1, len(rows))


def measure_html(programs, pages, folder):
    """Returns a row of figures per extractor."""
    paths, truths, kinds = unpack(pages, folder)
    size, results = sum(map(os.path.getsize, paths)), []
    for name, run in {'neardup main': lambda: ours(programs, paths, ['--main'], folder), 'neardup visible': lambda: ours(programs, paths, [], folder),
                      **{peer: lambda peer=peer: theirs(peer, folder) for peer in ('trafilatura', 'jusText', 'readability', 'resiliparse main', 'resiliparse plain')}}.items():
        texts, seconds = run()
        scores = [score(text, truth) for text, truth in zip(texts, truths)]
        by_kind = {kind: round(mean([s for s, k in zip(scores, kinds) if k == kind], 2), 4) for kind in sorted(set(kinds))}
        results.append({'name': name, 'pages': len(paths), 'bytes': size, 'seconds': seconds, 'tuned': mean(scores[::2], 2), 'held': mean(scores[1::2], 2),
                        'f1': mean(scores, 2), 'precision': mean(scores, 0), 'recall': mean(scores, 1), 'kinds': by_kind})
    gumbo = Ran([programs.html_bench, '--gumbo', *paths], check=False)
    if gumbo.code == 0:
        results.append({'name': 'libgumbo, the tree alone', 'pages': len(paths), 'bytes': size, 'seconds': gumbo.json()['seconds']})
    return results


def html_tables(results):
    rows, kinds = [], []
    for r in results:
        quality = [f'{r[key]:.3f}' if key in r else '-' for key in ('tuned', 'held', 'f1', 'precision', 'recall')]
        rows.append([r['name'], *quality, PUBLISHED.get(r['name'], '-'), f'{r["bytes"] / r["seconds"] / 1e6:.1f}', f'{r["seconds"] / r["pages"] * 1e3:.2f}'])
        if 'kinds' in r:
            kinds.append([r['name'], *(f'{f1:.3f}' for f1 in r['kinds'].values())])
    return f'{table(HEAD, rows)}\n\nF1 by kind of page:\n\n{table(["extractor", *results[0]["kinds"]], kinds)}'


def html_problems(results):
    """The bounds that are broken."""
    of = {r['name']: r for r in results}
    speed = {name: r['bytes'] / r['seconds'] / 1e6 for name, r in of.items()}
    bounds = {'F1 of the main content is below .79 on the pages it was not tuned on': of['neardup main']['held'] >= .79,
              'the main content is not ten times as fast as trafilatura': speed['neardup main'] >= 10 * speed['trafilatura'],
              'the visible text is below 100 MB/s': speed['neardup visible'] >= 100,
              'the visible text is not five times as fast as resiliparse': speed['neardup visible'] >= 5 * speed['resiliparse plain']}
    return [problem for problem, holds in bounds.items() if not holds]
