# neardup tune: what each threshold would remove. b is a with a word more, c with five, d is a's copy,
# e and f share half of their words, g is alone.
{
    record a "$(words 1 40)"
    record b "$(words 1 41)"
    record c "$(words 1 20) x1 x2 x3 x4 x5 $(words 21 40)"
    record d "$(words 1 40)"
    record e "$(words 1 20 v) $(words 1 20 u)"
    record f "$(words 1 20 v) 奇 $(words 1 18 u) s t"
    record g "$(words 1 9 t)"
} > in.jsonl
t tune in.jsonl
t tune in.jsonl -q --examples 2 --lowest .55 --ngram 3
t tune in.jsonl -q --json --lowest .9
t tune in.jsonl -q --json --summary summary -o result.json --lowest .95
shown result.json
grep -o '"command":"tune","documents":7,' summary
# A text within a longer one.
t tune in.jsonl -q --measure containment --lowest .9
# Blocks where the locale has UTF-8.
LC_ALL=C.UTF-8 "$NEARDUP" tune in.jsonl -q --examples 0 | sed -n '/threshold/,$p'
# A page: its figures are those of --json; hostile texts and ids are shown as text.
{
    record '<script>a</script>' "$(words 1 40)"
    record '<img src=x>' "$(words 1 39) </bdi><img>"
} > hostile.jsonl
t tune hostile.jsonl -q --page page.html --beside ngram=3 -o table.txt
grep -c 'Removed, with other flags' page.html
grep -o '<script>\|<img\|https*:' page.html || echo 'no element and no address'
grep -o '&lt;[a-z/]*' page.html | sort | uniq -c
t tune in.jsonl -q --page page.html --json -o result.json
sed -n 's/^<tr><th scope=row>\([0-9.]*\)<td class=n>\([0-9.]*\) %.*/\1 \2/p' page.html | sort > page.txt
grep -o '"threshold":[0-9.]*,"removed":[0-9.]*' result.json | awk -F'[:,]' '{ printf "%s %.1f\n", $2, 100 * $4 }' | cmp - page.txt
grep -c '<h3>jaccard' page.html
t tune in.jsonl -q --page in.jsonl
t tune in.jsonl -q --page same -o same
t tune in.jsonl -q --page missing/page.html
# Other flags beside.
t tune in.jsonl -q --examples 0 --lowest .8 --beside ngram=3 --beside analyzer=chars,ngram=5
t tune in.jsonl -q --json --lowest .95 --beside ngram=3
t tune in.jsonl --beside ngram=0
t tune in.jsonl --beside ngram=3,threads=2
t tune in.jsonl --beside ngram
t tune in.jsonl --beside ngram=3,analyzer
{ "$NEARDUP" tune in.jsonl --beside "dict=$(printf 'x%.0s' {1..2000})" 2>&1 || true; } | sed 's/x*x/x.../'
t tune in.jsonl --beside dict=missing,analyzer=segment
# Nothing that a run reads is replaced; lists of the other run replace those of the first.
echo in.jsonl > list
t tune in.jsonl --beside files-from=list -o list
cat list
printf '中国 3\n' > words.txt
t tune in.jsonl --beside analyzer=segment,dict=words.txt --page words.txt
cat words.txt
t tune in.jsonl --beside ''
t tune in.jsonl -q --text-field id --beside text-field=text --json --lowest 1 -o lists.json
t tune in.jsonl -q --text-field text --beside text-field=id --json --lowest 1 -o swapped.json
grep -o '"exact_copies":[0-9]*' lists.json swapped.json
mkdir texts
words 1 20 > texts/a.txt
words 1 20 > texts/b.txt
for flag in --page -o --summary; do t tune texts -q $flag texts/a.txt; done
cmp texts/a.txt texts/b.txt
nine=
for n in {1..9}; do nine="$nine --beside ngram=$n"; done
t tune in.jsonl $nine

# The sample is the same at any number of threads and by a seed.
for i in {1..300}; do record "$i" "$(words $((i / 3)) $((i / 3 + 30)))"; done > many.jsonl
one=$("$NEARDUP" tune many.jsonl -q --sample 40 --threads 1)
[[ $("$NEARDUP" tune many.jsonl -q --sample 40 --threads 4) == "$one" ]] && echo 'threads: same'
[[ $("$NEARDUP" tune many.jsonl -q --sample 40 --sample-seed 1) != "$one" ]] && echo 'another seed: another sample'

# Empty inputs, and errors.
: > empty.jsonl
t tune empty.jsonl -q
t tune
t tune - < in.jsonl
t tune in.jsonl --sample 0
t tune in.jsonl --lowest 0
t tune in.jsonl -o in.jsonl
t tune in.jsonl -o same --summary same
