# neardup audit: a, b and c are alike, b is c, d and e are alike, f is alone.
{
    record a "$(words 1 40)"
    record b "$(words 1 41)"
    record c "$(words 1 41)"
    record d "$(words 1 40 v)"
    record e "$(words 1 43 v)"
    record f "$(words 1 9 u)"
} > in.jsonl
t audit in.jsonl --threads 1
t audit in.jsonl -q --json
t audit in.jsonl -q --json --summary summary -o result.json
shown result.json
grep -o '"command":"audit","documents":6,' summary

# A configuration that misses pairs: four bands of 20 rows.
poor='--perms 80 --seed 3 --recall .01 --threshold .8'
t audit in.jsonl -q $poor --missed missed.tsv
shown missed.tsv
t audit in.jsonl -q --verify none --sketch simhash --bits 16 --k 4 --weights tf --ngram 1
t audit in.jsonl -q --verify none --sketch simhash --ngram 3 --threshold .96
t audit in.jsonl -q --sketch sentences:1 --json
t audit in.jsonl -q --group component --keep longest --threshold .95 --sample 3

# The sample is the same at any number of threads, from a pipe and by a seed; another seed draws another.
for i in {1..300}; do record "$i" "$(words $((i / 3)) $((i / 3 + 30)))"; done > many.jsonl
one=$("$NEARDUP" audit many.jsonl -q $poor --sample 40 --missed one.tsv --threads 1)
[[ $("$NEARDUP" audit many.jsonl -q $poor --sample 40 --missed two.tsv --threads 4) == "$one" ]] && cmp one.tsv two.tsv && echo 'threads: same'
[[ $("$NEARDUP" audit - -q $poor --sample 40 < many.jsonl) == "$one" ]] && echo 'a pipe: same'
[[ $("$NEARDUP" audit many.jsonl -q $poor --sample 40 --sample-seed 0) == "$one" ]] && echo 'the seed: same'
[[ $("$NEARDUP" audit many.jsonl -q $poor --sample 40 --sample-seed 1) != "$one" ]] && echo 'another seed: another sample'

# Empty inputs, and errors.
: > empty.jsonl
t audit empty.jsonl -q
t audit
t audit in.jsonl --sample 0
t audit in.jsonl --missed in.jsonl
t audit in.jsonl -o same --missed same
t audit in.jsonl --missed same --summary same
t audit in.jsonl --missed missing/missed.tsv
t audit in.jsonl --threshold .1 --recall .999 --perms 4
t audit missing.jsonl
echo '{' > bad.jsonl
t audit bad.jsonl -q --missed missed.tsv
left
