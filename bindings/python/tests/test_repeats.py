"""Texts without what repeats in them, against a dict of lines, a dict of all stretches, and the
command."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pytest

import neardup as nd

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")


# ---- lines


def make_texts(seed, count):
    rng = random.Random(seed)
    lines = ["a b c", "A, b. C!", "été ça va", "ÉTÉ Ça va", "天气 好", "", "x", " ", "🙂 p q r", "a  b c",
             "one two Three four", "one two three four five"]
    ends = ["\n", "\n", "\r\n", "\n\n"]
    return ["".join(rng.choice(lines) + rng.choice(ends) for _ in range(rng.randrange(7)))
            + rng.choice(["", *lines]) for _ in range(count)]


def units_of(text):
    """(begin, end, next) of each line, in characters."""
    return [(m.start(), m.start() + len(m[1]), m.end())
            for m in re.finditer(r"([^\n]*?)(?:\r?\n|$)", text, re.S) if m[0]]


def expected(texts, same="bytes", keep="first", more_than=1, across=False, min_words=3,
             drop_below=1):
    """The table, which rows stay, and the cuts."""
    places = {}
    for row, text in enumerate(texts):
        for begin, end, after in units_of(text or ""):
            words = tuple(nd.tokens(text[begin:end]))
            if len(words) >= min_words:
                key = text[begin:end] if same == "bytes" else words
                places.setdefault(key, []).append((row, begin, after))
    cuts = []
    for group in places.values():
        documents = len({row for row, _, _ in group})
        for place in group:
            first = group[0] if place != group[0] or len(group) == 1 else group[1]
            if keep == "none":
                is_cut = documents > more_than
            else:
                is_cut = place != group[0] and not (across and place[0] == group[0][0])
            if is_cut:
                cuts.append((*place, *first[:2]))
    cuts.sort()
    table, kept = [], []
    for row, text in enumerate(texts):
        rest, at = "", 0
        own = [cut for cut in cuts if cut[0] == row]
        for _, begin, end, _, _ in own:
            rest, at = rest + text[at:begin], end
        rest += text[at:]
        words = sum(len(nd.tokens(part)) for part in rest.split("\n"))
        kept.append(not own or words >= drop_below)
        if kept[-1]:
            table.append(rest)
    return table, kept, cuts


def places(result):
    names = ("row", "begin", "end", "source_row", "source_begin")
    return [tuple(row[name] for name in names) for row in result.cuts.to_pylist()]


LINE_OPTIONS = [
    {}, {"same": "words"}, {"min_words": 1}, {"min_words": 4}, {"across": True}, {"drop_below": 0},
    {"drop_below": 4}, {"keep": "none"}, {"keep": "none", "more_than": 40, "same": "words"},
    {"keep": "none", "drop_below": 0, "min_words": 2}, {"across": True, "same": "words"}]


def names_of(options):
    return ",".join(map(str, options.values())) or "none"


@pytest.mark.parametrize("options", LINE_OPTIONS, ids=names_of)
@pytest.mark.parametrize("threads", [1, 3])
def test_lines(options, threads):
    texts = make_texts(5, 300)
    table, kept, cuts = expected(texts, **options)
    result = nd.lines(texts, threads=threads, **options)
    assert places(result) == cuts
    assert result.kept.tolist() == kept and result.table == table
    assert result.changed.tolist() == [stays and any(cut[0] == row for cut in cuts)
                                       for row, stays in enumerate(kept)]
    s = result.summary
    assert (s.units_cut, s.removed, s.changed) == (len(cuts), kept.count(False),
                                                   result.changed.sum())
    assert s.repeated_bytes == sum(len(texts[row][begin:end].encode())
                                   for row, begin, end, _, _ in cuts)
    assert s.units == sum(len([u for u in units_of(text)]) for text in texts)
    assert len(cuts) > 100


@pytest.mark.parametrize("options", [*LINE_OPTIONS, {"unit": "paragraph", "min_words": 1},
                                     {"unit": "sentence", "min_words": 2, "same": "words"}],
                         ids=names_of)
def test_lines_of_the_command(command, tmp_path, options):
    texts = make_texts(6, 250)
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps({"text": text, "id": f"d{row}", "n": row}) + "\n"
                            for row, text in enumerate(texts)))
    flags = []
    for name, value in options.items():
        flags += [f"--{name.replace('_', '-')}", *([] if value is True else [value])]
    command("lines", path, "-q", "-o", tmp_path / "cut", "--removed", tmp_path / "removed", *flags)
    its = [line.split("\t") for line in (tmp_path / "removed").read_text().splitlines()[1:]]
    its_cuts = [tuple(row[:5]) for row in its if row[3]]
    of_file = nd.lines(path, output=tmp_path / "mine", **options)
    assert (tmp_path / "mine").read_bytes() == (tmp_path / "cut").read_bytes()
    rows = [json.loads(line) for line in (tmp_path / "cut").read_text().splitlines()]
    table = pa.table({"n": range(len(texts)), "text": texts,
                      "id": [f"d{row}" for row in range(len(texts))]})
    in_memory = nd.lines(table, **options)
    assert [(row["id"], str(row["begin"]), str(row["end"]), row["source_id"],
             str(row["source_begin"])) for row in of_file.cuts.to_pylist()] == its_cuts
    assert in_memory.table.select(["text", "id", "n"]).to_pylist() == rows
    assert of_file.kept.tolist() == in_memory.kept.tolist()
    assert [f"d{row}" for row in np.flatnonzero(~in_memory.kept)] == [
        row[0] for row in its if not row[3]]
    for mine, same in zip(of_file.cuts.to_pylist(), in_memory.cuts.to_pylist()):
        text, source = texts[mine["row"]].encode(), texts[mine["source_row"]].encode()
        assert {name: mine[name] for name in ("row", "id", "source_row", "source_id")} == {
            name: same[name] for name in ("row", "id", "source_row", "source_id")}
        assert same["begin"] == len(text[:mine["begin"]].decode())
        assert same["end"] == len(text[:mine["end"]].decode())
        assert same["source_begin"] == len(source[:mine["source_begin"]].decode())
    assert len(its_cuts) > 20
    with pytest.raises(nd.ArgumentError, match="there is no table of the texts: .* give output"):
        of_file.table


TEXTS = ["Skip to the content\nÄ cat sleeps.", None, "Skip to the content\nÖ dogs bark",
         "Skip to the content\n", "Skip to the content\nÄ cat sleeps.\nAnd more"]
CUT = ["Skip to the content\nÄ cat sleeps.", None, "Ö dogs bark", "And more"]
COLUMNS = {"n": [1, 2, 3, 4, 5], "text": TEXTS, "id": list("vwxyz")}
CUT_COLUMNS = {"n": [1, 2, 3, 5], "text": CUT, "id": list("vwxz")}


def rows(columns):
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


@pytest.mark.parametrize("make", [
    pa.table, dict, rows, lambda columns: polars.DataFrame(columns),
    lambda columns: pandas.DataFrame(columns),
    lambda columns: pandas.DataFrame(columns).astype({"text": "category"}),
    lambda columns: polars.DataFrame(columns, schema_overrides={"text": polars.Categorical}),
    lambda columns: pa.table({**columns, "text": pa.array(columns["text"]).dictionary_encode()}),
    lambda columns: pa.table({**columns, "text": pa.array(columns["text"], pa.string_view())})])
def test_kinds_of_tables(make):
    data = make(COLUMNS)
    result = nd.lines(data, nulls="skip")
    assert type(result.table) is type(data)
    assert result.kept.tolist() == [True, True, True, False, True]
    assert result.changed.tolist() == [False, False, True, False, True]
    assert result.cuts["id"].to_pylist() == ["x", "y", "z", "z"]
    assert result.cuts["source_id"].to_pylist() == ["v"] * 4
    assert places(result) == [(2, 0, 20, 0, 0), (3, 0, 20, 0, 0), (4, 0, 20, 0, 0),
                              (4, 20, 34, 0, 20)]
    table = result.table
    if isinstance(data, pandas.DataFrame):
        assert [None if pandas.isna(text) else text for text in table["text"]] == CUT
        assert table.index.tolist() == [0, 1, 2, 4]
        table = {"n": table["n"].tolist(), "id": table["id"].tolist()}
    elif isinstance(data, (pa.Table, polars.DataFrame)):
        if not any("categor" in str(kind).lower() or "dictionary" in str(kind)
                   for kind in (data.schema.types if isinstance(data, pa.Table) else data.dtypes)):
            assert table.schema == data.schema
        table = (table if isinstance(table, pa.Table) else table.to_arrow()).to_pydict()
        assert table["text"] == CUT
    elif isinstance(data, list):
        assert table == rows(CUT_COLUMNS)
        return
    assert {name: table[name] for name in ("n", "id")} == {
        name: CUT_COLUMNS[name] for name in ("n", "id")}
    # the caller's object is as it was
    again = nd.lines(data, nulls="skip")
    assert again.cuts == result.cuts


@pytest.mark.parametrize("make, like", [
    (list, list), (tuple, list), (iter, list), (pa.array, pa.array), (polars.Series, polars.Series),
    (lambda texts: np.array(texts, object), list), (lambda texts: (text for text in texts), list),
    (lambda texts: pa.array(texts, pa.large_string()), lambda texts: pa.array(texts, pa.large_string())),
    (lambda texts: pa.chunked_array([texts[:2], texts[2:]]), lambda texts: pa.chunked_array([texts])),
    (lambda texts: pa.array(texts).dictionary_encode(), lambda texts: pa.array(texts)),
    (lambda texts: [(str(row), text) for row, text in enumerate(texts)],
     lambda texts: list(zip("0124", texts))),
    (lambda texts: {str(row): text for row, text in enumerate(texts)}.items(),
     lambda texts: list(zip("0124", texts))),
    (lambda texts: [text and text.encode() for text in texts],
     lambda texts: [text and text.encode() for text in texts]),
    (lambda texts: pa.array([text and text.encode() for text in texts]),
     lambda texts: pa.array([text and text.encode() for text in texts])),
    (lambda texts: pa.table({"text": texts}).to_reader(), lambda texts: pa.table({"text": texts})),
    (lambda texts: polars.LazyFrame({"text": texts}), lambda texts: polars.DataFrame({"text": texts}))])
def test_kinds(make, like):
    result = nd.lines(make(TEXTS), nulls="skip")
    table, wanted = result.table, like(CUT)
    assert type(table) is type(wanted)
    if isinstance(table, (polars.Series, polars.DataFrame)):
        assert table.equals(wanted)
    else:
        assert table == wanted
    assert places(result)[-1] == (4, 20, 34, 0, 20)


@pytest.mark.parametrize("dtype", [object, "str", "string[pyarrow]", "category"])
def test_pandas_series(dtype):
    data = pandas.Series(TEXTS, index=list("abcde"), dtype=dtype)
    table = nd.lines(data, nulls="skip").table
    assert table.index.tolist() == list("abce")
    assert [None if pandas.isna(text) else text for text in table] == CUT
    assert data.isna().sum() == 1 and data.iloc[4] == TEXTS[4]


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    data = pa.table(COLUMNS)
    relation = duckdb.sql("select * from data order by n")
    assert nd.lines(relation, nulls="skip").table == pa.table(CUT_COLUMNS)


def test_datasets():
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict(COLUMNS)
    for given in (data, data.select([4, 3, 2, 1, 0]).select([4, 3, 2, 1, 0])):
        table = nd.lines(given, nulls="skip").table
        assert type(table) is datasets.Dataset and table.to_dict() == CUT_COLUMNS
        assert table.features == data.features
    assert nd.lines(data.to_iterable_dataset(), nulls="skip").table == rows(CUT_COLUMNS)


def test_hosts():
    ids = [f"https://{host}/{page}" for host in ("a.org", "b.org") for page in range(3)]
    texts = [f"of {id[:13]} and all\nshared by all of them\n{id}" for id in ids]
    result = nd.lines(list(zip(ids, texts)), by_host=True, keep="none", more_than=2)
    assert [text for _, text in result.table] == ids
    result = nd.lines(pa.table({"url": ids, "text": [*texts[:4], "x", "y"]}), id="url", by_host=True,
                      keep="none", more_than=2)
    assert result.table["text"].to_pylist() == [*ids[:3], texts[3], "x", "y"]
    assert "source_id" in result.cuts.column_names


def test_invalid_texts():
    texts = ["\ud800 one two three\n", "a b c\n\udfff one two three\nx y z", "a b c\nq"]
    with pytest.raises(nd.InputError, match="UTF-8"):
        nd.lines(texts)
    replaced = nd.lines(texts, invalid="replace")
    assert replaced.table[1:] == ["a b c\nx y z", "q"]
    assert [cut[:3] for cut in places(replaced)][1] == (2, 0, 6)
    skipped = nd.lines(texts, invalid="skip")
    assert skipped.table == texts and skipped.summary.skipped == 2


INDEX_OPTIONS = [{}, {"same": "words"}, {"min_words": 1}, {"across": True}, {"drop_below": 4},
                 {"unit": "paragraph", "min_words": 1}, {"unit": "sentence", "same": "words"}]


def in_pieces(columns, count, make, **options):
    """The results of calls over the pieces of a table, each with the row where its piece begins."""
    table = pa.table(columns)
    for begin in range(0, table.num_rows, count):
        yield begin, nd.lines(make(table.slice(begin, count), begin), **options)


def cuts_by_id(result):
    return [tuple(row[name] for name in ("id", "begin", "end", "source_id"))
            for row in result.cuts.to_pylist()]


@pytest.mark.parametrize("options", INDEX_OPTIONS, ids=names_of)
def test_index_of_lines(tmp_path, options):
    texts = make_texts(7, 300)
    columns = {"id": [f"d{row}" for row in range(len(texts))], "text": texts}
    whole = nd.lines(pa.table(columns), **options)
    table, kept, changed, cuts, indexed = [], [], [], [], 0
    for begin, found in in_pieces(columns, 70, lambda piece, _: piece, index=tmp_path / "index",
                                  **options):
        table += found.table.to_pylist()
        kept += found.kept.tolist()
        changed += found.changed.tolist()
        cuts += cuts_by_id(found)
        for row in found.cuts.to_pylist():
            source = int(row["source_id"][1:])
            known = source >= begin
            assert row["source_row"] == (source - begin if known else None)
            assert (row["source_begin"] is not None) == known
            indexed += not known
    assert table == whole.table.to_pylist()
    assert (kept, changed) == (whole.kept.tolist(), whole.changed.tolist())
    assert cuts == cuts_by_id(whole)
    assert 50 < indexed < len(cuts)


def test_index_of_lines_of_files(command, tmp_path):
    """The outputs and the sources are those of the command."""
    texts = make_texts(8, 200)
    columns = {"text": texts, "id": [f"d{row}" for row in range(len(texts))]}

    def write(piece, begin):
        path = tmp_path / f"{begin}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in piece.to_pylist()))
        return path

    mine, its, removed = (tmp_path / name for name in ("mine", "its", "removed"))
    for begin, found in in_pieces(columns, 50, write, output=mine, index=tmp_path / "index"):
        command("lines", tmp_path / f"{begin}.jsonl", "-q", "-o", its, "--removed", removed, "--index",
                tmp_path / "its-index")
        rows = [line.split("\t") for line in removed.read_text().splitlines()[1:]]
        assert mine.read_bytes() == its.read_bytes()
        assert [[row["id"], str(row["begin"]), str(row["end"]), row["source_id"]]
                for row in found.cuts.to_pylist()] == [row[:4] for row in rows if row[3]]
        assert [f"d{begin + row}" for row in np.flatnonzero(~found.kept)] == [
            row[0] for row in rows if not row[3]]
    assert found.cuts["source_row"].null_count > 20


def test_ids_of_an_index_of_lines(tmp_path):
    first = pa.table({"id": [7, 8], "text": ["a b c\nd", "e f g"]})
    assert nd.lines(first, index=tmp_path / "index").cuts.schema.field("source_id").type == (
        pa.large_string())
    again = nd.lines([(9, "é\na b c\nx y z\nq"), (10, "x y z\né")], index=str(tmp_path / "index"))
    assert again.table == [(9, "é\nx y z\nq"), (10, "é")]
    assert again.cuts.to_pylist() == [
        {"row": 0, "id": 9, "begin": 2, "end": 8, "source_row": None, "source_id": "7",
         "source_begin": None},
        {"row": 1, "id": 10, "begin": 0, "end": 6, "source_row": 0, "source_id": "9",
         "source_begin": 8}]
    assert "<table>" in again._repr_html_()


def test_refusals_of_an_index_of_lines(tmp_path):
    nd.lines([("a", "a b c")], index=tmp_path / "index")
    for options, message in [({"keep": "none"}, "index"), ({"min_words": 2}, "min"),
                             ({"unit": "sentence"}, "unit")]:
        with pytest.raises(nd.ArgumentError, match=message):
            nd.lines([("a", "a b c")], index=tmp_path / "index", **options)
    with pytest.raises(nd.ArgumentError, match="need ids"):
        nd.lines(["a b c"], index=tmp_path / "new")
    assert not (tmp_path / "new").exists()


# ---- substrings


def stretches_of(texts, least, keep, sources=None):
    """Which bytes are in a stretch of `least` bytes that is elsewhere: before, or anywhere. The first
    one stays whole, also where the second overlaps it."""
    first, count = {}, {}
    for row, text in enumerate(sources if sources is not None else texts):
        for at in range(len(text) - least + 1):
            window = text[at:at + least]
            first.setdefault(window, (row, at))
            count[window] = count.get(window, 0) + 1
    marks = []
    for row, text in enumerate(texts):
        marks.append(np.zeros(len(text), bool))
        for at in range(len(text) - least + 1):
            window, begin = text[at:at + least], at
            if sources is None and keep == "first":
                if first[window] == (row, at):
                    continue
                if first[window][0] == row:
                    begin = max(at, first[window][1] + least)
            elif count.get(window, 0) < (2 if sources is None else 1):
                continue
            marks[-1][begin:at + least] = True
    return marks


def make_strings(seed, count, alphabet):
    rng = random.Random(seed)
    pool = ["".join(rng.choice(alphabet) for _ in range(rng.randrange(10, 60))) for _ in range(12)]
    return ["".join(rng.choice(pool)[rng.randrange(6):] for _ in range(rng.randrange(5)))
            for _ in range(count)]


@pytest.mark.parametrize("keep", ["first", "none"])
@pytest.mark.parametrize("least", [16, 23])
@pytest.mark.parametrize("threads", [1, 3])
def test_substrings(keep, least, threads):
    texts = make_strings(2, 60, "abcdefgh") + ["a" * 50, "ab" * 40, "a" * 20]
    marks = stretches_of([text.encode() for text in texts], least, keep)
    result = nd.substrings(texts, min_bytes=least, keep=keep, threads=threads, drop_below=0)
    assert result.table == ["".join(c for c, mark in zip(text, row) if not mark)
                            for text, row in zip(texts, marks)]
    assert result.changed.tolist() == [bool(row.any()) for row in marks] and result.kept.all()
    assert result.summary.repeated_bytes == sum(int(row.sum()) for row in marks) > 500
    for row, begin, end, source_row, source_begin in places(result):
        assert texts[row][begin:end] == texts[source_row][source_begin:][:end - begin]
        assert (row, begin) != (source_row, source_begin)
    dropped = nd.substrings(texts, min_bytes=least, keep=keep, threads=threads)
    assert dropped.kept.tolist() == [not row.any() or not row.all() for row in marks]
    assert dropped.table == [text for text, stays in zip(result.table, dropped.kept) if stays]
    assert dropped.cuts == result.cuts and not dropped.kept.all()
    assert dropped.summary.removed == (~dropped.kept).sum()


def test_characters():
    """Cuts are between characters, in texts whose characters have 1 to 4 bytes and share some of
    them."""
    texts = make_strings(3, 80, "aéè天夯🙂🙃")
    result = nd.substrings(texts, min_bytes=16, drop_below=0)
    assert len(result.cuts) > 50
    cut = [np.zeros(len(text), bool) for text in texts]
    for row, begin, end, source_row, source_begin in places(result):
        assert texts[row][begin:end] == texts[source_row][source_begin:][:end - begin]
        cut[row][begin:end] = True
    left = ["".join(c for c, mark in zip(text, row) if not mark) for text, row in zip(texts, cut)]
    # a character whose bytes are in two stretches is in none of these cuts
    assert sum(a != b for a, b in zip(result.table, left)) < 5
    marks = stretches_of([text.encode() for text in texts], 16, "first")
    for text, of_bytes, rest in zip(texts, marks, result.table):
        at, whole = 0, []
        for character in text:
            size = len(character.encode())
            whole.append(bool(of_bytes[at:at + size].all()))
            at += size
        assert rest == "".join(c for c, mark in zip(text, whole) if not mark)


@pytest.mark.parametrize("options", [
    {}, {"min_tokens": 5}, {"min_tokens": 4, "keep": "none"}, {"keep": "none", "drop_below": 0},
    {"min_tokens": 6, "cut_at": "line"}, {"min_bytes": 20, "cut_at": "word", "drop_below": 8},
    {"min_bytes": 20, "cut_at": "sentence"}, {"min_bytes": 16, "passes": 3},
    {"min_tokens": 4, "passes": 0, "drop_below": 5}], ids=names_of)
def test_substrings_of_the_command(command, tmp_path, options):
    rng = random.Random(3)
    pool = make_texts(9, 20) + ["One more é sentence stands here. And this one, too! "]
    texts = ["".join(rng.choice(pool) for _ in range(rng.randrange(5))) for _ in range(150)]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps({"text": text, "id": f"d{row}"}) + "\n"
                            for row, text in enumerate(texts)))
    words = {"min_bytes": "--min", "min_tokens": "--min-tokens"}
    flags = [word for name, value in options.items()
             for word in (words.get(name, f"--{name.replace('_', '-')}"), value)]
    command("substrings", path, "-q", "-o", tmp_path / "cut", "--removed", tmp_path / "removed",
            *flags)
    its = [line.split("\t") for line in (tmp_path / "removed").read_text().splitlines()[1:]]
    of_file = nd.substrings(path, output=tmp_path / "mine", **options)
    assert (tmp_path / "mine").read_bytes() == (tmp_path / "cut").read_bytes()
    in_memory = nd.substrings([None, *texts], nulls="skip", **options)
    table = [json.loads(line) for line in (tmp_path / "cut").read_text().splitlines()]
    assert in_memory.table[1:] == [row["text"] for row in table]
    kept = {row["id"] for row in table}
    assert in_memory.kept[1:].tolist() == of_file.kept.tolist() == [
        f"d{row}" in kept for row in range(len(texts))]
    assert [(row["id"], str(row["begin"]), str(row["end"]), row["source_id"],
             str(row["source_begin"])) for row in of_file.cuts.to_pylist()] == [
        tuple(row[:5]) for row in its if row[4]]
    for mine, same in zip(of_file.cuts.to_pylist(), in_memory.cuts.to_pylist()):
        text, source = texts[mine["row"]].encode(), texts[mine["source_row"]].encode()
        assert (mine["row"] + 1, mine["source_row"] + 1) == (same["row"], same["source_row"])
        assert same["begin"] == len(text[:mine["begin"]].decode())
        assert same["end"] == len(text[:mine["end"]].decode())
        assert same["source_begin"] == len(source[:mine["source_begin"]].decode())
    assert len(of_file.cuts) == len(in_memory.cuts) > 20
    changed = [row for row in range(len(texts)) if f"d{row}" in kept
               and texts[row] not in {other["text"] for other in table if other["id"] == f"d{row}"}]
    assert np.flatnonzero(in_memory.changed[1:]).tolist() == changed
    assert in_memory.summary.passes == of_file.summary.passes >= 1


def test_sources(tmp_path):
    texts, others = make_strings(4, 40, "abcd"), make_strings(4, 25, "abcd")[::3] + ["z" * 30]
    marks = stretches_of([text.encode() for text in texts], 16, "first",
                         [text.encode() for text in others])
    expected = ["".join(c for c, mark in zip(text, row) if not mark)
                for text, row in zip(texts, marks)]
    path = tmp_path / "others.jsonl"
    path.write_text("".join(json.dumps({"id": f"o{row}", "text": text}) + "\n"
                            for row, text in enumerate(others)))
    table = pa.table({"id": [f"o{row}" for row in range(len(others))], "text": others})
    found = []
    for source in (others, iter(others), table, table.to_reader(), path):
        result = nd.substrings(iter(texts), source=source, min_bytes=16, drop_below=0)
        assert result.table == expected
        found.append(places(result))
        for row, begin, end, source_row, source_begin in found[-1]:
            assert texts[row][begin:end] == others[source_row][source_begin:][:end - begin]
        if source is not others and not hasattr(source, "__next__"):
            assert result.cuts["source_id"].to_pylist() == [f"o{cut[3]}" for cut in found[-1]]
    assert found == [found[0]] * 5 and len(found[0]) > 20
    mine = tmp_path / "texts.jsonl"
    mine.write_text("".join(json.dumps({"id": f"t{row}", "text": text}) + "\n"
                            for row, text in enumerate(texts)))
    for source in (others, path):
        of_file = nd.substrings(mine, source=source, min_bytes=16)
        assert places(of_file) == found[0]
        assert of_file.cuts["id"].to_pylist() == [f"t{cut[0]}" for cut in found[0]]
    with pytest.raises(nd.ArgumentError, match="there is no table"):
        of_file.table


def test_rows_that_are_left_out():
    text = "a stretch of text that repeats"
    result = nd.substrings([None, text, None, "ü" + text], nulls="skip", min_bytes=20,
                           source=[None, None, "é " + text], drop_below=0)
    assert places(result) == [(1, 0, 30, 2, 2), (3, 1, 31, 2, 2)]
    assert result.table == [None, "", None, "ü"]
    assert "2 cuts, 2 changed, 0 removed, 2 skipped" in repr(result)
    assert "source_begin" in result._repr_html_()
    assert nd.substrings([]).table == [] and nd.lines([]).table == []
    assert len(nd.lines(["a b c"])) == 1


# ---- failures


def boom():
    yield from TEXTS[2:] * 2000
    raise ZeroDivisionError


@pytest.mark.parametrize("call, kind, message", [
    (lambda: nd.lines(["a"], unit="word"), nd.ArgumentError, 'unit must be "line", "paragraph" or'),
    (lambda: nd.lines(["a"], keep="last"), nd.ArgumentError, 'keep must be "first" or "none"'),
    (lambda: nd.lines(["a"], more_than=2), nd.ArgumentError, "more_than and by_host count documents"),
    (lambda: nd.lines(["a"], keep="none", across=True), nd.ArgumentError, "across"),
    (lambda: nd.lines(["a"], min_words=0), nd.ArgumentError, "min_words must be at least 1"),
    (lambda: nd.lines(["a"], keep="none", by_host=True), nd.ArgumentError, "by_host needs ids"),
    (lambda: nd.lines(["a"], output="x"), nd.ArgumentError, "output is for documents of files"),
    (lambda: nd.lines(["a", None]), nd.InputError, "row 1: the text is null"),
    (lambda: nd.lines(5), TypeError, "documents must be"),
    (lambda: nd.lines(boom()), ZeroDivisionError, None),
    (lambda: nd.substrings(["a"], min_bytes=15), nd.ArgumentError, "min_bytes must be 16 to"),
    (lambda: nd.substrings(["a"], min_tokens=3), nd.ArgumentError, "min_tokens must be 4 to 4000"),
    (lambda: nd.substrings(["a"], cut_at="words"), nd.ArgumentError, 'cut_at must be "character"'),
    (lambda: nd.substrings(["a"], output="x"), nd.ArgumentError, "output is for documents of files"),
    (lambda: nd.substrings(["a"], work="/nowhere"), nd.ArgumentError, "work: .*/nowhere"),
    (lambda: nd.substrings(["a"], source=["b"], keep="none"), nd.ArgumentError, "not for a source"),
    (lambda: nd.substrings(["a"], source=["b", None]), nd.InputError, "row 1: the text is null"),
    (lambda: nd.substrings(["a"], source="/nowhere/at/all"), nd.StorageError, "/nowhere/at/all"),
    (lambda: nd.substrings(["a"], source=boom()), ZeroDivisionError, None),
    (lambda: nd.substrings(pa.table({"text": ["a"]}), source=pa.table({"other": ["a"]})),
     nd.ArgumentError, "no column 'text'")])
def test_refusals(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


class Changing(list):
    """A list whose texts become shorter after they were read once."""

    reads = 0

    def __getitem__(self, key):
        if isinstance(key, slice):
            self.reads += 1
            return [""] * len(range(*key.indices(len(self)))) if self.reads > 1 else (
                super().__getitem__(key))
        return super().__getitem__(key)


def test_texts_that_change():
    with pytest.raises(nd.InputError, match="row 1: the text changed while it was read"):
        nd.lines(Changing(["a b c\n", "a b c\nx"]))


@pytest.mark.parametrize("job", [nd.lines, nd.substrings])
def test_progress(job):
    # A process that was started in the background ignores the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    texts = [f"line {row % 100} of a text that is long enough to be found in another one\n" * 3
             for row in range(2000)]
    stages = set()
    result = job(texts, progress=lambda stage, done, total: stages.add(stage))
    assert "read" in stages and len(result.cuts) > 1000
    for failure in (KeyError, KeyboardInterrupt):
        for at in (1, 2):  # the second call may be of the second reading
            calls = []

            def stop(*_):
                calls.append(at)
                if len(calls) == at and failure is KeyError:
                    raise KeyError
                if len(calls) == at:
                    os.kill(os.getpid(), signal.SIGINT)

            with pytest.raises(failure):
                job(texts * 20, progress=stop)
    some = job(texts[:500]).table
    assert some == result.table[:len(some)]


def test_memory_ends():
    """Results that do not fit into the memory of the process are an error, and no crash."""
    program = """
        import resource
        import neardup as nd

        texts = ["one two three four\\n" * 3_000_000]
        nd.lines(["a b c"], threads=1)
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (300 << 20), -1))
        try:
            nd.lines(texts, threads=1)
        except MemoryError as problem:
            print("no memory", type(problem).__name__)
        """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("no memory"), done
