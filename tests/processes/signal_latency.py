#!/usr/bin/env python3
"""Every command ends within a second of SIGTERM, SIGINT or SIGHUP, by that signal.

This holds while it waits for an input or for the reader of its output, skips useless input, or
works.

    tests/processes/signal_latency.py NEARDUP [--trials N] [--size MB] [--seed S] [--part PART]

A trial starts a command on one kind of input, sends a signal at a random moment and measures the
seconds until the command ends. It does not count if the command had ended before. A stream must
also be sound afterwards and know every document that it has answered. Prints the longest time of
each command; fails if one is over a second."""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

LIMIT = 1.0  # seconds
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def make_texts(random_, path, megabytes):
    """Makes JSON Lines; every third document is a near-duplicate of an earlier one."""
    letters = 'abcdefghijklmnopqrstuvwxyz'
    words = [''.join(random_.choices(letters, k=random_.randint(2, 9))) for _ in range(5000)]
    parts = [' '.join(random_.choices(words, k=25)) for _ in range(3000)]
    texts, size, number = [], 0, 0
    with open(path, 'w') as out:
        while size < megabytes * (1 << 20):
            if texts and number % 3 == 0:
                text = random_.choice(texts) + ' and more'
            else:
                text = ' '.join(random_.choices(parts, k=random_.randint(3, 20)))
                if len(texts) < 2000:
                    texts.append(text)
            line = '{"id":"d%d","text":"%s"}\n' % (number, text)
            out.write(line)
            size += len(line)
            number += 1


def make_fingerprints(path, count):
    with open(path, 'wb') as out:
        for _ in range(count >> 16 or 1):
            out.write(os.urandom(8 << 16))


class Feeder:
    """Writes to a pipe in a thread until the reader is gone: some good input once, then a piece
    again and again, or nothing more."""

    def __init__(self, first, again):
        self.read_end, self.write_end = os.pipe()
        self.first, self.again = first, again
        self.thread = threading.Thread(target=self.run)

    def run(self):
        try:
            view = memoryview(self.first)
            while view:
                view = view[os.write(self.write_end, view):]
            while self.again:
                os.write(self.write_end, self.again)
        except OSError:
            pass

    def start(self):
        self.thread.start()

    def stop(self):
        os.close(self.read_end)
        if not self.again:
            self.thread.join()
        os.close(self.write_end)
        self.thread.join()


