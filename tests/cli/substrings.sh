# neardup substrings: documents without the stretches that repeat.
menu='Home, news, sports, weather; the newsletter of our village appears on every first Monday of a month.'
{
    record a "$menu The mayor opened the bridge."
    record b "Nobody else reports it. $menu"
    record c "$menu The mayor opened the bridge."
    record short 'The mayor opened the bridge.'
    record '' 'nothing'
} > in.jsonl
t substrings in.jsonl --removed removed.tsv --drop-below 0
cat removed.tsv
t substrings in.jsonl --list
t substrings in.jsonl --keep none --list -q
t substrings in.jsonl --keep none -q
t substrings in.jsonl --min 28 -q --removed removed.tsv
cat removed.tsv
t substrings in.jsonl -q --list -o list.tsv --summary summary.json --threads 1
sed -E 's/"(seconds_[a-z]+|mb_per_second|peak_memory|work_bytes)":[0-9.]+/"\1":0/g; s/"version":"[^"]*"/"version":0/' summary.json

# Stretches that are also in another input, and not those that the input itself repeats.
record x "It was said that the mayor opened the bridge. The mayor opened the bridge." > train.jsonl
record y "$menu" >> train.jsonl
record z "$menu" >> train.jsonl
{
    record 1 'Who did it? The mayor opened the bridge.'
    record 2 'What did it? The mayor opened the bridge.'
} > items.jsonl
t substrings train.jsonl --in items.jsonl --min 24 -q
t substrings items.jsonl --in train.jsonl --min 24 -q --list
t substrings items.jsonl --in items.jsonl --min 24 -q --list
t substrings train.jsonl --in items.jsonl --keep none
t substrings train.jsonl --in items.jsonl --passes 2
t substrings - --in - < train.jsonl
t substrings train.jsonl --in items.jsonl -o items.jsonl
t substrings train.jsonl --in items.jsonl -o out.jsonl --removed items.jsonl

# A text that repeats itself keeps its first occurrence; no character is cut in two.
record itself "$(printf 'Straße und Gasse, %.0s' {1..12})" > itself.jsonl
t substrings itself.jsonl -q --min 60 --removed removed.tsv
cut -f 1-5 removed.tsv
record one "ä$(printf 'a%.0s' {1..60})" > one.jsonl
t substrings one.jsonl -q --min 20

# Words in place of bytes; whole words, lines and sentences.
{
    record 1 'It rained: THE MAYOR, who had slept, opened the bridge at noon!'
    record 2 'Then the mayor (who had slept) opened -- the bridge - at night.'
} > words.jsonl
t substrings words.jsonl -q --min-tokens 8 --removed removed.tsv
cut -f 1-5 removed.tsv
t substrings words.jsonl -q --min-tokens 9 --list
{
    record 1 'One is here.\nThe second line is here.\nThe third line is here, too.\nX'
    record 2 'Two is here.\nThe second line is here.\nThe third line is here. Y'
    record 3 'He left. The second line is here. The third man came.'
} > bounds.jsonl
for at in character word line sentence; do
    t substrings bounds.jsonl -q --min 20 --cut-at $at
done

# What a cut joins may repeat, too.
{
    record 1 'The left part of it and the right part of it.'
    record 2 'Something else is in the middle here.'
    record 3 'The left part Something else is in the middle here.of it and the right part of it.'
} > joined.jsonl
t substrings joined.jsonl -q --min 35 --removed removed.tsv
t substrings joined.jsonl -q --min 35 --passes 0 --removed removed.tsv --summary summary.json
grep -o '"passes":[0-9]*' summary.json
cut -f 1-5 removed.tsv

# The output is the same at any number of threads, and with little memory. Passes are those of a
# command whose input is the output of the one before.
for ((i = 0; i < 200; i++)); do
    record "$i" "$(words $((i % 7)) $((i % 7 + 40))) $((i * i)) $(words $((i % 11 + 100)) $((i % 11 + 150)))"
done > many.jsonl
for flags in '--list' '--passes 3' '--min-tokens 12'; do
    # shellcheck disable=SC2086
    one=$("$NEARDUP" substrings many.jsonl -q --threads 1 $flags | md5sum)
    for more in '--threads 2' '--threads 7' '--memory 64M'; do
        # shellcheck disable=SC2086
        [[ $("$NEARDUP" substrings many.jsonl -q $flags $more | md5sum) == "$one" ]] && echo "$flags $more: same"
    done
    # shellcheck disable=SC2086
    [[ $("$NEARDUP" substrings - -q $flags < many.jsonl | sed 's/-\t/many.jsonl\t/g' | md5sum) == "$one" ]] && echo "$flags, a pipe: same"
done
"$NEARDUP" substrings many.jsonl -q --min 40 --passes 2 > twice.jsonl
"$NEARDUP" substrings many.jsonl -q --min 40 | "$NEARDUP" substrings - -q --min 40 | cmp - twice.jsonl && echo 'two passes: the same as two commands'

# Other formats; nothing; errors.
mkdir texts
printf '%s' "$menu" > texts/a.txt
printf 'x%s' "$menu" > texts/b.txt
t substrings texts -q
t substrings texts -q -o cut/
head cut/*
: > empty.jsonl
t substrings empty.jsonl
t substrings
t substrings in.jsonl --min 15
t substrings in.jsonl --min 4001
t substrings in.jsonl --min-tokens 3
t substrings in.jsonl --min 50 --min-tokens 9
t substrings in.jsonl --list --removed removed.tsv
t substrings in.jsonl -o in.jsonl
t substrings in.jsonl --removed in.jsonl
t substrings texts -o texts/a.txt
t substrings missing.jsonl
left
