#!/usr/bin/env python3
"""Options with unusual values are obeyed or rejected; no command crashes, hangs or harms files.

    tests/processes/option_values.py NEARDUP [--trials N] [--seed S]

The options come from the completion that the program prints. A trial chooses a command, one or two
of its options, and a value for each option: a number at an edge, the value of another option, or
random bytes."""
import argparse
import hashlib
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

SECONDS = 30
MEMORY = 6 << 30

EDGES = ['', '0', '1', '-1', '00', '1e9', '1e400', '-0', 'nan', 'inf', '0x10', '4294967295', '4294967296', '18446744073709551615', '18446744073709551616', '9' * 400, '.5', '.', '1.', '1..2', '0.0000000001',
         '64M', '64MB', '1GiB', '1T', '999999T', '-64M', '64Q', '-', '--', '/', '.', '..', 'a|b', 'first', 'max:', 'max:x', 'tfidf:', 'tfidf:nothing', 'sentences:', 'sentences:0', 'sentences:999999999999',
         '%s%n%x', '\x1b[31m', 'line\nbreak', '\xff', 'ä', '字', '"', "'", '\\', ' ', 'a' * 5000, '2100-01-01', '30d', '1y', 'words', 'chars', 'segment', 'english', 'klingon', 'in.jsonl', 'out', '/dev/null']

COMMANDS = {
    'dedup': ['in.jsonl'], 'pairs': ['in.jsonl'], 'simhash': ['in.jsonl'], 'idf': ['in.jsonl'], 'keywords': ['in.jsonl'], 'compare': ['a.txt', 'b.txt'], 'passages': ['in.jsonl', '--in', 'in.jsonl'],
    'plan': [], 'index create': ['new'], 'index add': ['ix', 'in.jsonl'], 'index query': ['ix', 'in.jsonl'], 'index remove': ['ix', 'b'], 'index compact': ['ix'], 'index check': ['ix'],
    'index info': ['ix'], 'hamming create': ['new', 'prints.tsv'], 'hamming add': ['hx', 'prints.tsv'], 'hamming remove': ['hx', 'a'], 'hamming query': ['hx', 'prints.tsv'],
    'hamming join': ['prints.tsv'], 'hamming plan': ['--n', '1e6', '--k', '3'], 'hamming check': ['hx'], 'hamming info': ['hx'], 'stream': ['in.jsonl', '--state', 'sx'], 'clusters': ['sx'],
}
# The files that each command may change; all other files must be unchanged.
OWN = {'index add': 'ix', 'index remove': 'ix', 'index compact': 'ix', 'hamming add': 'hx', 'hamming remove': 'hx', 'stream': 'sx', 'clusters': 'sx'}


def options_of(neardup, command):
    text = subprocess.run([neardup, 'help', *command.split()], stdout=subprocess.PIPE, check=True).stdout.decode()
    return sorted(set(re.findall(r'^ {2,6}(?:-\w, )?(--[a-z-]+)', text, re.M)) - {'--help'})


def prepare(neardup):
    def words(a, b):
        return ' '.join('w%d' % i for i in range(a, b))
    with open('in.jsonl', 'w') as out:
        for name, a, b in (('a', 0, 40), ('b', 2, 40), ('c', 100, 150), ('d', 100, 151)):
            out.write('{"id":"%s","text":"%s"}\n' % (name, words(a, b)))
    for name, a in (('a.txt', 0), ('b.txt', 20)):
        with open(name, 'w') as out:
            out.write(words(a, a + 60))
    quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL, 'check': True}
    subprocess.run([neardup, 'simhash', 'in.jsonl', '-o', 'prints.tsv'], **quiet)
    subprocess.run([neardup, 'index', 'create', 'ix'], **quiet)
    subprocess.run([neardup, 'index', 'add', 'ix', 'in.jsonl'], **quiet)
    subprocess.run([neardup, 'hamming', 'create', 'hx', 'prints.tsv'], **quiet)
    subprocess.run([neardup, 'stream', 'in.jsonl', '--state', 'sx'], **quiet)


def snapshot(without):
    found = {}
    for folder, _, files in os.walk('.'):
        if folder.split('/')[1:2] == [without]:
            continue
        for f in files:
            path = os.path.join(folder, f)
            if not os.path.islink(path):
                with open(path, 'rb') as file:
                    found[path] = hashlib.md5(file.read()).digest()
    return found


def value(random_):
    way = random_.randrange(4)
    if way < 2:
        return random_.choice(EDGES)
    if way == 2:
        return ''.join(random_.choice('0123456789.eE+-KMGTiB:|/') for _ in range(random_.randrange(1, 9)))
    return bytes(random_.randrange(1, 256) for _ in range(random_.randrange(1, 20))).decode('latin-1')


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def trial(neardup, random_, options, address_limit):
    command = random_.choice(list(COMMANDS))
    arguments = [neardup, *command.split(), *COMMANDS[command]]
    for name in random_.sample(options[command], min(len(options[command]), random_.randint(1, 2))):
        arguments.append(name if random_.random() < 0.3 else name + '=' + value(random_))
    encoded = [a.encode('latin-1', 'ignore') if all(ord(c) < 256 for c in a) else a.encode() for a in arguments]
    before = snapshot(OWN.get(command))
    try:
        done = subprocess.run(encoded, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS, preexec_fn=limit if address_limit else None)
    except subprocess.TimeoutExpired:
        sys.exit('it hangs: %r' % encoded)
    if done.returncode not in (0, 1, 2) or b'Sanitizer' in done.stderr:
        sys.exit('status %d: %r: %s' % (done.returncode, encoded, done.stderr.decode(errors='replace')[-1000:]))
    if done.returncode != 0 and not done.stderr:
        sys.exit('status %d without a message: %r' % (done.returncode, encoded))
    if re.search(rb'[\x00-\x08\x0b-\x1f\x7f]', done.stderr):
        sys.exit('control characters on standard error: %r: %r' % (encoded, done.stderr[-300:]))
    after = snapshot(OWN.get(command))
    # Of the existing files these values name only "out" and "in.jsonl" as outputs; they are
    # rejected or replaced, as the command demands.
    asked = {'./' + a.split('=', 1)[1] for a in arguments if '=' in a}
    touched = [p for p in before if after.get(p) != before[p] and p not in asked]
    if touched:
        sys.exit('%r changed %s' % (encoded, touched[:3]))
    return done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('neardup')
    parser.add_argument('--trials', type=int, default=120)
    parser.add_argument('--seed', type=int, default=1)
    arguments = parser.parse_args()
    random_ = random.Random(arguments.seed)
    neardup = os.path.abspath(arguments.neardup)
    with open(neardup, 'rb') as file:
        address_limit = b'__asan_init' not in file.read()
    options = {command: options_of(neardup, command) for command in COMMANDS}
    counts = {0: 0, 1: 0, 2: 0}
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        os.mkdir('start')
        os.chdir('start')
        prepare(neardup)
        os.chdir('..')
        for _ in range(arguments.trials):
            shutil.copytree('start', 'work')
            os.chdir('work')
            counts[trial(neardup, random_, options, address_limit)] += 1
            os.chdir('..')
            shutil.rmtree('work')
        os.chdir('/')
    print('%d trials: %d done, %d failed by name, %d refused; nothing else was touched' % (arguments.trials, counts[0], counts[1], counts[2]))


if __name__ == '__main__':
    main()
