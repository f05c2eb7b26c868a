# A job that would remove too many documents is refused, and leaves everything as it was.
for ((i = 1; i <= 6; i++)); do record "$i" "$(words 1 24)"; done > in.jsonl
for ((i = 7; i <= 10; i++)); do record "$i" "$(words 1 24 "x$i-")"; done >> in.jsonl
echo 'as before' | tee kept.jsonl removed.tsv summary.json > /dev/null
t dedup in.jsonl --max-removed .4 -o kept.jsonl --removed removed.tsv --summary summary.json
shown kept.jsonl removed.tsv summary.json
t dedup -q in.jsonl --max-removed .4999
t dedup -q in.jsonl --max-removed .4 -o kept/ --keep longest
left

# The share itself is allowed, and so is everything with 1.
t dedup -q in.jsonl --max-removed .5 -o kept.jsonl
wc -l < kept.jsonl
t dedup -q in.jsonl in.jsonl --max-removed 1 -o kept.jsonl
: > empty.jsonl
t dedup -q empty.jsonl --max-removed .1

# An index stays as it is, and names its documents.
head -n 1 in.jsonl > first.jsonl
t dedup -q first.jsonl --index seen -o kept.jsonl
tail -n +2 in.jsonl > rest.jsonl
t dedup -q rest.jsonl --index seen --max-removed .5
t index add seen -q rest.jsonl --max-removed .5 -o kept.jsonl
"$NEARDUP" index info seen | grep documents
t index add seen -q rest.jsonl --max-removed .6
"$NEARDUP" index info seen | grep documents

# Components, fingerprints, and one thread or more give the same answer.
t dedup -q in.jsonl --group component --max-removed .2 --threads 1
t dedup -q in.jsonl --sketch simhash --max-removed .2 --threads 3
t dedup -q in.jsonl --max-removed 0
t dedup -q in.jsonl --max-removed 1.1
