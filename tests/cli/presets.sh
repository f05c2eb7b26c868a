# Presets: the values that they set, and flags that win, wherever they stand.
{
    record a 'Breaking: the city council approves the new budget'
    record b 'BREAKING - the city council approves the new budgt!! #news'
    record c 'Breaking: the city council rejects the old plan'
} > in.jsonl
for preset in web news noisy short code; do
    t plan --preset $preset --json | sed 's/,"curve".*//'
    "$NEARDUP" dedup in.jsonl --preset $preset -o out.jsonl 2>&1 | sed -n '1p;/^kept/p'
done
t plan --threshold .5 --preset noisy --perms 64 --json | sed 's/,"curve".*//'
"$NEARDUP" dedup --ngram 3 in.jsonl --preset short --threshold .9 -o out.jsonl 2>&1 | sed -n '1p;/^kept/p;/^plan/p'
"$NEARDUP" pairs --analyzer words in.jsonl --preset short -o pairs.tsv 2>&1 | sed -n '1p;/^pairs/p;/^plan/p'
"$NEARDUP" audit in.jsonl --preset short -o audit.txt 2>&1 | sed -n '1p;/^plan/p'

# Nothing is printed with -q; web is the same as no preset.
t dedup -q in.jsonl --preset short --removed removed.tsv
cut -f 1-3 removed.tsv
t pairs -q in.jsonl --preset web
t pairs -q in.jsonl --threshold .3 --preset web
t dedup -q in.jsonl --preset none
t dedup -q in.jsonl --preset web --preset web
t compare --preset web in.jsonl in.jsonl

# An index gets the values of the preset.
t dedup -q in.jsonl --preset code --index seen -o out.jsonl
"$NEARDUP" index info seen | grep -E '^(analyzer|similarity|threshold)'

# The values are for MinHash and the Jaccard similarity.
t dedup -q in.jsonl --preset noisy --measure containment
t pairs -q in.jsonl --preset code --sketch simhash
t plan --preset news --measure containment
