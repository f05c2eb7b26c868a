"""Bad arguments and bad data: each is an exception that says what is wrong, and nothing changes."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pyarrow as pa
import pytest

import neardup as nd


@pytest.mark.filterwarnings("ignore:.*told apart by their place:neardup.DataWarning")
@pytest.mark.parametrize("call, kind, message", [
    (lambda: nd.dedup(pa.table({"body": ["a"]})), nd.ArgumentError,
     "there is no column 'text'; the columns are 'body'"),
    (lambda: nd.dedup(pa.table({"text": ["a"]}), id="key"), nd.ArgumentError, "no column 'key'"),
    (lambda: nd.dedup(pa.table({"text": [1]})), nd.ArgumentError, 'column "text" must hold texts'),
    (lambda: nd.dedup(pa.table({"text": ["a"], "id": [1.5]})), nd.ArgumentError,
     'column "id" must hold texts or whole numbers'),
    (lambda: nd.dedup(pa.table({"text": ["a"], "n": ["b"]}), keep="max:n"), nd.ArgumentError,
     'column "n" must hold numbers or times'),
    (lambda: nd.dedup(["a"], keep="max"), nd.ArgumentError, 'keep="max:COLUMN"'),
    (lambda: nd.dedup(["a"], keep="best"), nd.ArgumentError,
     'keep must be "first", "longest", "max" or "min", not \'best\''),
    (lambda: nd.dedup(["a"], threshold=0), nd.ArgumentError, "threshold"),
    (lambda: nd.dedup(["a"], threshold="high"), nd.ArgumentError,
     "threshold must be a number, not 'high'"),
    (lambda: nd.dedup(["a"], perms=2.5), nd.ArgumentError, "perms must be a whole number, not 2.5"),
    (lambda: nd.dedup(["a"], perms=-1), nd.ArgumentError, "perms must be 0 to 4294967295, not -1"),
    (lambda: nd.dedup(["a"], weights="idf"), nd.ArgumentError, "weights must be"),
    (lambda: nd.dedup(["a"], memory=1000), nd.ArgumentError, "memory must be at least 64 MiB"),
    (lambda: nd.dedup(["a"], output="kept"), nd.ArgumentError, "output is for documents of files"),
    (lambda: nd.dedup(["a", 5]), nd.InputError, "row 1: a text must be a str, not int"),
    (lambda: nd.dedup(iter(["a", 5])), nd.InputError, "row 1: a text must be a str, not int"),
    (lambda: nd.dedup([("x", "a"), "b"]), nd.InputError, r"row 1: an item must be \(id, text\)"),
    (lambda: nd.dedup([(1, "a"), ("x", "b")]), nd.ArgumentError, "ids must all be str or all be"),
    (lambda: nd.dedup(5), TypeError, "documents must be a table"),
    (lambda: nd.dedup("/nowhere/at/all"), nd.StorageError, "/nowhere/at/all"),
    (lambda: nd.dedup(["a", "\ud800 b"]), nd.InputError, "UTF-8"),
    (lambda: nd.dedup(pa.table({"id": [7, 8, 7], "text": ["a", "b", "c"]})), nd.InputError,
     "row 2: row 0 has the id 7, too; with id=None"),
    (lambda: nd.pairs(pa.table({"id": [7, 8, 7], "text": ["a", "b", "c"]})), nd.InputError,
     "row 2: row 0"),
    (lambda: nd.dedup(pa.table({"id": ["a", None], "text": ["a", "b"]})), nd.InputError,
     "row 1: the id is null"),
    (lambda: nd.jaccard("a", 5), TypeError, "b must be a str, not int"),
    (lambda: nd.jaccard("a\ud800", "b"), nd.InputError, "a: character 1 is a lone surrogate"),
    (lambda: nd.jaccard("a", "b", ngram=0), nd.ArgumentError, "ngram"),
    (lambda: nd.jaccard("a", "b", size=3), TypeError, "size"),
    (lambda: nd.tokens("a", analyzer="letters"), nd.ArgumentError, "analyzer must be"),
    (lambda: nd.plan(threshold=0.1, recall=0.9999, perms=4), nd.ArgumentError, "out of reach"),
    (lambda: nd.plan(measure="cosine"), nd.ArgumentError, 'measure must be "jaccard" or'),
    (lambda: nd.plan(perms=64, measure="containment"), nd.ArgumentError, "perms is not for"),
    (lambda: nd.compare("a", "b", measure="cosine"), nd.ArgumentError, "measure must be"),
    *((lambda job=job: job(["a"], perms=64, measure="containment"), nd.ArgumentError,
       "perms is not for measure") for job in (nd.dedup, nd.pairs, nd.audit)),
    *((lambda job=job: job(["a"], preset="news", measure="containment"), nd.ArgumentError,
       'preset="news" is not for measure') for job in (nd.dedup, nd.pairs, nd.audit)),
    (lambda: nd.audit(["a"], sketch="simhash", measure="containment"), nd.ArgumentError, "sketch"),
    (lambda: nd.dedup(["a"], sketch="tlsh", distance=301), nd.ArgumentError, "distance"),
    (lambda: nd.MinHash(perms=0).signatures(["a"]), nd.ArgumentError, "perms"),
    (lambda: nd.SimHash(bits=48).fingerprints(["a"]), nd.ArgumentError, "bits"),
    (lambda: nd.SimHash(weights="levels").fingerprints(["a(x)"]), nd.InputError, "weight"),
    (lambda: nd.Index(threshold=2), nd.ArgumentError, "threshold"),
    (lambda: nd.Index.open("/nowhere"), nd.StorageError, "/nowhere"),
    (lambda: nd.Index().remove(5), TypeError, "not iterable"),
    (lambda: nd.Index().add(["a text without an id"]), nd.ArgumentError, "need ids"),
    (lambda: nd.dedup(pa.table({"text": ["a"]}), index=nd.Index()), nd.ArgumentError, "need ids"),
    (lambda: pickle.dumps(nd.Index()), TypeError, "read_only=True can be pickled"),
    (lambda: nd.MinHash.estimate(np.zeros(4), np.zeros(8)), nd.ArgumentError, "4 and 8 values"),
    (lambda: nd.HammingIndex.build(np.array([1.5])), nd.ArgumentError, "whole numbers"),
    (lambda: nd.HammingIndex.build(np.array([-1])), nd.ArgumentError, "below 0"),
    (lambda: nd.HammingIndex.build(np.array([1, 2], np.uint64), ["a"]), nd.ArgumentError,
     "2 fingerprints and 1 ids"),
    (lambda: nd.HammingIndex.build(np.array([1, 2], np.uint64), ["a", "a"]), nd.ArgumentError, "a"),
    (lambda: nd.HammingIndex.build(np.array([1], np.uint64)).query(-1), nd.ArgumentError,
     "a fingerprint must be"),
    (lambda: nd.HammingIndex(bits=16).query(1 << 20), nd.ArgumentError, "16"),
    (lambda: nd.passages(["a"], "/nowhere"), nd.StorageError, "/nowhere"),
    (lambda: nd.keywords(t for t in ["a"]), nd.ArgumentError, "generator"),
])
def test_exceptions(call, kind, message):
    with pytest.raises(kind, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, (nd.Error, TypeError))


def test_classes():
    assert issubclass(nd.ArgumentError, ValueError) and issubclass(nd.InputError, ValueError)
    assert issubclass(nd.StorageError, OSError) and issubclass(nd.OutOfMemoryError, MemoryError)
    for name in nd.__all__:
        value = getattr(nd, name)
        if isinstance(value, type):
            assert value.__module__ == "neardup" or value.__module__.startswith("neardup."), name


def test_generator_that_raises():
    class Boom(Exception):
        pass

    def texts():
        for i in range(3000):
            yield f"text number {i}"
        raise Boom("in the middle")

    for call in (nd.dedup, nd.pairs, nd.MinHash().signatures, nd.Index().query):
        with pytest.raises(Boom, match="in the middle"):
            call(texts())
    index = nd.Index()
    with pytest.raises(Boom):
        index.add((str(i), text) for i, text in enumerate(texts()))
    assert len(index) == 0


def test_index_misuse(tmp_path):
    index = nd.Index.create(tmp_path / "index", threshold=0.6)
    index.add([("a", "one two three four five six")])
    with pytest.raises(nd.ArgumentError, match="threshold"):
        nd.dedup([("b", "x")], index=index)
    with pytest.raises(nd.ArgumentError, match='already'):
        index.add_unless_duplicate("a", "something else")
    with pytest.raises(nd.BusyError):
        nd.Index.open(tmp_path / "index")
    with pytest.raises(nd.StorageError):
        nd.Index.create(tmp_path / "index")
    with pytest.raises(nd.ArgumentError, match="fingerprints|documents"):
        nd.HammingIndex.open(tmp_path / "index", read_only=True)
    reader = nd.Index.open(tmp_path / "index", read_only=True)
    with pytest.raises(nd.ArgumentError, match="reading"):
        reader.add_unless_duplicate("b", "x")
    assert len(reader) == 1
    index.add_unless_duplicate("b", "x")
    assert len(reader) == 1
    reader.refresh()
    assert len(reader) == 2
    index.close()
    index.close()
    for call in (lambda: index.query("x"), lambda: index.add([("x", "x")]), index.compact, lambda:
                 len(index), lambda: index.remove("a")):
        with pytest.raises(nd.ArgumentError, match="the index is closed"):
            call()
    assert repr(index) == "Index(closed)"


def test_one_stream_two_threads(tmp_path):
    """A stream is for one thread at a time: the second gets an exception, and nothing is lost."""
    stream = nd.Stream(tmp_path / "state")
    busy, done = [], []
    text = " ".join(f"word{i}" for i in range(20000))

    def work(name):
        for i in range(40):
            try:
                stream.add(f"{name}{i}", f"{name}{i} {text}")
                done.append(1)
            except nd.BusyError as problem:
                busy.append(str(problem))

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(stream) == len(done) and len(done) + len(busy) == 80
    assert set(busy) <= {"another thread uses this stream"}
    stream.close()
    with pytest.raises(nd.ArgumentError, match="the stream is closed"):
        stream.add("c", "c")


def test_one_index_many_threads(tmp_path):
    index = nd.Index.create(tmp_path / "index")
    wrong = []

    def work(name):
        for i in range(50):
            text = f"{name} and number {i} make a text of their own, {i * 7}"
            if index.add_unless_duplicate(f"{name}{i}", text) is not None:
                wrong.append(text)
            if [m.id for m in index.query(text)] != [f"{name}{i}"]:
                wrong.append(text)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(index) == 200


def test_fork_after_open(tmp_path):
    index = nd.Index.create(tmp_path / "index")
    index.add_unless_duplicate("a", "one two three four five")
    child = os.fork()
    if child == 0:
        try:
            found = index.query("one two three four five")
            try:
                index.add_unless_duplicate("b", "of the child")
                os._exit(1)
            except nd.ArgumentError:
                os._exit(0 if found[0].id == "a" else 2)
        except BaseException:
            os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert index.add_unless_duplicate("b", "of the parent") is None


def start_program(call, folder):
    """Starts a Python program that makes a call with endless texts in a folder, and waits until it
    has taken some thousands of them."""
    program = f"""
        import itertools, pathlib, tempfile, time
        import neardup as nd
        tempfile.tempdir = "."

        def texts():
            for i in itertools.count():
                if i == 3000:
                    pathlib.Path("ready").touch()
                yield str(i), f"a text, number {{i}}, of a stream that nobody can finish {{i * 7}}"

        {call}
        """
    # A shell starts what runs in the background with Ctrl-C ignored, and programs inherit that.
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], cwd=folder,
                               stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while not (folder / "ready").exists() and process.poll() is None:
        time.sleep(0.01)
    time.sleep(0.3)
    return process


def interrupt(process):
    """Presses Ctrl-C, and returns the seconds until the program ended."""
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        _, error = process.communicate(timeout=30)
    finally:
        process.kill()
    assert "KeyboardInterrupt" in error, error
    return time.monotonic() - begin


@pytest.mark.parametrize("call", ["nd.dedup(texts(), index='index', memory=64 << 20)",
                                  "nd.pairs(texts())",
                                  "nd.MinHash().signatures(texts())",
                                  "nd.exact(texts())", "nd.tlsh(texts())",
                                  "nd.Stream('state').add_all(texts())"])
def test_interrupt(tmp_path, call):
    """Ctrl-C ends a job within a second, and leaves nothing behind. Python needs time of its own to
    end, so a program that has ended its call and sleeps is interrupted, too."""
    idle = tmp_path / "idle"
    idle.mkdir()
    nd.Index.create(tmp_path / "index").close()
    sleeper = start_program("nd.exact(itertools.islice(texts(), 4000)); time.sleep(60)", idle)
    working = start_program(call, tmp_path)
    try:
        end_of_python = interrupt(sleeper)
        assert interrupt(working) - end_of_python < 1
    finally:
        working.kill()
    assert {path.name for path in tmp_path.iterdir()} <= {"idle", "index", "ready", "state"}
    with nd.Index.open(tmp_path / "index") as index:
        assert len(index) == 0
        index.check()


def test_callback_that_raises():
    def progress(stage, done, total):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        nd.dedup((f"text {i} of many" for i in range(200000)), progress=progress)


def test_progress_and_warnings(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": 1, "text": "a"}\nno json\n{"id": 2, "text": "b"}\n')
    with pytest.raises(nd.InputError, match="bad.jsonl:2"):
        nd.dedup(path)
    with pytest.warns(nd.DataWarning, match="bad.jsonl:2"):
        result = nd.dedup(path, on_error="skip")
    assert result.summary.skipped == 1 and len(result) == 2
    stages = set()
    nd.dedup((f"text {i // 2} of many words" for i in range(100000)),
             progress=lambda stage, done, total: stages.add(stage))
    assert "read" in stages


def test_invalid_utf8():
    texts = ["good", "bad \ud800 text", "good", "bad \ufffd text"]
    with pytest.raises(nd.InputError):
        nd.dedup(texts)
    result = nd.dedup(texts, invalid="skip")
    assert result.kept.tolist() == [True, True, False, True] and result.summary.skipped == 1
    assert nd.dedup(texts, invalid="replace").kept.tolist() == [True, True, False, False]


def test_memory_ends():
    """A limit that the queries do not fit in is an exception, and the process goes on."""
    long = " ".join(f"word{i}" for i in range(100000))
    with pytest.raises(nd.OutOfMemoryError, match="memory"):
        nd.passages([long + str(i) for i in range(40)], ["a b c"], memory=64 << 20)
    assert nd.dedup(["a", "A"]).summary.kept == 1
