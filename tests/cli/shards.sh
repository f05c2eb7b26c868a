# Outputs of several files: a file for each file of the input, or files of a size.
mkdir -p in/sub
{ record a "$(words 1 24)"; record b 'something else'; } > in/0.jsonl
{ record c "$(words 1 24)"; record d 'a third text'; } | gzip > in/sub/1.jsonl.gz
record e "$(words 1 24)" > in/sub/2.jsonl
: > in/3.jsonl
contents() {
    local file
    for file in $(cd "$1" && find . -type f | LC_ALL=C sort); do
        echo "-- $1/${file#./}"
        case $file in
        *.gz) gzip -dc "$1/$file" ;;
        *.zst) zstd -dcq "$1/$file" ;;
        *) show "$1/$file" ;;
        esac
    done
}

# The same names, order and compression; files without kept records are empty.
t dedup -q in -o out/
contents out
mkdir empty
t dedup -q in/ -o empty --removed-records removed.jsonl
diff -r out empty && shown removed.jsonl
# Named files have their names without directories; two directories have theirs before the path.
t dedup -q in/0.jsonl in/sub/2.jsonl -o named/
contents named
mkdir -p other/in && cp in/0.jsonl other/in
t dedup -q in/sub other/in in/3.jsonl -o both/
contents both
(cd in/sub && t dedup -q ../0.jsonl ./2.jsonl -o ../../dots/)
contents dots
(cd in && t dedup -q . -o ../here/)
diff -r out here && echo same
t dedup -q 'in/*/*.jsonl*' -o glob/
contents glob
# What cannot be read has an empty file.
mkdir -p part-bad && cp in/0.jsonl part-bad && printf '\x1f\x8bno gzip' > part-bad/1.jsonl
t dedup -q part-bad missing.jsonl --on-error skip -o bad/
contents bad

# Rows have their header in each file.
mkdir rows
printf 'id,text\r\n1,one text\r\n2,"two\r\nlines"\r\n' > rows/0.csv
printf 'id,text\r\n3,one text\r\n' | gzip > rows/1.csv.gz
t dedup -q rows -o kept-rows/
contents kept-rows
cmp rows/0.csv kept-rows/0.csv

# Files of a size, of whole records; a longer record has its own.
t dedup -q in/0.jsonl in/sub -o parts/ --shard-size 60
contents parts
t dedup -q rows -o part-rows/ --shard-size 30
contents part-rows
zstd -q in/0.jsonl -o one.jsonl.zst
mkdir zst
t dedup -q one.jsonl.zst in/sub -o zst --shard-size 1G
contents zst
printf '{"text":"%s"}' "$(words 1 300)" > long
t dedup -q - --format json-lines -o stdin/ --shard-size 100 < long
contents stdin | cut -c 1-60
: > none.jsonl
t dedup -q none.jsonl -o nothing/ --shard-size 1k
contents nothing

# Names that collide, lead out, or are missing.
t dedup -q in/0.jsonl other/in/0.jsonl -o collide/
t dedup -q in/sub other/in in/sub -o collide/
t dedup -q - -o stdin2/ < in/0.jsonl
(cd in/sub && t dedup -q .. ../../other/in -o ../../up/)
# So do a file and a directory of one name, and an output beside the directory.
mkdir -p through/0.jsonl && cp in/0.jsonl through/0.jsonl/1.jsonl
t dedup -q in/0.jsonl through/0.jsonl in/sub -o collide/
t dedup -q in -o collide/ --removed collide
mkdir -p texts/name && echo text > texts/name/file && echo 'another text' > name
t dedup -q name texts/name -o collide/
t dedup -q texts -o collide --clusters ./collide
# A directory that is not empty is refused, also if an input is in it.
t dedup -q in/sub -o out/
t dedup -q in/0.jsonl -o in/
t dedup -q in/0.jsonl -o in
t dedup -q in -o file.jsonl/sub/
t dedup -q in/0.jsonl -o parts2 --shard-size 1k
t dedup -q in/0.jsonl --shard-size 1k
t dedup -q in/0.jsonl -o parts2/ --shard-size 0
t dedup -q in/0.jsonl -o /dev/null --shard-size 1k
ls -d collide parts2 up stdin2 2> /dev/null || echo 'nothing of it is made'

# A link to a directory stays, and the directory behind it is filled.
mkdir target
ln -s target link
t dedup -q in -o link/
readlink link
diff -r out target && echo same

# All outputs, or none: a failure of one leaves no directory.
t dedup -q in -o failed/ --removed none/removed.tsv
for ((i = 0; i < 2000; i++)); do record "$i" "document $i is unlike all others $((i * 7919 % 2003))"; done > many.jsonl
for size in "" "--shard-size 20k"; do
    status=0
    (
        trap '' XFSZ
        ulimit -f 16
        "$NEARDUP" dedup -q many.jsonl -o failed/ $size --work . 2> message
    ) || status=$?
    echo "= $status $(grep -c '^neardup: .*: File too large$' message)"
done
[[ ! -e failed ]] && left | grep -c neardup-output || true
# So does a signal; the next run removes the files of one that was killed.
mkfifo endless
"$NEARDUP" dedup -q endless -o killed/ --shard-size 1k 2> .err &
killed=$!
exec 8> endless
cat many.jsonl >&8
for ((i = 0; i < 500; i++)); do
    [[ -n $(find . -maxdepth 1 -name '.neardup-output-*') ]] && break
    sleep 0.02
done
{ kill -KILL $killed; wait $killed; } 2> /dev/null || true
exec 8>&-
find . -maxdepth 1 -name '.neardup-output-*' | wc -l
t dedup -q many.jsonl -o killed/ --shard-size 100k
find . -maxdepth 1 -name '.neardup-output-*' | wc -l
cat killed/*.jsonl | cmp - many.jsonl && ls killed
