#!/usr/bin/env python3
"""Runs the commands of a page and compares what they print with what the page shows.

    NEARDUP=build/cli/neardup tests/pages/run_page.py [--update] PAGE.md

A page is one session: all its commands run in one directory, in their order. The directory has
notices.jsonl (doc/examples) and nothing else at first. What counts:

- A fenced code block without a language is part of the session. A line that begins with "$ " is a
  command for bash; after a backslash at its end the next line belongs to it. The lines up to the
  next command are its output, standard error included.
- A line "..." stands for any lines, also for none.
- The lines "time", "speed" and "peak memory" of a summary differ from run to run: they are compared
  by these words alone.
- A command must succeed, unless the last line shown is an error ("neardup: ", not a warning).
- Commands in the column "command" of a table, in backticks, run in a directory of their own with
  FILES. They must succeed; what they print is not compared.
- A block ```c has lines that stand together in a program of doc/examples, the last one that the
  page links before the block. The tests of doc/examples compile and run it.
- What a test cannot run (apt, make, a compiler) stands in a block with a language, as ```sh. A line
  that begins with "neardup " in a block ```sh is an error: it belongs into the session.

--update writes what the commands printed into the page, except where a "..." matches. Exit status:
0 the same, 1 different.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTICES = ROOT / 'doc/examples/notices.jsonl'
MACHINE_LINES = re.compile(r'^(time|speed|peak memory) {2}.*')
ERROR = re.compile(r'neardup: (?!warning: )')
COMMAND_HEADERS = ('command', '命令')
# tests/support/with_duckdb sets them for the page that needs DuckDB.
DUCKDB_NAMES = ('NEARDUP_DUCKDB', 'LD_LIBRARY_PATH')
# Names that tables of commands may use; each has the six notices.
FILES = ('crawl.jsonl', 'monday.jsonl', 'tuesday.jsonl', 'library.jsonl', 'essays.jsonl',
         'train.jsonl', 'benchmark.jsonl')


def read_blocks(lines):
    """Yields (language, first line, line behind the last) of each fenced block, from 0."""
    start = None
    for number, line in enumerate(lines):
        if line.startswith('```'):
            if start is None:
                start, language = number + 1, line[3:].strip()
            else:
                yield language, start, number
                start = None
    if start is not None:
        raise SystemExit(f'line {start}: a code block that does not end')


def read_session(lines, start, end):
    """Yields (command, first line of its output, line behind it) of each command of a block."""
    number = start
    while number < end:
        first = number
        while lines[number].endswith('\\') and number + 1 < end:
            number += 1
        number += 1
        command = '\n'.join(lines[first:number])[2:]
        output = number
        while number < end and not lines[number].startswith('$ '):
            number += 1
        yield command, output, number


def run(command, folder, tools):
    """Returns the exit status and the lines printed."""
    environ = {'PATH': f'{tools}:{os.environ["PATH"]}', 'LC_ALL': 'C', 'TERM': 'dumb',
               'HOME': str(folder)}
    environ.update({name: os.environ[name] for name in os.environ
                    if name.endswith('SAN_OPTIONS') or name in DUCKDB_NAMES})
    ran = subprocess.run(['bash', '-c', command], cwd=folder, env=environ, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return ran.returncode, ran.stdout.decode('utf8', 'replace').splitlines()


def same(shown, printed):
    """True if the printed lines are the shown ones."""
    def masked(lines):
        return [MACHINE_LINES.sub(r'\1', line) for line in lines]
    pattern = ''.join('(.*\n)*' if line == '...' else re.escape(line) + '\n'
                      for line in masked(shown))
    return re.fullmatch(pattern, ''.join(line + '\n' for line in masked(printed))) is not None


def example_fault(page, lines, start, end):
    """Returns the fault of a block of C; None: it has none."""
    links = re.findall(r'\]\(([^)]*\.c)\)', '\n'.join(lines[:start]))
    if not links:
        return 'a block of C, and no program is linked before it'
    program = (page.parent / links[-1]).read_text(encoding='utf8')
    block = '\n'.join(lines[start:end]) + '\n'
    return None if block in program else f'{links[-1]} does not have these lines'


def table_commands(lines):
    """Yields (line, command) of the tables that have a column of commands, lines from 0."""
    column = None
    for number, line in enumerate(lines):
        if not line.startswith('|'):
            column = None
            continue
        cells = [cell.strip() for cell in re.split(r'(?<!\\)\|', line)[1:-1]]
        if column is None:
            column = next((i for i, cell in enumerate(cells) if cell in COMMAND_HEADERS), -1)
        elif 0 <= column < len(cells):
            for command in re.findall(r'`(neardup [^`]*)`', cells[column]):
                yield number, command


def check(page, update):
    lines = page.read_text(encoding='utf8').splitlines()
    faults = []
    changes = []
    commands = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        tools, session = scratch / 'tools', scratch / 'session'
        tools.mkdir()
        (tools / 'neardup').symlink_to(os.path.realpath(os.environ['NEARDUP']))
        session.mkdir()
        (session / 'notices.jsonl').write_bytes(NOTICES.read_bytes())
        for language, start, end in read_blocks(lines):
            if language == 'sh':
                for number in range(start, end):
                    if lines[number].startswith('neardup '):
                        faults.append(f'{page}:{number + 1}: a command in a block that is not run')
            fault = example_fault(page, lines, start, end) if language == 'c' else None
            if fault:
                faults.append(f'{page}:{start + 1}: {fault}')
            if language:
                continue
            if start == end or not lines[start].startswith('$ '):
                faults.append(f'{page}:{start + 1}: a block without a language begins with "$ "')
                continue
            for command, output, behind in read_session(lines, start, end):
                commands += 1
                status, printed = run(command, session, tools)
                shown = lines[output:behind]
                if not same(shown, printed):
                    changes.append((output, behind, printed))
                    faults.append(f'{page}:{output}: $ {command}\n'
                                  + ''.join(f'  shown    {line}\n' for line in shown)
                                  + ''.join(f'  printed  {line}\n' for line in printed).rstrip('\n'))
                error = bool(shown) and ERROR.match(shown[-1]) is not None
                if (status != 0) != error:
                    faults.append(f'{page}:{output}: $ {command}\n  exit status {status}')
        for number, command in table_commands(lines):
            commands += 1
            folder = scratch / f'table-{number}-{commands}'
            (folder / 'texts').mkdir(parents=True)
            for name in FILES:
                (folder / name).write_bytes(NOTICES.read_bytes())
            for name, record in enumerate(NOTICES.read_text().splitlines()):
                (folder / 'texts' / f'{name}.txt').write_text(record)
            status, printed = run(command, folder, tools)
            if status != 0:
                faults.append(f'{page}:{number + 1}: {command}\n'
                              + '\n'.join(printed) + f'\n  exit status {status}')
    if update:
        for output, behind, printed in reversed(changes):
            lines[output:behind] = printed
        page.write_text('\n'.join(lines) + '\n', encoding='utf8')
    return commands, faults


def main():
    arguments = sys.argv[1:]
    update = arguments[:1] == ['--update']
    if len(arguments) != 1 + update or 'NEARDUP' not in os.environ:
        raise SystemExit('usage: NEARDUP=PROGRAM run_page.py [--update] PAGE.md')
    commands, faults = check(pathlib.Path(arguments[-1]), update)
    print('\n'.join(faults) if faults else f'{commands} commands print what the page shows')
    sys.exit(1 if faults else 0)


main()
