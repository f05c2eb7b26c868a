"""Generators of corpora with known truth, for the presets: noisy copies, short texts, code. The
same seed and material give the same texts. Each text has the number of its original; texts with
equal numbers are copies of one original.

noisy  Texts of 2,500 originals of the size of a news article, after NEWS-COPY (Silcock, D'Amico-
       Wong, Yang and Dell, "Noise-Robust De-Duplication at Scale", 2022), whose 9,909 or so texts
       were read by OCR and abridged by editors. Each copy keeps 35 to 100 % of the text, its
       beginning or pieces of it, and has errors in 1 to 10 % of its characters: substitutions,
       deletions, insertions, spaces lost or added.
news   The same without errors of OCR: abridged to 35 to 100 %, 0 to 3 % of the words replaced, and
       another dateline.
short  Titles and messages of 3 to 20 words: copies have other case and punctuation, hashtags, names
       and typing errors. For every second original there is another one that differs from it in one
       or two words, and is no copy.
code   Functions of Python's standard library behind one of three licence headers. Copies have other
       names, comments, blank lines and indentation, and neighbouring lines exchanged.
"""

import ast
import bisect
import glob
import json
import keyword
import os
import random
import re
import subprocess
import sysconfig

OCR = {
    'e': 'co',
    'c': 'eo',
    'o': '0c',
    'l': '1i',
    'i': 'l1',
    'n': 'u',
    'u': 'n',
    'h': 'b',
    'b': 'h',
    'm': 'n',
    's': '5',
    't': 'f',
    'f': 't',
    'a': 'o',
    'r': 'n',
    'g': '9',
    '.': ',',
}
LETTERS = 'abcdefghijklmnopqrstuvwxyz'
LICENCES = '/usr/share/common-licenses'  # on every Debian machine
HEADERS_OF = ('Apache-2.0', 'GPL-3', 'MPL-2.0')
NAMES = '@anna @ben @chris @dana @eli @fay #news #now #update #today #breaking #tech'.split()


def copies_of(rng, originals, texts):
    """How many texts each original has: at least 1, in all `texts`; a few have many, but none so
    many that its pairs outweigh all others."""
    counts = [1] * originals
    weights = [min(20, rng.paretovariate(1.5)) for _ in range(originals)]
    ends, total = [], 0
    for weight in weights:
        total += weight
        ends.append(total)
    for _ in range(texts - originals):
        counts[bisect.bisect_left(ends, rng.random() * total)] += 1
    return counts


class Unlike:
    """Takes texts of which at most `most` of the runs of `size` words are in texts taken before."""

    def __init__(self, size, most):
        self.size, self.most, self.seen = size, most, set()

    def take(self, words):
        runs = {tuple(words[i : i + self.size]) for i in range(max(1, len(words) - self.size + 1))}
        if len(runs & self.seen) > self.most * len(runs):
            return False
        self.seen |= runs
        return True


def pages(make_corpus, seed, documents):
    """Texts of make_corpus; some are copies of others. None, if the machine has no material."""
    made = subprocess.run(
        [
            make_corpus,
            '--documents',
            str(documents),
            '--material-limit',
            '64M' if documents > 2000 else '8M',  # 64M take seconds to collect
            '--seed',
            str(seed),
        ],
        stdout=subprocess.PIPE,
        check=False,
    )
    return [json.loads(line)['text'] for line in made.stdout.splitlines()]


def originals_of(make_corpus, seed, wanted, words):
    """`wanted` texts with so many words, of which no two have 8 words in a row in common."""
    unlike, found = Unlike(8, 0), []
    for text in pages(make_corpus, seed, wanted * 4):
        tokens = text.split()
        if words[0] <= len(tokens) <= words[1] and unlike.take(tokens):
            found.append(' '.join(tokens))
        if len(found) == wanted:
            break
    return found


# ---- noisy


def misread(rng, text, share):
    """The text with errors in this share of its characters."""
    places = sorted(rng.sample(range(len(text)), round(len(text) * share)))
    parts, at = [], 0
    for place in places:
        parts.append(text[at:place])
        letter, kind = text[place], rng.random()
        at = place + 1
        if letter == ' ':
            continue  # a lost space
        if kind < 0.6:
            parts.append(rng.choice(OCR.get(letter, LETTERS)))
        elif kind < 0.8:
            parts.append(letter + rng.choice(LETTERS))
        elif kind < 0.9:
            parts.append(letter + ' ')
    return ''.join(parts) + text[at:]


