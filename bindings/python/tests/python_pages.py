"""Runs the Python of a page, as a notebook would, and compares what it prints with the page.

    python python_pages.py [--update] PAGE.md...

All blocks ```python of a page run in their order, in one namespace, in an empty directory. What a
block prints, and the value of its last line if that is an expression, stand in the block ```text
behind it. A line "..." there stands for any lines. A block without a ```text behind it may print
anything. The comment <!-- needs: a b --> names packages without which the page is not run.
--update writes what was printed into the page.
"""

import ast
import contextlib
import importlib.util
import io
import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
GUIDE = ROOT / "doc" / "guide"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def pages():
    return sorted(GUIDE.glob("python*.md"))


def missing(page):
    """The packages that the page needs and this environment does not have."""
    found = re.search(r"<!-- needs: (.*?) -->", page.read_text(encoding="utf-8"))
    return [name for name in (found[1].split() if found else [])
            if importlib.util.find_spec(name) is None]


def run_block(code, namespace):
    """Returns what the block prints, with the value of its last line."""
    tree = ast.parse(code)
    out = io.StringIO()
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(out):
        exec(compile(ast.Module(tree.body[:-1] if last else tree.body, []), "page", "exec"),
             namespace)
        if last:
            value = eval(compile(ast.Expression(last.value), "page", "eval"), namespace)
            if value is not None:
                print(repr(value))
    return out.getvalue()


def matches(shown, printed):
    pattern = "".join(".*" if line == "...\n" else re.escape(line)
                      for line in shown.splitlines(keepends=True))
    return re.fullmatch(pattern, printed, re.S) is not None


def run_page(page, update=False):
    """Runs a page. Returns a list of the differences."""
    text = page.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    namespace = {"__name__": "__main__"}
    wrong, changes = [], []
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for number, block in enumerate(blocks):
                if block[1] != "python":
                    continue
                line = text.count("\n", 0, block.start()) + 1
                printed = run_block(block[2], namespace)
                shown = blocks[number + 1] if number + 1 < len(blocks) else None
                if shown is None or shown[1] != "text" or matches(shown[2], printed):
                    continue
                wrong.append(f"{page.name}:{line}: the page shows\n{shown[2]}it prints\n{printed}")
                changes.append((shown.start(2), shown.end(2), printed))
        finally:
            os.chdir(before)
    if update:
        for start, end, printed in reversed(changes):
            text = text[:start] + printed + text[end:]
        page.write_text(text, encoding="utf-8")
    return wrong


if __name__ == "__main__":
    for name in sys.argv[1:]:
        if name != "--update":
            print("\n".join(run_page(Path(name).resolve(), "--update" in sys.argv)))
