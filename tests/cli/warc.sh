# Web archives: WARC, WET and ARC, good ones and malformed ones (tests/support/web_archive.py makes
# them).
python3 "$ARCHIVES"

# Documents of a crawl; all else is left out and counted. The same from gzip and from a pipe.
t text crawl.warc -o crawl.jsonl
shown crawl.jsonl
t text -q crawl.warc.gz -o again.jsonl
cmp crawl.jsonl again.jsonl
"$NEARDUP" text -q - < crawl.warc.gz 2> .err | cmp - crawl.jsonl

# Kept records are as they were, behind the warcinfo.
t dedup -q crawl.warc -o kept.warc --removed removed.tsv
shown removed.tsv
cat kept.warc | tr -d '\r'
t dedup -q crawl.warc.gz -o again.warc
cmp kept.warc again.warc
t text -q kept.warc

# Transfer and content codings.
t text -q codings.warc --on-error skip --max-record 1M
t text -q codings.warc.gz --max-record 1M -o none

# Wrong lengths and headers lose no other record.
t text -q lengths.warc --on-error skip
t text -q lengths.warc -o none

# Over the limit.
t text -q long.warc --on-error skip --max-record 200000

# Digests.
t text -q digests.warc --on-error skip
t text -q digests.warc --digests off
t text -q digests.warc -o none

# ARC.
t dedup -q arc.arc --on-error skip -o kept.arc --removed removed.tsv
shown removed.tsv kept.arc
t text -q arc.arc.gz crawl.warc --on-error skip -o none

# WET; and a file that is cut off, in gzip and without.
t dedup -q wet.wet.gz --format warc -o - --removed removed.tsv
shown removed.tsv
head -c 2000 wet.wet > cut.wet
t text -q cut.wet --on-error skip
head -c 2000 wet.wet.gz > cut.wet.gz
t text -q cut.wet.gz --on-error skip
t text -q cut.wet.gz -o none

# Zstandard: a frame per record, one for the file, and with a dictionary in front, which may itself
# be compressed.
for frames in each whole dictionary packed-dictionary; do
    python3 "$ARCHIVES" --zstd "$frames" wet
    "$NEARDUP" text -q wet.wet.zst | cmp - <("$NEARDUP" text -q wet.wet)
done
head -c 300 wet.wet.zst > cut.wet.zst
t text -q cut.wet.zst -o none
python3 "$ARCHIVES" --zstd no-dictionary wet
"$NEARDUP" text -q wet.wet.zst 2>&1 | sed 's/byte [0-9]*/byte N/' || true

# Each kept record is a gzip member, or a Zstandard frame, of its own; the same bytes inside.
"$NEARDUP" dedup -q crawl.warc -o kept.warc.gz 2> .err
gzip -dc kept.warc.gz | cmp - kept.warc
python3 - kept.warc.gz << "END"
import sys, zlib
data, members = open(sys.argv[1], 'rb').read(), []
while data:
    unpack = zlib.decompressobj(31)
    members.append(unpack.decompress(data))
    data = unpack.unused_data
print([member[:8] for member in members], all(m.endswith(b'\r\n\r\n') for m in members))
END
"$NEARDUP" dedup -q crawl.warc -o kept.warc.zst 2> .err
zstd -dcq kept.warc.zst | cmp - kept.warc
zstd -lq kept.warc.zst | tail -n 1 | awk '{ print $1 }'

# The latest or the first of several copies.
dated() {
    local date
    for date; do
        printf 'WARC/1.1\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:%s>\r\n' "$date"
        [[ $date == none ]] || printf 'WARC-Date: %s\r\n' "$date"
        printf 'Content-Type: text/plain\r\nContent-Length: 8\r\n\r\nOne text\r\n\r\n'
    done
}
dated none 2026-01-02T03:04:05Z 2026-01-02T03:04:05.5Z 2025-12-31T23:59:59Z > dated.warc
for keep in max:WARC-Date min:warc-date; do
    t dedup -q dated.warc --keep $keep --removed removed.tsv -o dated.jsonl
    grep -o '"id":"[^"]*"' dated.jsonl
done
t dedup -q dated.warc --keep max:date -o dated.jsonl
dated yesterday 2026-01-02T03:04:05Z > bad-date.warc
t text -q bad-date.warc
t dedup -q bad-date.warc --keep max:WARC-Date --on-error skip -o dated.jsonl
t dedup -q arc.arc --on-error skip --threshold .3 --keep max:WARC-Date --removed removed.tsv -o dated.jsonl
cut -f 1,2 removed.tsv

