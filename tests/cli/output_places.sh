# Paths of outputs: a link's target is replaced, devices and descriptors are written in place, no
# file is written twice, and access rights are kept.
record a "$(words 1 24)" > in.jsonl
record b "$(words 1 24)" >> in.jsonl

umask 022

# A symbolic link stays, and its target is replaced; also a link to a link, a link into another
# directory, and a link to a missing file.
mkdir other
echo old > other/target
ln -s other/target link
ln -s link second
ln -s other/new dangling
t dedup -q in.jsonl -o second --removed dangling
readlink link second dangling
shown other/target other/new
left
ln -s loop loop
t dedup -q in.jsonl -o loop

# Devices and open descriptors are written in place.
t dedup -q in.jsonl -o /dev/null --removed /dev/stdout
[[ -c /dev/null ]] && echo '/dev/null is a device'
t dedup -q in.jsonl -o /dev/null --removed /dev/null
echo '-- a descriptor that goes to a file, behind what is in it'
{ echo first >&7; "$NEARDUP" dedup -q in.jsonl -o /dev/fd/7; echo last >&7; } 7> in-place
shown in-place
echo '-- standard error that goes to a file'
ln -s /dev/stderr messages
{ echo first >&2; "$NEARDUP" dedup -q in.jsonl -o /dev/null --removed messages; } 2> log
shown log
t dedup -q in.jsonl -o /dev/fd/99
t dedup -q in.jsonl -o /dev/fd/0
mkfifo pipe
cat pipe > from-pipe &
t dedup -q in.jsonl -o pipe
wait $!
shown from-pipe
[[ -p pipe ]] && echo 'the pipe is a pipe'

# Anything else is refused, and stays.
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
t dedup -q in.jsonl -o socket
[[ -S socket ]] && echo 'the socket is a socket'
# The same holds for the removed records.
t dedup -q in.jsonl -o /dev/null --removed-records second
shown other/target
readlink second
t dedup -q in.jsonl -o /dev/null --removed-records /dev/stdout

# Two names of one file.
t dedup -q in.jsonl -o ./both --removed both
t dedup -q in.jsonl -o both --clusters other/../both
touch hard && ln hard same
t dedup -q in.jsonl -o hard --removed same
ln -s both alias
t dedup -q in.jsonl --clusters alias --edges both -o /dev/null
ln in.jsonl twin.jsonl
t dedup -q in.jsonl -o twin.jsonl
t idf -q in.jsonl -o both --stop-words ./both
echo '-- standard output that goes to an input'
cp in.jsonl grows.jsonl
"$NEARDUP" dedup -q grows.jsonl >> grows.jsonl || echo "= $?"
cmp in.jsonl grows.jsonl && echo 'the input is unchanged'
rm -rf both alias hard same twin.jsonl grows.jsonl

# Access rights: the old file's, except setuid and setgid. A file without write permission is not
# replaced.
touch private
chmod 6600 private
t dedup -q in.jsonl -o private
stat -c %a private
(umask 027 && "$NEARDUP" dedup -q in.jsonl -o fresh && stat -c %a fresh)
chmod 666 in.jsonl && "$NEARDUP" dedup -q in.jsonl -o open && stat -c %a open

# Paths with line breaks.
mkdir tree
printf 'one text of five words' > $'tree/two\nlines'
printf 'another text with more words' > tree/plain
"$NEARDUP" dedup -q -0 tree | tr '\0\n' '\n|'
t dedup -q tree -o kept --null
t dedup -q tree -0 --output-format json-lines
t dedup -q tree -o kept
find kept | LC_ALL=C sort | tr '\n' '|'
echo

# Nothing of an index is replaced, nor a list of inputs, nor what standard input reads.
record a 'one two three' > in.jsonl
t dedup -q in.jsonl --index seen -o day.jsonl
t dedup -q in.jsonl -o seen/log-1
t dedup -q in.jsonl -o - --removed seen/manifest-1
t index check seen -q
echo in.jsonl > list
t dedup -q --files-from list -o list
t dedup -q - -o in.jsonl < in.jsonl
t dedup -q in.jsonl -o ./
mkdir hidden
echo text > hidden/a.txt
t dedup -q hidden --hidden -o hidden/kept.jsonl
cat hidden/kept.jsonl
printf '中国 3\n' > words.txt
t dedup -q in.jsonl --analyzer segment --dict words.txt -o words.txt
t idf -q in.jsonl -o weights.tsv
t dedup -q in.jsonl --sketch simhash --weights tfidf:weights.tsv -o kept.jsonl --removed weights.tsv

# Nothing of a directory that is read is replaced, nor a kept file by what the command writes.
mkdir texts
echo 'one text of five words' > texts/a.txt
echo 'one text of five words' > texts/b.txt
for flag in --removed --clusters --edges --review --summary --report; do
    t dedup -q texts -o never $flag texts/a.txt
done
t pairs -q texts -o texts/a.txt
t pairs -q texts --json -o texts/a.txt
t audit -q texts --missed texts/a.txt
t audit -q texts -o texts/a.txt
t text -q texts -o texts/a.txt
t simhash -q texts -o texts/a.txt
t keywords -q texts -o texts/a.txt
t passages -q texts --in texts -o texts/a.txt
t stream -q texts --state state --summary texts/a.txt
cmp texts/a.txt texts/b.txt
mkdir shards
t dedup -q in.jsonl -o shards --report shards/in.jsonl
t dedup -q in.jsonl -o shards/ --summary shards/in.jsonl
t dedup -q in.jsonl -o kept2.jsonl --report-language zh
