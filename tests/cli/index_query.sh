# Queries to an index. 44 words are 40 shingles; a and b have J = 28/40, and both are similar to the
# query.
{
    record a "$(words 1 38)"
    record b "$(words 7 44)"
    record c "$(words 1 24 v)"
} > documents.jsonl
{
    record both "$(words 1 44)"     # 34/40 with each
    record like-a "$(words 1 43)"   # 34/39, 33/40
    record like-b "$(words 2 44)"   # 33/40, 34/39
    record neither "$(words 1 24 u)"
    record c "$(words 1 25 v)"
} > questions.jsonl
t index create index
t index add index documents.jsonl -q
t index query index questions.jsonl --threads 1
t index query index questions.jsonl --threads 1 --all -q
t index query index questions.jsonl --best -q --all-queries
t index query index questions.jsonl --json -q
t index query index questions.jsonl --json -q --best --all-queries
t index query index - -q < questions.jsonl
cmp <("$NEARDUP" index query index questions.jsonl -q) <("$NEARDUP" index query index questions.jsonl -q --threads 3) && echo same

# Ids in tables and in JSON.
printf '{"id":"tab\\there \\"quoted\\" \\\\ \\u0001 \\u00e9","text":"%s"}\n' "$(words 1 24 v)" > odd.jsonl
t index query index odd.jsonl -q
t index query index odd.jsonl -q --json
mkdir texts
words 1 24 v > "texts/$(printf 'not UTF-8 \xff\xc3')"
words 1 24 u > texts/other
t index query index texts -q --json --all-queries
t index query index texts -q

# Bad records, and no queries.
{
    record a "$(words 1 24 v)"
    echo '{"id":"b"}'
    record c 'all alone'
} > bad.jsonl
t index query index bad.jsonl -q
t index query index bad.jsonl --on-error skip --threads 1
: > empty.jsonl
t index query index empty.jsonl --threads 1
t index query index none.jsonl -q
t index query none questions.jsonl -q

# Without shingle sets: estimates, and no counts.
t index create sketches --store sketch --threshold .7
t index add sketches documents.jsonl -q --removed removed.tsv
cut -f 1,2,4,5 removed.tsv
t index query sketches documents.jsonl -q --json
t index info sketches
t index info sketches --json

# The analyzer and the other settings come from the index.
t index create chars --analyzer chars --ngram 4 --threshold .5 --seed 7 --perms 64 --recall .99
t index add chars documents.jsonl -q --removed removed.tsv
shown removed.tsv
t index query chars questions.jsonl -q --best
t index info chars

# A closed pipe ends the command without a message; a full disk is an error.
text=$(words 1 24 v)
for ((i = 0; i < 5000; i++)); do record "$i" "$text"; done > many.jsonl
set +o pipefail
"$NEARDUP" index query index many.jsonl -q 2> .err | head -n 2
echo "closed pipe: ${PIPESTATUS[0]}"
show .err
status=0
"$NEARDUP" index query index many.jsonl -q 2> .err > /dev/full || status=$?
show .err
"$NEARDUP" index query index questions.jsonl -q 2> .err > /dev/full || status=$?
show .err
echo "= $status"
