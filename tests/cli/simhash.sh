# Fingerprints. The golden ones are the same as in src/sketch/text_simhash_test.c; they come from a
# second implementation of doc/internals/formats.md.
{
    record mat 'the cat sat on the mat'
    record a-mat 'the cat sat on a mat'
    record ice 'we all scream for ice cream'
} > in.jsonl
t simhash in.jsonl --threads 1
t simhash in.jsonl -q --bits 16
t simhash in.jsonl -q --bits 32
t simhash in.jsonl -q --bits 128
t simhash in.jsonl -q --weights none
t simhash in.jsonl -q --features shingles
t simhash in.jsonl -q --features shingles --ngram 3
t simhash in.jsonl -q --features shingles --ngram 2
t simhash in.jsonl -q --features chars
t simhash in.jsonl -q --features chars --ngram 3
t simhash in.jsonl -q --seed 2
t simhash in.jsonl --threads 1 --features chars
cmp <("$NEARDUP" simhash in.jsonl -q) <("$NEARDUP" simhash in.jsonl -q --features words --ngram 1 --weights tf --bits 64 --seed 1) && echo 'the defaults'

# Keywords with their weights.
record news '美国(4) 51区(5) 雇员(3) 称(1) 内部(2) 有(1) 9架(3) 飞碟(5) 曾(1) 看见(3) 灰色(4) 外星人(5)' > levels.jsonl
t simhash levels.jsonl -q --weights levels
t simhash levels.jsonl -q --weights levels --bits 128
t simhash levels.jsonl --threads 1 --weights levels --bits 16

# Tables of weights: made from the documents, with two columns, compressed by gzip.
t idf in.jsonl -q -o words.tsv
t simhash in.jsonl --threads 1 --weights tfidf:words.tsv
gzip words.tsv
t simhash in.jsonl -q --weights tfidf:words.tsv.gz
printf 'the\t1\ncat 5\r\n\nmat\t5.0\nscream\t5\n' > levels.txt
t simhash in.jsonl -q --weights tfidf:levels.txt
# An entry that is not one word can never occur, and is reported.
printf 'New York 20\nC++ 20\ncat 2.5\n美国 11.75\n美 9\n' > some.txt
t simhash in.jsonl -q --weights tfidf:some.txt
# Equal weights have no effect.
printf 'the\t1\n' > one.txt
cmp <("$NEARDUP" simhash in.jsonl -q) <("$NEARDUP" simhash in.jsonl -q --weights tfidf:one.txt) && echo 'the same as tf'

# Inputs: a pipe, gzip, a directory, ids of other forms; ids are written as in tables.
t simhash - -q < in.jsonl
t simhash <(cat in.jsonl) -q 2>&1 | sed 's/^\$.*/$ neardup simhash PIPE/'
gzip -k in.jsonl
t simhash in.jsonl.gz -q
mkdir texts
printf 'the cat sat on the mat' > texts/mat
printf 'the cat sat on a mat' > "texts/a mat"
t simhash texts -q
printf '{"id":"tab\\there \\\\ \\n \\r","text":"The CAT, sat on the mat!"}\n{"text":"the cat sat on the mat"}\n{"id":7,"text":""}\n' > odd.jsonl
t simhash odd.jsonl -q
printf '{"name":"x","body":{"text":"the cat sat on the mat"}}\n' > fields.jsonl
t simhash fields.jsonl -q --text-field /body/text --id-field name
: > empty.jsonl
t simhash empty.jsonl --threads 1

# An output file is complete or missing; the summary.
t simhash in.jsonl -o prints.tsv --threads 1 --summary -
shown prints.tsv
t simhash in.jsonl --threads 1 --summary summary.json
shown summary.json
t simhash in.jsonl -q -o prints.tsv.gz
gzip -dc prints.tsv.gz | cmp - prints.tsv && echo 'the same, compressed'

# The output is the same at any number of threads and with any instruction set.
many_records > many.jsonl
"$NEARDUP" idf many.jsonl -q -o many.tsv
for flags in '' '--weights none' '--weights tfidf:many.tsv --bits 128' '--features shingles' '--features chars --bits 16'; do
    # shellcheck disable=SC2086
    run() { "$NEARDUP" simhash -q many.jsonl $flags "$@" | md5sum; }
    one=$(run --threads 1)
    [[ $(run --threads 7) == "$one" && $(run --threads 2) == "$one" ]] && echo "threads $flags: same"
    for cpu in avx512 avx512,avx2 avx512,avx2,neon; do
        [[ $(ND_DISABLE_CPU=$cpu run --threads 2) == "$one" ]] || echo "without $cpu $flags: different"
    done
done
rm many.tsv
left

# Stems: other forms of a word have the same stem; shingles are made of stems, too.
{
    record one 'The cats were running on the mats'
    record two 'the cat were run on the mat'
} > forms.jsonl
t simhash forms.jsonl -q --stem english
t simhash forms.jsonl -q --stem english --features shingles --ngram 3 --weights none
t idf forms.jsonl -q --stem english -o stems.tsv --stop-words -
shown stems.tsv
t simhash forms.jsonl -q --stem english --weights tfidf:stems.tsv
printf 'Cats\n' > stop.txt
cmp <("$NEARDUP" simhash forms.jsonl -q --stem english --stop stop.txt) <(sed 's/cats* //' forms.jsonl | "$NEARDUP" simhash - -q --stem english) && echo 'without the cats'
t simhash forms.jsonl -q --stem german
