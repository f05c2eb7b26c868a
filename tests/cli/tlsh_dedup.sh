# Candidates by TLSH digests. b is a with another number, c is a with a changed sentence, d has the
# words of a in other letters, e is another text. f and g are too short for a digest; h is f again.
# i has too little variety.
mill='After forty years of silence the water mill at Arnfeld has ground its first sack of rye.'
people='More than two hundred people came on Sunday to see the wheel turn again.'
roof='Volunteers replaced the wheel, both stones and most of the roof within eleven years.'
{
    record a "$mill $people $roof"
    record b "$mill ${people/two/six} $roof"
    record c "$mill Only a few old men came to look at it. $roof"
    record d "${mill^^} ${people^^} ${roof^^}"
    record e 'The harbour of Lindau was closed for two days, because a storm had torn the buoys loose.'
    record f 'Too short a text.'
    record g 'Too short a test.'
    record h 'Too short a text.'
    record i "$(printf 'a%.0s' {1..200})"
} > in.jsonl
t tlsh in.jsonl -q
t pairs in.jsonl -q --sketch tlsh --threshold .5
t pairs in.jsonl -q --sketch tlsh --threshold .5 --distance 10
t pairs in.jsonl -q --sketch tlsh --verify none
t pairs in.jsonl -q --sketch tlsh --verify none --distance 300
t pairs in.jsonl -q --sketch tlsh --verify none --distance 300 --max-compare 1
t pairs in.jsonl -q --sketch tlsh --verify none --json
t pairs in.jsonl -q --sketch tlsh --threshold .5 --json
t dedup in.jsonl -q --sketch tlsh --threshold .5 --removed removed.tsv --clusters clusters.tsv -o kept.jsonl
shown removed.tsv
grep -v 1$ clusters.tsv
t dedup in.jsonl -q --sketch tlsh --verify none --distance 80 --mark -o marked.jsonl --review review.tsv
grep -o '"neardup_.*' marked.jsonl
shown review.tsv
t review in.jsonl review.tsv

# The summary.
t dedup in.jsonl --threads 1 --sketch tlsh -o kept.jsonl
t pairs in.jsonl --threads 1 --sketch tlsh --verify none -o pairs.tsv
t dedup in.jsonl --threads 1 --sketch tlsh -o kept.jsonl --summary -
: > empty.jsonl
t dedup empty.jsonl --threads 1 --sketch tlsh
t dedup in.jsonl -q --sketch tlsh --report report.html -o kept.jsonl
grep -o 'Candidates are all pairs[^<]*' report.html

# The pairs are those of the digests of neardup tlsh, at any number of threads.
for i in {1..400}; do record $i "$(words $((i % 60)) $((i % 60 + 30 + i % 7)))"; done > many.jsonl
for threads in 1 2 7; do "$NEARDUP" pairs many.jsonl -q --sketch tlsh --verify none --threads $threads -o $threads.tsv; done
cmp 1.tsv 2.tsv && cmp 1.tsv 7.tsv && echo 'threads: same'
cmp 1.tsv <("$NEARDUP" pairs - -q --sketch tlsh --verify none < many.jsonl | sed 's/-\t/many.jsonl\t/g') && echo 'a pipe: same'

# The measured recall.
t audit many.jsonl -q --sketch tlsh --sample 400 --threads 1

# Wrong distances, and flags of the other sketches.
for distance in 301 -1 1.5 x; do t dedup in.jsonl --sketch tlsh --distance $distance; done
t dedup in.jsonl --distance 70
t dedup in.jsonl --sketch simhash --distance 70
for flag in '--index seen' '--recall .9' '--perms 64' '--k 3' '--bits 32' '--weights tf' '--verify cosine' '--verify none --threshold .8' '--measure containment' '--preset news'; do t dedup in.jsonl --sketch tlsh $flag; done
t pairs in.jsonl --sketch tlsh:3
left
