# Results in every form. A file has the same bytes as standard output, and is written completely or
# not at all.
{
    record a "$(words 1 24)"
    record b "$(words 1 23) other"
    record 'c\td' "W1, $(words 2 24)!"
    record e "$(words 1 24 v)"
} > in.jsonl
t pairs in.jsonl -q
t pairs in.jsonl -q --json
t pairs in.jsonl -q --json --verify none
t pairs in.jsonl -q --json --sketch simhash --weights tf --ngram 1
t pairs in.jsonl -q --json --sketch simhash --weights tf --ngram 1 --verify cosine
t pairs in.jsonl -q --json --sketch simhash --weights tf --ngram 1 --verify none -k 8

# An index of fingerprints that begins empty.
t simhash in.jsonl -q -o prints.tsv
t hamming create near --bits 64 -k 8
t hamming create near
t hamming add near prints.tsv -q
t hamming query near prints.tsv -q --json
t hamming query near prints.tsv -q --json --count
t hamming join near -q --json -k 8
t hamming join near -q --json -k 8 --groups
t hamming create numbers --format u64 --bits 32 -k 2 -q
t hamming info numbers --json

# A file has the same bytes.
"$NEARDUP" dedup in.jsonl --index seen -q -o /dev/null
"$NEARDUP" stream in.jsonl --state state -q > /dev/null
echo "$(words 1 30)" > a.txt
echo "$(words 3 33)" > b.txt
while read -r command; do
    # shellcheck disable=SC2086
    "$NEARDUP" $command > printed 2> /dev/null
    # shellcheck disable=SC2086
    "$NEARDUP" $command -o out > more 2> /dev/null
    cmp printed out && [[ ! -s more && -s out ]] && echo "$command: the same"
    rm out
done << 'END'
pairs in.jsonl -q
pairs in.jsonl -q --json
passages in.jsonl --in in.jsonl -q
passages in.jsonl --in in.jsonl -q --json
index query seen in.jsonl -q
index query seen in.jsonl -q --json
index info seen
index info seen --json
hamming query near prints.tsv -q
hamming query near prints.tsv -q --count
hamming join near -q
hamming join prints.tsv -q --groups
hamming join near -q --binary -k 8
hamming info near --json
hamming plan --n 1e6
hamming plan --n 1e6 --json
compare a.txt b.txt
compare a.txt b.txt --json
compare a.txt b.txt --explain
plan
plan --json
clusters state
clusters state --json --members
END
"$NEARDUP" index query seen in.jsonl -q -o out.gz && gzip -dc out.gz | cmp - <("$NEARDUP" index query seen in.jsonl -q) && echo 'the same compressed'

# An old file is replaced as a whole; after a failure it is unchanged.
echo old > kept
ln -s kept link
t index query seen none.jsonl -q -o link
shown kept
t index query seen in.jsonl -q -o link
[[ -L link ]] && shown kept
printf '{"id":"x","text":"\n' > bad.jsonl
t index query seen in.jsonl bad.jsonl -q -o kept
tail -n 1 kept
t hamming query near prints.tsv -q -o .
t plan -o none/plan.txt
t plan -o /dev/full
t plan -o out.xz
t index query seen none.jsonl -q -o out.bz2
t dedup in.jsonl -q -o out --summary summary.lz4
mkdir closed
TMPDIR=closed/none t plan -o /dev/null/out
t dedup in.jsonl -q -o out --summary none/summary.json
left | grep -v 'near\|seen\|state\|numbers'

# Large texts at the ends of blocks of documents: a copy that the report measures keeps no later
# text waiting. (With small limits a text of 2,000 bytes is large, and a block has 16 documents.)
{
    record first "$(words 1 700)"
    for i in {1..14}; do record "$i" "$(words $((i * 1000)) $((i * 1000 + 9)))"; done
    record copy "$(words 1 700)"
    record near "$(words 1 699)"
    record nearer "$(words 2 700)"
} > large.jsonl
for flags in '' '--measure containment' '--sketch simhash --weights tf'; do
    t dedup -q large.jsonl -o kept.jsonl --removed removed.tsv --threads 1 $flags
    cut -f 1,2 removed.tsv
done
