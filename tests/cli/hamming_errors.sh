# Rejected commands and inputs, and the messages.
printf 'a\t0000000000000000\nb\t0000000000000001\n' > good.tsv
printf 'a\t0000000000000000\nb\t00000000\n' > narrow.tsv
printf 'a\t0000000000000000\nb\t000000000000000x\n' > letter.tsv
printf 'a\t0000000000000000\nb 0000000000000001\n' > tabless.tsv
printf 'a\\x\t0000000000000000\n' > escape.tsv
printf 'a\t0000000000000000\nb\t0000000000000001\na\t0000000000000002\n' > twice.tsv
printf '0123456789' > short.u64
t hamming
t hamming craete x good.tsv
t hamming build x good.tsv
t hamming create
t hamming create x good.tsv other.tsv
t hamming create x good.tsv --bits 48
t hamming create x good.tsv --bits 32 --k 9
for file in narrow letter tabless escape twice missing; do t hamming create x $file.tsv -q; done
t hamming create x good.tsv --bits 32 -q
t hamming create x short.u64 --format u64 -q
t hamming create x short.u64 --format u64 --bits 128 -q
t hamming create x short.u64 --format u128 -q
t hamming query x good.tsv
t hamming create x good.tsv -q
t hamming create x good.tsv -q
t hamming add x twice.tsv -q
t hamming add x short.u64 --format u64 -q
head -c 8 short.u64 > one.u64
t hamming add x one.u64 --format u64 -q
t hamming query x good.tsv -k 4 -q
printf 'b\t00000000\n' > short.tsv
t hamming query x short.tsv -q
t hamming query x good.tsv --binary -q
t hamming query x good.tsv --any --count
t hamming query x good.tsv --limit 2 --count
t hamming query x good.tsv --limit 0
t hamming create n one.u64 --format u64 --bits 32 -q
t hamming create n one.u64 --format u64 -q
t hamming add n good.tsv -q
t hamming add n one.u64 --format u64 --replace -q
t hamming remove x
t hamming remove x nobody

# Commands for one kind of index reject the other kind and name the right command.
record 1 "a b c d e f" > one.jsonl
t index create documents
t hamming info documents
t hamming query documents good.tsv -q
t hamming add documents good.tsv -q
t hamming remove documents 1
t index info x
t index query x one.jsonl -q
t index add x one.jsonl -q
t index remove x a
t dedup one.jsonl --index x -q
t hamming plan
t hamming plan --n 0.5
t hamming plan --n 1e6 --bits 16 --k 5

# Measured costs, and files that are not files of costs.
"$NEARDUP" hamming calibrate --largest 1M > costs.tsv
cut -f 1 costs.tsv
t hamming plan --n 1e6 --costs good.tsv
t hamming plan --n 1e6 --costs nowhere.tsv
"$NEARDUP" hamming plan --n 1e6 --costs costs.tsv | grep -c window
t hamming calibrate --work nowhere