# Several archives: each behind its warcinfo, as members of its own; or JSON Lines of the texts.
mkdir archives && cp crawl.warc archives/0.warc && cp crawl.warc.gz archives/1.warc.gz
"$NEARDUP" dedup -q archives -o clean/ --removed-records rest.warc 2> .err
cmp clean/0.warc kept.warc
gzip -dc clean/1.warc.gz | grep -a -c '^WARC-Type: warcinfo'
grep -a -c '^WARC-Type: response' rest.warc
t text -q clean/0.warc
"$NEARDUP" dedup -q crawl.warc -o clean2/ --shard-size 1k 2> .err
ls clean2
grep -a -l '^WARC-Type: warcinfo' clean2/*
"$NEARDUP" text -q clean2 2> .err | cmp - <("$NEARDUP" text -q kept.warc)
"$NEARDUP" dedup -q crawl.warc -o lines.jsonl --mark 2> .err
cut -d , -f 1 lines.jsonl
grep -o '"url.*' lines.jsonl
t dedup -q crawl.warc --mark
t dedup -q crawl.warc -o crawl.csv

# A damaged member of gzip, or frame of Zstandard, loses its own record only, whichever byte is
# damaged; the message tells what is left out. A pipe cannot go back: its rest is left out.
cat > damage.py << 'END'
import gzip, os, re, subprocess
def record(number):
    block = b'text number %d' % number
    return (b'WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:%d>\r\nContent-Type: text/plain\r\n'
            b'Content-Length: %d\r\n\r\n' % (number, len(block))) + block + b'\r\n\r\n'
def zstd(data, *options):
    return subprocess.run(['zstd', '-qc', *options], input=data, capture_output=True, check=True).stdout
records = [record(n) for n in range(1, 4)]
def text(data, threads, name='damaged.warc', **pipe):
    if not pipe:
        with open(name, 'wb') as file:
            file.write(data)
    run = subprocess.run([os.environ['NEARDUP'], 'text', '-q', '--on-error', 'skip', '--threads', str(threads), name],
                         capture_output=True, **pipe)
    return run.returncode, re.findall(rb'"id":"urn:(\d)","text":"text number (\d)"', run.stdout), run.stderr.decode()
def damage(members, front, magic):
    """Each byte in turn; with a sanitizer a third of them. `magic`: the first bytes of
    the file, which tell its compression."""
    whole = front + b''.join(members)
    found = {}
    places = range(len(front), len(whole), 3 if os.environ.get('ND_TEST_TINY') == '1' else 1)
    for at in places:
        damaged = whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1:]
        hit, rest = 0, at - len(front)
        while rest >= len(members[hit]):
            rest -= len(members[hit])
            hit += 1
        status, got, message = text(damaged, 1 + at % 2)
        others = {str(n + 1).encode() for n in range(3) if n != hit}
        ids = {i for i, n in got if i == n}
        if not (status == 0 and len(ids) == len(got) and (others <= ids) and (len(ids) == 3 or message)):
            if at >= magic or not message:
                print('byte', at, status, got, message)
        found[len(ids)] = found.get(len(ids), 0) + 1
    print(found[2] > len(places) / 2, found.get(3, 0) > 0)
    return whole
members = [gzip.compress(r, mtime=0) for r in records]
whole = damage(members, b'', 2)
end = len(members[0]) + len(members[1])
bad = whole[:end - 12] + b'\0\0\0\0' + whole[end - 8:]
print(text(bad, 2), text(bad, 1, '-', input=bad), text(whole[:-3], 2), sep='\n')
frames = [zstd(r) for r in records]
whole = damage(frames, b'', 4)
end = len(frames[0]) + len(frames[1])
bad = whole[:end - 2] + b'\0\0' + whole[end:]
# Where in a frame its damage is found depends on the pieces that are read.
for answer in (text(bad, 2), text(bad, 1, '-', input=bad), text(whole[:-3], 2)):
    print(*answer[:2], re.sub('compressed byte [0-9]+', 'compressed byte N', answer[2]), end='')
# Frames with a dictionary in front.
for n in range(200):
    os.makedirs('samples', exist_ok=True)
    with open(f'samples/{n}', 'wb') as file:
        file.write(record(n) * 3)
subprocess.run('zstd -q --train samples/* -o dictionary --maxdict=1000', shell=True, check=True, capture_output=True)
with open('dictionary', 'rb') as file:
    dictionary = file.read()
front = b'\x5d\x2a\x4d\x18' + len(dictionary).to_bytes(4, 'little') + dictionary
damage([zstd(r, '-D', 'dictionary') for r in records], front, 0)
END
python3 damage.py
