# One warning per bad record, but not thousands: the first ten, then the number of the others, and
# the last one.
{
    record good "$(words 1 20)"
    for i in {1..5000}; do echo "bad $i"; done
} > many.jsonl
t dedup -q --on-error skip many.jsonl -o out.jsonl
for count in 10 11 12; do
    head -n $((count + 1)) many.jsonl > few.jsonl
    "$NEARDUP" dedup -q --on-error skip few.jsonl -o out.jsonl 2>&1 | tail -n 2
done
# A stream warns in the same way.
"$NEARDUP" stream -q --on-error skip many.jsonl --state state 2>&1 > answers | tail -n 2
# No warning is lost if the job fails.
echo '{"id":"x","text":7}' >> many.jsonl
t dedup -q --invalid skip many.jsonl -o out.jsonl
