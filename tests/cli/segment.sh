# Scripts without spaces, segmented by a dictionary and by ICU, in every command that segments.
printf '%s\n' 51区 9架 飞碟 曾 看见 灰色 外星人 美国 雇员 称 内部 有 > words.txt
record zh '美国“51区”雇员称内部有9架飞碟，曾看见灰色外星人' > zh.jsonl
t keywords zh.jsonl -q --analyzer segment --dict words.txt --weights tf

# A sentence weighted by levels, a textbook example: segmented, with weights of 1 to 5.
printf '%s\t%s\n' 美国 4 51区 5 雇员 3 称 1 内部 2 有 1 9架 3 飞碟 5 曾 1 看见 3 灰色 4 外星人 5 > levels.tsv
record levels '美国(4) 51区(5) 雇员(3) 称(1) 内部(2) 有(1) 9架(3) 飞碟(5) 曾(1) 看见(3) 灰色(4) 外星人(5)' > levels.jsonl
t simhash zh.jsonl -q --analyzer segment --dict words.txt --weights tfidf:levels.tsv
t simhash levels.jsonl -q --weights levels
t keywords zh.jsonl -q --analyzer segment --dict words.txt --weights tfidf:levels.tsv --top 4

# Several scripts, segmented by ICU; scripts with spaces have the same words as without segments.
{ record zh '中国人民。'; record th 'ภาษาไทย'; record ja '私は学生です'; record mixed 'NASA中国STRASSE, Straße 42'; record emoji '🙂👍'; record digits '2024 51'; record ru 'Книга, книги'; record ar 'كتاب جديد'; record hi 'हिन्दी'; record empty ''; } > scripts.jsonl
t keywords scripts.jsonl -q --analyzer segment --weights tf
t simhash scripts.jsonl -q --analyzer segment
t simhash scripts.jsonl -q --analyzer segment --features shingles --ngram 2 --bits 32
t dedup scripts.jsonl -q --analyzer segment --ngram 1 --removed removed.tsv -o kept.jsonl
cat removed.tsv
t pairs scripts.jsonl zh.jsonl -q --analyzer segment --dict words.txt --threshold .1 --ngram 1

# A table records that it was counted with segments, and other settings reject it.
t idf zh.jsonl scripts.jsonl -q --analyzer segment --dict words.txt --min-df 2 -o words.tsv --stop-words stop.txt --stop-share .15
cat words.tsv stop.txt
t keywords zh.jsonl -q --analyzer segment --dict words.txt --weights tfidf:words.tsv --stop stop.txt --top 2
t keywords zh.jsonl -q --weights tfidf:words.tsv
t idf scripts.jsonl -q -o ordinary.tsv
t keywords zh.jsonl -q --analyzer segment --weights tfidf:ordinary.tsv
t keywords zh.jsonl -q --weights tf --stop stop.txt

# Two texts by their words.
printf '外星人曾看见飞碟' > a.txt
printf '外星人看见灰色飞碟' > b.txt
t compare a.txt b.txt --analyzer segment --dict words.txt --ngram 1 --min 1 --gap 0

# A dictionary in any form: compressed, with frequencies and tags, comments, case.
{ echo '# of mine'; echo; printf '卡拉ok 3 n\r\nB超\t5\tn\nC++ 3 nz\n'; } | gzip > more.gz
record more '卡拉OK b超 C++' > more.jsonl
t keywords more.jsonl -q --analyzer segment --dict more.gz --weights tf

# The output is the same at any number of threads.
for ((i = 0; i < 2000; i++)); do record "$i" "文$((i * 7919 % 2003))飞碟灰色外星人$((i % 7))曾看见。ภาษาไทย"; done > many.jsonl
for flags in '' '--dict words.txt'; do
    # shellcheck disable=SC2086
    one=$("$NEARDUP" keywords many.jsonl -q --analyzer segment --threads 1 $flags | md5sum)
    # shellcheck disable=SC2086
    for threads in 2 7; do [[ $("$NEARDUP" keywords many.jsonl -q --analyzer segment --threads $threads $flags | md5sum) == "$one" ]] && echo "$threads threads $flags: same"; done
done

# jieba's dictionary and its terms of several characters, if they are installed.
jieba=/usr/lib/python3/dist-packages/jieba/dict.txt
if [[ -e $jieba ]]; then
    cmp <("$NEARDUP" keywords zh.jsonl -q --analyzer segment --dict jieba --weights tfidf:jieba 2> .err) <("$NEARDUP" keywords zh.jsonl -q --analyzer segment --dict $jieba --weights tfidf:jieba 2> .err2)
    "$NEARDUP" keywords zh.jsonl -q --analyzer segment --dict jieba --weights tfidf:jieba | grep -q '\["飞碟",10.6819\],\["外星人",10.0088\]'
    grep -c 'one word' .err || true
else
    { "$NEARDUP" keywords zh.jsonl -q --analyzer segment --dict jieba 2>&1 || true; } | grep -q "$jieba"
    echo 0
fi
echo 'jieba: fine'
