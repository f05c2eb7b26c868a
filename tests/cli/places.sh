# Rows about documents that share an id: each row has the source, as it was named, and the line of
# both documents.
mkdir in
{
    record x "$(words 1 24)"
    echo
    record x "$(words 1 24) end"
} > in/a.jsonl
{
    record x "$(words 1 24 v)"
    record x "$(words 2 24)"
    record x "$(words 1 24 v)"
} > $'in/tab\tb.jsonl'
t dedup -q --threshold .6 in/a.jsonl $'in/tab\tb.jsonl' -o out.jsonl --removed removed --clusters clusters --edges edges
shown removed clusters edges
t pairs -q --threshold .6 in/a.jsonl - < $'in/tab\tb.jsonl'
t pairs -q --threshold .6 --sketch simhash --verify cosine --weights tf --ngram 1 --k 12 in/a.jsonl

# A document of an index has neither. With two directories the line is the number of the file.
record kept "$(words 1 24)" > first.jsonl
t index create seen --threshold .6
t index add seen first.jsonl -q
head -n 1 in/a.jsonl > one.jsonl
t index add seen one.jsonl -q -o out.jsonl --removed removed
shown removed
mkdir c d
printf 'some text of several words that is the same' > c/name
printf 'another text, of which there is no other here' > c/other
cp c/name d/name
t dedup -q c d --removed removed
shown removed
