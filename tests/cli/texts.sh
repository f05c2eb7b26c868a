# Short texts, empty texts, texts without words, other scripts: they are neither all duplicates nor
# lost.
{
    record empty ''
    record empty2 ''
    record smile '🙂'
    record smile2 '🙂'
    record frown '🙁'
    record dots '...'
    record one 'One'
    record ONE 'ONE!'
    record two 'One two'
    record strasse 'Straße'
    record STRASSE 'STRASSE'
    record han '汉字文本没有空格可以比较相似'
    record han2 '汉字文本没有空格可以比较相似。'
    record han3 '完全不同的一段中文文字在这里'
} > in.jsonl
t dedup -q in.jsonl -o out.jsonl --removed removed.tsv
shown removed.tsv
t dedup -q in.jsonl --analyzer chars --ngram 3 -o out.jsonl --removed removed.tsv
shown removed.tsv
t dedup -q in.jsonl --ngram 1 --threshold .5 -o out.jsonl --removed removed.tsv
cut -f 1-2 removed.tsv
