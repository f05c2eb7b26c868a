# Passages that documents copy from an index, which only has the shingles of its documents.
{
    record anna 'Many ask how life began. It is interesting to contemplate an entangled bank, clothed with many plants of many kinds, with birds singing on the bushes. I saw it from so simple a beginning!'
    record ben 'With various insects flitting about, and with worms crawling through the damp earth: so it was. Many ask how life began, it is interesting.'
    record carl 'I have written all of this alone, and nobody has written a word of it before me.'
    record dora 'Too short a text.'
} > papers.jsonl
{
    record origin 'It is interesting to contemplate an entangled bank, clothed with many plants of many kinds, with birds singing on the bushes, with various insects flitting about, and with worms crawling through the damp earth.'
    record forum 'many ask HOW life began. IT is interesting ...'
    record other 'Nothing of that kind stands here.'
    record short 'Too short a text.'
} > library.jsonl
"$NEARDUP" dedup library.jsonl --index seen -q -o /dev/null
t passages papers.jsonl --in seen
t passages papers.jsonl --in seen -q --json
t passages papers.jsonl --in seen -q --min 5
t passages papers.jsonl --in seen -q --min 22
# Except for the offsets in the documents, the result equals the result with their texts.
"$NEARDUP" passages papers.jsonl --in library.jsonl -q | cut -f 1-5 | diff - <("$NEARDUP" passages papers.jsonl --in seen -q | cut -f 1-5) && echo same

# A gap of two words, and a moved piece.
p1=$(words 1 9) p2=$(words 20 29) p3=$(words 40 48)
record q "$p1 one two $p2 three four five $p3 $p1" > q.jsonl
record s "$p1 eins zwei $p2 drei vier fuenf $p3" > s.jsonl
"$NEARDUP" dedup s.jsonl --index gaps -q -o /dev/null
t passages q.jsonl --in gaps -q --gap 0
t passages q.jsonl --in gaps -q --gap 2
t passages q.jsonl --in gaps -q --gap 3

# Facts that the index does not have: whether shingles follow each other in the document, whether
# passages overlap, how often a word is repeated.
record q 'a b c d e f g' > q.jsonl
record s 'a b c d e x c d e f g' > s.jsonl
"$NEARDUP" dedup s.jsonl --index overlaps -q -o /dev/null
t passages q.jsonl --in overlaps -q --min 5 --gap 0
t passages q.jsonl --in overlaps -q --min 5 --gap 1
record q 'a b c d e f g h i' > q.jsonl
record s 'a b c d e f x x c d e f g h i' > s.jsonl
"$NEARDUP" dedup s.jsonl --index pieces -q -o /dev/null
t passages q.jsonl --in s.jsonl -q --min 5
t passages q.jsonl --in pieces -q --min 5 --json
record q 'go go go go go go go go go go' > q.jsonl
record s 'go go go go go' > s.jsonl
"$NEARDUP" dedup s.jsonl --index going -q -o /dev/null
t passages q.jsonl --in going -q
t passages q.jsonl --in s.jsonl -q

# Characters, and scripts of all kinds.
record q 'Straße, 据美国媒体报道，51区雇员称' > q.jsonl
record s 'STRASSE? 据美国媒体报道，51区员工称' > s.jsonl
"$NEARDUP" index create letters --analyzer chars --ngram 3 > .out
"$NEARDUP" index add letters s.jsonl -q
t passages q.jsonl --in letters -q --analyzer chars --min 3 --json
"$NEARDUP" dedup s.jsonl --index han --ngram 4 -q -o /dev/null
t passages q.jsonl --in han -q --min 4 --json

# Documents in segments and in the write-ahead log, removed documents, replaced documents.
index() { "$NEARDUP" index "$@" > .out 2> .err || cat .err; }
for i in {1..9}; do record "d$i" "$(words "${i}01" "${i}10")"; done > many.jsonl
"$NEARDUP" dedup many.jsonl --index row -q -o /dev/null
index compact row
record d10 "$(words 1001 1010)" | index add row -
index remove row d3
record d5 "$(words 551 560)" | index add row - --replace
record q "$(words 301 310) $(words 501 510) $(words 551 560) $(words 1001 1010) $(words 901 910)" > q.jsonl
t passages q.jsonl --in row -q
"$NEARDUP" passages q.jsonl --in row -q > told
for threads in 1 3; do "$NEARDUP" passages q.jsonl --in row -q --threads $threads | cmp - told && echo "the same on $threads"; done
index compact row
"$NEARDUP" passages - --in row/ -q < q.jsonl | cmp - told && echo 'the same when it is compact'
# Damage is reported.
printf 'XXXX' | dd of="$(find row -name 'segment-*')" bs=1 seek=200 conv=notrunc 2> .err
"$NEARDUP" passages q.jsonl --in row -q 2>&1 | sed "s/segment-[0-9]*/segment-N/; s/at byte .*/at byte/" || true