def abridged(rng, text, share):
    """This share of the text: its beginning, or pieces of 12 words from all of it."""
    words = text.split()
    if rng.random() < 0.5:
        return ' '.join(words[: max(12, round(len(words) * share))])
    pieces = [words[i : i + 12] for i in range(0, len(words), 12)]
    kept = sorted(rng.sample(range(len(pieces)), max(1, round(len(pieces) * share))))
    return ' '.join(word for i in kept for word in pieces[i])


def noisy(make_corpus, seed, small):
    originals, texts = (250, 990) if small else (2500, 9909)
    rng = random.Random(f'noisy {seed}')
    made = []
    for number, (text, count) in enumerate(
        zip(
            originals_of(make_corpus, seed, originals, (120, 900)), copies_of(rng, originals, texts)
        )
    ):
        for _ in range(count):
            made.append(
                (
                    number,
                    misread(rng, abridged(rng, text, rng.uniform(0.35, 1)), rng.uniform(0.01, 0.1)),
                )
            )
    return made


def edited(rng, text, share):
    words = text.split()
    for i in range(len(words)):
        if rng.random() < share:
            words[i] = rng.choice(words)
    city = rng.choice(('Washington', 'London', 'Paris', 'Tokyo'))
    day = f'{city}, {rng.choice(("May", "June", "July"))} {rng.randint(1, 30)} --'
    return f'{day} {" ".join(words)}'


def news(make_corpus, seed, small):
    originals, texts = (250, 990) if small else (2500, 9909)
    rng = random.Random(f'news {seed}')
    return [
        (number, edited(rng, abridged(rng, text, rng.uniform(0.35, 1)), rng.uniform(0, 0.03)))
        for number, (text, count) in enumerate(
            zip(
                originals_of(make_corpus, seed + 500, originals, (120, 900)),
                copies_of(rng, originals, texts),
            )
        )
        for _ in range(count)
    ]


# ---- short


