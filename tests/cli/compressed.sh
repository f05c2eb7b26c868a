# gzip with several members and Zstandard with several frames are recognised by their first bytes.
# The end of an output's name chooses its compression.
record a "$(words 1 24)" > 1.jsonl
record b "$(words 1 24 v)" > 2.jsonl
record c "$(words 1 25 v)" > 3.jsonl
{ gzip -c 1.jsonl; gzip -c 2.jsonl; gzip -c 3.jsonl; } > all.txt
{ zstd -qc 1.jsonl; zstd -qc 2.jsonl; zstd -qc 3.jsonl; } > all.gz # named wrongly
for input in all.txt all.gz; do
    t dedup -q "$input" --removed removed.tsv
    shown removed.tsv
    t dedup -q - < "$input"
done
t dedup -q all.txt -o out.jsonl.gz --removed removed.tsv.zst
gzip -dc out.jsonl.gz | cmp - <(cat 1.jsonl 2.jsonl) && echo same
zstd -qdc removed.tsv.zst
t dedup -q all.gz -o out.jsonl.zst
zstd -qdc out.jsonl.zst | cmp - <(cat 1.jsonl 2.jsonl) && echo same

# Damaged input: the message names the file, nothing is written.
words 1 30000 > many
record big "$(cat many)" > big.jsonl
gzip -c big.jsonl > whole.gz
head -c 5000 whole.gz > short.gz
zstd -qc big.jsonl > whole.zst
head -c 5000 whole.zst > short.zst
for input in short.gz short.zst; do t dedup -q "$input" -o damaged.jsonl | sed -E 's/^(! neardup: short\.[a-z]+:) .*/\1 DAMAGED/'; done
[[ -e damaged.jsonl ]] || echo "nothing is written"
