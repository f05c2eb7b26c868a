# Standard input, several files in the order given, one file twice, names that look like flags.
record a "$(words 1 24)" > 1.jsonl
record b "$(words 1 23) other" > 2.jsonl
record c "$(words 1 24 v)" > -3.jsonl
t dedup -q - < 1.jsonl
t dedup -q 1.jsonl 2.jsonl
t dedup -q 2.jsonl 1.jsonl
t dedup -q 2.jsonl - 1.jsonl < ./-3.jsonl
t dedup -q -- -3.jsonl 1.jsonl
t dedup 1.jsonl --quiet ./-3.jsonl

# Empty inputs are fine.
: > empty.jsonl
t dedup -q empty.jsonl --removed removed.tsv -o out.jsonl
shown removed.tsv out.jsonl
t dedup -q - < empty.jsonl
t pairs -q empty.jsonl
printf '\n  \n\t\r\n' > blank
t dedup -q blank empty.jsonl

# CRLF, a byte order mark, blank lines, no newline at the end: accepted; kept lines are unchanged.
{
    printf '\xef\xbb\xbf'
    record a "$(words 1 24)" | sed 's/$/\r/'
    printf '\r\n\n'
    record b "$(words 1 24 v)" | sed 's/$/\r/'
    record c "$(words 1 25 v)"
    record d 'the end' | tr -d '\n'
} > odd.jsonl
t dedup -q odd.jsonl -o out.jsonl --clusters clusters.tsv
od -c out.jsonl | grep -E '\\[rn]' | sed 's/^[0-9]* *//'
shown clusters.tsv
