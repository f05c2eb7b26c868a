# Flags, tables, lists, inputs and outputs that keywords rejects.
record a 'the cat sat on the mat' > in.jsonl
t keywords
t keywords in.jsonl --top 0
t keywords in.jsonl --top x
t keywords in.jsonl --weights idf
t keywords in.jsonl --weights tfidf:
t keywords in.jsonl --idf table.tsv
t keywords in.jsonl --weights tfidf:words.tsv --weights tf
t keywords in.jsonl --stem klingon -q
t keywords in.jsonl --bits 64
# Inputs that cannot be read twice.
t keywords - < in.jsonl
t keywords in.jsonl - --weights tfidf < in.jsonl
"$NEARDUP" keywords <(cat in.jsonl) -q 2>&1 | sed 's/: .*twice/: PIPE cannot be read twice/' || true
"$NEARDUP" keywords <(cat in.jsonl) -q --weights tf --top 1

# Tables and lists.
t keywords in.jsonl -q --weights tfidf:none.tsv
t keywords in.jsonl -q --weights tfidf:none.tsv -o out.jsonl
printf 'the 1\ncat\n' > table
t keywords in.jsonl -q --weights tfidf:table
printf '# documents: 5\nterm\tdf\tidf\nthe\t2\n' > table
t keywords in.jsonl -q --weights tfidf:table
printf '# documents: 5\nterm\tdf\tidf\nthe\t2\t0.7\ncat\t9\t0\n' > table
t keywords in.jsonl -q --weights tfidf:table
printf '# documents: 5\n# stem: english\nterm\tdf\tidf\nthe\t2\t0.7\n' > table
t keywords in.jsonl -q --weights tfidf:table
t keywords in.jsonl -q --weights tfidf:table --stem german
t keywords in.jsonl -q --weights tfidf:table --stem english --top 1
printf 'the\nsat on\n' > stop.txt
t keywords in.jsonl -q --weights tf --stop stop.txt -o out.jsonl
t keywords in.jsonl -q --weights tf --stop none.txt

# Records, inputs and outputs.
t keywords none.jsonl -q
t keywords in.jsonl -q -o in.jsonl
t keywords in.jsonl -q -o none/out.jsonl
printf '{"id":"x"}\n' >> in.jsonl
t keywords in.jsonl -q -o out.jsonl
t keywords in.jsonl -q --on-error skip -o out.jsonl
shown out.jsonl
rm out.jsonl
left
status=0
"$NEARDUP" keywords in.jsonl -q --on-error skip 2> .err > /dev/full || status=$?
show .err
echo "= $status"
