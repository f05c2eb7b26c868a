# Formats: recognised by their content, then by their name; --format decides.
near="$(words 1 23) other"
record a "$(words 1 24)" > lines.jsonl
record b "$near" >> lines.jsonl
record c 'something else' >> lines.jsonl

# JSON over any number of lines: in an array, or one behind the other.
printf '[{"id":"a","text":"%s"},\n {"id":"b",\n  "text":"%s"},{"id":"c","text":"something else"}\n]\n' "$(words 1 24)" "$near" > array.json
printf '{"id":"a",\n"text":"%s"} {"id":"b","text":"%s"}{"id":"c","text":"something else"}' "$(words 1 24)" "$near" > values
for input in lines.jsonl array.json values; do
    t dedup -q "$input" --removed removed.tsv -o out
    shown removed.tsv out
done
t text -q - < array.json
# No comma between kept records, which may be one byte apart.
printf '[{"text":"a"},{"text":"b"},{"text":"b"}]' > dense.json
t dedup -q dense.json

# CSV and TSV: rows stay as they are, behind their header.
{
    printf 'id,title,text\r\n'
    printf 'a,"one, ""1""","%s"\r\n' "$(words 1 24)"
    printf 'b,two,"%s\n%s"\r\n\r\n' "$(words 1 12)" "$(words 13 24)"
    printf ',,"else\r\n"'
} > table.csv
t dedup -q table.csv --removed removed.tsv -o out.csv
shown removed.tsv
cmp <(head -n 2 table.csv) <(head -n 2 out.csv)
od -c out.csv | tail -n 3
t text -q table.csv --text-field title --text-field text
t text -q table.csv --text-field 3 --id-field 1
t text -q --format csv --text-field title - < table.csv
tr , '\t' < table.csv > table.tsv
t text -q table.tsv --text-field title --text-field text
gzip -k table.csv
t text -q table.csv.gz

# Endings in capitals.
cp table.csv TABLE.CSV
gzip -c table.tsv > table.Tsv.GZ
t text -q TABLE.CSV --text-field title
t text -q table.Tsv.GZ --text-field title
t dedup -q TABLE.CSV -o OUT.CSV.GZ
gzip -dc OUT.CSV.GZ | cmp - out.csv && echo same

# Several fields of JSON.
echo '{"title":"T","doc":{"body":"B"}}
{"title":"","doc":{"body":"B"}}
{"title":null,"doc":{}}
{"doc":{"body":"B"}}' > fields.jsonl
t text -q fields.jsonl --text-field title --text-field /doc/body
t text -q fields.jsonl --text-field doc.body

# A file that is a text; its id is its name.
words 1 24 > one.txt
words 1 24 > two.md
echo '[a link](to)' > three.md
: > four.md
t dedup -q one.txt two.md three.md four.md -o kept --removed removed.tsv
shown removed.tsv
(cd kept && find . -type f | LC_ALL=C sort)
t dedup -q one.txt two.md -o -
mkdir below
(cd below && t dedup -q ../one.txt ../two.md -o kept && t dedup -q ../one.txt ../two.md -o - && left)
t dedup -q ./one.txt "$PWD/three.md" -o kept2 | sed "s|$PWD|/HERE|"
(cd kept2 && find . -name '*.txt' -o -name '*.md' | sed 's|/.*/|/.../|' | LC_ALL=C sort)
t dedup -q - --format text -o kept3 < one.txt
t text -q <(cat one.txt)
mkdir tree
echo 'in a tree' > tree/file
t text -q one.txt tree
t text -q --format text lines.jsonl

# A first line longer than 64 KiB: one object of several lines, or one of several objects.
long=$(head -c 70000 /dev/zero | tr '\0' x)
printf '{"text":"%s",\n"id":"one value"}\n{"id":"b",\n"text":"two"}' "$long" > long.json
printf '{"text":"%s","id":"two lines"}\n{"id":"b","text":"two"}\n' "$long" > long.txt
printf '{"text":"%s","id":"one line"}' "$long" > one
for input in long.json long.txt one; do
    t inspect $input --records 0 | sed -n 1,3p
    "$NEARDUP" text -q $input | tr -d x
    "$NEARDUP" text -q - < $input | tr -d x
