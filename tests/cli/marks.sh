# --mark: all records, each with what became of it; --removed-records: the removed ones.
near="$(words 1 23) other"
{
    printf '{"id":"a","text":"%s"}\n' "$(words 1 24)"
    printf '  {"text":"%s", "id" : "b\\"\\u00e9"  }\t\r\n\n' "$near"
    printf '{"id":3,"text":"%s","more":{"neardup_kept":[1]}}\n' "$(words 1 24)"
    printf '{"text":"%s"}\n' "$(words 1 25)"
    record 'a ü' 'something else'
} > in.jsonl
t dedup -q in.jsonl --mark --removed-records removed.jsonl
shown removed.jsonl
# The one that stays may come later, and its id is quoted as a string.
t dedup -q in.jsonl --mark --keep longest -o marked.jsonl.gz
zcat marked.jsonl.gz | grep -o '"neardup.*'
# What is kept and removed is the same without marks, byte for byte.
t dedup -q in.jsonl -o kept.jsonl --removed-records removed2.jsonl
cmp removed.jsonl removed2.jsonl
cat -A kept.jsonl removed.jsonl | grep -o '.\{12\}$'
# The measure that decides.
t dedup -q in.jsonl --mark --verify none | grep -o '"neardup_sim.*'
t dedup -q in.jsonl --mark --sketch simhash --verify cosine --weights none | grep -o '"neardup_sim.*'
t dedup -q in.jsonl --mark --sketch simhash --verify none --bits 64 -k 16 --weights none | grep -o '"neardup_sim.*'

# Earlier marks are replaced, wherever they are.
t dedup -q in.jsonl --mark -o once.jsonl
t dedup -q once.jsonl --mark -o twice.jsonl
cmp once.jsonl twice.jsonl
echo '{ "neardup_kept" : {"x":[1,"}"]} ,"text":"one", "neardup_of":1,"neardup_ofx":"neardup_of" ,
 "neardup_similarity":-1.5e3
}
{"neardup_of":"\"","neardup_kept":true,"text":"two"}' > old.json
t dedup -q old.json --mark
cat > escaped.json << 'END'
{"neardup\u005fkept":1,"\u006E\u0065ardup_o\u0066":2,"text":"caf\u00e9 \"neardup\u005fkept\"",
 "neardup_kep\u0174":3,"neardup\\u005fkept":4,"neardup_kept\u0000":5,"neardup\u005fsimilarity":6}
END
t dedup -q escaped.json --mark
echo '{"neardup_of":"","neardup_kept":true}' > only.json
t dedup -q only.json --mark --text-field neardup_of

# Values over several lines, in an array or not.
printf '[{"id":1,\n  "text": "one, text"\n},{"text":"one text","id":"[2]"},{"text":"x"\n}]' > array.json
t dedup -q array.json --mark
t dedup -q array.json --mark -o array.jsonl
shown array.jsonl

# Rows: three columns at the end, with names in the header. Ids are quoted where they must be.
printf 'id,text\r\n"a,b","one ""text"""\r\n2,"two\r\nlines"\r\n3,"one text"\r\n4,"two lines"' > in.csv
t dedup -q in.csv --mark --removed-records removed.csv -o out.csv
cat -A out.csv removed.csv
t dedup -q in.csv --mark -o first.csv
t dedup -q first.csv --mark -o second.csv
cmp first.csv second.csv
printf 'neardup_of,id,neardup_kept,text\nx,"a\tb",,one text\n"y,",2,,one text\n' > old.csv
t dedup -q old.csv --mark
tr ',\t' '\t,' < old.csv > old.tsv
t dedup -q old.tsv --mark
printf '1,one text\n"2",one text' > rows.csv
t dedup -q rows.csv --text-field 2 --id-field 1 --mark

# With an index the record that stays may be in it.
t index create ix
t index add ix in.csv -q --mark -o added.csv
shown added.csv
printf 'id,text\n5,One text!\n6,three\n' > more.csv
t dedup -q more.csv --index ix --mark
t index add ix more.csv -q --mark

# Texts have no place for a mark; JSON Lines of them do.
mkdir tree
echo 'one text' | tee tree/a > tree/b
t dedup -q tree --mark
t dedup -q tree --mark -o kept/
t dedup -q tree --removed-records removed
t dedup -q tree --mark --output-format json-lines
t dedup -q tree --removed-records removed.jsonl
shown removed.jsonl

# A bad record is left out, and has no mark.
printf '{"text":"one"}\n{"text":\n{"text":"one"}\n' > bad.jsonl
t dedup -q bad.jsonl --mark --on-error skip
# The outputs are different files.
t dedup -q in.jsonl --mark -o same.jsonl --removed-records ./same.jsonl
t dedup -q in.jsonl --removed-records in.jsonl
t dedup -q in.jsonl --removed-records -
t dedup -q tree -o sizes/ --shard-size 1k