def sentence_pool(make_corpus, seed, wanted):
    """Sentences as lists of words, of which no two have half of their runs of 3 words in common."""
    rng = random.Random(f'pool {seed}')
    found, unlike = [], Unlike(3, 0.3)
    for text in pages(make_corpus, seed + 1000, wanted // 4 + 200):
        for sentence in re.split(r'(?<=[.!?])\s+|\n\n', text):
            words = re.findall(r"[A-Za-z][\w'-]*", sentence)
            if 3 <= len(words) <= 20 and unlike.take([word.lower() for word in words]):
                found.append(words)
    rng.shuffle(found)
    return found[:wanted]


def typed(rng, word):
    if len(word) < 4 or rng.random() < 0.5:
        return word
    i = rng.randrange(len(word) - 1)
    return rng.choice(
        (
            word[:i] + word[i + 1] + word[i] + word[i + 2 :],
            word[:i] + word[i + 1 :],
            word[:i] + word[i] + word[i:],
        )
    )


def message(rng, words):
    words = list(words)
    if rng.random() < 0.4:
        i = rng.randrange(len(words))
        words[i] = typed(rng, words[i])
    text = ' '.join(words)
    text = rng.choice((str, str, str.upper, str.lower, str.title))(text)
    if len(words) > 4 and rng.random() < 0.3:
        text = text.replace(' ', ', ', 1)
    if rng.random() < 0.3:
        text = ' '.join([text, *rng.sample(NAMES, rng.randint(1, 2))])
    if rng.random() < 0.2:
        text = rng.choice(('RT ', 'Re: ', 'Fwd: ')) + text
    return text + rng.choice(('', '', '.', '!', '!!', '?', ' ...'))


def short(make_corpus, seed, small):
    originals, texts = (600, 1500) if small else (8000, 20000)
    rng = random.Random(f'short {seed}')
    pool = sentence_pool(make_corpus, seed, originals * 2)
    vocabulary = sorted({word for words in pool for word in words if len(word) > 3})
    bases = []
    for words in pool[: originals * 2 // 3]:
        bases.append(words)
        if len(bases) % 2 and len(words) >= 5:
            other = list(words)
            for i in rng.sample(range(len(words)), rng.randint(1, 2)):
                other[i] = rng.choice(vocabulary)
            bases.append(other)
    bases = bases[:originals]
    return [
        (number, message(rng, words))
        for number, (words, count) in enumerate(zip(bases, copies_of(rng, len(bases), texts)))
        for _ in range(count)
    ]


# ---- code


def functions():
    """The source of functions of 8 to 80 lines of Python's standard library, each once."""
    found, unlike = [], Unlike(4, 0.3)
    for path in sorted(
        glob.glob(os.path.join(sysconfig.get_paths()['stdlib'], '*.py'))
        + glob.glob(os.path.join(sysconfig.get_paths()['stdlib'], '*', '*.py'))
    ):
        if 'site-packages' in path or os.sep + 'test' in path or 'idlelib' in path:
            continue
        try:
            with open(path, encoding='utf8') as f:
                source = f.read()
            tree = ast.parse(source)
        except (OSError, SyntaxError, UnicodeDecodeError):
            continue
        lines = source.splitlines()
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and 8 <= node.end_lineno - node.lineno <= 80:
                body = lines[node.lineno - 1 : node.end_lineno]
                if unlike.take(re.findall(r'\w+', ' '.join(body))):
                    found.append(body)
    return found


def headers():
    """The first 60 words of some licences, as comments."""
    for name in HEADERS_OF:
        with open(os.path.join(LICENCES, name), encoding='utf8') as f:
            words = ' '.join(f.read().split()[:60])
        yield '\n'.join('# ' + line for line in re.findall(r'.{1,76}(?:\s|$)', words))


def renamed(rng, text):
    names = sorted(
        set(re.findall(r'\b[a-z_][a-z0-9_]{2,}\b', text))
        - set(keyword.kwlist)
        - {'self', 'None', 'len', 'str', 'int'}
    )
    for name in rng.sample(names, min(len(names), rng.randint(0, 3))):
        text = re.sub(
            rf'\b{name}\b', rng.choice(('new_' + name, name + '2', 'the_' + name, name[:2])), text
        )
    return text


def rewritten(rng, lines):
    lines = list(lines)
    if rng.random() < 0.5:
        lines = [line for line in lines if not line.strip().startswith('#')] or lines
    if rng.random() < 0.5:
        lines.insert(
            rng.randrange(1, len(lines)),
            '    # ' + ' '.join(rng.sample(NAMES, 3)).replace('#', '').replace('@', ''),
        )
    for _ in range(rng.randint(0, 2) if len(lines) > 3 else 0):
        i = rng.randrange(1, len(lines) - 1)
        lines[i], lines[i + 1] = lines[i + 1], lines[i]
    text = '\n'.join(lines)
    if rng.random() < 0.3:
        text = text.replace('    ', rng.choice(('  ', '\t')))
    if rng.random() < 0.3:
        text = text.replace('\n', '\n\n', rng.randint(1, 3))
    return renamed(rng, text)


def code(_, seed, small):
    originals, texts = (250, 600) if small else (4000, 10000)
    rng = random.Random(f'code {seed}')
    bases = functions()
    rng.shuffle(bases)
    bases = bases[:originals]
    made, of_licences = [], list(headers())
    for number, (lines, count) in enumerate(
        zip(bases, copies_of(rng, len(bases), texts * len(bases) // originals))
    ):
        header = of_licences[number % len(of_licences)]
        made += [(number, header + '\n' + rewritten(rng, lines)) for _ in range(count)]
    return made


GENERATORS = {'news': news, 'noisy': noisy, 'short': short, 'code': code}


def write_corpus(kind, make_corpus, seed, small, path):
    """Writes the corpus in a random order as JSON Lines. Returns the number of each text's
    original."""
    made = GENERATORS[kind](make_corpus, seed, small)
    random.Random(f'order {seed}').shuffle(made)
    with open(path, 'w', encoding='utf8') as f:
        for row, (_, text) in enumerate(made):
            f.write(json.dumps({'id': str(row), 'text': text}) + '\n')
    return [number for number, _ in made]
