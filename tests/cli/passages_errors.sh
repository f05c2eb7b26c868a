# Inputs and flags that passages rejects.
record a 'the cat sat on the mat' > in.jsonl
t passages
t passages in.jsonl
t passages --in in.jsonl
t passages - --in - < in.jsonl
t passages none.jsonl --in in.jsonl
t passages in.jsonl --in none.jsonl
t passages in.jsonl --in in.jsonl --in
t passages in.jsonl --in in.jsonl --min 0
t passages in.jsonl --in in.jsonl --min many
t passages in.jsonl --in in.jsonl --gap -1
t passages in.jsonl --in in.jsonl --memory 1M
t passages in.jsonl --in in.jsonl --analyzer lines
t passages in.jsonl --in in.jsonl --threshold .5
# An index keeps no texts, only shingles of one kind.
"$NEARDUP" index create seen > .out
t passages in.jsonl --in seen --min 4
t passages in.jsonl --in seen --analyzer chars
t passages in.jsonl --in seen --seed 2
"$NEARDUP" index create sketches --store sketch > .out
t passages in.jsonl --in sketches
"$NEARDUP" index create long --ngram 9 > .out
t passages in.jsonl --in long
"$NEARDUP" simhash in.jsonl -q | "$NEARDUP" hamming create prints - -q
t passages in.jsonl --in prints
truncate -s 0 long/log-1
t passages in.jsonl --in long --min 9
# Bad records, on either side.
printf '{"id":"b","text":"x\n' > bad.jsonl
t passages bad.jsonl --in in.jsonl
t passages in.jsonl --in bad.jsonl
t passages bad.jsonl --in in.jsonl --on-error skip -q
t passages in.jsonl --in bad.jsonl --on-error skip -q
printf '{"id":"b","text":"the cat sat on the m\377t"}\n' > bad.jsonl
t passages in.jsonl --in bad.jsonl
t passages in.jsonl --in bad.jsonl --invalid replace --min 5 -q --json
# Queries and passages that do not fit into memory.
record q "$(seq -s ' ' 1 600000)" > q.jsonl
t passages q.jsonl --in in.jsonl --memory 64M
record q "$(yes a | head -n 40000 | tr '\n' ' ')" > q.jsonl
for i in {1..8}; do record "s$i" a; done > s.jsonl
t passages q.jsonl --in s.jsonl --memory 64M --min 1
"$NEARDUP" passages in.jsonl --in in.jsonl --min 2 -q > /dev/full || echo "= $?"
rm -r *.jsonl seen sketches long prints
left
