"""Documents for the tests, and the command that the answers are compared with."""

import json
import os
import random
import secrets
import subprocess
from pathlib import Path

import pytest

import neardup as nd

# Ray listens on all addresses of the machine; only a program that has this token may use the nodes.
# Ray reads it when it is imported; else it would write one into the user's home.
os.environ.update({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)})


def pytest_configure(config):
    config.addinivalue_line("markers", "cluster: starts a cluster, which takes minutes")


@pytest.fixture(scope="session")
def command():
    """Runs the command that the package carries. Returns its standard output."""
    program = Path(nd.__file__).with_name("bin") / "neardup"

    def run(*arguments, **options):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, check=False,
                              **options)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    return run


def make_documents(seed, count):
    """Texts of several scripts: every third is a copy of an earlier one with some words changed."""
    rng = random.Random(seed)
    words = [f"word{i}" for i in range(300)] + list("据深圳市天气") + ["Straße", "ÉTÉ", "été", "🙂"]
    texts = []
    for i in range(count):
        if i % 3 == 2:
            text = texts[rng.randrange(i)].split(" ")
            for _ in range(rng.randrange(4)):
                text[rng.randrange(len(text))] = rng.choice(words)
        else:
            text = [rng.choice(words) for _ in range(rng.randrange(1, 60))]
        texts.append(" ".join(text))
    return texts


@pytest.fixture(scope="session")
def documents():
    return make_documents(1, 400)


@pytest.fixture(scope="session")
def jsonl(documents, tmp_path_factory):
    path = tmp_path_factory.mktemp("documents") / "documents.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for row, text in enumerate(documents):
            file.write(json.dumps({"id": f"d{row}", "text": text, "n": row * 7 % 50}) + "\n")
    return path
