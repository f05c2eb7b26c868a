# Ids: strings, numbers as written, FILE:LINE if there is no id. Tables escape tabs, newlines,
# carriage returns and backslashes.
mkdir in
{
    echo '{"id":12345678901234567890,"text":"one alone"}'
    echo '{"id":1.50,"text":"two alone"}'
    echo
    echo '{"text":"three alone"}'
    echo '{"id":null,"text":"four alone"}'
    echo '{"id":"","text":"five alone"}'
    echo '{"id":"tab\there\nnewline\rreturn\\backslash \"quote\" \u00e9","text":"six alone"}'
} > in/a.jsonl
t dedup -q in/a.jsonl -o out.jsonl --clusters clusters.tsv
shown clusters.tsv
cmp <(grep . in/a.jsonl) out.jsonl && echo same
t dedup -q - -o out.jsonl --clusters clusters.tsv < in/a.jsonl
grep : clusters.tsv

# The same id twice: a warning, and both documents are separate.
{
    record x "$(words 1 24)"
    record x "$(words 1 24 v)"
    record y "$(words 1 24 u)"
} > repeated.jsonl
t dedup -q repeated.jsonl --clusters clusters.tsv
shown clusters.tsv
