"""nd.Files: what the command's flags of input do."""

import gzip
import pathlib

import neardup as nd
import pytest


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "a.html").write_text("<!DOCTYPE html><nav>menu</nav><p>It rains in Ulm.")
    (tmp_path / "b.html").write_text("<!DOCTYPE html><h1>It rains in Ulm!</h1>")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 au lait")
    (tmp_path / ".hidden.html").write_text("<!DOCTYPE html><p>It rains in Ulm.")
    return tmp_path


def kept(files: nd.Files, **options: object) -> list[bool]:
    return nd.dedup(files, ngram=1, **options).kept.tolist()  # type: ignore[arg-type]


def test_pages_and_globs(folder: pathlib.Path) -> None:
    assert kept(nd.Files(folder, glob="*.html")) == [True, False]
    assert kept(nd.Files(folder, glob="*.html", html="source")) == [True, True]
    assert kept(nd.Files(folder, glob=["*.html", "!b*"])) == [True]
    assert kept(nd.Files(folder, glob="*.html", hidden=True)) == [True, False, False]
    assert kept(nd.Files(str(folder / "*.html"))) == [True, False]
    assert kept(nd.Files([folder / "a.html", folder / "b.html"])) == [True, False]


def test_encodings(folder: pathlib.Path) -> None:
    (folder / "utf8.txt").write_text("caf\u00e9 au lait")
    with pytest.raises(nd.InputError, match="latin.txt: invalid UTF-8 at byte 3"):
        kept(nd.Files(folder, glob="*.txt"))
    assert kept(nd.Files(folder / "latin.txt", encoding="windows-1252")) == [True]
    with pytest.raises(nd.ArgumentError, match="nothing"):
        kept(nd.Files(folder, encoding="nothing"))


def test_fields(tmp_path: pathlib.Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("id,title,body\n1,a b,c d\n2,a b,c e\n")
    assert kept(nd.Files(table, text=["title", "body"])) == [True, True]
    assert kept(nd.Files(table, text="title")) == [True, False]
    assert kept(nd.Files(table), text="title") == [True, False]
    rows = tmp_path / "rows"
    rows.write_text("a\tb\na\tc\n")
    assert kept(nd.Files(rows, format="tsv", text="1"), id=None) == [True, False]


def test_archive(tmp_path: pathlib.Path) -> None:
    record = ("WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:x:{}>\r\n"
              "Content-Type: text/plain\r\nContent-Length: 9\r\n\r\nIt rains.\r\n\r\n")
    archive = tmp_path / "crawl.wet.gz"
    archive.write_bytes(b"".join(gzip.compress(record.format(n).encode()) for n in range(3)))
    out = tmp_path / "kept.wet.gz"
    found = nd.dedup(nd.Files(archive), output=out)
    assert found.kept.tolist() == [True, False, False]
    assert found.removed.column("id").to_pylist() == ["urn:x:1", "urn:x:2"]
    assert gzip.decompress(out.read_bytes()) == record.format(0).encode()


def test_wrong_words(folder: pathlib.Path) -> None:
    with pytest.raises(nd.ArgumentError, match="html"):
        kept(nd.Files(folder, html="some"))  # type: ignore[arg-type]
    with pytest.raises(nd.ArgumentError, match="glob"):
        kept(nd.Files(folder, glob="["))
    with pytest.raises(TypeError):
        kept(nd.Files(folder, glob=[3]))  # type: ignore[list-item]
    assert repr(nd.Files("a")) == "Files(['a'])"
