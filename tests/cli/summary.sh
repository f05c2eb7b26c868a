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
t dedup in.jsonl --on-error skip --threads 1 --summary - -o out.jsonl
t dedup in.jsonl --on-error skip --threads 1 --summary summary.json --quiet
shown summary.json
t pairs in.jsonl --on-error skip --threads 1
t pairs in.jsonl --on-error skip --threads 1 --summary - -o pairs.tsv

# The summary of each other kind.
head -n 5 in.jsonl > five.jsonl
"$NEARDUP" index create seen -q
t index add seen five.jsonl --on-error skip --threads 1 --summary -
t index query seen in.jsonl --on-error skip --threads 1 --summary summary.json -o found.tsv
shown summary.json found.tsv
t passages in.jsonl --in in.jsonl --on-error skip --threads 1 --summary summary.json --min 20 -o found.tsv
shown summary.json
t stream in.jsonl --state state --on-error skip --threads 1 --summary summary.json
shown summary.json
t simhash five.jsonl --on-error skip --threads 1 -o prints.tsv --quiet --summary -
t hamming create near prints.tsv --summary summary.json
shown summary.json
t hamming query near prints.tsv --threads 1 --summary - -o found.tsv --json
shown found.tsv
t hamming join prints.tsv --threads 1 --summary - -o found.tsv.gz
gzip -dc found.tsv.gz
: > empty.jsonl
t dedup empty.jsonl --threads 1
