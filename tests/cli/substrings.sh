# neardup substrings: stretches of texts that occur more than once.
menu='Home, news, sports, weather; the newsletter of our village appears on every first Monday of a month.'
{
    record a "$menu The mayor opened the bridge."
    record b "Nobody else reports it. $menu"
    record c "$menu The mayor opened the bridge."
    record short 'The mayor opened the bridge.'
    record '' 'nothing'
} > in.jsonl
t substrings in.jsonl
t substrings in.jsonl --list all -q
t substrings in.jsonl --min 28 -q
t substrings in.jsonl --json -q --summary summary.json --threads 1
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
t substrings items.jsonl --in train.jsonl --min 24 -q
t substrings items.jsonl --in items.jsonl --min 24 -q
t substrings train.jsonl --in items.jsonl --list all
t substrings - --in - < train.jsonl
t substrings train.jsonl --in items.jsonl -o items.jsonl

# One text that repeats itself; characters of several bytes may be cut.
record itself "$(printf 'Straße und Gasse, %.0s' {1..12})" > itself.jsonl
t substrings itself.jsonl -q --min 60

# The output is the same at any number of threads, and with little memory.
for ((i = 0; i < 400; i++)); do
    record "$i" "$(words $((i % 7)) $((i % 7 + 40))) $((i * i)) $(words $((i % 11 + 100)) $((i % 11 + 150)))"
done > many.jsonl
one=$("$NEARDUP" substrings many.jsonl -q --threads 1 | md5sum)
for flags in '--threads 2' '--threads 7' '--memory 64M'; do
    # shellcheck disable=SC2086
    [[ $("$NEARDUP" substrings many.jsonl -q $flags | md5sum) == "$one" ]] && echo "$flags: same"
done
[[ $("$NEARDUP" substrings - -q < many.jsonl | sed 's/-\t/many.jsonl\t/g' | md5sum) == "$one" ]] && echo 'a pipe: same'

# Other formats; nothing; errors.
mkdir texts
printf '%s' "$menu" > texts/a.txt
printf 'x%s' "$menu" > texts/b.txt
t substrings texts -q
: > empty.jsonl
t substrings empty.jsonl
t substrings
t substrings in.jsonl --min 15
t substrings in.jsonl --min 4001
t substrings in.jsonl -o in.jsonl
t substrings texts -o texts/a.txt
t substrings missing.jsonl
left
