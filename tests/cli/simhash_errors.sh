# Flags, tables, texts and outputs that simhash rejects.
record a 'the cat sat on the mat' > in.jsonl
t simhash
t simhash in.jsonl --bits 60
t simhash in.jsonl --features word
t simhash in.jsonl --weights idf
t simhash in.jsonl --weights tfidf
t simhash in.jsonl --weights tfidf:
t simhash in.jsonl --weights levels:x
t simhash in.jsonl --ngram 0 --features chars
t simhash in.jsonl --ngram 2
t simhash in.jsonl --features words --ngram 3
t simhash in.jsonl --weights tfidf:words.tsv --features shingles
t simhash in.jsonl --weights tfidf:words.tsv --features chars
t simhash in.jsonl --weights levels --features chars
t simhash in.jsonl --weights levels --ngram 1
t simhash in.jsonl --threshold .5
t simhash in.jsonl --output

# Stop words.
t simhash in.jsonl --stop stop.txt --features chars
t simhash in.jsonl --stop stop.txt --weights levels
t simhash in.jsonl -q --stop none.txt
printf "the\n# of\nNew York\n" > stop.txt
t simhash in.jsonl -q --stop stop.txt -o prints.tsv
rm stop.txt

# Stems.
t simhash in.jsonl -q --stem klingon
t simhash in.jsonl -q --stem ''
t simhash in.jsonl --stem english --features chars
t simhash in.jsonl --stem english --weights levels
t idf in.jsonl -q -o words.tsv
t simhash in.jsonl -q --stem english --weights tfidf:words.tsv
t idf in.jsonl -q -o words.tsv --stem english
t simhash in.jsonl -q --weights tfidf:words.tsv
t dedup in.jsonl -q -o words.tsv --stem english
rm words.tsv

# Tables.
table() {
    # shellcheck disable=SC2059
    printf "$1" > table
    t simhash in.jsonl -q --weights tfidf:table
}
t simhash in.jsonl -q --weights tfidf:none.tsv
t simhash in.jsonl -q --weights tfidf:none.tsv -o prints.tsv
table ''
table 'the 1\ncat\n'
table 'the 1\ncat -1\n'
table 'the 1\ncat inf\n'
table 'the 1\ncat\t1e30\n'
table 'the 1\ncat\t1,5\n'
table 'the 1\ncat 2\nThe 3\n'
table 'the 1\nc\377t 2\n'
table '# documents: x\nterm\tdf\tidf\n'
table '# documents: 5\nthe\t1\t1\n'
table '# documents: 5\nterm\tdf\tidf\nthe 1\n'
table '# documents: 5\nterm\tdf\tidf\nthe\t6\t1\n'
table '# documents: 5\nterm\tdf\tidf\nthe\t5\tx\n'
printf 'the 1\n' | gzip | head -c 20 > table
t simhash in.jsonl -q --weights tfidf:table 2>&1 | sed 's/table: .*/table: REASON/'

# Texts that are not lists of items.
{
    record a 'cat(1) dog(2)'
    record b 'cat(1) dog'
    record c 'cat(1) dog(x)'
    record d '美国（4）'
    record e ''
} > levels.jsonl
t simhash levels.jsonl -q --weights levels -o prints.tsv
t simhash levels.jsonl --threads 1 --weights levels --on-error skip
t simhash - -q --weights levels --on-error skip < levels.jsonl
mkdir texts
printf 'cat(1) dog' > texts/b
t simhash texts -q --weights levels

# Bad records, inputs and outputs.
t simhash none.jsonl -q
t simhash in.jsonl -q -o in.jsonl
t simhash in.jsonl -q -o none/prints.tsv
printf '{"id":"x"}\n' >> in.jsonl
t simhash in.jsonl -q -o prints.tsv
t simhash in.jsonl -q --on-error skip -o prints.tsv
shown prints.tsv
rm prints.tsv
left

# A closed pipe ends the command without a message; a full disk is an error.
for ((i = 0; i < 50000; i++)); do record "$i" 'the cat sat on the mat'; done > many.jsonl
set +o pipefail
"$NEARDUP" simhash many.jsonl -q 2> .err | head -n 1
echo "closed pipe: ${PIPESTATUS[0]}"
show .err
status=0
"$NEARDUP" simhash many.jsonl -q 2> .err > /dev/full || status=$?
show .err
echo "= $status"
