# The format of an output: by --output-format, else by the ending of its name, else as in the input.
record a "$(words 1 6)" > lines.jsonl
record b 'something else' >> lines.jsonl
printf '[{"id":1,\n  "text": "a \\n [ \\"x\\" ]"\n},\n{"text":"one line", "id":2},{"text":"%s"\r\n\t, "z":[ 1,\n2 ] , "y" : null}]' "$(words 1 6)" > array.json
printf 'id,text,"a ""name"""\r\n1,"a ""word"", and\ntwo",\r\n2,last,"x\ty\001"\r\n3,last,\r\n' > table.csv
mkdir tree
printf 'one\n\ttext "x" \\' > tree/a
printf 'one text x' > tree/b
printf 'bad \xff byte' > tree/c

# JSON Lines of everything.
t dedup -q array.json
t dedup -q array.json --output-format json-lines
t dedup -q array.json -o array.jsonl.zst
zstd -dcq array.jsonl.zst
t dedup -q table.csv -o table.jsonl --removed-records removed.csv
shown table.jsonl removed.csv
t dedup -q table.csv --text-field 2 --id-field 1 --output-format json-lines
tr , '\t' < table.csv > table.tsv
t dedup -q - --format tsv --output-format json-lines < table.tsv
t dedup -q tree --invalid replace -o tree.ndjson
shown tree.ndjson
t dedup -q tree/a tree/b --output-format json-lines --removed-records removed.json
shown removed.json
mkdir -p several/tree && cp tree/a several/tree/b && mkdir other && cp tree/a other
t dedup -q other several/tree --output-format json-lines
# What was written is read again.
t text -q table.jsonl
t text -q tree.ndjson
printf 'id,text\n1,bad \xff byte\n2,"\xc3\xa4\xc3"\n' > bytes.csv
t dedup -q bytes.csv --invalid replace --output-format json-lines

# Shards have the ending of the format.
mkdir shards
cp table.csv shards/0.csv
printf 'id,text,"a ""name"""\r\n4,other,\r\n' | gzip > shards/1.csv.gz
t dedup -q shards -o out/ --output-format json-lines
(cd out && find . -type f | LC_ALL=C sort) && shown out/0.jsonl && zcat out/1.jsonl.gz
t dedup -q shards -o parts/ --output-format json-lines --shard-size 40
(cd parts && find . -type f | LC_ALL=C sort)
t dedup -q array.json -o json/
shown json/array.json
t dedup -q array.json -o lines/ --output-format json-lines
shown lines/array.jsonl
t dedup -q tree -o texts/ --output-format json-lines --invalid replace --shard-size 1k
shown texts/part-00000.jsonl
t dedup -q tree -o texts2/ --output-format json-lines --invalid replace

# The format of the input under another name stays it.
t dedup -q lines.jsonl -o lines.json --output-format json
cmp lines.jsonl lines.json
t dedup -q table.csv --output-format csv -o rows
t dedup -q table.csv --format csv -o rows.txt.gz
t dedup -q - --format csv -o copy.csv --removed-records removed.csv < table.csv
cat -A copy.csv removed.csv

# Others are refused before anything is read: the input here would be an error.
echo '{"text":' > bad.jsonl
for output in kept.csv kept.tsv.gz kept.parquet kept.warc.gz kept.arrow.zst kept.jsonl.xz kept.jsonl.bz2 kept.lz4 kept.7z kept.zip kept.jsonl.br kept.TGZ KEPT.CSV KEPT.ARROW.ZST; do
    t dedup -q bad.jsonl -o $output
done
t dedup -q bad.jsonl -o kept.jsonl --output-format csv
t dedup -q bad.jsonl --output-format tsv
t dedup -q bad.jsonl --removed-records removed.parquet
t dedup -q bad.jsonl --removed removed.tsv.xz
t dedup -q table.csv -o kept.tsv
t dedup -q table.csv -o kept.json
t dedup -q tree -o kept.csv
t dedup -q tree -o kept/ --output-format csv
mkdir xz && cp lines.jsonl xz/lines.jsonl.xz
t dedup -q xz --format json-lines -o xz-out/
left | grep -e kept -e neardup -e xz-out || echo 'nothing of it is made'
printf 'id,text\n1,\xe4\n' > latin.csv
t dedup -q latin.csv --encoding iso-8859-1 -o latin.jsonl
# What only reading tells is refused then.
t dedup -q - -o kept.csv < lines.jsonl
printf 'id,text,"x",x\n1,a,b,c\n' > twice.csv
t dedup -q twice.csv --output-format json-lines
