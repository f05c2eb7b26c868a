# Directories: one document per file, ids are relative paths, in bytewise order.
mkdir -p tree/b/c tree/a tree/B
words 1 24 > tree/b/1.txt
words 1 24 v > tree/b/c/2
{ words 1 23; echo other; } > tree/a.txt # near b/1.txt; "a.txt" comes before "a/" and "b/"
words 1 25 v > tree/a/z                  # near b/c/2
echo alone > tree/B/x
: > tree/b/empty
t dedup -q tree
t dedup -q tree -o out --removed removed.tsv --clusters clusters.tsv
shown removed.tsv clusters.tsv
(cd out && find . -type f | LC_ALL=C sort | while read -r f; do cmp "$f" "../tree/$f" && echo "$f"; done)
t pairs -q tree

# Two trees; the second has a copy.
mkdir second
cp tree/a.txt second/other.txt
t dedup -q tree second

# Files of JSON Lines and directories do not mix.
record a text > in.jsonl
t dedup -q tree in.jsonl
t dedup -q in.jsonl tree
