# Batches against an index keep the same documents as one job over all, and the same bytes of
# records.
for batch in 1 2 3; do
    for ((i = 1; i <= 30; i++)); do
        record "$batch-$i" "$(words $((i % 7)) $((30 + (i * batch) % 5)) "x$(((i + batch) % 11))-")"
    done > $batch.jsonl
done
"$NEARDUP" dedup -q 1.jsonl 2.jsonl 3.jsonl > all.jsonl
for batch in 1 2 3; do "$NEARDUP" dedup -q $batch.jsonl --index index; done > batches.jsonl
wc -l < all.jsonl
cmp all.jsonl batches.jsonl && echo same
"$NEARDUP" index create other
for batch in 1 2 3; do "$NEARDUP" index add other -q $batch.jsonl -o -; done | cmp - all.jsonl && echo same
cmp <("$NEARDUP" index query index 3.jsonl -q) <("$NEARDUP" index query other 3.jsonl -q) && echo same
t index check index

# The tables name documents of the index by their ids.
{
    record a "$(words 1 24)"
    record b "$(words 1 24 v)"
} > a.jsonl
{
    record c "$(words 1 25)"
    record d "$(words 1 24 u)"
    record e "$(words 1 25 u)"
    record f "$(words 1 25 v)"
} > b.jsonl
t dedup a.jsonl --index small --threshold .9 -q
t dedup b.jsonl --index small --threshold .9 -o new.jsonl --removed removed.tsv --clusters clusters.tsv --edges edges.tsv --threads 1
shown new.jsonl removed.tsv clusters.tsv edges.tsv
t index info small

# The settings must equal the settings of the index.
t dedup b.jsonl --index small -q
t dedup b.jsonl --index small --threshold .9 --ngram 3 -q
t dedup b.jsonl --index small --threshold .9 --analyzer chars -q
t dedup b.jsonl --index small --threshold .9 --perms 64 -q
t dedup b.jsonl --index small --threshold .9 --recall .99 -q
t dedup b.jsonl --index small --threshold .9 --seed 2 -q

# The same ids again: rejected, or each document replaces the old one. An old document may have been
# the reason to remove another one; it is removed even if its replacement is a duplicate.
t dedup b.jsonl --index small --threshold .9 -q
{
    record a "$(words 1 24 new)"
    record b "$(words 1 24 u)" # duplicates d
} > c.jsonl
t dedup c.jsonl --index small --threshold .9 -q --replace --removed removed.tsv
shown removed.tsv
t index query small a.jsonl b.jsonl c.jsonl -q --all-queries
t index add small c.jsonl -q --replace -o -
t index check small

# An id twice in a batch.
{
    record twin "$(words 1 24 x)"
    record twin "$(words 1 24 y)"
} > twins.jsonl
t index add small twins.jsonl -q
t index add small twins.jsonl -q --replace --resume

# Without verification: an index of sketches.
t dedup a.jsonl --index sketches --verify none -q
t dedup b.jsonl --index sketches -q --removed removed.tsv
cut -f 1,2,4,5 removed.tsv
"$NEARDUP" index info sketches | grep -E '^(documents|store)'

# A job that fails leaves the index unchanged; a new index stays, and is empty.
{
    record x "$(words 1 24 x)"
    echo '{"id":"y"}'
} > bad.jsonl
t index add small bad.jsonl -q -o new.jsonl
t dedup bad.jsonl --index fresh -q
"$NEARDUP" index info fresh | grep -E '^documents'
"$NEARDUP" index info small | grep -E '^documents'
t dedup a.jsonl --index no/such/place -q
mkdir directory
t dedup a.jsonl --index directory -q
t dedup a.jsonl --index a.jsonl -q
