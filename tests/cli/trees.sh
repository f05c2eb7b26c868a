# Several directories, links, entries that are no texts.
mkdir -p one/sub two
words 1 24 > one/a
words 1 24 v > one/sub/b
words 1 24 > two/a
words 1 24 u > two/c
t dedup -q one two --removed removed.tsv -o out
shown removed.tsv
(cd out && find . -type f | LC_ALL=C sort)
t pairs -q one/ ./two//
mkdir -p far/one
t dedup -q one far/one
t dedup -q one .
t dedup -q one ..

# With --follow links to files are read, each file once; links to directories never are.
ln -s ../two/c one/link
ln -s ../two/c one/second
ln -s sub/b one/z
ln -s ../two one/directory
ln -s nowhere one/dangling
t dedup -q one
t dedup -q one --follow
t pairs -q two --follow

# A directory of JSON Lines files is not a directory of texts.
mkdir shards
words 1 24 > shards/README.md
record a 'some text' > shards/x.jsonl
record b 'other text' | gzip > shards/y.ndjson.gz
echo 'no JSON here' > shards/z.jsonl
t dedup -q shards
t dedup -q shards --on-error skip
