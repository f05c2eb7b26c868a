# Wrong command lines: exit status 2, the message names the option and its range, and nothing is
# read or written.
t
t dedpu
t --nope
t dedup
t pairs -q
t dedup --treshold .5 x
t dedup --quite x
t dedup --zzzzzz=1 x
t dedup -x y
# A hint names the command or the option that is probably meant.
t query
t check
t pears
t hamming
t hamming build prints x.tsv
touch file.jsonl
t file.jsonl
rm file.jsonl
for option in --json --page --members --colour --sumary --idf; do t dedup $option x; done
t keywords --idf x y
t stream --output x
t hamming calibrate --work-dir x
t hamming create --memry 1G x
for threshold in 0 1.5 -1 nan inf 0x1p-1 .8.1 half ''; do t dedup --threshold "$threshold" x; done
t dedup --threshold=1.5 x
t pairs --ngram 0 x
t dedup --ngram 65 x
t dedup --ngram 5.5 x
t dedup --recall 1 x
t dedup --recall 0 x
t dedup --perms 0 x
t dedup --perms 1025 x
t dedup --seed 18446744073709551616 x
t dedup --memory 1M x
t dedup --memory 2GB x
t dedup --memory 1.G x
t dedup --memory 99999999999T x
t dedup --max-record 0 x
t dedup --max-record 1G x
t dedup --max-compare 0 x
t dedup --threads -2 x
t dedup --analyzer word x
t dedup --keep max x
t dedup --keep max: x
t dedup --keep first:x x
t dedup --group x --verify y x
t dedup --verify maybe x
t dedup --invalid ignore x
t dedup --on-error ignore x
t dedup --json=1 x
t dedup -o
t dedup --removed --json x
t dedup --removed - x
t dedup --text-field= x
t plan x
t plan --threshold .01 --recall .999999 --perms 8
t dedup --threshold .01 --recall .999999 --perms 8 x
t help x
t help dedup pairs
t --completion
t --completion tcsh
left
