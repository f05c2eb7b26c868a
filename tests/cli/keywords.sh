# Keywords by their rarity in the input, by tables and by their number; in all scripts; at any
# number of threads.
{
    record cats 'The cat sat on the mat. The CAT saw a cat; the mat was red.'
    record dogs 'The dog sat by the door, and the dog saw the cat.'
    record ice 'We all scream for ice cream, and the ice melts.'
} > en.jsonl
t keywords en.jsonl --threads 1 --top 4
t keywords en.jsonl -q --weights tf --top 3
t keywords en.jsonl -q --top 1 -o top.jsonl
shown top.jsonl
printf 'the 0\ncat 1.25\nmat\t2.00005\nice 0.00012207\nred 0.3\n' > words.txt
t keywords en.jsonl -q --weights tfidf:words.txt --top 5

# Counting in the input gives the weights of the table of idf; standard input needs a table.
t idf en.jsonl -q -o idf.tsv --stop-words stop.txt --stop-share .7
cmp <("$NEARDUP" keywords en.jsonl -q) <("$NEARDUP" keywords en.jsonl -q --weights tfidf:idf.tsv) && echo 'the same'
cmp <("$NEARDUP" keywords en.jsonl -q) <("$NEARDUP" keywords en.jsonl -q --weights tfidf --top 20) && echo 'the defaults'
cmp <("$NEARDUP" keywords en.jsonl -q) <("$NEARDUP" keywords - -q --weights tfidf:idf.tsv < en.jsonl) && echo 'the same of standard input'
gzip -k en.jsonl
cmp <("$NEARDUP" keywords en.jsonl -q) <("$NEARDUP" keywords en.jsonl.gz -q) && echo 'the same of gzip'
t keywords en.jsonl -q --weights tf --top 3 --stop stop.txt

# Stems.
record forms 'Running dogs ran; a dog runs. The runner, he has a dog, and cats.' > forms.jsonl
t keywords forms.jsonl -q --weights tf --top 3
t keywords forms.jsonl -q --weights tf --top 3 --stem english
t idf forms.jsonl en.jsonl -q --stem english -o stems.tsv
t keywords forms.jsonl -q --weights tfidf:stems.tsv --top 3 --stem english

# Scripts: in some of them each character is a word.
{
    record zh '自然语言处理：自然语言的处理，语言！'
    record th 'ภาษาไทย ภาษา'
    record ja '東京タワーと東京駅'
    record ar 'اللغة العربية لغة جميلة، واللغة العربية غنية'
    record hi 'हिन्दी भाषा और हिन्दी साहित्य'
    record ru 'Русский язык и русская речь, ЯЗЫК'
    record de 'Die Straße, die STRASSE, das Café'
    record emoji '🙂🙃🙂 👨‍👩‍👧'
    record digits '42 7 42 1984 ٤٢'
    record empty ''
    record marks '?!, ...'
} > scripts.jsonl
t keywords scripts.jsonl -q --weights tf --top 3
t idf scripts.jsonl -q -o scripts.tsv
t keywords scripts.jsonl -q --top 2 --weights tfidf:scripts.tsv

# Ids, directories, empty inputs.
printf '{"id":"tab\\there \\"q\\" \\\\ \\u0001","text":"x"}\n{"text":"y"}\n{"id":7,"text":"z"}\n' > odd.jsonl
t keywords odd.jsonl -q --weights tf
mkdir texts
printf 'one two two' > texts/a
printf 'two three' > texts/b
printf 'two' > "$(printf 'texts/c\377')"
t keywords texts -q
: > empty.jsonl
t keywords empty.jsonl --threads 1
# A word that all documents have is no keyword.
record only 'every word is in all one documents' > one.jsonl
t keywords one.jsonl -q
t keywords en.jsonl -q --weights tf --top 1 -o top.jsonl.gz --summary - --threads 1
gzip -dc top.jsonl.gz

# The output is the same at any number of threads.
many_records > many.jsonl
for flags in '' '--weights tf' '--weights tfidf:idf.tsv --top 3' '--stem german'; do
    # shellcheck disable=SC2086
    one=$("$NEARDUP" keywords many.jsonl -q --threads 1 $flags | md5sum)
    # shellcheck disable=SC2086
    for threads in 2 7; do [[ $("$NEARDUP" keywords many.jsonl -q --threads $threads $flags | md5sum) == "$one" ]] && echo "$threads threads $flags: same"; done
done

# The table of python3-jieba, if it is installed.
jieba=/usr/lib/python3/dist-packages/jieba/analyse/idf.txt
if [[ -e $jieba ]]; then
    cmp <("$NEARDUP" keywords scripts.jsonl -q --weights tfidf:jieba 2> .err) <("$NEARDUP" keywords scripts.jsonl -q --weights tfidf:$jieba 2> .err2)
    grep -q 'terms are not one word' .err
else
    { "$NEARDUP" keywords scripts.jsonl -q --weights tfidf:jieba 2>&1 || true; } | grep -q "$jieba"
fi
echo 'jieba: fine'
