# Flags of fingerprints that exclude each other, and flags of the other sketch.
record a 'the cat sat on the mat' > in.jsonl
t dedup in.jsonl --sketch x
t dedup in.jsonl --sketch simhash --k 33
t dedup in.jsonl --sketch simhash --k 17
t dedup in.jsonl --sketch simhash --k 5 --bits 16
t dedup in.jsonl --sketch simhash --bits 16
t dedup in.jsonl --sketch simhash --bits 60
t dedup in.jsonl --sketch simhash --weights levels
t dedup in.jsonl --sketch simhash --weights tfidf:
t dedup in.jsonl --sketch simhash --index seen
t dedup in.jsonl --sketch simhash --recall .9
t dedup in.jsonl --sketch simhash --perms 64
t dedup in.jsonl --sketch simhash --analyzer chars
t dedup in.jsonl --sketch simhash --analyzer chars --weights tfidf:words.tsv
t dedup in.jsonl --sketch simhash --verify none --threshold .5
t dedup in.jsonl --sketch simhash --verify cosine --ngram 3
t dedup in.jsonl --k 3
t dedup in.jsonl --bits 128
t dedup in.jsonl --weights tf
t dedup in.jsonl --verify cosine
t dedup in.jsonl --verify cosine --index seen
t pairs in.jsonl --weights tf
t pairs in.jsonl --sketch simhash --perms 64
t index create seen --sketch simhash
t index add seen in.jsonl --sketch simhash

# Tables, and inputs that change or end early.
t dedup in.jsonl -q --sketch simhash --weights tfidf:none.tsv
printf 'the 1\ncat\n' > table
t dedup in.jsonl -q --sketch simhash --weights tfidf:table
t dedup none.jsonl -q --sketch simhash
printf '{"id":"x"}\n' >> in.jsonl
t dedup in.jsonl -q --sketch simhash -o kept.jsonl
t dedup in.jsonl -q --sketch simhash -o kept.jsonl --on-error skip
left