class Machine:
    def __init__(self, arguments):
        self.neardup = os.path.abspath(arguments.neardup)
        self.random = random.Random(arguments.seed)
        self.worst = {}
        self.late = []
        self.trials = 0

    def run(self, *arguments):
        subprocess.run([self.neardup, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self, command, **streams):
        """Starts the command with the signals' default actions."""
        def restore():
            for number in SIGNALS:
                signal.signal(number, signal.SIG_DFL)
        return subprocess.Popen([self.neardup, *command], preexec_fn=restore, **streams)

    def end(self, process, number=None):
        """Sends a signal, if one is given, and waits: the seconds until the process has ended."""
        began = time.monotonic()
        if number:
            process.send_signal(number)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return time.monotonic() - began

    def judge(self, key, seconds, number, status, allowed):
        self.trials += 1
        self.worst[key] = max(self.worst.get(key, 0), seconds)
        if seconds > LIMIT or status not in allowed:
            self.late.append(f'{key}: {seconds:.2f} s after {number.name}, status {status}')

    def trial(self, name, command, kind, feeder, longest):
        """Returns the command's standard output."""
        number = self.random.choice(SIGNALS)
        process = self.start(command, stdin=feeder.read_end if feeder else subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        texts = [b'', b'']

        def read(i, file):
            texts[i] = file.read()

        readers = [threading.Thread(target=read, args=pair)
                   for pair in enumerate((process.stdout, process.stderr))]
        for thread in readers:
            thread.start()
        if feeder:
            feeder.start()
        try:
            process.wait(self.random.uniform(0.05, longest))
        except subprocess.TimeoutExpired:
            pass
        ended = process.poll() is not None
        seconds = self.end(process, None if ended else number)
        for thread in readers:
            thread.join()
        if feeder:
            feeder.stop()
        if not ended:
            self.judge(f'{name}: {kind}', seconds, number, process.returncode, (-number, 0))
        elif process.returncode != 0:
            sys.exit(f'{name}: {kind}: ended with {process.returncode} by itself: '
                     + texts[1].decode(errors='replace')[-300:])
        return texts[0]

    def stalled_trial(self, name, command, pipe=None):
        """Standard output has no reader or, with the name of a pipe, no process opens the pipe."""
        number = self.random.choice(SIGNALS)
        process = self.start(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL if pipe else subprocess.PIPE)
        try:
            process.wait(self.random.uniform(0.5, 1))
            sys.exit(f'{name}: it ended by itself, with {process.returncode}')
        except subprocess.TimeoutExpired:
            pass
        seconds = self.end(process, number)
        if process.stdout:
            process.stdout.close()
        kind = 'pipe without a reader' if pipe else 'stalled reader'
        self.judge(f'{name}: {kind}', seconds, number, process.returncode, (-number,))


GOOD = b'{"id":"a%d","text":"a document like all the others that come here"}\n'


def feeds(kind):
    """The first and the repeated bytes of an input of texts."""
    good = b''.join(GOOD % i for i in range(100))
    return {
        'silent': (good, b''),
        'blank': (good, b'\n' * 4096),
        'bad': (good, b'{"no":"text"}\n' * 300),
        'endless line': (good, b'x' * 65536),
    }[kind]


def texts_commands(m):
    """Returns the commands that read texts, each with the arguments before its input."""
    return {
        'dedup': ['dedup', '-o', 'out.jsonl', '--removed', 'removed.tsv'],
        'dedup --sketch simhash': ['dedup', '--sketch', 'simhash', '-o', 'out.jsonl'],
        'dedup --group component': ['dedup', '--group', 'component', '-o', 'out.jsonl'],
        'pairs': ['pairs', '-o', 'pairs.tsv'],
        'simhash': ['simhash'],
        'idf': ['idf', '-o', 'idf.tsv'],
        'keywords': ['keywords', '--weights', 'tf'],
        'index add': ['index', 'add', 'index'],
        'index query': ['index', 'query', 'index'],
        'stream': ['stream', '--state', 'state'],
        'stream --k': ['stream', '--state', 'statek', '--k', '3'],
        'passages': ['passages', '--in', 'few.jsonl'],
    }


OTHER_INPUTS = {
    '--stop': ['keywords', 'few.jsonl', '--stop', 'INPUT'],
    '--weights': ['simhash', 'few.jsonl', '--weights', 'tfidf:INPUT'],
    '--dict': ['keywords', 'few.jsonl', '--analyzer', 'segment', '--dict', 'INPUT'],
    'compare': ['compare', 'INPUT', 'few.jsonl'],
    'compare --in': ['compare', 'a', 'b', '--in', 'INPUT'],
    'passages --in': ['passages', 'few.jsonl', '--in', 'INPUT'],
    'index remove': ['index', 'remove', 'index', '--ids', 'INPUT'],
    'hamming create': ['hamming', 'create', 'built', 'INPUT'],
    'hamming add': ['hamming', 'add', 'few', 'INPUT', '--format', 'u64'],
    'hamming remove': ['hamming', 'remove', 'few', '--ids', 'INPUT'],
    'hamming query': ['hamming', 'query', 'few', 'INPUT', '--format', 'u64'],
    'hamming join': ['hamming', 'join', 'INPUT'],
}


def waiting(m, trials):
    for _ in range(trials):
        for name, command in texts_commands(m).items():
            for kind in ('silent', 'blank', 'bad', 'endless line', 'pipe without a writer'):
                m.run('index', 'create', 'index')
                skip = [] if kind in ('silent', 'blank') else ['--on-error', 'skip']
                if kind == 'pipe without a writer':
                    os.mkfifo('pipe')
                    m.trial(name, command + ['pipe'], kind, None, 0.6)
                    os.remove('pipe')
                else:
                    feeder = Feeder(*feeds(kind))
                    answers = m.trial(name, command + ['-'] + skip, kind, feeder, 0.6)
                    if name.startswith('stream'):
                        check_stream(m, name, command, answers)
                clean_up()
        m.run('index', 'create', 'index')
        m.run('hamming', 'create', 'few', 'few.u64', '--format', 'u64')
        os.mkfifo('pipe')
        for name, command in OTHER_INPUTS.items():
            silent = [part.replace('INPUT', '-') for part in command]
            m.trial(name, silent, 'silent', Feeder(b'', b''), 0.6)
            unopened = [part.replace('INPUT', 'pipe') for part in command]
            m.trial(name, unopened, 'pipe without a writer', None, 0.6)
        os.remove('pipe')
        clean_up()


def check_stream(m, name, command, answers):
    """Every answered document is known: sent again, it gets the same answer."""
    ids = [line.split(b'"')[3] for line in answers.split(b'\n')[:-1]]
    if not ids:
        return
    documents = b''.join(GOOD % int(i[1:]) for i in ids)
    again = subprocess.run([m.neardup, *command, '-'], input=documents, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, check=True)
    known = again.stdout.count(b'"again":true')
    if known != len(ids):
        sys.exit(f'{name}: {known} of {len(ids)} answered documents are known after the signal')


def clean_up():
    for name in ('index', 'state', 'statek', 'built', 'few'):
        shutil.rmtree(name, ignore_errors=True)
    for name in ('out.jsonl', 'removed.tsv', 'pairs.tsv', 'idf.tsv'):
        if os.path.exists(name):
            os.remove(name)


def working(m, trials, longest):
    for _ in range(trials):
        for name, command in texts_commands(m).items():
            if name == 'passages':  # its queries must be in memory
                continue
            m.run('index', 'create', 'index')
            memory = []
            if command[0] in ('dedup', 'pairs', 'idf') and m.random.random() < 0.5:
                memory = ['--memory', '64M']
            m.trial(name, command + ['many.jsonl'] + memory, 'working', None, longest)
            clean_up()
        for name, command in {
                'hamming create': ['hamming', 'create', 'built', 'many.u64', '--format', 'u64'],
                'hamming join': ['hamming', 'join', 'many.u64', '--format', 'u64'],
                'hamming join --groups': ['hamming', 'join', 'many.u64', '--format', 'u64', '--groups', '--k', '2'],
                'hamming add': ['hamming', 'add', 'kept', 'many.u64', '--format', 'u64'],
                'hamming query': ['hamming', 'query', 'large', 'many.u64', '--format', 'u64'],
                'hamming compact': ['hamming', 'compact', 'large'],
                'hamming check': ['hamming', 'check', 'large'],
                'index query': ['index', 'query', 'full', 'many.jsonl'],
                'index add --replace': ['index', 'add', 'copied', 'many.jsonl', '--replace'],
                'dedup --index': ['dedup', '--index', 'copied', 'many.jsonl', '--replace',
                                  '-o', 'out.jsonl'],
                'index check': ['index', 'check', 'full'],
                'index compact': ['index', 'compact', 'copied'],
                'passages': ['passages', 'part.jsonl', '--in', 'many.jsonl'],
                'passages --in index': ['passages', 'part.jsonl', '--in', 'full'],
                'keywords': ['keywords', 'many.jsonl'],
                'compare': ['compare', 'many.jsonl', 'part.jsonl', '--max-record', '1000M'],
                'clusters': ['clusters', 'streamed'],
        }.items():
            if 'copied' in command:
                shutil.copytree('full', 'copied')
            if 'kept' in command:
                m.run('hamming', 'create', 'kept', 'few.u64', '--format', 'u64')
            m.trial(name, command, 'working', None, longest)
            clean_up()
            for directory in ('copied', 'kept'):
                shutil.rmtree(directory, ignore_errors=True)


WRITERS = {
    'dedup': ['dedup', 'many.jsonl', '--threshold', '1'],
    'pairs': ['pairs', 'many.jsonl', '--threshold', '.5'],
    'simhash': ['simhash', 'many.jsonl', '--features', 'shingles'],
    'keywords': ['keywords', 'many.jsonl', '--weights', 'tf'],
    'index query': ['index', 'query', 'full', 'many.jsonl'],
    'hamming query': ['hamming', 'query', 'large', 'many.u64', '--format', 'u64'],
    'hamming join': ['hamming', 'join', 'many.u64', '--format', 'u64', '--k', '16'],
    'stream': ['stream', '--state', 'state', 'many.jsonl'],
    'passages': ['passages', 'part.jsonl', '--in', 'part.jsonl'],
}


def stalled(m, trials):
    for _ in range(trials):
        for name, command in WRITERS.items():
            m.stalled_trial(name, command)
            clean_up()
        os.mkfifo('pipe')
        for flag in ('--output', '--removed', '--clusters', '--edges'):
            m.stalled_trial('dedup ' + flag, ['dedup', 'few.jsonl', flag, 'pipe'], 'pipe')
        m.stalled_trial('idf', ['idf', 'few.jsonl', '-o', 'pipe'], 'pipe')
        os.remove('pipe')


def prepare(m, megabytes):
    make_texts(m.random, 'many.jsonl', megabytes)
    make_texts(m.random, 'part.jsonl', min(megabytes / 16, 1))
    make_texts(m.random, 'few.jsonl', 0.01)
    make_fingerprints('many.u64', megabytes << 16)
    make_fingerprints('few.u64', 1)
    m.run('index', 'create', 'full')
    m.run('index', 'add', 'full', 'many.jsonl')
    m.run('hamming', 'create', 'large', 'many.u64', '--format', 'u64')
    m.run('stream', '--state', 'streamed', '--k', '3', 'part.jsonl')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('neardup')
    parser.add_argument('--trials', type=int, default=1)
    parser.add_argument('--size', type=int, default=8,
                        help='MB of text that a working command reads')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--part', choices=['waiting', 'stalled', 'working'],
                        help='one part of the trials; all without it')
    arguments = parser.parse_args()
    m = Machine(arguments)
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        prepare(m, arguments.size)
        if arguments.part in (None, 'waiting'):
            waiting(m, arguments.trials)
        if arguments.part in (None, 'stalled'):
            stalled(m, arguments.trials)
        if arguments.part in (None, 'working'):
            working(m, arguments.trials, max(0.5, arguments.size / 20))
        os.chdir('/')
    for key, seconds in sorted(m.worst.items(), key=lambda item: -item[1])[:10]:
        print('%6.3f s  %s' % (seconds, key))
    print('%d trials, %d too late' % (m.trials, len(m.late)))
    for line in m.late:
        print(line)
    sys.exit(1 if m.late else 0)


if __name__ == '__main__':
    main()
