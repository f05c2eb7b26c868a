# The life of an index of fingerprints: it is built, queried, changed, compacted and checked.
row() { printf '%s\t%s\n' "$1" "$2"; }
{
    row a 0000000000000000
    row b 0000000000000001
    row c 0000000000000003
    row 'd\te' ffffffffffffffff
    row f 8000000000000007
    row g 0000000000000000
} > first.tsv
{
    row zero 0000000000000000
    row far 00000000ffff0000
    row 'near\\all' FFFFFFFFFFFFFFF0
    row one 0000000000000001
} > queries.tsv
t hamming create seen first.tsv -q
t hamming info seen
t hamming query seen queries.tsv -q
t hamming query seen queries.tsv -q -k 1
t hamming query seen queries.tsv -q -k 0 --threads 2
t hamming query seen queries.tsv -q --count
t hamming query seen queries.tsv -q --nearest
t hamming query seen queries.tsv -q --nearest --limit 2
echo "any: $("$NEARDUP" hamming query seen queries.tsv -q --any | wc -l) lines, of 5: $("$NEARDUP" hamming query seen queries.tsv -q --limit 5 | wc -l)"

# Added fingerprints are found, removed ones are not; their ids are free again.
row h 0000000000000100 > more.tsv
t hamming add seen more.tsv -q
t hamming add seen more.tsv -q
t hamming add seen more.tsv -q --replace
t hamming query seen queries.tsv -q -k 1
t hamming remove seen a 'd	e' nobody
t hamming query seen queries.tsv -q
t hamming info seen --json
t hamming compact seen
echo "compacted: $("$NEARDUP" hamming info seen | sed -n "s/^segments *//p")"
t hamming check seen
row a 0000000000000300 | t hamming add seen - -q
t hamming query seen queries.tsv -q --count

# Raw numbers: the position is the id; the next file continues the count.
for word in 00 01 03 ff; do printf "\\x$word\\0\\0\\0\\0\\0\\0\\0"; done > raw.u64
t hamming create numbers raw.u64 --format u64 --bits 16 --k 2 -q
gzip -k raw.u64
cat raw.u64 | "$NEARDUP" hamming create piped - --format u64 --bits 16 --k 2 -q
"$NEARDUP" hamming create unzipped raw.u64.gz --format u64 --bits 16 --k 2 -q
for other in piped unzipped; do cmp numbers/segment-1 "$other/segment-1" && echo "$other: the same file"; done
t hamming query numbers raw.u64 --format u64 -q
t hamming add numbers raw.u64 --format u64 -q
t hamming remove numbers 0 9
t hamming query numbers raw.u64 --format u64 -q -k 0
"$NEARDUP" hamming query numbers raw.u64 --format u64 -q -k 0 --binary | od -An -v -t u8 -w24
"$NEARDUP" hamming query numbers raw.u64 --format u64 -q --count --binary | od -An -v -t u8 -w16
{ cat raw.u64 raw.u64; } > raw.u128
t hamming create wide raw.u128 --format u128 --bits 128 -q
t hamming query wide raw.u128 --format u128 -q
gzip -k first.tsv
t hamming create zipped first.tsv.gz -q
t hamming query zipped queries.tsv -q --count

# An empty index, which may grow.
: > empty.tsv
t hamming create empty empty.tsv -q
t hamming query empty queries.tsv -q
t hamming add empty first.tsv -q
t hamming query empty queries.tsv -q --count
