# Outputs: an input is never an output, failed writes are reported, and no partial file is left.
record a "$(words 1 24)" > in.jsonl
cp in.jsonl before
ln -s in.jsonl link.jsonl
t dedup -q in.jsonl -o in.jsonl
t dedup -q in.jsonl -o link.jsonl
t dedup -q in.jsonl -o out.jsonl --removed ./in.jsonl
t pairs -q in.jsonl -o in.jsonl
cmp in.jsonl before && echo 'the input is unchanged'
t dedup -q in.jsonl -o none/out.jsonl
left

# A file that cannot grow: the limit on the size of files stands for a full disk.
for ((i = 0; i < 2000; i++)); do record "$i" "document $i is unlike all others $((i * 7919 % 2003))"; done > many.jsonl
status=0
(
    trap '' XFSZ
    ulimit -f 16
    "$NEARDUP" dedup -q many.jsonl -o out.jsonl --removed removed.tsv --work .
) 2> message || status=$?
echo "= $status"
grep -c '^neardup: .*: File too large$' message
left

# An earlier output stays as it was when the job fails.
echo earlier > out.jsonl
t dedup -q none.jsonl -o out.jsonl
shown out.jsonl

# A job that succeeds replaces the output and keeps its mode.
chmod 640 out.jsonl
t dedup -q in.jsonl -o out.jsonl
cmp in.jsonl out.jsonl && stat -c %a out.jsonl
