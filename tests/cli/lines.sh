# Repeated lines are cut; all other bytes of a record stay.
cat > in.jsonl << 'END'
{"id":"a","text":"one two three\nonly in a here\n\"ok\""}
 { "te\u0078t":"one two three\r\nmore \u00e9 of \ud83d\ude00 b\none two three" , "id":"b", "n":1e400}
{"id":"c","text":"one two three"}
{"id":"d","text":"nothing repeats here\tat all"}
{"id":"e","text":"ok\nONE, two; three!\nmore \u00e9 of \ud83d\ude00 b"}
END
t lines in.jsonl --removed cut.tsv
shown cut.tsv
t lines -q in.jsonl --summary s.json --threads 2 -o out.jsonl
shown s.json
t lines -q in.jsonl --same words
t lines -q in.jsonl --across --drop-below 0
t lines -q in.jsonl --keep none --more-than 2 --removed cut.tsv
shown cut.tsv
t lines -q in.jsonl --min-words 4
t lines -q in.jsonl --drop-below 5

# Paragraphs and sentences.
printf '%s\n' '{"text":"A first one.\nGoes on here.\n\nThe second one. It has two.\n"}' \
    '{"text":"The second one. It has two.\n\n \nA first one.\nGoes on here."}' \
    '{"text":"It has three. It has two."}' > paragraphs.jsonl
t lines -q paragraphs.jsonl --unit paragraph --drop-below 0
t lines -q paragraphs.jsonl --unit sentence

# Lines that are in many documents of one host.
printf '%s\n' '{"id":"http://x.org/1","text":"skip to content\nall rights are reserved\none"}' \
    '{"id":"http://x.org/2","text":"skip to content\ntwo"}' \
    '{"id":"http://y.org/1","text":"all rights are reserved\nthree"}' > hosts.jsonl
t lines -q hosts.jsonl --keep none
t lines -q hosts.jsonl --keep none --by-host

# Tables: in quotes, and without.
printf 'id,text,more\n1,"the ""same"" line\nand one","x, y"\r\n2,"the ""same"" line\r\nb ""c""",\n3,none is like it,z\n' > in.csv
t lines -q in.csv
printf 'text\tid\nthe same line\t1\nthe same line\t2\n' > in.tsv
t lines -q in.tsv --drop-below 0
t lines -q in.csv --text-field more --text-field text --min-words 2 --drop-below 0

# An array of JSON becomes lines; a file of text and a list of them an object each.
printf '[{"text":"a b c\\nd",\n "id":1},\n {"text":"a b c\\ne","id":2}]' > in.json
t lines -q in.json
mkdir -p texts/sub
printf 'a b c\nd e\n' > texts/1.txt
printf 'f\r\na b c\r\n' > texts/sub/2.txt
printf 'a b c' > texts/3.txt
t lines -q texts
t lines -q texts -o cut/
(cd cut && find . -type f | sort | while read -r file; do printf '%s: ' "$file" && od -c -An "$file"; done)
t lines -q texts -o cut/
cat in.jsonl | t lines -q - -o piped.jsonl
cmp piped.jsonl out.jsonl && echo same

# An index of lines: what earlier runs had is cut. Other settings, and directories of others.
head -2 in.jsonl > one.jsonl
tail -3 in.jsonl > two.jsonl
t lines -q --index known one.jsonl
t lines -q --index known two.jsonl --removed cut.tsv
shown cut.tsv
t lines -q --index known two.jsonl --threads 2 --drop-below 0
t lines -q --index known two.jsonl --unit sentence
t lines -q --index known two.jsonl --min-words 2
t lines -q --index known two.jsonl --keep none
t lines -q --index texts two.jsonl
t lines -q --index in.jsonl two.jsonl
t index info known
t dedup -q --index known two.jsonl
ls known

# The same bytes at any number of threads, in little memory, compressed, and from a compressed file.
for i in {1..3000}; do
    echo "{\"id\":$i,\"text\":\"line of $((i % 7)) and\\nthe number $i stays\\nmenu item $((i * i % 501)) here\\n\"}"
done > many.jsonl
t lines -q many.jsonl -o 1.jsonl --removed 1.tsv --threads 1
for threads in 2 7; do
    t lines -q many.jsonl -o $threads.jsonl --removed $threads.tsv --threads $threads --memory 64M
    cmp 1.jsonl $threads.jsonl && cmp 1.tsv $threads.tsv && echo same
done
gzip -k many.jsonl
t lines -q many.jsonl.gz -o many.out.gz
zcat many.out.gz | cmp - 1.jsonl && echo same
wc -l < 1.jsonl
t lines -q 1.jsonl --drop-below 0 -o again.jsonl
cmp 1.jsonl again.jsonl && echo nothing is left to cut

# Errors.
t lines
t lines in.jsonl --more-than 3
t lines in.jsonl --by-host
t lines in.jsonl --keep none --across
t lines in.jsonl --min-words 0
t lines in.jsonl -o out/
t lines in.jsonl --html text -o out.jsonl
t lines in.csv --encoding latin1
t lines in.jsonl -o in.jsonl
t lines in.jsonl -o x --removed x
t lines in.jsonl --removed in.jsonl
printf '{"text":"a\xff b c"}\n{"text":"a\xff b c\\nd"}\n' > bad.jsonl
t lines -q bad.jsonl
t lines -q bad.jsonl --invalid replace
t lines -q bad.jsonl --invalid skip
ls

# A run that ends early leaves nothing; the old output stays.
echo old > kept.jsonl
mkfifo endless
# One thread: under ThreadSanitizer a signal waits as long as its thread waits for a lock.
"$NEARDUP" lines -q endless --threads 1 -o kept.jsonl --removed kept.tsv 2> .err &
ended=$!
exec 3> endless
cat in.jsonl >&3
kill -TERM $ended
{ wait $ended; } 2> /dev/null || true
exec 3>&-
cat kept.jsonl
ls -A | grep -c neardup-output || true
