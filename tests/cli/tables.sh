# Kept records byte for byte, and the evidence. 24 words are 20 shingles; another last word changes
# one shingle: J = 19/21.
{
    record a "$(words 1 24)"
    record b "$(words 1 23) other"
    record c "$(words 1 24 v)"
    printf '{ "text" : "%s" ,"more":[1, 2.50 ], "id":"d"} \n' "W1, $(words 2 24)!" # the tokens of a
    record e "$(words 1 25 v)"                                                     # J = 20/21
    record f "$(words 1 20) $(words 90 93)"                                        # J = 16/24 with a: below .8
} > in.jsonl
t dedup -q in.jsonl -o out.jsonl --removed removed.tsv --clusters clusters.tsv --edges edges.tsv
shown out.jsonl removed.tsv clusters.tsv edges.tsv
t dedup -q in.jsonl
t dedup -q in.jsonl --threshold .96
t dedup -q in.jsonl --threshold .6 --removed removed.tsv -o /dev/null
shown removed.tsv
t pairs -q in.jsonl
t pairs -q in.jsonl --threshold .6 -o pairs.tsv
shown pairs.tsv
left
