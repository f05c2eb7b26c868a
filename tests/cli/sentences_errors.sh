# Wrong numbers of sentences, and flags of the other sketches.
record a 'the cat sat on the mat' > in.jsonl
t dedup in.jsonl --sketch sentences
t dedup in.jsonl --sketch sentences:
t dedup in.jsonl --sketch sentences:0
t dedup in.jsonl --sketch sentences:65
t dedup in.jsonl --sketch sentences:-3
t dedup in.jsonl --sketch sentences:+3
t dedup in.jsonl --sketch sentences:3x
t dedup in.jsonl --sketch sentences:99999999999999999999
t dedup in.jsonl --sketch sentences:3 --recall .9
t dedup in.jsonl --sketch sentences:3 --index seen
t dedup in.jsonl --sketch sentences:3 --k 3
t dedup in.jsonl --sketch sentences:3 --bits 32
t dedup in.jsonl --sketch sentences:3 --weights tf
t dedup in.jsonl --sketch sentences:3 --verify cosine
t pairs in.jsonl --sketch sentences:3 --recall .9
t index create seen --sketch sentences:3
left
