# Inputs that compare rejects: missing texts, texts that are not UTF-8, ids, flags.
printf 'the cat sat on the mat' > a.txt
printf 'the c\377t' > bad.txt
record a 'the cat sat on the mat' > in.jsonl
t compare
t compare a.txt
t compare a.txt a.txt a.txt
t compare a.txt none.txt
t compare none.txt a.txt
t compare a.txt .
t compare a.txt bad.txt
t compare - - < a.txt
t compare a z --in in.jsonl
t compare y z --in in.jsonl
t compare a z --in - < in.jsonl
t compare a z --in none.jsonl
printf '{"id":"b","text":"x\n' >> in.jsonl
t compare a a --in in.jsonl
t compare a b --in in.jsonl
t compare a b --in in.jsonl --on-error skip
printf '{"id":"b","text":"c\377t"}\n' > bad.jsonl
t compare b b --in bad.jsonl
t compare b b --in bad.jsonl --invalid replace | sed -n 1,4p
t compare a.txt a.txt --text-field body
t compare a.txt a.txt --id-field body
t compare a.txt a.txt --max-record 21
t compare a.txt a.txt --invalid skip
t compare a.txt a.txt --on-error skip
t compare a.txt a.txt --min 0
t compare a.txt a.txt --gap -1
t compare a.txt a.txt --bits 20
t compare a.txt a.txt --ngram 65
t compare a.txt a.txt --perms 0
t compare a.txt a.txt --bottom-k 1
t compare a.txt a.txt --bottom-k 70000
t compare a.txt a.txt --threshold .1 --perms 4
t compare a.txt a.txt --weights idf
t compare a.txt a.txt --weights tfidf:none.tsv
t compare a.txt a.txt --weights tfidf:none.tsv --analyzer chars
printf 'the 1\ncat\n' > table
t compare a.txt a.txt --weights tfidf:table
t compare a.txt a.txt --json --page pair.html
t compare a.txt a.txt --json --explain
t compare a.txt a.txt --page pair.html --explain
t compare a.txt a.txt --page none/pair.html
t compare a.txt a.txt --page texts/ 2>&1
t compare a.txt a.txt --page
t compare a.txt a.txt --page -
t compare a.txt a.txt --page /dev/full
t compare a.txt a.txt --page /dev/null
rm a.txt bad.txt in.jsonl bad.jsonl table
left
