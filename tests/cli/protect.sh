# Protected records stay, and their duplicates go.
{
    printf '{"id":"a","text":"%s"}\n' "$(words 1 24)"
    printf '{"id":"b","split":"test","n":1.50,"gold":true,"x":{"y":"z=1"},"text":"%s"}\n' "$(words 1 24)"
    printf '{"id":"c","split":"train","n":1.5,"gold":"true","text":"%s"}\n' "$(words 1 25)"
    printf '{"id":"d","split":"test","gold":false,"text":"%s"}\n' "$(words 1 26)"
    printf '{"id":"e","split":null,"text":"%s"}\n' "$(words 1 24 v)"
} > in.jsonl
for protect in split=test split=train n=1.50 gold=true gold=false /x/y=z=1; do
    t dedup -q in.jsonl --protect $protect -o out.jsonl --removed removed.tsv
    cut -f 1-3 removed.tsv
done
t dedup -q in.jsonl --protect split=test --protect split=train -o out.jsonl --removed removed.tsv --mark --summary summary.json
shown out.jsonl removed.tsv
grep -o '"\(kept\|spared\)":[0-9]*' summary.json
t dedup in.jsonl --protect split=test -o out.jsonl --threads 1
t dedup -q in.jsonl --protect split=test --group component -o out.jsonl --clusters clusters.tsv --edges edges.tsv
shown clusters.tsv edges.tsv
t dedup -q in.jsonl --protect split=test --keep longest -o out.jsonl --removed removed.tsv
cut -f 1-3 removed.tsv
t dedup -q in.jsonl --protect split=test --keep longest --sketch simhash --verify none -o out.jsonl --clusters clusters.tsv
cut -f 1-3 clusters.tsv

# Values that no record has, and wrong ones.
t dedup -q in.jsonl --protect split=none --protect x=y -o out.jsonl
wc -l < out.jsonl
t dedup -q in.jsonl --protect split
t dedup -q in.jsonl --protect =test
t dedup -q in.jsonl --protect '/x/~2=test'

# Columns of CSV, by name and by number.
printf 'id,split,text\na,,%s\nb,"te""st",%s\nc,"te,st",%s\n' "$(words 1 24)" "$(words 1 24)" "$(words 1 24)" > table.csv
t dedup -q table.csv --protect 'split=te"st'
t dedup -q table.csv --protect 'split=te,st'
t dedup -q table.csv --protect 'split=te' --protect 'other=1'
tail -n +2 table.csv | t dedup -q - --format csv --text-field 3 --id-field 1 --protect '2=te"st' --protect '2=te,st'

# Against an index a protected record stays, too, and is added.
head -n 1 in.jsonl > first.jsonl
tail -n +2 in.jsonl > rest.jsonl
t dedup -q first.jsonl --index seen -o out.jsonl
t index add seen -q rest.jsonl --protect split=test -o out.jsonl --removed removed.tsv
cut -f 1-3 removed.tsv
"$NEARDUP" index info seen | grep documents

# The same bytes at any number of threads.
for ((i = 0; i < 300; i++)); do
    printf '{"id":%d,"part":%d,"text":"%s"}\n' "$i" $((i % 7)) "$(words $((i * i % 31)) $((40 + i % 5)))"
done > many.jsonl
for group in greedy component; do
    for threads in 1 2 5; do
        "$NEARDUP" dedup -q many.jsonl --group $group --protect part=3 --threads $threads -o out.jsonl --clusters clusters.tsv 2> /dev/null
        cat out.jsonl clusters.tsv | md5sum
    done | sort -u | wc -l
    [[ $(grep -c '"part":3' out.jsonl) == $(grep -c '"part":3' many.jsonl) ]] && echo 'all stay'
done
