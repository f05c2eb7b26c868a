# A signal ends the program: no partial output, no temporary file, and the exit status gives the
# signal. A closed pipe ends the program without a message.
mkdir work
mkfifo pipe
for signal in INT TERM HUP; do
    yes '{"text":"all the same, again and again"}' > pipe 2> /dev/null &
    feeder=$! status=0
    # --foreground: without it timeout sends the signal twice, and the second ends the program at
    # once. The default disposition, for a test that is run by nohup or in the background; they
    # would stay ignored.
    timeout --foreground --preserve-status -s $signal .5 env --default-signal \
        "$NEARDUP" dedup pipe -o out.jsonl --removed removed.tsv --work work > .out 2> .err || status=$?
    kill $feeder 2> /dev/null || true
    wait
    show .out
    show .err
    echo "$signal: $status"
    left
done

for command in exact lines substrings; do
    yes '{"text":"all the same, again and again"}' > pipe 2> /dev/null &
    feeder=$! status=0
    timeout --foreground --preserve-status -s INT .5 env --default-signal \
        "$NEARDUP" $command pipe -o out.jsonl --removed removed.tsv --work work --threads 1 > .out 2> .err || status=$?
    kill $feeder 2> /dev/null || true
    wait
    show .out
    show .err
    echo "$command, INT: $status"
    left
done

# An index is unchanged.
"$NEARDUP" index create index > .out
yes '{"text":"all the same, again and again"}' > pipe 2> /dev/null &
feeder=$! status=0
timeout --foreground --preserve-status -s INT .5 env --default-signal "$NEARDUP" index add index pipe 2> .err || status=$?
kill $feeder 2> /dev/null || true
wait
show .err
echo "INT: $status"
"$NEARDUP" index info index | grep documents
status=0
timeout --foreground --preserve-status -s INT .3 env --default-signal "$NEARDUP" index remove index --ids - < <(exec sleep 1) 2> .err || status=$?
show .err
echo "INT: $status"
t index check index
rm -r index

for ((i = 0; i < 20000; i++)); do echo "{\"text\":\"document $i is unlike all others $((i * 7919 % 20011))\"}"; done > many.jsonl
set +o pipefail
"$NEARDUP" dedup -q many.jsonl --work work 2> .err | head -n 1
echo "closed pipe: ${PIPESTATUS[0]}"
show .err
left
