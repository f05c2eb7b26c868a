# A chain: J(a, b) = J(b, c) = 36/44 = .818, J(a, c) = 32/48 = .667. Greedy keeps a and c; component
# keeps only a.
{
    record a "$(words 1 44)"
    record b "$(words 1 3) x $(words 5 44)"
    record c "$(words 1 3) x $(words 5 40) y $(words 42 44)"
    record d 'something else'
} > in.jsonl
for group in greedy component; do
    t dedup -q in.jsonl --group $group -o out.jsonl --removed removed.tsv --clusters clusters.tsv --edges edges.tsv
    cut -c 1-12 out.jsonl
    shown removed.tsv clusters.tsv edges.tsv
done
t dedup -q in.jsonl --group component --keep longest --clusters clusters.tsv -o /dev/null
shown clusters.tsv
