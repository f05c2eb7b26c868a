# A batch that has been added completely is given again. With --resume the job succeeds with the
# same outputs: in the write-ahead log, in a segment, and after other changes to the index. Without
# it a message proposes --resume.
# Each eighth document is a near-duplicate of the one before it.
batch() {
    local i same
    for ((i = $1; i <= $2; i++)); do
        same=$((i % 8 == 7))
        record "${3-d}$i" "$(words $(((i - same) * 50)) $(((i - same) * 50 + 40 + same)))"
    done
}
batch 1 6 > before.jsonl
batch 5 30 s > small.jsonl # the first are duplicates of the index, others of each other
batch 1001 2200 > large.jsonl # more than 1,000 are kept, so they make a segment
outputs() {
    "$NEARDUP" "$@" -q -o out.jsonl --removed removed.tsv --clusters clusters.tsv --edges edges.tsv 2> .err || echo "= $?"
    sed 's/^/! /' .err
    cat out.jsonl removed.tsv clusters.tsv edges.tsv | cksum
    rm out.jsonl removed.tsv clusters.tsv edges.tsv
}
t index create ix
t index add ix before.jsonl -q
for size in small large; do
    echo "== $size"
    outputs index add ix $size.jsonl
    outputs index add ix $size.jsonl --resume
    t index add ix $size.jsonl -q
    t index remove ix d1
    record d1 "$(words 1 40 o)" > other.jsonl
    "$NEARDUP" index info ix | grep ^documents
    outputs index add ix $size.jsonl --resume
    t index compact ix
    outputs index add ix $size.jsonl --resume
    t index check ix
    outputs index add ix $size.jsonl --replace
    outputs index add ix $size.jsonl --replace --resume
    t index add ix other.jsonl -q
done

# Another batch, and another text for an id.
t index add ix small.jsonl -q --resume
record d1 "$(words 1 40 p)" > changed.jsonl
touch -r other.jsonl changed.jsonl
cp -p changed.jsonl other.jsonl
t index add ix other.jsonl -q --resume

# From standard input, and with another command.
batch 4001 4010 > piped.jsonl
t index add ix - -q -o first.jsonl < piped.jsonl
t index add ix - -q -o second.jsonl --resume < piped.jsonl
"$NEARDUP" dedup - --index ix -q --resume < piped.jsonl > third.jsonl
cmp first.jsonl second.jsonl
cmp first.jsonl third.jsonl
t index check ix
