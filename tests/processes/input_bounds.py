#!/usr/bin/env python3
"""The memory of every command is bounded for any input: a line without an end, a Zstandard frame
with a window of 2 GiB, a list of words without an end, texts with millions of equal stretches.

    tests/processes/input_bounds.py NEARDUP

Each command gets such an input; its exit status, its message and its peak memory are compared with
the expected ones."""
import json
import os
import subprocess
import sys
import tempfile

MIB = 1 << 20
FAILED, DONE = 1, 0


def zstd_frame(window_log, pieces):
    """Returns a frame with such a window, made of (byte, count) pieces, in blocks that repeat a
    byte (RFC 8878): 4 bytes for 128 KiB."""
    out = bytearray(b'\x28\xb5\x2f\xfd' + bytes([0, (window_log - 10) << 3]))
    blocks = [(byte, min(128 << 10, count - at)) for byte, count in pieces for at in range(0, count, 128 << 10)]
    for i, (byte, count) in enumerate(blocks):
        out += (count << 3 | 1 << 1 | (i == len(blocks) - 1)).to_bytes(3, 'little') + byte
    return bytes(out)


def write(name, data, megabytes=1):
    with open(name, 'wb') as out:
        for _ in range(megabytes):
            out.write(data)


def make_inputs():
    lines = b''.join(b'{"id":"%d","text":"some words of document %d"}\n' % (i, i) for i in range(200))
    write('in.jsonl', lines)
    write('stop.txt', b'the\nof\n')
    for log in (23, 27, 31):  # blank lines behind the records
        raw = b'\x28\xb5\x2f\xfd' + bytes([0, (log - 10) << 3]) + (len(lines) << 3).to_bytes(3, 'little') + lines
        blank = 2 * 1024 * MIB if log == 31 else 160 * MIB
        write('%d.zst' % log, raw + zstd_frame(log, [(b'\n', blank)])[6:])
        write('zeros%d.zst' % log, zstd_frame(log, [(b'\0', blank)]))
    write('long', b'x' * MIB, 100)
    write('long.tsv', b'x' * MIB, 100)
    write('long.txt.zst', zstd_frame(20, [(b'x', 2 * 1024 * MIB)]))
    with open('words.txt', 'wb') as out:
        for i in range(6000000):
            out.write(b'word%d\n' % i)
    with open('dict.txt', 'w', encoding='utf-8') as out:
        for i in range(3000000):
            out.write(chr(0x4e00 + i % 20000) + chr(0x4e00 + i // 20000) + '\n')
    os.mkdir('tree')
    for i in range(8):
        write('tree/%d.zst' % i, zstd_frame(27, [(b'a', 20 * MIB), (b'\n', 1)]))
    write('letter.jsonl', b'{"text":"' + b'a' * 4190000 + b'"}\n')
    with open('token.jsonl', 'wb') as out:
        out.write(b'{"text":"')
        for _ in range(16):  # this process stays small: the peak of a child begins with its own
            out.write(b'a b ' * 250000)
        out.write(b'"}\n')
    write('tokens.jsonl', b'{"text":"' + b'a b ' * 250000 + b'"}\n', 20)
    with open('dashes.jsonl', 'w', encoding='ascii') as out:
        for i in range(30000):  # not equal to the first one, but with its anchors
            print(json.dumps({'text': f'text {i}\n{"-" * (300 if i else 60)}\nend of {i}'}), file=out)
    os.mkdir('wide')
    write('wide/31.zst', zstd_frame(31, [(b'a', 1000)]))


LINE = 'a line of more than 1048576 bytes'
WINDOW = 'the window of a Zstandard frame takes 2048 MiB'
TOKENS = ['substrings', '--min-tokens', '50']

# Arguments, exit status, part of the message, and the most MiB of memory.
CASES = [
    (['keywords', 'in.jsonl', '--stop', 'long'], FAILED, 'long:1: ' + LINE, 40),
    (['keywords', 'in.jsonl', '--stop', '/dev/zero'], FAILED, '/dev/zero:1: ' + LINE, 40),
    (['keywords', 'in.jsonl', '--stop', 'long.txt.zst'], FAILED, 'long.txt.zst:1: ' + LINE, 40),
    (['keywords', 'in.jsonl', '--stop', 'zeros31.zst'], FAILED, WINDOW + '; at most 8 MiB for such a file', 40),
    (['keywords', 'in.jsonl', '--stop', 'zeros23.zst'], FAILED, 'zeros23.zst:1: ' + LINE, 50),
    (['keywords', 'in.jsonl', '--weights', 'tfidf:long'], FAILED, LINE, 40),
    (['simhash', 'in.jsonl', '--weights', 'tfidf:/dev/zero'], FAILED, LINE, 40),
    (['keywords', 'in.jsonl', '--weights', 'tfidf:zeros31.zst'], FAILED, WINDOW, 40),
    (['keywords', 'in.jsonl', '--weights', 'tfidf:long.txt.zst'], FAILED, LINE, 40),
    (['keywords', 'in.jsonl', '--analyzer', 'segment', '--dict', 'long'], FAILED, 'long:1: ' + LINE, 40),
    (['passages', 'in.jsonl', '--in', 'in.jsonl'], DONE, '', 100),
    (['dedup', 'in.jsonl', '--memory', '64M', '--analyzer', 'segment', '--dict', 'dict.txt'], FAILED, 'dict.txt: its words need more than 32 MiB, half of the memory limit', 70),
    (['keywords', 'in.jsonl', '--stop', 'words.txt'], DONE, '', 350),
    (['hamming', 'create', 'index', 'long.tsv'], FAILED, 'long.tsv:1: ' + LINE, 60),
    (['hamming', 'create', 'index', '/dev/zero'], FAILED, '/dev/zero:1: ' + LINE, 60),
    (['hamming', 'create', 'index', 'zeros31.zst', '--memory', '64M'], FAILED, WINDOW, 60),
    (['hamming', 'join', 'long.tsv'], FAILED, LINE, 60),
    (['hamming', 'plan', '--costs', '/dev/zero', '-n', '1000'], None, '', 30),
    (['compare', 'long', 'stop.txt'], FAILED, 'long: over the limit of 67108864 bytes, --max-record', 150),
    (['compare', '/dev/zero', 'stop.txt', '--max-record', '1M'], FAILED, '/dev/zero: over the limit of 1048576 bytes', 40),
    (['index', 'remove', 'documents', '--ids', 'long'], FAILED, 'long:1: ' + LINE, 40),
    (['index', 'remove', 'documents', '--ids', '/dev/zero'], FAILED, LINE, 40),
    (['dedup', '31.zst', '--memory', '64M'], FAILED, '31.zst: ' + WINDOW + ' of memory, and at most an eighth of it may: 8 MiB; it can be read with a memory of 16384 MiB', 128),
    (['dedup', '27.zst', '--memory', '64M'], FAILED, 'takes 128 MiB of memory, and at most an eighth of it may: 8 MiB; it can be read with a memory of 1024 MiB', 128),
    (['dedup', '31.zst'], FAILED, 'it can be read with a memory of 16384 MiB', 300),
    (['dedup', '23.zst', '--memory', '64M', '-o', 'out.jsonl'], DONE, '', 128),
    (['dedup', '27.zst', '-o', 'out.jsonl'], DONE, '', 1088),
    (['stream', '--state', 'state', '31.zst'], FAILED, WINDOW, 200),
    (['dedup', 'wide', '--memory', '64M'], FAILED, 'wide/31.zst: ' + WINDOW, 128),
    (['dedup', 'tree', '--threads', '8', '-o', 'kept'], DONE, '', 1088),
    (['dedup', 'long', '--memory', '64M', '--on-error', 'skip'], DONE, '', 128),
    (['substrings', 'letter.jsonl', '--memory', '64M'], DONE, '', 100),
    ([*TOKENS, 'token.jsonl', '--memory', '256M', '--threads', '1'], DONE, '', 256),
    ([*TOKENS, 'tokens.jsonl', '--memory', '64M', '--threads', '2'], DONE, '', 80),
    (['substrings', 'dashes.jsonl', '--memory', '64M', '--threads', '2'], DONE, '', 100),
    (['substrings', 'dashes.jsonl', '--memory', '64M', '--threads', '2', '--keep', 'none'], DONE, '', 100),
]


def main():
    neardup = os.path.abspath(sys.argv[1])
    wrong = 0
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        make_inputs()
        subprocess.run([neardup, 'index', 'create', 'documents'], check=True, stdout=subprocess.DEVNULL)
        for arguments, status, message, limit in CASES:
            process = subprocess.Popen([neardup, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            told = process.stderr.read().decode(errors='replace')
            process.stderr.close()
            _, code, usage = os.wait4(process.pid, 0)
            process.returncode = code = os.waitstatus_to_exitcode(code)
            peak = usage.ru_maxrss / 1024
            good = (status is None or code == status) and message in told and peak <= limit
            wrong += not good
            print('%s %6.0f of %4d MiB  %s' % ('    ' if good else 'BAD ', peak, limit, ' '.join(arguments)))
            if not good:
                print('     status %d, expected %s: %s' % (code, status, told[:400].strip()))
        os.chdir('/')
    print('%d cases, %d wrong' % (len(CASES), wrong))
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
