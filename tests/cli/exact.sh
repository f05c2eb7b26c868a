# neardup exact: identical documents by bytes, by normalised text and by tokens.
{
    record a 'The library opens at nine.'
    record b 'The  library opens\tat nine. '
    record c 'the library opens at nine'
    record d 'The library opens at nine.'
    printf '{"n": 1, "text": "The library \\u006fpens at nine.", "id": "e"}\n'
    record f 'caf\u00e9'
    record g 'cafe\u0301'
    record h ''
    record i ' '
    record j 'The library opens at nine, or ten.'
    record k 'The library opens at nine, or two.'
} > in.jsonl
for by in bytes text tokens; do
    t exact -q in.jsonl --by $by --removed removed.tsv -o kept.jsonl
    cut -f 1-9 removed.tsv
done
t exact in.jsonl -o kept.jsonl 2>&1 | sed '/^! time/,$d'
# By tokens the same documents go as dedup counts as exact copies.
t exact -q in.jsonl --by tokens --clusters c.tsv -o kept.jsonl
"$NEARDUP" dedup -q in.jsonl --threshold 1 --clusters d.tsv -o again.jsonl
cmp kept.jsonl again.jsonl
cmp c.tsv d.tsv
# Words of scripts without spaces, and flags that do not agree.
t exact -q in.jsonl --by tokens --analyzer chars -o chars.jsonl
t exact -q in.jsonl --analyzer chars
t exact -q in.jsonl --by records
t exact
# The other outputs.
"$NEARDUP" exact -q in.jsonl --mark | grep -o '"id": *"."\|"neardup.*'
t exact -q in.jsonl --removed-records rest.jsonl --edges edges.tsv --review review.tsv --keep longest --by text -o kept.jsonl
sort kept.jsonl rest.jsonl | cmp - <(sort in.jsonl)
shown edges.tsv review.tsv
t exact -q in.jsonl --protect id=d --removed removed.tsv -o kept.jsonl
cut -f 1-3 removed.tsv
t exact -q in.jsonl --max-removed .1 -o none.jsonl
t exact -q in.jsonl -o kept.jsonl --summary - | grep -o '"command.*"skipped"'
# CSV, gzip, standard input.
printf 'id,text\n1,"a, b"\n2,a b\n3,"a, b"\n' > in.csv
t exact -q in.csv
t exact -q in.csv --by tokens -o kept.jsonl
shown kept.jsonl
gzip -k in.jsonl
"$NEARDUP" exact -q in.jsonl.gz -o a.jsonl
"$NEARDUP" exact -q - < in.jsonl > b.jsonl
"$NEARDUP" exact -q in.jsonl -o c.jsonl
cmp a.jsonl b.jsonl && cmp b.jsonl c.jsonl
# A directory of texts.
mkdir texts
printf 'one\n' | tee texts/a.txt > texts/b.txt
printf 'one' > texts/c.txt
t exact -q texts
t exact -q texts --by text -o clean --removed removed.tsv
find clean -type f
cut -f 1-2 removed.tsv
# Web archives.
python3 "$ARCHIVES"
cp crawl.warc copy.warc
t exact -q crawl.warc copy.warc -o kept.warc --removed removed.tsv
cut -f 6-13 removed.tsv
t exact -q crawl.warc.gz -o again.warc
"$NEARDUP" text -q kept.warc 2> .err > kept.txt
"$NEARDUP" text -q again.warc 2> .err | cmp - kept.txt && echo 'the same from gzip'
# A bad record.
echo '{"id":"x"}' >> in.jsonl
t exact -q in.jsonl
t exact -q in.jsonl --on-error skip -o kept.jsonl
# The same bytes at any number of threads, with any instruction set, and in little memory.
awk 'BEGIN { x = 1; for (i = 0; i < 9000; i++) { x = (x * 16807) % 2147483647; printf "{\"id\":%d,\"text\":\"text\\n%d%s\"}\n", i, x % 4000, i % 7 ? "" : " \303\204" } }' > many.jsonl
for by in bytes text tokens; do
    run() {
        mkdir -p out
        "$NEARDUP" exact -q many.jsonl --by $by -o out/kept --removed out/removed --clusters out/clusters "$@"
        cat out/kept out/removed out/clusters | md5sum
    }
    one=$(run --threads 1)
    [[ $(wc -l < out/removed) -gt 3000 && $(wc -l < out/kept) -gt 3000 ]] || echo 'too few to mean anything'
    for threads in 2 7; do [[ $(run --threads $threads) == "$one" ]] && echo "$by, $threads threads: same"; done
    for cpu in avx512 avx512,avx2 avx512,avx2,neon; do
        [[ $(ND_DISABLE_CPU=$cpu run --threads 2) == "$one" ]] && echo "$by, without $cpu: same"
    done
    [[ $(run --threads 2 --memory 64M) == "$one" ]] && echo "$by, in little memory: same"
done
