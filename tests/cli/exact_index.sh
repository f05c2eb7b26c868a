# neardup exact --index: batches leave the same records as one job over all of them, byte for byte;
# the index is refused by commands of another kind.
for batch in 1 2 3; do
    for ((i = 0; i < 60; i++)); do record "$batch-$i" "page $((i * (batch + 2) % 71))  of$([[ $((i % 5)) == 0 ]] && echo ' ') many"; done > $batch.jsonl
done
for by in bytes text tokens; do
    "$NEARDUP" exact -q 1.jsonl 2.jsonl 3.jsonl --by $by > all.jsonl 2> .err
    for batch in 1 2 3; do "$NEARDUP" exact -q $batch.jsonl --by $by --index $by; done > batches.jsonl
    wc -l < all.jsonl
    cmp all.jsonl batches.jsonl && echo same
    t index check $by
    "$NEARDUP" index info $by | grep -v '^bytes\|^format'
done
t index info tokens --json | sed 's/"bytes":[0-9]*,"bytes_a_document":[0-9.]*,//'

# The evidence names the documents of the index.
record a 'one page' > a.jsonl
{
    record b 'one page'
    record c 'another page'
    record d 'another page'
} > b.jsonl
t exact a.jsonl --index seen -q -o new.jsonl
t exact b.jsonl --index seen --removed removed.tsv --clusters clusters.tsv --edges edges.tsv --review review.tsv -o new.jsonl --threads 1 2>&1 | sed '/^! time/,$d'
shown new.jsonl removed.tsv clusters.tsv edges.tsv review.tsv
t exact b.jsonl --index seen -q --mark -o marked.jsonl --resume
shown marked.jsonl

# The same again: refused, or taken up, or in place of what the index has.
t exact b.jsonl --index seen -q
t exact b.jsonl --index seen -q --resume
record c 'one page' > c.jsonl
t exact c.jsonl --index seen -q --replace --removed removed.tsv
cut -f 1-3 removed.tsv
t exact b.jsonl --index seen -q --replace --sync off
t index remove seen a
t exact a.jsonl --index seen -q
t index compact seen --quiet
t index check seen
{
    record twin x
    record twin y
} > twins.jsonl
t exact twins.jsonl --index seen -q
record p 'one page' > p.jsonl
t exact p.jsonl --index seen -q --protect id=p
t exact p.jsonl --index seen -q --resume --summary - -o /dev/null | grep -o '"kept.*"skipped"'

# Another identity, other words, another kind of index.
t exact a.jsonl --index seen --by text
t exact a.jsonl --index tokens --by tokens --analyzer chars
t exact a.jsonl --index tokens --by tokens --analyzer segment
t exact a.jsonl --index near/none/none
t dedup a.jsonl --index seen
t index add seen a.jsonl
t index query seen a.jsonl
t passages a.jsonl --in seen
t hamming info seen
t index create near
t exact a.jsonl --index near
t hamming create prints -q < /dev/null
t exact a.jsonl --index prints
t exact a.jsonl --replace
mkdir other
touch other/file
t exact a.jsonl --index other

# A second process is refused while a first one has the index; damage is named.
mkfifo pipe
"$NEARDUP" exact pipe --index seen -q -o first.jsonl &
exec 5> pipe
record q 'a page of the first' >&5
for ((i = 0; i < 100; i++)); do
    "$NEARDUP" exact p.jsonl --index seen -q -o second.jsonl 2> .err || status=$?
    grep -q 'in use\|another' .err && break
    sleep .05
done
echo "= $status"
sed 's/[0-9][0-9]*/N/g' .err
exec 5>&-
wait
shown first.jsonl
t exact a.jsonl --index bytes -q -o new.jsonl
cp -r bytes broken
"$NEARDUP" index compact broken -q
printf '\377\377\377\377' | dd of="$(echo broken/segment-*)" bs=1 seek=200 conv=notrunc status=none
t index check broken 2>&1 | sed 's/[0-9][0-9]*/N/g'

# The end of a run by a signal, at any time: no part of an output, and all of the batch in the index
# or nothing of it. Then the batch is given again.
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "{\"id\":\"m%d\",\"text\":\"text %d\"}\n", i, i * 7919 % 15000 }' > many.jsonl
"$NEARDUP" exact -q many.jsonl -o whole.jsonl
for ((round = 0; round < 12; round++)); do
    rm -rf killed killed.jsonl
    "$NEARDUP" exact -q a.jsonl --index killed -o /dev/null
    "$NEARDUP" exact -q many.jsonl --index killed -o killed.jsonl 2> .err &
    sleep "0.0$round"
    { kill -KILL $!; wait $!; } 2> /dev/null || true
    [[ ! -e killed.jsonl ]] || cmp killed.jsonl whole.jsonl || echo 'a part of the output'
    "$NEARDUP" index check killed -q
    found=$("$NEARDUP" index info killed --json | sed 's/.*"documents":\([0-9]*\),.*/\1/')
    [[ $found == 1 || $found == 15001 ]] || echo "$found documents"
    "$NEARDUP" exact -q many.jsonl --index killed --resume -o killed.jsonl 2> .err
    cmp killed.jsonl whole.jsonl || echo 'another output'
done
find . -name ".neardup*"
