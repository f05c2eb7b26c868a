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
# A blank text is a document wherever it is named, and also alone.
echo 'a text' > text.md
mkdir notes && cp text.md notes/copy.md
t text -q empty text.md blank
t text -q blank notes empty
t text -q empty
t text -q missing blank --on-error skip
t text -q - empty < a.jsonl
t dedup -q blank text.md notes empty -o kept/ --removed removed.tsv
find kept -type f | LC_ALL=C sort
