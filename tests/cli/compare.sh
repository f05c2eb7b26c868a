# Two texts side by side. The fingerprints equal those of neardup simhash, the similarities those of
# neardup pairs.
printf 'So: The quick brown Fox jumps over the lazy dog! Whether it does or not is another matter.\n' > a.txt
printf 'the QUICK brown fox, jumps over the lazy dog. Then <nothing> & "more"' > b.txt
t compare a.txt b.txt
t compare a.txt b.txt --json
t compare a.txt a.txt
"$NEARDUP" compare - b.txt < a.txt | cmp - <("$NEARDUP" compare a.txt b.txt | sed 's/^a  a.txt/a  standard input/') && echo 'the same by standard input'
t compare a.txt b.txt --analyzer chars --min 20 --bits 128
t compare a.txt b.txt --ngram 2 --min 3 --gap 0 --perms 64 --threshold .5 --recall .9 --seed 2 --bits 16
{
    record a 'the cat sat on the mat'
    record b 'the cat sat on a mat'
    record c 'we all scream for ice cream'
} > in.jsonl
"$NEARDUP" simhash in.jsonl -q
t compare a b --in in.jsonl --min 2
t compare a c --in in.jsonl --json
"$NEARDUP" pairs in.jsonl -q --threshold .1
# Weights of words give another cosine, and the fingerprints of simhash with the same table.
"$NEARDUP" idf in.jsonl -q -o words.tsv
"$NEARDUP" simhash in.jsonl -q --weights tfidf:words.tsv
t compare a b --in in.jsonl --weights tfidf:words.tsv --json
t compare a b --in in.jsonl --weights tfidf:words.tsv | grep -E 'cosine|SimHash'

# Passages: a gap of one word at three positions, a piece that is twice in b, and a moved piece.
p1=$(words 1 30) p2=$(words 50 70 v) p3=$(words 1 12 u)
echo "$p1 one $p2 two $p3" > long-a.txt
echo "$p3 $p1 eins $p2 $p3 $p1" > long-b.txt
t compare long-a.txt long-b.txt
t compare long-a.txt long-b.txt --gap 0 --min 13 | tail -n 9
t compare long-a.txt long-b.txt --min 60 | tail -n 3
# With fewer values than shingles the similarities are estimates with errors.
t compare long-a.txt long-b.txt --bottom-k 32 | sed -n '/^bottom-k/,/shingles of b/p'
t compare long-a.txt long-b.txt --bottom-k 32 --json | grep -o '"bottom_k[^,]*'

# Scripts of all kinds, not in NFC and with other lengths when they are folded; emoji, digits,
# nothing.
pair() {
    record a "$1" > pair.jsonl
    record b "$2" >> pair.jsonl
    t compare a b --in pair.jsonl --min 4
}
pair '据美国媒体报道，51区雇员称内部有九架飞碟，曾看见灰色外星人。' '据美国媒体报道，51区员工称内部有9架飞碟，曾看见灰色外星人。'
pair 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน' 'มนุษย์ทุกคนเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์'
pair 'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق' 'يُولَد جميع الناس أحرارا متساوين في الكرامة والحقوق'
pair 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है' 'सब मनुष्यों को गौरव और अधिकारों के मामले में स्वतन्त्रता प्राप्त है'
pair 'Все люди рождаются свободными и равными в своём достоинстве' 'ВСЕ ЛЮДИ РОЖДАЮТСЯ СВОБОДНЫМИ И РАВНЫМИ в правах'
pair 'Die Straße war groß, das Café oﬃziell geschlossen' 'DIE STRASSE WAR GROSS, DAS CAFÉ OFFIZIELL GESCHLOSSEN'
pair '대한민국은 민주 공화국 이다 모두' '대한민국은 민주 공화국 이다 모두'
pair '🙂🙃 👩‍👩‍👧' '🙂🙃 👩‍👩‍👧'
pair '🙂' '🙃'
pair '123 456 789 1011 1213' '0 123 456 789 1011 1213'
pair '' ''
pair '' 'not empty'

