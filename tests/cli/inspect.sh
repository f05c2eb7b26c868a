# inspect: files, formats, fields, documents and tokens of an input.
printf '%s\n' '{"id":"a","n":1,"doc":{"a/b":"x","deep":{"t":"body text"}},"list":[1,{"x":"]"}],"text":"It rains in Ulm. \"yes\""}' '{"id":"b","text":"two"}' > lines.jsonl
t inspect lines.jsonl
t inspect lines.jsonl --records 1 --analyzer chars
t inspect lines.jsonl --text-field /doc/deep/t --records 1
t inspect lines.jsonl --text-field nothing
printf '[{"id": null, "text"\n: "%s"}]' "$(words 1 40)" > array.json
t inspect array.json
printf 'id,"the ""text""",more\r\n1,"a, ""b""\nc",x\r\n' > table.csv
t inspect table.csv --text-field 'the "text"'
t inspect table.csv --records 0
printf '1\tone\n' | t inspect - --format tsv --text-field 2
mkdir shards notes
for i in {10..22}; do record $i "shard $i" > shards/$i.jsonl; done
echo 'a note' > notes/a.txt
t inspect shards --records 1
t inspect notes notes/a.txt
t inspect lines.jsonl notes
t inspect
# A record that is cut off, and one that is no record.
echo '{"a": {"b": [1, {"c": "d' > cut.jsonl
t inspect cut.jsonl
printf '"id\n' > cut.csv
t inspect cut.csv
printf '{"' > cut2.jsonl
t inspect cut2.jsonl --format json-lines
