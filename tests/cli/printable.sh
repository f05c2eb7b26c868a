# For any names, ids and texts each message is one printable line. Long messages lose their middle.
e() {
    local status=0
    "$NEARDUP" "$@" 2>&1 || status=$?
    echo "= $status"
}
esc=$'\e[31m'
forged=$'x\nneardup: everything fine'
e dedup -q "$forged"
e dedup -q "no$esc"
e dedup -q $'bidi\xe2\x80\xae\xe2\x80\xa8'
e dedup -q $'c1\xc2\x9b'
e dedup -q $'latin\xe9'
e $'--out\eput' x
e dedup --threshold $'\e]0;title\a' x
e index create "new$esc"
e index info "new$esc/$forged"

# Ids: repeated ids, ids that an index has already. Texts: in a name, in a date.
{
    printf '{"id":"%s","text":"%s"}\n' '\u001b[2J\nneardup: fine\u202e\u0085' "$(words 1 20)"
    printf '{"id":"%s","text":"%s"}\n' '\u001b[2J\nneardup: fine\u202e\u0085' "$(words 1 20 v)"
} > "ids$esc.jsonl"
e dedup -q "ids$esc.jsonl" -o out.jsonl
printf '{"id":"a","text":"one","date":"\\u001b[1m\\u2028today"}\n' > date.jsonl
e dedup -q --keep max:date date.jsonl -o out.jsonl
e dedup -q --keep max:date --on-error skip date.jsonl -o out.jsonl
e dedup -q --text-field $'t\e\n' date.jsonl -o out.jsonl

# A long id is cut between characters: 100 of three bytes each.
wide=$(printf '\u4e2d%.0s' {1..100})
{
    printf '{"id":"%s","text":"%s"}\n' "$wide" "$(words 1 20)"
    printf '{"id":"%s","text":"%s"}\n' "$wide" "$(words 1 20 v)"
} > wide.jsonl
e dedup -q wide.jsonl -o out.jsonl

# A path of 4,000 bytes: its beginning, its end, and the reason.
deep=$(printf 'directory-of-a-long-name/%.0s' {1..160})
e dedup -q "$deep" -o out.jsonl 2>&1 | sed 's/\(director[a-z-]*\/\)\{3,\}/\1../g'
mkdir -p deep
(
    cd deep
    for i in {1..60}; do mkdir "$(printf 'part-%03d%0200d' "$i" 0)" && cd "part-"*; done
    printf 'no \xff text' > file
) 2> /dev/null
e dedup -q deep -o kept | sed 's/0000*/0../g'

# Output for people is printable, too: names, passages, shingles.
printf 'one two three four five six seven eight \xc2\x9b31m nine ten \xe2\x80\xaeeleven twelve' > "a$esc"
printf 'zero one two three four five six seven eight \xc2\x9b31m nine ten \xe2\x80\xaeeleven twelve' > b
"$NEARDUP" compare "a$esc" b | grep -a -e '^a ' -e '^b ' -A 1 -e 'tokens, bytes'
"$NEARDUP" compare --analyzer chars --explain "a$esc" b > explained
"$NEARDUP" compare --explain "a$esc" b >> explained
LC_ALL=C grep -a -c $'[\x01-\x08\x0b-\x1f\x7f]\|\xc2[\x80-\x9f]\|\xe2\x80\xae' explained || true
