# The summary for people and for programs, and where each goes.
{
    record a "$(words 1 24)"
    record b "$(words 1 23) other"
    record c "$(words 1 24 v)"
    record d "W1, $(words 2 24)!"
    echo '{"id":"bad"}'
    record c "$(words 1 25 v)"
} > in.jsonl
t dedup in.jsonl --on-error skip --threads 1 -o out.jsonl
t dedup in.jsonl --on-error skip --threads 1 --json -o out.jsonl
t dedup in.jsonl --on-error skip --threads 1 --json --quiet
t pairs in.jsonl --on-error skip --threads 1
t pairs in.jsonl --on-error skip --threads 1 --json -o pairs.tsv
: > empty
t dedup empty --threads 1
