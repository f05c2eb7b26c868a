# The words of a text, in the commands that locate, compare or store them: segments by a dictionary,
# stop words, stems.
printf '%s\n' 51区 九架 飞碟 曾 看见 灰色 外星人 美国 雇员 称 内部 有 据 媒体 报道 员工 > words.txt

# Passages begin and end with complete words.
record paper '据美国媒体报道，51区雇员称内部有九架飞碟，曾看见灰色外星人。' > q.jsonl
record source '据美国媒体报道：51区员工称内部有九架飞碟。曾看见灰色外星人！' > s.jsonl
t passages q.jsonl --in s.jsonl --analyzer segment --dict words.txt --min 3 --gap 0 -q --json
t passages q.jsonl --in s.jsonl --analyzer segment --dict words.txt --min 3 --gap 0 -q
t passages q.jsonl --in s.jsonl --analyzer segment --dict words.txt --min 3 --gap 1 -q
sed 's/.*"text":"\(.*\)"}/\1/' q.jsonl | tail -c +36 | head -c 51 && echo
# A part of a word is no word: none of these texts has 飞 as a word.
record paper '飞碟飞' > q.jsonl
record source '飞快的碟' > s.jsonl
t passages q.jsonl --in s.jsonl --analyzer segment --dict words.txt --min 1 --gap 0 -q
t passages q.jsonl --in s.jsonl --min 1 --gap 0 -q

# All scripts, by ICU.
both() {
    record q "$1" > q.jsonl
    record s "$2" > s.jsonl
    t passages q.jsonl --in s.jsonl -q --gap 0 --analyzer segment --min "$3" --json
    printf '%s' "$1" > a.txt
    printf '%s' "$2" > b.txt
    "$NEARDUP" compare a.txt b.txt --analyzer segment --min "$3" --ngram 1 | grep -E '^[ab]  |Jaccard|cosine|^no shared|^[ 0-9]+ shared|bytes '
}
both 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน' 'มนุษย์ทุกคนเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์' 3
both '吾輩は猫である。名前はまだ無い。' '『吾輩は猫である』を読む。名前はまだない。' 2
both 'يولد جميع الناس أحرارا متساوين في الكرامة' 'يُولَد جميع الناس أحرارا متساوين في الكرامة' 3
both 'सभी मनुष्यों को गौरव और अधिकारों के मामले में' 'सब मनुष्यों को गौरव और अधिकारों के मामले में' 3
both 'Все люди рождаются свободными и равными' 'ВСЕ ЛЮДИ РОЖДАЮТСЯ СВОБОДНЫМИ и равны' 3
both '🙂🙃 👩‍👩‍👧' '🙂🙃 👩‍👩‍👧' 1
both '123 456 789 1011' '0 123 456 789 1011' 3
both '' '' 1

# Compare by segments, with all steps; with stop words and stems, which do not change shingles and
# passages.
printf '外星人曾看见飞碟' > a.txt
printf '外星人看见灰色飞碟' > b.txt
t compare a.txt b.txt --analyzer segment --dict words.txt --ngram 1 --min 1 --explain
"$NEARDUP" compare a.txt b.txt --analyzer segment --dict words.txt --ngram 1 --min 1 --gap 0 --page pair.html && grep '^<div class=text' pair.html
printf '看见\n' > stop.txt
t compare a.txt b.txt --analyzer segment --dict words.txt --ngram 1 --min 1 --stop stop.txt
printf 'The cats chased the dogs' > a.txt
printf 'A cat chases dogs' > b.txt
printf 'the\na\ndog\n' > stop.txt
t compare a.txt b.txt --stem english --stop stop.txt --ngram 1 --min 1 --explain --bits 16
printf 'cat 4\nchase 2\n' > levels.tsv
"$NEARDUP" compare a.txt b.txt --stem english --stop stop.txt --weights tfidf:levels.tsv | grep -E 'cosine|Jaccard'

# A stream: segments in its answers and topics, by similarity and by fingerprints.
{
    record c '美国媒体报道雇员'
    record d 'ภาษาไทย 2024'
    record a '51区外星人曾看见飞碟。'
    record b '曾看见飞碟，51区外星人！'
    record e '🙂'
    record f 'Книга كتاب हिन्दी 51'
    record g '私は学生です'
} > in.jsonl
t stream in.jsonl --state seen --analyzer segment --dict words.txt --ngram 1 --threshold 0.8 -q
t clusters seen --min-size 1 --topics 4
t stream in.jsonl --state near --analyzer segment --dict words.txt --k 3 -q
printf '飞碟\n外星人\n' > stop.txt
t stream in.jsonl --state stopped --analyzer segment --dict words.txt --k 3 --stop stop.txt -q
t clusters stopped --min-size 2 --topics 4 --json
{
    record x 'empty streets in the rain'
    record y 'the cats chased the dogs'
    record z 'the cat chases the dog'
} > english.jsonl
t stream english.jsonl --state stemmed --k 0 --stem english -q
t clusters stemmed --topics 3
t stream english.jsonl --state plain --k 0 -q

# The stream is resumed with the same words, in any order.
sort -r words.txt | sed 's/$/ 1 n/' > same.txt
record h '外星人51区飞碟看见曾' > more.jsonl
t stream more.jsonl --state seen --analyzer segment --dict same.txt --ngram 1 --threshold 0.8 -q
t stream more.jsonl --state stopped --analyzer segment --dict same.txt --k 3 --stop stop.txt -q

# No other command may use the index in the stream.
"$NEARDUP" index info seen/index | grep '^shingles'
t index query seen/index more.jsonl
