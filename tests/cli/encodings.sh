# Texts in other encodings, pages of HTML, and files that are no texts.
printf 'caf\xe9 au lait' > latin.txt
printf '\xff\xfec\0a\0f\0\xe9\0' > marked.txt
printf '\xef\xbb\xbfplain' > utf8.txt
printf '\xf7\xd3\xc5 \xd3\xde\xc1\xd3\xd4\xcc\xc9\xd7\xd9\xc5 \xd3\xc5\xcd\xd8\xc9 \xd0\xcf\xc8\xcf\xd6\xc9 \xc4\xd2\xd5\xc7 \xce\xc1 \xc4\xd2\xd5\xc7\xc1' > russian.txt
t text -q marked.txt utf8.txt
t text -q latin.txt
t text -q latin.txt --encoding latin1
t text -q russian.txt --encoding auto
t text -q russian.txt --encoding koi8-r
t text -q marked.txt --encoding koi8-r
t text -q latin.txt --encoding nothing
printf 'a\x82' > half.txt
t text -q half.txt --encoding shift_jis
t text -q half.txt --encoding shift_jis --invalid replace
# A text in UTF-8 with one damaged byte is not taken for another encoding.
printf 'h\xc3\xa9h\xc3\xa9h\xc3\xa9h\xc3\xa9\xe9' > damaged.txt
t text -q damaged.txt --encoding auto
t text -q damaged.txt --encoding auto --invalid replace

# Columns of CSV can be in an encoding that keeps ASCII.
printf 'id,text\n1,"caf\xe9, au lait"\n' > latin.csv
t text -q latin.csv
t text -q latin.csv --encoding windows-1252
t dedup -q latin.csv --encoding windows-1252 -o out.csv
cmp out.csv latin.csv && echo same
t text -q latin.csv --encoding utf-16
printf '\xff\xfei\0d\0' > wide.csv
t text -q wide.csv
t text -q - --format csv < wide.csv
echo '{"text": "a"}' > lines.jsonl
t text -q lines.jsonl --encoding latin1

printf 'id,text\n1,ascii\n' > table.csv
# The encoding of a table is guessed for each file; of a pipe, too.
{ printf 'id,text\n'; for i in 1 2 3; do printf '%s\xf7,"%s"\n' $i "$(cat russian.txt)"; done; } > russian.csv
t text -q russian.csv latin.csv --encoding auto
t text -q - --format csv --encoding auto < russian.csv
t inspect russian.csv latin.csv table.csv --encoding auto --records 1
t inspect russian.csv --records 0
t dedup -q russian.csv --encoding auto -o out.csv --removed removed.tsv
shown removed.tsv
head -n 2 russian.csv | cmp - out.csv && echo same
t dedup -q russian.csv --encoding auto -o out.jsonl
{ printf 'id,text\n1,'; for i in {1..20}; do printf '\xa7\xda\xa5\xa9\xaa\xba\xa4\xa4\xb0\xea\xaa\xba'; done; echo; } > big5.csv
t text -q big5.csv --encoding auto
printf 'id,text\n1,"caf\xc3\xa9 caf\xc3\xa9 caf\xc3\xa9 caf\xc3\xa9"\n2,caf\xe9\n' > damaged.csv
t text -q damaged.csv --encoding auto

# A page tells its encoding. Its visible text is taken.
printf '<html><meta charset=koi8-r><title>\xf7\xd3\xc5</title><nav>menu</nav><p>one<p>two' > page.html
printf '<!DOCTYPE html><p>caf\xe9 <b>o</b>ne &amp; two' > unsaid.html
t text -q page.html unsaid.html
t text -q page.html --html source --encoding koi8-r
echo '{"text": "<p>one</p><script>two</script>"}' > field.jsonl
t text -q field.jsonl
t text -q field.jsonl --html text
# Without main content the visible text is taken.
echo '<html><title>t</title><footer><p>Imprint and contact</footer>' > footer.html
t text -q footer.html --html main

# Files that are no texts are left out of directories.
mkdir tree
echo text > tree/a.txt
printf 'GIF89a\0\1' > tree/b.gif
printf '%%PDF-1.4 x' > tree/c.pdf
printf '\xff\xfeh\0i\0' > tree/d.txt
t text -q tree
t text -q tree/b.gif
t text -q tree --encoding utf-16

# What a page tells counts more than --encoding. A page in ASCII is not in UTF-16, whatever it says.
t text -q page.html --encoding latin1
printf '<html><meta charset="utf-16"><p>hello' > wide.html
t text -q wide.html
printf 'ab' | iconv -t UTF-16LE > wide.txt
t text -q wide.txt --encoding utf16
t text -q latin.txt --encoding ibm037
t text -q latin.txt --encoding utf-7
t text -q latin.csv --encoding csISO2022JP
# Ids of rows are in the encoding, too; and fields of pages are not read as browsers do.
printf 'id,text\ncaf\xe9,a\ncaf\xe8,b\n' > ids.csv
t text -q ids.csv --encoding windows-1252
t dedup -q ids.csv --encoding windows-1252 --clusters clusters.tsv -o rest.csv
shown clusters.tsv
printf 'id,text\n1,<p>caf\xe9</p>\n' > cells.csv
t text -q cells.csv --html text
# An encoding that keeps ASCII makes no text of a picture.
t text -q tree --encoding windows-1252
