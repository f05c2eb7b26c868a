# Bad records: the message names file and line, the exit status is 1, no output is left. With
# --on-error skip the other records are processed.
good=$(record a 'all is well here')
bad() {
    printf '%s\n' "$good" "$1" > in.jsonl
    t dedup -q in.jsonl -o out.jsonl
}
bad '{"id":"b"}'
bad '{"id":"b","text":null}'
bad '{"id":"b","text":17}'
bad '{"id":"b","text":true}'
bad '{"id":"b","text":["x"]}'
bad '{"id":"b","text":{"x":"y"}}'
bad '{"id":"b","text":"x"'
bad '{"id":"b","text":"x"} {"id":"c","text":"x"}'
bad 'plain text'
bad '["id","text"]'
bad '"text"'
bad '{"id":"b","text":"x\q"}'
left

{
    echo "$good"
    echo '{"id":"b"}'
    echo '{"id":"c","text":null}'
    record d 'Another one'
    echo 'plain text'
    record e 'all is well HERE'
} > in.jsonl
t dedup -q --on-error skip in.jsonl --removed removed.tsv
shown removed.tsv
t dedup -q - < in.jsonl

# Inputs that cannot be read.
t dedup -q in.jsonl none.jsonl -o out.jsonl
t dedup -q --on-error skip none.jsonl in.jsonl 2>&1 | grep -v 'in.jsonl:'
if [[ $(id -u) != 0 ]]; then
    echo "$good" > secret.jsonl
    chmod 0 secret.jsonl
    "$NEARDUP" dedup -q secret.jsonl 2>&1 | grep -qx 'neardup: secret.jsonl: Permission denied' || echo 'secret.jsonl was not refused'
fi

# Records above the limit.
echo "$good" > limit.jsonl
record long "$(words 1 40)" >> limit.jsonl
echo "$good" >> limit.jsonl
t dedup -q --max-record 100 limit.jsonl
t dedup -q --max-record 100 --on-error skip limit.jsonl
t dedup -q --max-record "$(head -n 2 limit.jsonl | tail -n 1 | tr -d '\n' | wc -c)" limit.jsonl
