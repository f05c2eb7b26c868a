# Inputs without documents among others: no document is lost, and the input read is counted.
record a "$(words 1 24)" > a.jsonl
: > empty
printf '\n \n\n' > blank
record b "$(words 1 24 v)" > b.jsonl
t dedup -q a.jsonl empty b.jsonl --clusters clusters.tsv
shown clusters.tsv
t dedup -q empty a.jsonl blank empty b.jsonl empty
t dedup --summary - --threads 1 -o out.jsonl blank a.jsonl blank
cat blank a.jsonl blank | wc -c
