# All pairs within k: of one file, of two files, of indexes; groups; raw numbers.
row() { printf '%s\t%s\n' "$1" "$2"; }
{
    row a 0000000000000000
    row b 0000000000000001
    row c 0000000000000003
    row 'd\te' ffffffffffffffff
    row f 8000000000000007
    row g 0000000000000000
    row h fffffffffffffff0
} > first.tsv
{
    row x 0000000000000001
    row y fffffffffffffffe
    row z 00000000ffff0000
    row x 0000000000000001
} > second.tsv
sorted() { local header; IFS= read -r header; echo "$header"; LC_ALL=C sort; }
t hamming join first.tsv -q -k 1
"$NEARDUP" hamming join first.tsv -q | sorted
"$NEARDUP" hamming join first.tsv second.tsv -q | sorted
"$NEARDUP" hamming join second.tsv first.tsv -q -k 0 | sorted
t hamming join first.tsv -q --groups
t hamming join first.tsv -q --groups -k 4
t hamming join second.tsv -q
"$NEARDUP" hamming create seen first.tsv -q
"$NEARDUP" hamming remove seen b > removed
row i 0000000000000007 > more.tsv
"$NEARDUP" hamming add seen more.tsv -q
"$NEARDUP" hamming join seen -q -k 8 | sorted
t hamming join seen -q -k 4 --groups
"$NEARDUP" hamming join second.tsv seen -q | sorted
t hamming join second.tsv second.tsv -q -k 0

# The output is the same at any number of threads.
for i in $(seq 400); do row "id$i" "$(printf '%016x' $((i * i * 40503 % 65536)))"; done > many.tsv
for threads in 1 2 7; do "$NEARDUP" hamming join many.tsv -q -k 2 --threads $threads > join-$threads; done
cmp join-1 join-2 && cmp join-1 join-7
cat many.tsv | "$NEARDUP" hamming join - -q -k 2 | cmp join-1 - # whatever they come from
"$NEARDUP" hamming create many many.tsv -q && "$NEARDUP" hamming join many -q -k 2 --memory 64M | cmp join-1 -
LC_ALL=C sort join-1 | cksum # the order is of the sizes of parts, which small limits change
"$NEARDUP" hamming join many.tsv -q -k 2 --summary json > /dev/null
grep -o '"fingerprints":[0-9]*,"pairs":[0-9]*' json
for word in 00 01 03 ff; do printf "\\x$word\\0\\0\\0\\0\\0\\0\\0"; done > raw.u64
"$NEARDUP" hamming join raw.u64 --format u64 --bits 16 -q -k 1 --binary | od -An -v -t u8 -w24
t hamming join first.tsv second.tsv --groups
t hamming join missing.tsv
t hamming join first.tsv -k 17 -q
t hamming join first.tsv --bits 32 -q
t index create documents
t hamming join documents -q
"$NEARDUP" hamming create narrow raw.u64 --format u64 --bits 16 -q
t hamming join narrow seen -q
