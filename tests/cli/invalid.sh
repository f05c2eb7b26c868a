# Invalid UTF-8 and lone surrogates: fail (the default), replace, skip. Kept records are unchanged.
{
    record a 'all is well here'
    printf '{"id":"b","text":"bad \xff\xfe bytes in here"}\n'
    printf '{"id":"c","text":"half a pair \\ud83d in here"}\n'
    printf '{"id":"d","text":"a whole pair \\ud83d\\ude00 in here"}\n'
    printf '{"id":"e","text":"half a pair \\uFFFD in here"}\n' # what c is when replaced
} > in.jsonl
t dedup -q in.jsonl -o out.jsonl
sed 2d in.jsonl > rest.jsonl
t dedup -q rest.jsonl -o out.jsonl
left
t dedup -q in.jsonl --invalid skip
t dedup -q in.jsonl --invalid replace -o out.jsonl --removed removed.tsv
cmp out.jsonl <(head -n 4 in.jsonl) && echo same
shown removed.tsv

# An incomplete character, an overlong form, a surrogate in UTF-8, a number above U+10FFFF.
for bytes in '\xe2\x82' '\xc0\xaf' '\xed\xa0\x80' '\xf4\x90\x80\x80'; do
    printf '{"id":"a","text":"%b"}\n' "$bytes" > in.jsonl
    t dedup -q in.jsonl
done
mkdir tree
printf 'fine' > tree/a
printf 'not \xff fine' > tree/b
t dedup -q tree
t dedup -q tree --invalid skip