done
t text -q long.txt lines.jsonl | tail -n 3
printf '{"text":"%s",\n"id":"damaged' "$long" | gzip | head -c 100 > damaged.gz
t text -q damaged.gz --on-error skip
rm long.json long.txt one

# What does not fit is refused.
t text -q lines.jsonl one.txt
t text -q lines.jsonl array.json
t text -q lines.jsonl array.json --format json
t text -q one.txt lines.jsonl
t text -q - < one.txt
t text -q --format csv one.txt
printf 'text,id\nx,y\n' > other.csv
t text -q table.csv other.csv
t text -q table.csv --text-field body
# Headers are the same if their cells are.
printf '\xef\xbb\xbf"id","title",text\nq,quoted,header\n' > quoted.csv
t text -q table.csv quoted.csv --text-field title
t dedup -q quoted.csv table.csv --text-field title --mark

# Shards: a directory whose first file has records.
mkdir -p shards/more
head -n 2 lines.jsonl > shards/0.jsonl
tail -n 1 lines.jsonl | gzip > shards/more/1.jsonl.gz
touch shards/_SUCCESS
t dedup -q shards --clusters clusters.tsv
shown clusters.tsv
t text -q shards/ lines.jsonl
echo hidden > shards/.hidden
echo readme > shards/z.md
t text -q shards
t text -q shards --format text
mkdir code
echo '{' > code/package.json
t text -q code
printf '%%PDF-1.7' | gzip > crawl.pdf.gz
t text -q crawl.pdf.gz

# One bad record does not lose the next.
printf 'id,text\n1,one\n2,"open\n3,three\n4\n5,"five"x\n6,six\n' > bad.csv
t text -q bad.csv
t text -q bad.csv --on-error skip
printf '[{"text":"one"},\n{"text":2},\n{"text":"three"\n,{"text":"four"}}]' > bad.json
t text -q bad.json --on-error skip
printf '{"text":"one"}{"text":\n{"text":"three"}\n[{"text":"four"}' > bad2.json
t text -q bad2.json --on-error skip
{ printf '{"id":1,"text":"one"}\n{"id":2,"text":"'; head -c 300 /dev/zero | tr '\0' x; printf '"}\n{"id":3,"text":"three"}'; } > long.json
t text -q long.json --max-record 200 --on-error skip

# The fields of a directory of records; a text has none.
mkdir fielded
echo '{"id":"f","body":"in a field"}' > fielded/0.jsonl
t text -q fielded --text-field body
t text -q one.txt --text-field body
t text -q tree --id-field body
t dedup -q fielded --text-field body --null

# A blank file is of the kind of the others.
t text -q - < <(echo)
printf '\n\n' > blank.csv
t text -q table.csv blank.csv
printf 'id,text\n1,one\n  ,  \n' > blanks.csv
t text -q blanks.csv
printf '"id,text\n1,one\n' > bad-header.csv
t text -q bad-header.csv
{ printf 'id,text\n1,"'; head -c 300 /dev/zero | tr '\0' x; printf '"\n2,two\n'; } > long.csv
t text -q long.csv --max-record 200 --on-error skip
gzip < table.csv | head -c 60 > damaged.csv.gz
t text -q damaged.csv.gz --on-error skip

# All records before a damage are read.
for i in {1..6000}; do echo "{\"text\":\"$i\"}"; done | gzip | head -c -1 > damaged.jsonl.gz
"$NEARDUP" text -q damaged.jsonl.gz --on-error skip 2> .err | tail -n 1

# Records in a directory of texts are refused, whatever their names are.
mkdir mixed
echo text > mixed/a.txt
printf 'WARC/1.0\r\n' | gzip > mixed/b.bin
t text -q mixed
t text -q mixed --on-error skip
printf 'PAR1\0' > mixed/b.bin
t text -q mixed

# Blank parts tell nothing, and _temporary is left out; a file that is not read is one of them.
mkdir -p parts/_temporary
: > parts/0.csv
: | gzip > parts/1.csv.gz
printf 'id,text\n1,one\n' > parts/2.csv
printf 'id,text\n9,nine\n' > parts/_temporary/3.csv
t text -q parts
printf 'PK\003\004' > parts/4.csv
t text -q parts
t text -q parts --on-error skip
rm parts/2.csv parts/4.csv
t text -q parts
mkdir packed
echo text | xz -6 > packed/a.txt.xz
t text -q packed
