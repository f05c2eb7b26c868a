# The life of an index: it is made, grows by batches, loses documents, is compacted and checked. 24
# words are 20 shingles.
{
    record a "$(words 1 24)"
    record b "$(words 1 23) other"
    record c "$(words 1 24 v)"
} > 1.jsonl
{
    record d "$(words 1 25)" # duplicates a
    record e "$(words 1 24 u)"
    record f "$(words 2 24 u)" # duplicates e
    record g "$(words 1 24 z)"
} > 2.jsonl
t index create index
t index info index
t index info index --json
t index query index 1.jsonl -q
t index add index 1.jsonl --threads 1
t index add index 2.jsonl --threads 1 --summary - -o new.jsonl --removed removed.tsv --clusters clusters.tsv --edges edges.tsv
shown new.jsonl removed.tsv clusters.tsv edges.tsv
t index add index 2.jsonl -q # their ids are there
t index query index 1.jsonl 2.jsonl --threads 1
t index info index

# A removed document is not found any more. Its duplicates, which were never added, can be added
# now.
t index remove index a e nobody
t index query index 1.jsonl 2.jsonl -q --all-queries
t index info index
t index info index --json
t index compact index
echo "compacted: $("$NEARDUP" index info index | sed -n "s/^segments *//p")"
t index info index
t index check index
record d "$(words 1 25)" > 3.jsonl
t index add index 3.jsonl -q -o -
t index remove index a
t index query index 1.jsonl -q

# All documents are removed, and new ones are added.
t index remove index c d g
t index compact index
t index check index
t index add index 1.jsonl -q --keep longest --summary summary.json -o -
sed 's/,"input_bytes.*//' summary.json
rm summary.json
t index query index 1.jsonl -q

# Ids from a file, written as in the tables, and from standard input.
{
    printf '%s\n' '{"id":"tab\there\nnewline\\backslash","text":"one alone"}'
    printf '%s\n' '{"id":"plain","text":"two alone"}' '{"id":"last","text":"three alone"}' '{"id":"C:\\data","text":"four alone"}'
} > odd.jsonl
t index add index odd.jsonl -q --clusters clusters.tsv
printf 'tab\\there\\nnewline\\\\backslash\r\n\nplain\nnot\\there\nlast' > ids
t index remove index --ids ids
t index remove index 'C:\data' --ids - < /dev/null
t index remove index a --ids - <<< b
t index check index
rm index/*
rmdir index
left
