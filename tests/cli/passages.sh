# Passages that documents copy from others. A paper check: two students, and a library.
{
    record anna 'Many ask how life began. It is interesting to contemplate an entangled bank, clothed with many plants of many kinds, with birds singing on the bushes. I saw it from so simple a beginning!'
    record ben 'With various insects flitting about, and with worms crawling through the damp earth: so it was. Many ask how life began, it is interesting.'
    record carl 'I have written all of this alone, and nobody has written a word of it before me.'
} > papers.jsonl
{
    record origin 'It is interesting to contemplate an entangled bank, clothed with many plants of many kinds, with birds singing on the bushes, with various insects flitting about, and with worms crawling through the damp earth.'
    record forum 'many ask HOW life began. IT is interesting ...'
    record other 'Nothing of that kind stands here.'
} > library.jsonl
t passages papers.jsonl --in library.jsonl
t passages papers.jsonl --in library.jsonl -q --json
t passages papers.jsonl --in library.jsonl -q --gap 0 --min 7
t passages papers.jsonl --in library.jsonl -q --min 22
# The offsets equal those of compare, and give the passage's bytes in the files.
"$NEARDUP" compare anna origin --in <(cat papers.jsonl library.jsonl) --gap 0 | grep ' of b$'
sed -n 's/.*"id":"anna","text":"\(.*\)"}/\1/p' papers.jsonl | head -c 150 | tail -c +26 && echo

# Papers compared with each other: each is found in itself, too.
t passages papers.jsonl --in papers.jsonl -q --gap 0 --min 7

# Gaps of two and of three words, and a moved piece.
p1=$(words 1 9) p2=$(words 20 29) p3=$(words 40 48)
record q "$p1 one two $p2 three four five $p3 $p1" > q.jsonl
record s "$p1 eins zwei $p2 drei vier fuenf $p3" > s.jsonl
t passages q.jsonl --in s.jsonl -q --gap 0
t passages q.jsonl --in s.jsonl -q --gap 2
t passages q.jsonl --in s.jsonl -q --gap 3
t passages q.jsonl --in s.jsonl -q --gap 2 --min 10

# Scripts of all kinds, with other lengths when they are folded; emoji, digits, nothing.
both() {
    record q "$1" > q.jsonl
    record s "$2" > s.jsonl
    t passages q.jsonl --in s.jsonl -q --gap 0 --json --min "${3-4}"
}
both '据美国媒体报道，51区雇员称内部有九架飞碟，曾看见灰色外星人。' '据美国媒体报道，51区员工称内部有9架飞碟，曾看见灰色外星人。'
both 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน' 'มนุษย์ทุกคนเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์'
both '吾輩は猫である。名前はまだ無い。' '『吾輩は猫である』を読む。名前はまだない。'
both 'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق' 'يُولَد جميع الناس أحرارا متساوين في الكرامة والحقوق'
both 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है' 'सब मनुष्यों को गौरव और अधिकारों के मामले में स्वतन्त्रता प्राप्त है'
both 'Все люди рождаются свободными и равными в своём достоинстве' 'ВСЕ ЛЮДИ РОЖДАЮТСЯ СВОБОДНЫМИ И РАВНЫМИ в правах'
both 'Die Straße war groß, das Café oﬃziell geschlossen' 'DIE STRASSE WAR GROSS, DAS CAFÉ OFFIZIELL GESCHLOSSEN'
both '대한민국은 민주 공화국 이다 모두' '대한민국은 민주 공화국 이다 모두'
both '🙂🙃 👩‍👩‍👧' '🙂🙃 👩‍👩‍👧' 1
both '123 456 789 1011 1213' '0 123 456 789 1011 1213'
both '' '' 1
both '' 'not empty' 1
both 'not empty' '' 1
both 'Straße' 'strass' 1
t passages q.jsonl --in s.jsonl -q --analyzer chars --min 3

# Texts that repeat one word again and again.
record q "$(yes go | head -n 50 | tr '\n' ' ')" > q.jsonl
record s "$(yes go | head -n 20 | tr '\n' ' ')" > s.jsonl
t passages q.jsonl --in s.jsonl -q
t passages s.jsonl --in q.jsonl -q
# A megabyte of such text: an algorithm that is not linear would not end.
record q "$(yes go | head -n 350000 | tr '\n' ' ')" > q.jsonl
record s "$(yes 'go on' | head -n 175000 | tr '\n' ' ')" >> q.jsonl
t passages q.jsonl --in q.jsonl -q

# Inputs: several, compressed, a pipe, directories, other fields, ids made of file and line, ids
# that need escapes.
"$NEARDUP" passages papers.jsonl --in library.jsonl -q > told
gzip -k papers.jsonl library.jsonl
"$NEARDUP" passages papers.jsonl.gz --in library.jsonl.gz -q | cmp - told && echo 'the same compressed'
"$NEARDUP" passages papers.jsonl --in - -q < library.jsonl | cmp - told && echo 'the same from a pipe'
"$NEARDUP" passages - --in library.jsonl -q < papers.jsonl | cmp - told && echo 'the same to a pipe'
for threads in 1 2 5; do "$NEARDUP" passages papers.jsonl --in library.jsonl -q --threads $threads --seed 7 | cmp - told && echo "the same on $threads"; done
mkdir papers shelf
printf 'one two three four five six seven eight' > papers/p.txt
printf 'zero one two three four five six seven eight nine' > shelf/s.txt
t passages papers --in shelf -q
printf '{"id":"a\\tb","body":"one two three four five six seven eight"}\n{"body":"one two three four five six seven eight"}\n' > fields.jsonl
t passages fields.jsonl papers.jsonl --in fields.jsonl -q --text-field body --id-field id --on-error skip
left
