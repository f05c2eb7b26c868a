# An option that would have no effect is rejected by name, also with its default value; nothing is
# written.
record a "$(words 1 30)" > in.jsonl
mkdir texts
echo "$(words 1 30)" > texts/a
printf 'w1\t2\n' > table.tsv
t index create exact -q
t index create sketches --store sketch -q
t hamming create prints - --k 3 -q < /dev/null

# Options of another sketch.
for flag in '--k 6' '--bits 64' '--weights tfidf' '--verify cosine'; do t dedup in.jsonl $flag; done
for flag in '--recall .999' '--perms 128'; do t pairs in.jsonl --sketch simhash $flag; done
t pairs in.jsonl --sketch sentences:3 --recall .999
t dedup in.jsonl --sketch simhash --verify none --threshold .8
t dedup in.jsonl --sketch simhash --verify none --ngram 5

# Options of an index without an index; options that contradict the index.
for flag in --replace --resume '--sync batch'; do t dedup in.jsonl $flag; done
t dedup in.jsonl --index exact --verify none
t dedup in.jsonl --index sketches --verify exact
t dedup in.jsonl --index exact --ngram 4

# Options of JSON Lines with a directory as input, and the reverse.
for flag in '--text-field text' '--id-field id' '--keep max:date'; do t dedup texts $flag; done
t stream texts --state s --time-field date
for flag in --null '--null -o kept.jsonl' --follow; do t dedup in.jsonl $flag; done
t compare in.jsonl in.jsonl --text-field text

# A field that no record has.
t dedup in.jsonl --keep min:date -q -o out.jsonl
t simhash in.jsonl --id-field key -q
t stream in.jsonl --state s --time-field date -q
rm -r s

# A name that promises another compression.
for name in out.jsonl.xz out.bz2 out.TGZ out.zstd out.zip; do t dedup in.jsonl -q -o $name; done
t idf in.jsonl -q --stop-words stop.lz4

# Other options.
t simhash in.jsonl --features words --weights levels
t simhash in.jsonl --features chars --analyzer words
t idf in.jsonl --stop-share .1
t keywords - --weights tfidf < in.jsonl
for flag in '--mode leader' '--bits 64' '--weights tf' '--stop table.tsv' '--stem english'; do t stream in.jsonl --state s $flag; done
t clusters s --members
t hamming join prints --bits 32
t hamming join prints --format u64
t hamming join - - < /dev/null
t hamming join prints --json --binary
t hamming create new --memory 64M
t hamming create new --summary new.json

# The summary and the results must be different files.
t dedup in.jsonl --summary -
t pairs in.jsonl --json --summary -
t dedup in.jsonl -o out.jsonl --summary out.jsonl
t dedup in.jsonl -o out.jsonl --summary ./in.jsonl
t dedup in.jsonl --removed removed.tsv --summary removed.tsv -o out.jsonl
t passages in.jsonl --in in.jsonl -o in.jsonl
t passages in.jsonl --in in.jsonl -o results --summary ./results
t index query exact in.jsonl -o none/out.tsv
t compare in.jsonl in.jsonl -o ./in.jsonl
t compare in.jsonl table.tsv --page page.html -o out.txt

# Quiet, and sizes by either unit.
t index check exact -q
t index compact exact -q
t index remove exact none -q
t hamming check prints -q
t hamming compact prints -q
for size in 64M 64MiB 68MB 1GB 1.5G 1gb; do t dedup in.jsonl -q --memory $size -o out.jsonl; done
for size in 67MB 64MIB 1KB 1GBi 1BG; do t dedup in.jsonl -q --memory $size; done
left
