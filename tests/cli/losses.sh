# Where documents are lost: the largest groups, classes, and the alarms.
pages() { # FROM TO LETTER: pages that have nothing in common
    local i
    for ((i = $1; i <= $2; i++)); do record "$3$i" "$(words 1 30 "$3$i-")"; done
}
slogan() { # FROM TO LETTER: pages of one slogan
    local i
    for ((i = $1; i <= $2; i++)); do record "$3$i" 'Ten pictures of the day, chosen by our own readers'; done
}
members() { # FILE: the last members of a summary, each in a line
    grep -o '"largest_groups".*' "$1" | sed 's/},{/},\n  {/g; s/,"\(losses\|alarms\|length\|script\|host\)":/,\n"\1":/g'
}

sources() { grep -o '"losses":{"source":[^]]*' "$1"; }

# Few documents raise no alarm, whatever they lose.
slogan 1 99 s > few.jsonl
t dedup few.jsonl -o out.jsonl --threads 1
t dedup -q few.jsonl -o out.jsonl --summary summary.json
members summary.json

# A gallery with one slogan: a source, a length, and a group.
pages 1 300 n > news.jsonl
{ pages 1 20 g; slogan 21 150 g; } > gallery.jsonl
t dedup news.jsonl gallery.jsonl -o out.jsonl --threads 1
t dedup -q news.jsonl gallery.jsonl -o out.jsonl --threads 2 --summary summary.json
members summary.json

# A source that was crawled twice loses everything. Against an index, too.
cp news.jsonl again.jsonl
sed -i 's/"id":"n/"id":"a/' again.jsonl
t dedup -q news.jsonl again.jsonl -o out.jsonl
t dedup -q news.jsonl --index seen -o out.jsonl
pages 1 300 m > more.jsonl
t index add seen -q again.jsonl more.jsonl --summary summary.json
members summary.json

# The first folder of a directory is the source, of files of records and of texts.
mkdir -p crawl/de/1 crawl/de/2 crawl/en
pages 1 2 a > crawl/de/1/a.jsonl
pages 3 4 a > crawl/de/2/b.jsonl
pages 1 3 a > crawl/en/c.jsonl
pages 5 5 a > crawl/d.jsonl
t dedup -q crawl crawl/d.jsonl -o out.jsonl --summary summary.json 2> /dev/null
sources summary.json
mkdir -p texts/x/y texts/z
for name in x/1 x/y/2 z/3 4; do echo "The same words in each text of this folder" > texts/$name.txt; done
for texts in texts texts/; do
    t dedup -q $texts -o out/ --summary summary.json
    sources summary.json
    rm -r out
done
find texts -name '*.txt' | LC_ALL=C sort > list
t dedup -q --files-from list -o - --summary summary.json
sources summary.json

# The script is that of most letters, the length is in bytes, and the 20 sources with the largest
# losses are told.
{
    record latin 'One, two, three, four, five, six'
    record cyrillic 'Раз, два, три, четыре, пять, six'
    record han '一二三四五六七'
    record kana 'ひとつ、ふたつ、みっつ'
    record none '1 2 3 4 5 6'
    record long "$(words 1 300)"
} > scripts.jsonl
t dedup -q scripts.jsonl -o out.jsonl --summary summary.json
members summary.json
for ((i = 10; i < 35; i++)); do { record "$i" "text $i"; record "$i-a" "text of $((i % 5))"; } > source$i.jsonl; done
t dedup -q source*.jsonl -o out.jsonl --summary summary.json
sources summary.json

# Hosts of an archive, in any case of letters.
page() { # URI TEXT
    printf 'WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:x:%d>\r\n' $((++number))
    printf 'WARC-Date: 2024-01-01T00:00:00Z\r\n'
    [[ -z $1 ]] || printf 'WARC-Target-URI: %s\r\n' "$1"
    printf 'Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' ${#2} "$2"
}
number=0
{
    page http://a.example/1 "$(words 1 30)"
    page https://A.Example:8080/2 "$(words 1 30)"
    page https://me@b.example?x=/ "$(words 1 30 v)"
    page '' "$(words 1 30 u)"
    page https://c.example/ "$(words 1 30)"
} > pages.warc
t dedup -q pages.warc -o out.warc --summary summary.json
members summary.json
t dedup -q - -o out.warc --summary summary.json < pages.warc
grep -o '"host":[^]]*' summary.json
# A field of their headers.
sed 's/^WARC-Record-ID: <urn:x:[1-3]>/warc-identified-content-language:  eng\r\n&/' pages.warc > spoken.warc
t dedup -q spoken.warc -o out.warc --summary summary.json --losses-by WARC-Identified-Content-Language
grep -o '"field":[^]]*' summary.json

# The values of a field: strings, numbers as they are written, true and false; others are none.
tongue() { printf '{"id":"%s","text":"%s","lang":%s}\n' "$1" "$2" "$3"; }
{
    tongue a "$(words 1 30)" '"de"'
    tongue b "$(words 1 30)" '"de"'
    tongue c "$(words 1 30 c)" 1.50
    tongue d "$(words 1 30 d)" true
    tongue e "$(words 1 30 e)" null
    tongue f "$(words 1 30 f)" '["de"]'
    record g "$(words 1 30 g)"
} > tongues.jsonl
printf 'id,text,lang\na,%s,de\nb,%s,"d""e"\nc,%s,\n' "$(words 1 30)" "$(words 1 30)" "$(words 1 9 c)" > tongues.csv
for input in tongues.jsonl tongues.csv; do
    t dedup -q $input -o out --losses-by lang --summary summary.json
    grep -o '"field":[^]]*]' summary.json
done
t dedup -q tongues.jsonl -o out --losses-by language --summary summary.json
grep -o '"field":[^]]*]' summary.json

# A language that loses far more than the rest is warned of.
{ pages 1 200 n | sed 's/}$/,"lang":"en"}/'; slogan 1 150 s | sed 's/}$/,"lang":"de"}/'; } > two.jsonl
t dedup -q two.jsonl -o out.jsonl --losses-by lang
