# Document frequencies, and rejected inputs.
{
    record a 'The cat sat on the mat. THE CAT!'
    record b 'The dog sat on the cat'
    record c 'Straße, STRASSE, strasse; naïve café 汉字 _x_ 42'
    record d 'nai\u0308ve 汉 汉 \ud83d\ude42'
    record e ''
    record f '?!'
} > in.jsonl
t idf in.jsonl --threads 1
t idf in.jsonl -q --min-df 2
t idf in.jsonl --min-df 3 -o words.tsv --threads 1
shown words.tsv
t idf in.jsonl --min-df 2 -o words.tsv --threads 1 --summary -
t idf in.jsonl -q --min-df 7
t idf in.jsonl in.jsonl -q --min-df 4
gzip -k in.jsonl
t idf - -q --min-df 3 < in.jsonl.gz
mkdir texts
printf 'one two' > texts/a
printf 'two three' > texts/b
t idf texts -q
: > empty.jsonl
t idf empty.jsonl --threads 1
t simhash in.jsonl -q --weights tfidf:words.tsv

# The table is the same at any number of threads, and simhash reads it.
many_records > many.jsonl
one=$("$NEARDUP" idf many.jsonl -q --threads 1 | md5sum)
for threads in 2 7; do [[ $("$NEARDUP" idf many.jsonl -q --threads $threads | md5sum) == "$one" ]] && echo "$threads threads: same"; done
"$NEARDUP" idf many.jsonl -q | sed -n 1,5p
"$NEARDUP" idf many.jsonl -q -o many.tsv.gz
"$NEARDUP" simhash many.jsonl -q --weights tfidf:many.tsv.gz | tail -n 1

# Against counting by other means.
sed 's/.*"text":"//; s/"}//' in.jsonl | head -n 2 | tr 'A-Z' 'a-z' | sed 's/[^a-z]/ /g' |
    awk '{ split("", seen); for (i = 1; i <= NF; i++) if (!seen[$i]++) df[$i]++ } END { for (w in df) printf "%s\t%d\t%.6f\n", w, df[w], log(3 / (df[w] + 1)) }' |
    LC_ALL=C sort -t "$(printf '\t')" -k 2,2nr -k 1,1 > expected
head -n 2 in.jsonl > two.jsonl
"$NEARDUP" idf two.jsonl -q | tail -n +3 | cmp - expected && echo 'as counted by awk'
rm expected

t idf
t idf in.jsonl --min-df 0
t idf in.jsonl --min-df 1.5
t idf in.jsonl --threshold .5
t idf in.jsonl -q -o in.jsonl
t idf in.jsonl -q -o none/words.tsv
t idf none.jsonl -q -o no.tsv
printf '{"id":"x"}\n' >> in.jsonl
t idf in.jsonl -q -o no.tsv
t idf in.jsonl --on-error skip --min-df 3 --threads 1
left

# More words than memory.
awk 'BEGIN { for (i = 0; i < 1200000; i++) { if (i % 1000 == 0) printf "%s{\"text\":\"", i ? "\"}\n" : ""; printf "%s%d", i % 1000 ? " " : "", i * 7 } print "\"}" }' > words.jsonl
t idf words.jsonl -q --memory 64M --threads 1 -o no.tsv
"$NEARDUP" idf words.jsonl -q | sed -n 1p
[[ -e no.tsv ]] || echo 'nothing is left'

# A proposed list of stop words, and the fingerprints of simhash with it.
{
    record a 'the cat and the dog'
    record b 'the cow and a pig'
    record c 'the owl or an eel'
    record d 'a fox'
} > animals.jsonl
t idf animals.jsonl -q -o animals.tsv --stop-words stop.txt --stop-share 0.49
shown stop.txt
t idf animals.jsonl -q -o animals.tsv --stop-words stop.txt --stop-share 0.5
shown stop.txt
t idf animals.jsonl -q -o animals.tsv --stop-words - --stop-share 0.75
t idf animals.jsonl -q -o animals.tsv --stop-words stop.txt.gz --threads 3
gzip -dc stop.txt.gz | wc -l
t simhash animals.jsonl -q --stop stop.txt
sed 's/[Tt]he //g' animals.jsonl | "$NEARDUP" simhash - -q | cmp - <("$NEARDUP" simhash animals.jsonl -q --stop stop.txt) && echo 'as without the word'
t idf animals.jsonl -q -o animals.tsv --stop-words animals.tsv
t idf animals.jsonl -q -o animals.tsv --stop-words animals.jsonl
t idf animals.jsonl -q -o new.tsv --stop-words none/stop.txt
t idf animals.jsonl -q -o new.tsv --stop-words new.txt --stop-share 1
left
