# An index or a stream that cannot be made leaves no lock, no file and no new directory.
record a 'one two three' > in.jsonl
printf 'a\t0000000000000000\na\t0000000000000001\n' > twice.tsv
t hamming create new twice.tsv -q
t stream in.jsonl --state new -q --threshold .01
mkdir there
t hamming create there twice.tsv -q
t stream in.jsonl --state there -q --threshold .01
mkdir there/index
t stream in.jsonl --state there -q --threshold .01
left

# Files of other programs stay while an index is made, grows and is compacted, even if their names
# look like names of index files.
t index create ix
for name in segment-1 segment-2 segment-3 log-2 log-3 removed-4 segment-5.old segment-06 log-x; do echo precious > ix/$name; done
mkdir ix/segment-9
ln -s ../in.jsonl ix/segment-10
for i in 1 2 3 4 5 6; do
    record "d$i" "$(words $((i * 100)) $((i * 100 + 40)))" > more.jsonl
    t index add ix more.jsonl -q
    t index compact ix
done
t index remove ix d1
t index compact ix
t index check ix
(cd ix && find . -type f -exec grep -l precious {} + | LC_ALL=C sort && ls -d segment-9 segment-10)
t stream in.jsonl --state st --k 3 -q
echo precious | tee st/clusters-2.old st/log-2 > st/members.bak
t stream in.jsonl --state st --k 3 -q
(cd st && find . -type f -exec grep -l precious {} + | LC_ALL=C sort)
