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
