# Without verification the sketches decide: equal texts still have similarity 1, and counts of
# shingles are unknown.
{
    record a "$(words 1 400)"
    record b "$(words 1 400)."
    record c "$(words 1 400 v)"
} > in.jsonl
t dedup -q in.jsonl --verify none --removed removed.tsv --clusters clusters.tsv
cut -f 1-3 removed.tsv
shown clusters.tsv
