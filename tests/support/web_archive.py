#!/usr/bin/env python3
"""Makes files of WARC, WET and ARC in the current directory, good ones and malformed ones:
web_archive.py NAME... (as below; all of them without a name), plain and in gzip per record; or, by
web_archive.py --zstd FRAMES NAME..., in Zstandard. Standard library, and the command zstd."""
import base64
import gzip
import hashlib
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

WORDS = 'the quick brown fox jumps over the lazy dog while rain falls on an old stone bridge'.split()


def words(begin, end):
    """Numbered words, so that texts with most of them in common are near-duplicates."""
    return ' '.join(f'{WORDS[n % len(WORDS)]}{n}' for n in range(begin, end))


def sha1(block):
    return b'sha1:' + base64.b32encode(hashlib.sha1(block).digest())


def identifier(number):
    return b'<urn:uuid:00000000-0000-4000-8000-%012d>' % number


def record(kind, number, block, *fields, length=None, version=b'1.0', uri=None, digest=True):
    """One record with its two empty lines behind it."""
    lines = [b'WARC/' + version, b'WARC-Type: ' + kind, b'WARC-Record-ID: ' + identifier(number),
             b'WARC-Date: 2024-01-%02dT00:00:00Z' % (number % 28 + 1)]
    if kind != b'warcinfo':
        lines.append(b'WARC-Target-URI: ' + (uri or b'http://example.org/%d' % number))
    if digest:
        lines.append(b'WARC-Block-Digest: ' + sha1(block))
    lines += fields
    lines.append(b'Content-Length: %d' % (len(block) if length is None else length))
    return b'\r\n'.join(lines) + b'\r\n\r\n' + block + b'\r\n\r\n'


def http(body, *fields, status=b'200 OK', media=b'text/html; charset=utf-8'):
    lines = [b'HTTP/1.1 ' + status]
    if media:
        lines.append(b'Content-Type: ' + media)
    return b'\r\n'.join([*lines, *fields]) + b'\r\n\r\n' + body


def response(number, body, *fields, status=b'200 OK', media=b'text/html; charset=utf-8', **how):
    return record(b'response', number, http(body, *fields, status=status, media=media),
                  b'Content-Type: application/http; msgtype=response', **how)


def info(number=0):
    return record(b'warcinfo', number, b'software: a test\r\n', b'Content-Type: application/warc-fields')


def conversion(number, text, **how):
    return record(b'conversion', number, text.encode(), b'Content-Type: text/plain', **how)


def chunked(body, size=20):
    chunks = [body[at:at + size] for at in range(0, len(body), size)]
    return b''.join(b'%x;note=1\r\n%s\r\n' % (len(c), c) for c in chunks) + b'0\r\n\r\n'


def raw_deflate(body):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(body) + packer.flush()


def brotli(body):
    """An uncompressed meta-block and an empty last one (RFC 7932, 9.2)."""
    bits = (len(body) - 1) << 4 | 1 << 20
    return bits.to_bytes(3, 'little') + body + b'\x03'


def page(text):
    return f'<html><body><p>{text}</p></body></html>\n'.encode()


FIRST, NEAR, OTHER = page(words(0, 60)), page(words(0, 58) + ' another end'), page(words(100, 160))


def crawl():
    """Requests, responses and the rest, as a crawler writes them."""
    get = b'GET / HTTP/1.1\r\nHost: example.org\r\n\r\n'
    return [info(),
            record(b'request', 1, get, b'Content-Type: application/http; msgtype=request'),
            response(2, FIRST, version=b'1.1'),
            record(b'metadata', 3, b'fetchTimeMs: 7\r\n', b'Content-Type: application/warc-fields'),
            response(4, b'', b'Location: /2', status=b'301 Moved Permanently'),
            response(5, b'not here', status=b'404 Not Found'),
            response(6, b'\x89PNG\r\n\x1a\n' + bytes(300), media=b'image/png'),
            response(7, b'body { color: red }', media=b'text/css'),
            record(b'revisit', 8, b'HTTP/1.1 200 OK\r\n\r\n', b'Content-Type: application/http'),
            response(9, NEAR),
            record(b'resource', 10, b'A resource in plain text.', b'content-type:\r\n TEXT/PLAIN'),
            conversion(11, 'A converted text.'),
            record(b'continuation', 12, b'the rest', b'Content-Type: text/plain'),
            record(b'response', 13, b'20240101\n1.2.3.4', b'Content-Type: text/dns', uri=b'dns:example.org'),
            response(14, OTHER, media=b'application/xhtml+xml')]


