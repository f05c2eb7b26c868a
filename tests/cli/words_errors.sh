# Flags of words that exclude each other, the same in all commands; streams that are resumed with
# other words.
record zh '飞碟飞碟' > in.jsonl
printf '飞碟\n' > words.txt
printf '飞碟 3\n曾 2\n' > other.txt
printf 'the\n飞碟\n' > stop.txt
printf 'the\n' > stop2.txt
printf 'cat 1\ndog 2\n' > table.tsv
for command in 'dedup in.jsonl -o out' 'pairs in.jsonl' 'keywords in.jsonl' 'idf in.jsonl' 'simhash in.jsonl' 'compare in.jsonl in.jsonl' 'passages in.jsonl --in in.jsonl' 'stream in.jsonl --state s --k 3'; do
    # shellcheck disable=SC2086
    t $command --dict words.txt
    # shellcheck disable=SC2086
    t $command --analyzer segment --stem english
done
t compare in.jsonl in.jsonl --analyzer chars --stem english
t stream in.jsonl --state s --k 3 --analyzer chars --stem english
t simhash in.jsonl --features chars --stem english
t compare in.jsonl in.jsonl --analyzer chars --stop stop.txt
t stream in.jsonl --state s --k 3 --ngram 2 --stop stop.txt
t simhash in.jsonl --features shingles --stop stop.txt
t compare in.jsonl in.jsonl --analyzer chars --weights tfidf:table.tsv
t stream in.jsonl --state s --k 3 --ngram 2 --weights tfidf:table.tsv
t simhash in.jsonl --features shingles --weights tfidf:table.tsv
t stream in.jsonl --state s --stop stop.txt
t stream in.jsonl --state s --stem english
t stream in.jsonl --state s --weights tfidf:table.tsv
t passages in.jsonl --in in.jsonl --stop stop.txt
t index create seen --analyzer segment
t index create seen --dict words.txt

# A word of a list of stop words that needs segments; the message names its line.
t keywords in.jsonl --weights tf --stop stop.txt -q
t simhash in.jsonl --stop stop.txt -q
t compare in.jsonl in.jsonl --stop stop.txt
t stream in.jsonl --state s --k 3 --stop stop.txt -q
printf 'the\nNew York\n' > bad.txt
t compare in.jsonl in.jsonl --stop bad.txt
t stream in.jsonl --state s --k 3 --stop bad.txt -q
t stream in.jsonl --state s --analyzer segment --dict none.txt -q
t passages in.jsonl --in in.jsonl --analyzer segment --dict in.jsonl -q

# A stream rejects other settings than it was made with.
again() { t stream in.jsonl --state seen --k 3 -q "$@"; }
again --analyzer segment --dict words.txt --stop stop.txt
again --analyzer segment --dict other.txt --stop stop.txt
again --analyzer segment --stop stop.txt
again --analyzer segment --dict words.txt --stop stop2.txt
again --analyzer segment --dict words.txt
again
rm -r seen
again --stem english
again
again --stem german
rm -r seen
again --stop stop2.txt --weights tfidf:table.tsv
printf 'cat 2\ndog 1\n' > table.tsv
again --stop stop2.txt --weights tfidf:table.tsv
again --weights tfidf:table.tsv
again --stem english --stop stop2.txt --weights tfidf:table.tsv
rm -r seen
again
again --stop stop2.txt
left
