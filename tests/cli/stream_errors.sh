# Streams that cannot be made.
record a 'one two three' > in.jsonl
t stream in.jsonl
t stream in.jsonl --state s --threshold 0.5 --k 3
t stream in.jsonl --state s --mode follow
t stream in.jsonl --state s --weights none
t stream in.jsonl --state s --expire 3d
t stream in.jsonl --state s --expire 3x --time-field date
t stream in.jsonl --state s --k 33
t stream in.jsonl --state s --k 17
t stream in.jsonl --state s --k 3 --weights tfidf:nowhere.tsv
t stream nowhere.jsonl --state s -q
t clusters s
t stream in.jsonl --state s -q
t stream in.jsonl --state s -q --threshold 0.5
t stream in.jsonl --state s -q --k 3
t stream in.jsonl --state in.jsonl -q
echo 'no json' > bad.jsonl
t stream bad.jsonl --state s -q
t clusters
t clusters nowhere
t clusters in.jsonl
t clusters s --members
t clusters s --topics 11
t stream in.jsonl --state s --topics 11

# A stream resumed with other settings: the message names the settings that were given.
printf 'one\t2\n' > weights.tsv
t stream in.jsonl --state w -q --k 4 --bits 32 --mode follow --weights tfidf:weights.tsv --expire 3d --time-field date --seed 7
t stream in.jsonl --state w -q
t stream in.jsonl --state w -q --time-field date
t stream in.jsonl --state w -q --time-field date --weights tfidf:weights.tsv
t stream in.jsonl --state w -q --time-field date --weights none
t stream in.jsonl --state w -q --time-field date --weights tfidf:weights.tsv --k 3
t stream in.jsonl --state w -q --time-field date --weights tfidf:weights.tsv --mode leader
t stream in.jsonl --state w -q --time-field date --weights tfidf:weights.tsv --bits 64
t stream in.jsonl --state w -q --time-field date --weights tfidf:weights.tsv --seed 1
t stream in.jsonl --state w -q --time-field date --weights tfidf:weights.tsv --expire 4d
t stream in.jsonl --state w -q --time-field date --weights tfidf:weights.tsv --analyzer chars
t stream in.jsonl --state w -q --threshold 0.8
t stream in.jsonl --state s -q --ngram 4
t stream in.jsonl --state s -q --mode follow