def codings():
    body = page(words(0, 40))
    member = gzip.compress(body, mtime=0)
    return [response(1, chunked(body), b'Transfer-Encoding: chunked'),
            response(2, member, b'Content-Encoding: gzip'),
            response(3, zlib.compress(body), b'Content-Encoding: deflate'),
            response(4, raw_deflate(body), b'Content-Encoding: deflate'),
            response(5, brotli(body), b'Content-Encoding: br'),
            response(6, chunked(member), b'Transfer-Encoding: chunked', b'Content-Encoding: x-gzip'),
            response(7, gzip.compress(zlib.compress(body), mtime=0), b'Content-Encoding: deflate, gzip'),
            # Decoded already, with the old header.
            response(8, body, b'Transfer-Encoding: chunked', b'Content-Encoding: gzip'),
            response(9, body, b'Content-Encoding: deflate'),
            response(10, body, b'Content-Encoding: br'),
            # Cut off, as the archive says.
            record(b'response', 11, http(member[:-20], b'Content-Encoding: gzip'), b'WARC-Truncated: length',
                   b'Content-Type: application/http'),
            # Bad ones: damaged, cut off, a bomb, an unknown coding.
            response(12, member[:30] + b'\0\0\0\0' + member[34:], b'Content-Encoding: gzip'),
            response(13, member[:-20], b'Content-Encoding: gzip'),
            response(14, gzip.compress(bytes(3000000), mtime=0), b'Content-Encoding: gzip'),
            response(15, body, b'Content-Encoding: compress'),
            response(16, chunked(body)[:-40], b'Transfer-Encoding: chunked'),
            response(17, b'the last one')]


def lengths():
    """Wrong lengths and headers; each is followed by a good record."""
    good = [conversion(n, f'good text {n}') for n in range(20)]
    text = 'a text of which the length is wrong'
    return [good[0],
            conversion(101, text, length=10), good[1],
            conversion(102, text, length=200), good[2],
            conversion(103, text, length=99999999999), good[3],
            conversion(104, text).replace(b'Content-Length', b'Content-Size'), good[4],
            conversion(105, text, length=4).replace(b'Length: 4', b'Length: many'), good[5],
            conversion(106, text)[:-20], good[6],
            b'this is no record\r\nat all: 1\r\n\r\n', good[7],
            conversion(107, text).replace(b'WARC-Type', b'WARC-Kind'), good[8],
            # Its header does not end.
            b'WARC/1.0\r\nWARC-Type: conversion\r\n', good[9],
            # Its end has other line breaks, or none: still good.
            conversion(108, 'fine').replace(b'\r\n', b'\n'), good[10],
            conversion(109, 'fine')[:-4], good[11],
            record(b'response', 110, b'no status line', b'Content-Type: application/http'), good[12],
            # The last one is cut off.
            conversion(111, text)[:-20]]


