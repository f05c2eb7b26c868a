# The examples of the help work as they are printed, in a directory with files of these names: every
# command succeeds.
mkdir start
cd start
for i in 1 2 3 4; do record "$i" "article number $i tells of the cat and the dog and of $(words $((i * 10)) $((i * 10 + 30)))"; done > articles.jsonl
record 1207 "the quick brown fox jumps over the lazy dog $(words 1 20)" >> articles.jsonl
record 88 "the quick brown fox jumps over a lazy cat $(words 1 20)" >> articles.jsonl
sed 's/"text"/"date":"2026-01-01","text"/' articles.jsonl > monday.jsonl
for i in 17 18; do record "article-$i" "words of monday $(words $((i * 100)) $((i * 100 + 30)))"; done >> monday.jsonl
for day in tuesday corrected today; do sed "s/\"id\":\"/&$day-/" articles.jsonl > $day.jsonl; done
cp articles.jsonl library.jsonl
cp monday.jsonl essay.jsonl
{ echo id,title,body && echo '1,The fox,"It jumps, again."'; } > articles.csv
mkdir notes papers
for name in a b; do words 1 30 > notes/$name && words 1 30 > papers/$name; done
words 1 40 > draft.txt
words 2 41 > final.txt
words 3 42 > a.txt
words 4 43 > b.txt
"$NEARDUP" dedup monday.jsonl --index seen -q -o /dev/null --removed removed.tsv
for name in articles today corrected; do "$NEARDUP" simhash $name.jsonl -q -o $name.tsv; done
cp articles.tsv old.tsv
"$NEARDUP" simhash essay.jsonl -q | sort -u | "$NEARDUP" hamming create prints - -q
"$NEARDUP" stream monday.jsonl --state news -q > /dev/null 2>&1
cd ..

neardup() { "$NEARDUP" "$@"; }
commands() { neardup help "$@" | sed -nE '/^(Usage|Commands):$/,$s/^  neardup ([a-z]+( [a-z]+)?)( .*)?$/\1/p'; }
tried=0
all=$(commands | grep -v '^help'; commands index; commands hamming)
while read -r command; do
    cp -r start work
    cd work
    # shellcheck disable=SC2086
    examples=$(neardup help $command | sed -n '/^Examples:$/,/^$/s/^  //p')
    [[ $(wc -l <<< "$examples") == 2 ]] || echo "$command: not two examples"
    while IFS= read -r example; do
        tried=$((tried + 1))
        (set -o pipefail; eval "$example") > .out 2> .err < /dev/null || { echo "$command: fails with $?: $example"; cat .err; }
    done <<< "$examples"
    cd ..
    rm -r work
done <<< "$all"
echo "$tried examples"