# Differences: near ones share a line, long ones are cut, few or none are shown; brackets and
# colours. Control characters are escaped.
words 1 60 > many-a.txt
words 1 60 | sed 's/w5 //;s/w8 /x8 y8 /;s/w30 /w30 new /;s/w60$/x60/' > many-b.txt
t compare many-a.txt many-b.txt | sed -n '/differences/,/^$/p'
t compare many-a.txt many-b.txt --differences 2 | sed -n '/differences/,/^$/p'
t compare many-a.txt many-b.txt --differences 0 | sed -n '/differences/,/^$/p'
printf 'a \033[31m b \342\200\256 c' > hostile-a.txt
{ printf 'a \033[32m '; cat many-a.txt; printf 'c'; } > hostile-b.txt
t compare hostile-a.txt hostile-b.txt | sed -n '/difference/,/^$/p'
t compare hostile-a.txt hostile-b.txt --page hostile.html
grep '<li>' hostile.html
for settings in 'TERM=xterm' 'TERM=dumb' 'TERM=xterm NO_COLOR=1'; do
    script -qec "env $settings $NEARDUP compare many-a.txt many-b.txt --differences 1" /dev/null < /dev/null | grep -a '[-+] ' | tr -d '\r' | cat -v
done
# A page without the texts, since they are too long.
words 1 90000 > huge-a.txt
words 1 90000 | sed 's/\(w[0-9]*000\) /\1 new /g' > huge-b.txt
t compare huge-a.txt huge-b.txt --page huge.html
sed -n '/^<p>/p;/w3000 /p' huge.html
grep -c '<li>' huge.html
wc -c < huge.html
rm many-* hostile* huge*

# Inputs: compressed, a pipe, a directory, other fields, ids made of file and line; the first of
# several inputs.
gzip -k in.jsonl
"$NEARDUP" compare a b --in in.jsonl.gz --json | cmp - <("$NEARDUP" compare a b --in in.jsonl --json) && echo 'the same compressed'
"$NEARDUP" compare a b --in - --json < in.jsonl | cmp - <("$NEARDUP" compare a b --in in.jsonl --json) && echo 'the same by a pipe'
mkdir texts
cp a.txt b.txt texts
"$NEARDUP" compare a.txt b.txt --in texts --json | cmp - <("$NEARDUP" compare a.txt b.txt --json) && echo 'the same in a directory'
printf '{"name":7,"body":{"text":"x y"}}\n{"body":{"text":"x \\ud800 y"}}\nno\n{"name":7,"body":{"text":"z"}}\n' > fields.jsonl
t compare 7 fields.jsonl:2 --in fields.jsonl --text-field /body/text --id-field name --invalid replace --on-error skip
t compare fields.jsonl:1 fields.jsonl:4 --in fields.jsonl --text-field /body/text --on-error skip --invalid skip

# The page.
t compare a.txt b.txt --page pair.html
shown pair.html
t compare long-a.txt long-b.txt --page pair.html
grep -o '<mark id=[^>]*>' pair.html
printf '<script>\001 & "\n' > '<i>.txt'
t compare '<i>.txt' '<i>.txt' --page pair.html
grep -n 'script\|<i>\|&lt;' pair.html

# The steps.
t compare a b --in in.jsonl --min 2 --explain
t compare a b --in in.jsonl --min 2 --explain --bits 32 --weights tfidf:words.tsv | sed -n '/^SimHash of b$/,/^fingerprint/p'
t compare a.txt b.txt --explain | sed -n '/^MinHash of/,$p'
t compare a.txt b.txt --analyzer chars --explain | sed -n '/^  1  44/,/^SimHash of a,/p'
record zh '美国51区雇员称内部有9架飞碟' > zh.jsonl
record th 'มนุษย์ทั้งหลาย' >> zh.jsonl
t compare zh th --in zh.jsonl --ngram 2 --explain | sed -n '/lowest/,$p'
words 1 130 > many.txt
t compare many.txt b.txt --explain --bits 16 | sed -n '/w98/,/^$/p;/^MinHash is/p'
pair '🙂' '🙃' > /dev/null
t compare a b --in pair.jsonl --explain | sed -n '/lowest/,$p'
left