def digests():
    block = http(b'a text')
    body, wrong = b'a text', b'sha1:' + b'A' * 32
    kind = b'Content-Type: application/http'
    chunks = http(chunked(body), b'Transfer-Encoding: chunked')
    def other(number, digest, block=block, payload=None):
        extra = [b'WARC-Payload-Digest: ' + payload] if payload else []
        return record(b'response', number, block, kind, b'WARC-Block-Digest: ' + digest, *extra, digest=False)
    return [other(1, sha1(block), payload=sha1(body)),
            other(2, b'sha1:' + hashlib.sha1(block).hexdigest().encode()),
            other(3, b'SHA-256:' + hashlib.sha256(block).hexdigest().upper().encode()),
            other(4, b'md5:' + hashlib.md5(block).hexdigest().encode()),
            other(5, b'xxh3:0011'),
            other(6, b'sha1:short'),
            other(7, wrong),
            other(8, sha1(block), payload=wrong),
            other(9, sha1(chunks), chunks, sha1(chunked(body))),
            other(10, sha1(chunks), chunks, sha1(body)),
            other(11, sha1(chunks), chunks, wrong)]


def arc_record(line, block):
    return line + b' %d\n' % len(block) + block + b'\n'


def arc():
    version = b'1 0 a test\nURL IP-address Archive-date Content-type Archive-length\n\n'
    return [arc_record(b'filedesc://test.arc 0.0.0.0 20080430204825 text/plain', version),
            arc_record(b'dns:example.org 1.2.3.4 20080430204825 text/dns', b'20080430\n'),
            arc_record(b'http://example.org/a 1.2.3.4 20080430204826 text/html', http(FIRST)),
            arc_record(b'http://example.org/b b 1.2.3.4 20080430204827 text/html', http(NEAR)),
            # A wrong length.
            b'http://example.org/c 1.2.3.4 20080430204828 text/html 70\n' + http(OTHER) + b'\n',
            arc_record(b'http://example.org/d 1.2.3.4 20080430204829 image/gif', http(b'GIF', media=b'image/gif')),
            arc_record(b'http://example.org/e 1.2.3.4 20080430204830 text/html', http(OTHER))]


def wet():
    return [info()] + [conversion(n, words(n // 3 * 100, n // 3 * 100 + 60 + n % 3)) for n in range(1, 10)]


def long():
    """Records over a limit of 200,000 bytes: an image, a text."""
    picture = response(2, bytes(400000), media=b'image/png')
    return [conversion(1, 'before'), picture, conversion(3, 'between'), conversion(4, 'x' * 300000), conversion(5, 'behind')]


ALL = {'crawl': crawl, 'codings': codings, 'lengths': lengths, 'digests': digests, 'arc': arc, 'wet': wet,
       'long': long}



def zstd(*arguments, data=None):
    return subprocess.run(['zstd', '-q', *arguments], input=data, stdout=subprocess.PIPE, check=True).stdout


def zstd_file(records, frames):
    """As ArchiveTeam writes .warc.zst: frames of one record each, behind their dictionary."""
    if frames == 'whole':
        return zstd('-c', data=b''.join(records))
    if frames == 'each':
        return b''.join(zstd('-c', data=one) for one in records)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        for number in range(100):
            (path / str(number)).write_bytes(conversion(number, words(number, number + 200)))
        zstd('--train', *map(str, sorted(path.iterdir())), '--maxdict=4096', '-o', f'{folder}/dictionary')
        dictionary = (path / 'dictionary').read_bytes()
        body = b''.join(zstd('-c', '-D', f'{folder}/dictionary', data=one) for one in records)
    if frames == 'no-dictionary':
        return body
    content = zstd('-c', data=dictionary) if frames == 'packed-dictionary' else dictionary
    return struct.pack('<II', 0x184D2A5D, len(content)) + content + body


names, frames = sys.argv[1:], None
if names[:1] == ['--zstd']:
    frames, names = names[1], names[2:]
for name in names or ALL:
    ending = {'arc': 'arc', 'wet': 'wet'}.get(name, 'warc')
    records = ALL[name]()
    if frames:
        pathlib.Path(f'{name}.{ending}.zst').write_bytes(zstd_file(records, frames))
        continue
    pathlib.Path(f'{name}.{ending}').write_bytes(b''.join(records))
    with open(f'{name}.{ending}.gz', 'wb') as out:
        out.writelines(gzip.compress(one, mtime=0) for one in records)
