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

# bzip2, xz and LZ4, of several streams, with any ending.
cat 1.jsonl 2.jsonl > two.jsonl
for tool in bzip2 xz lz4; do
    { "$tool" -qc < 1.jsonl; "$tool" -qc < 2.jsonl; } > "$tool.txt"
    "$NEARDUP" dedup -q "$tool.txt" | cmp - two.jsonl && echo "$tool: same"
    "$NEARDUP" dedup -q - < "$tool.txt" | cmp - two.jsonl && echo "$tool: same"
    mkdir "in-$tool"
    "$tool" -qc < two.jsonl > "in-$tool/0.jsonl.${tool/bzip2/bz2}"
    "$NEARDUP" dedup -q "in-$tool" | cmp - two.jsonl && echo "$tool: same"
    # Every truncation is told. With a sanitizer a third of them are tried.
    "$tool" -qc < 1.jsonl > whole
    for ((i = 12; i < $(stat -c %s whole); i += ${ND_TEST_TINY:-0} ? 3 : 1)); do
        head -c "$i" whole > short
        "$NEARDUP" dedup -q short -o out.jsonl 2>> told && echo "$tool: $i bytes were taken as all"
    done
    { cat whole; echo rest; } > longer
    t dedup -q longer -o damaged.jsonl | sed -E 's/(byte) [0-9]+/\1 N/'
done
sed -E 's/(byte) [0-9]+/\1 N/' told | sort | uniq -c | sort -rn | sed -E 's/^ *[0-9]+ //'
# A file of text that begins like a compressed one.
echo 'BZh is a magic' > text.txt
t text -q text.txt
