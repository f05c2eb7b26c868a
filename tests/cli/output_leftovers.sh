# Temporary files: none stays if a signal ends the program. After a run that was killed, the next
# run with the same output removes that run's temporary files, and no others.
for ((i = 0; i < 3000; i++)); do record "$i" "document $i is unlike all others $((i * 7919 % 3003)) and $((i * 104729 % 3001))"; done > in.jsonl
mkfifo endless

# A run that waits for its input is killed: its temporary files are left.
"$NEARDUP" dedup -q endless -o out.jsonl --removed removed.tsv 2> .err &
killed=$!
exec 8> endless
cat in.jsonl >&8
for ((i = 0; i < 500; i++)); do
    count=$(find . -name '.neardup-output-*' | wc -l)
    ((count == 2)) && break
    sleep 0.02
done
echo "$count temporary files while it runs"
# Another run with the same output at the same time has its own files, and removes no others.
t dedup -q in.jsonl -o out.jsonl
find . -name '.neardup-output-*' | wc -l
{ kill -KILL $killed; wait $killed; } 2> /dev/null || true
exec 8>&-
rm out.jsonl
echo mine > .neardup-output-0000000000000000-0
find . -name '.neardup-output-*' | wc -l
# The next run with one of the outputs removes that output's temporary file; a run with the other
# output removes the other.
t dedup -q in.jsonl -o out.jsonl
find . -name '.neardup-output-*' | wc -l
t dedup -q in.jsonl -o out.jsonl --removed removed.tsv
cmp in.jsonl out.jsonl
left
shown .neardup-output-0000000000000000-0

# A limit on the size of files: an error, and nothing is left.
status=0
(ulimit -f 16 && "$NEARDUP" dedup -q in.jsonl -o small.jsonl --work .) 2> message || status=$?
echo "= $status"
grep -c '^neardup: .*: File too large$' message
left
