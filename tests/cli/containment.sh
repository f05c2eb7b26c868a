# A text within a longer one. b has all of a, c most of a; d is a with other words, f is unrelated,
# g is a part of f, and h is shorter than a shingle. i is an exact copy of a.
{
    record a "$(words 1 60)"
    record b "$(words 200 320) $(words 1 60) $(words 400 450)"
    record c "$(words 10 60) $(words 500 700)"
    record d "$(words 1 30) $(words 800 830)"
    record e "$(words 1 59)"
    record f "$(words 900 980)"
    record g "$(words 910 930)"
    record h "$(words 910 912)"
    record i "$(words 1 60 | tr a-z A-Z)"
} > in.jsonl
t pairs in.jsonl -q --measure containment
t pairs in.jsonl -q --measure containment --threshold .4 --json
t pairs in.jsonl -q --threshold .4
t dedup in.jsonl -q --measure containment --keep longest --removed removed.tsv --clusters clusters.tsv --edges edges.tsv --review review.tsv -o kept.jsonl
shown removed.tsv clusters.tsv edges.tsv review.tsv
grep -o '"id":"[^"]*"' kept.jsonl
t dedup in.jsonl -q --measure containment --group component --threshold .4 --removed removed.tsv -o kept.jsonl
shown removed.tsv
t dedup in.jsonl -q --measure containment --mark -o - | sed 's/"text":"[^"]*",//'

# The summary.
t dedup in.jsonl --threads 1 --measure containment -o kept.jsonl
t dedup in.jsonl --threads 1 --measure containment --threshold .5 -o kept.jsonl --summary -
: > empty.jsonl
t dedup empty.jsonl -q --measure containment

# The plan, the audit, the verdict about a pair, and the pairs to look at.
t plan --measure containment
t plan --measure containment --threshold .3 --recall .99 --json
t audit in.jsonl -q --measure containment --missed missed.tsv
shown missed.tsv
words 1 60 > a.txt
{ words 200 320; words 1 60; } > b.txt
"$NEARDUP" compare a.txt b.txt --measure containment | grep -E 'duplicates|P.found.'
"$NEARDUP" compare a.txt b.txt --measure containment --json | grep -o '"anchors".*"found":[^,]*'
t review in.jsonl review.tsv --json

# The output is the same at any number of threads, and from a pipe.
one=$("$NEARDUP" pairs in.jsonl -q --measure containment --threshold .3 --threads 1 | cut -f 1-3)
[[ $("$NEARDUP" pairs in.jsonl -q --measure containment --threshold .3 --threads 4 | cut -f 1-3) == "$one" ]] && echo 'threads: same'
[[ $("$NEARDUP" pairs - -q --measure containment --threshold .3 < in.jsonl | cut -f 1-3) == "$one" ]] && echo 'a pipe: same'

# What does not go with it.
for flag in '--sketch simhash' '--sketch sentences:3' '--verify none' '--perms 64' '--index seen' '--threshold .001'; do
    t dedup in.jsonl --measure containment $flag
done
t plan --measure containment --perms 64
t dedup in.jsonl --measure overlap

# Different words whose shingles share a number (sketch/band_key.h).
{
    for i in 1 2 3; do record "a$i" "w732390 w1567532 w1089653 w1530201 w592897 u$i"; done
    record b 'w732390 w1998245 w1567532 w2359274 w1089653 w2984640 w1530201 w1934101 w592897 w1015001'
    for i in {1..70}; do record "c$i" "w732390 w1567532 w1089653 w1530201 w592897 v$((i % 9))"; done
} > shared.jsonl
t pairs shared.jsonl -q --ngram 1 --measure containment -o shared.tsv
tail -n +2 shared.tsv | awk -F'\t' '{ n[substr($1, 1, 1) substr($2, 1, 1)]++ } END { for (k in n) print k, n[k] }' | sort
# A pair that is found from both of its texts takes one place of --max-compare.
for i in {1..25}; do record "$i" "$(words 1 60) x$i"; done > mutual.jsonl
t pairs mutual.jsonl --measure containment --max-compare 24 -o mutual.tsv
wc -l < mutual.tsv
