#!/usr/bin/env python3
"""README.zh-CN.md says what README.md says: same headings by level, same code blocks, and in the
same order the same tables (rows and columns), links, pictures, inline code and numbers. The first
line of each, which links to the other, does not count. Prints what differs; exit status 1 if
anything does."""
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ('README.md', 'README.zh-CN.md')


def parts(name):
    """Returns {kind: list} of the parts that both pages must have."""
    lines = (ROOT / name).read_text(encoding='utf8').splitlines()[1:]
    blocks, headings, tables, prose = [], [], [], []
    code = table = False
    for line in lines:
        fence = line.startswith('```')
        if code or fence:
            blocks.append(line)
            code = code != fence
            continue
        if line.startswith('#'):
            headings.append(line.split(' ')[0])
        if line.startswith('|'):
            columns = len(re.findall(r'(?<!\\)\|', line)) - 1
            tables.append(f'row of {columns}' if table else f'table of {columns}')
        table = line.startswith('|')
        prose.append(line)
    text = '\n'.join(prose)
    spans = re.findall(r'`([^`]+)`', text)
    text = re.sub(r'`[^`]+`', '', text)
    links = re.findall(r'(!?)\[[^\]]*\]\(([^)]+)\)', text)
    numbers = re.findall(r'\d+(?:[.,]\d+)*', re.sub(r'\]\([^)]+\)', ']', text))
    return {'lines of code blocks': blocks, 'headings': headings, 'rows of tables': tables,
            'pieces of inline code': spans, 'links': [mark + link for mark, link in links],
            'numbers': numbers}


def main():
    first, second = (parts(name) for name in NAMES)
    faults = []
    for kind, wanted in first.items():
        difference = difflib.unified_diff(wanted, second[kind], *NAMES, n=2, lineterm='')
        lines = list(difference)
        if lines:
            faults.append(f'{kind} differ:\n  ' + '\n  '.join(lines))
    print('\n'.join(faults) if faults else ', '.join(
        f'{len(wanted)} {kind}' for kind, wanted in first.items()) + ': the same')
    sys.exit(1 if faults else 0)


main()
