# Commands that start without standard input, output or error leave the same files as with them. A
# command whose standard output is lost reports this by its exit status. No message gets into a
# file. The soak (ctest -C soak) closes all combinations of descriptors, many times.
ways=(1 2 12 012)
if [[ -v ND_SOAK ]]; then ways=({1..10}\ {0,1,2,01,02,12,012}); fi
mkdir start
record a "$(words 1 24)" > start/in.jsonl
record b "$(words 1 24)" >> start/in.jsonl
echo 'no JSON' >> start/in.jsonl
record c "$(words 30 60) and more" >> start/in.jsonl
words 1 40 > start/a.txt
words 9 50 > start/b.txt
(
    cd start
    "$NEARDUP" simhash in.jsonl --on-error skip -q -o prints.tsv 2> /dev/null
    "$NEARDUP" index create ix > /dev/null
    "$NEARDUP" hamming create hx prints.tsv -q
    "$NEARDUP" stream in.jsonl --state sx --on-error skip -q > /dev/null 2> /dev/null
    "$NEARDUP" idf in.jsonl --on-error skip -q -o idf.tsv 2> /dev/null
)

commands=(
    'dedup in.jsonl --on-error skip -o out --removed removed --clusters clusters --edges edges'
    'dedup in.jsonl --on-error skip'
    'dedup in.jsonl --on-error skip --index ix -o out'
    'dedup in.jsonl --on-error skip -o /dev/null --summary -'
    'dedup in.jsonl -o out'
    'pairs in.jsonl --on-error skip'
    'simhash in.jsonl --on-error skip'
    'simhash in.jsonl --on-error skip -o out'
    'idf in.jsonl --on-error skip -o out --stop-words stop'
    'idf in.jsonl --on-error skip'
    'keywords in.jsonl --on-error skip --weights tfidf:idf.tsv'
    'keywords in.jsonl --on-error skip --weights tfidf:idf.tsv -o out'
    'compare a.txt b.txt'
    'compare a.txt b.txt --page page'
    'compare a.txt b.txt -o out'
    'passages in.jsonl --in in.jsonl --on-error skip -o out'
    'pairs in.jsonl --on-error skip --json'
    'passages in.jsonl --in in.jsonl --on-error skip'
    'plan'
    'index create new'
    'index add ix in.jsonl --on-error skip'
    'index query ix in.jsonl --on-error skip'
    'index check ix'
    'index info ix'
    'index compact ix'
    'index remove ix none'
    'hamming create new prints.tsv'
    'hamming add hx prints.tsv --replace'
    'hamming query hx prints.tsv'
    'hamming join prints.tsv --k 8'
    'hamming plan --n 1e6 --k 3'
    'hamming info hx'
    'hamming check hx'
    'stream in.jsonl --state sx --on-error skip'
    'stream in.jsonl --state new --on-error skip'
    'clusters sx'
    'help dedup'
    '--man dedup'
    '--completion bash'
    '--version'
    'no such command'
)

# run DESCRIPTORS COMMAND...: runs in a fresh copy of the start, with these descriptors closed. The
# files that it leaves are in `left`, without times.
run() {
    local closed=$1
    shift
    rm -rf work
    cp -r start work
    (
        cd work
        set +e
        exec < /dev/null > ../out 2> ../err
        [[ $closed != *0* ]] || exec 0<&-
        [[ $closed != *1* ]] || exec 1>&-
        [[ $closed != *2* ]] || exec 2>&-
        "$NEARDUP" "$@"
        exit $?
    ) && status=0 || status=$?
    # The log of a stream has marks where it was synced, which depend on time: only its size counts.
    (cd work && find . -type f ! -name 'log-*' -exec cksum {} + && find . -name 'log-*' -printf '%s %p\n') | LC_ALL=C sort > "left-$closed"
}

for command in "${commands[@]}"; do
    read -ra parts <<< "$command"
    run '' "${parts[@]}"
    expected=$status
    spoke=false
    [[ ! -s out ]] || spoke=true
    verdict=fine
    for closed in "${ways[@]}"; do
        closed=${closed#* }
        run "$closed" "${parts[@]}"
        wanted=$expected
        if [[ $closed == *1* ]] && $spoke && [[ $expected == 0 ]]; then wanted=1; fi
        [[ $status == "$wanted" ]] || verdict="with $closed closed it ends with $status, not $wanted"
        # If answers are lost, a command need not run to its end; but no file has wrong content.
        if [[ $wanted == "$expected" ]]; then cmp -s left- "left-$closed" || verdict="with $closed closed it leaves other files"; fi
        if grep -rqE 'neardup: |^documents  ' work; then verdict="with $closed closed a message is in a file"; fi
    done
    echo "$command: $expected, $verdict"
done
