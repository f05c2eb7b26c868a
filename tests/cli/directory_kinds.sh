# Every kind of directory, given to every command that accepts one. A command changes only a
# directory of its own kind. It makes a new one only if the path does not exist, or if a process
# died while it made one there. In all other directories no file is changed or added.
record a 'one two three four five six seven eight nine ten' > in.jsonl
record b 'eleven twelve thirteen fourteen fifteen sixteen' > more.jsonl
printf 'a\t0000000000000000\n' > a.tsv
printf 'b\t00000000000000ff\n' > b.tsv
"$NEARDUP" index create documents > /dev/null
"$NEARDUP" index add documents in.jsonl -q
"$NEARDUP" hamming create fingerprints a.tsv -q
"$NEARDUP" stream in.jsonl --state minhash -q > /dev/null
"$NEARDUP" stream in.jsonl --state simhash --k 3 -q > /dev/null
mkdir empty volume begun_index begun_stream foreign alike own_index
mkdir volume/lost+found
touch begun_index/lock begun_index/segment-1.new begun_index/manifest-0.new
cp documents/log-* begun_index
touch begun_stream/lock begun_stream/members begun_stream/clusters-1.new begun_stream/log-1.new
echo precious > foreign/notes.txt
echo precious | tee alike/segment-7 alike/log-1 alike/clusters-3 > alike/manifest-0
cp -r documents own_index/index
kinds=(nothing empty volume begun_index begun_stream foreign alike own_index documents fingerprints minhash simhash)

# Prints the names in a directory, and the content of its files.
content() { [[ ! -d $1 ]] || (cd "$1" && find . -printf '%y %p\n' | LC_ALL=C sort && find . -type f -exec cksum {} + | LC_ALL=C sort -k 3); }

# given COMMAND...: D in the command stands for the directory.
given() {
    local kind status before
    echo "== $*"
    for kind in "${kinds[@]}"; do
        rm -rf D
        [[ $kind == nothing ]] || cp -r "$kind" D
        before=$(content D)
        status=0
        "$NEARDUP" "$@" > .out 2> .err || status=$?
        [[ $before == "$(content D)" ]] || echo "$kind: CHANGED"
        if [[ $status == 0 ]]; then echo "$kind: done"; else sed "s/^neardup: /$kind: /; s/pages of [0-9]*$/pages of N/" .err; fi
    done
}

given index create D
given index add D more.jsonl -q
given index query D in.jsonl -q
given index remove D a
given index compact D
given index check D
given index info D
given dedup in.jsonl --index D -q
given passages in.jsonl --in D --min 8 -q
given hamming create D b.tsv -q
given hamming add D b.tsv -q
given hamming query D a.tsv -q
given hamming join D -q
given hamming remove D a
given hamming compact D
given hamming check D
given hamming info D
given stream more.jsonl --state D -q
given stream more.jsonl --state D --k 3 -q
given clusters D
