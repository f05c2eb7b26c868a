# Numeric ids are below 2^32 - 1: the highest one is accepted, found and kept, in the write-ahead
# log and in a segment.
printf 01234567 > one.u64
printf '4294967294\t00000000000000ff\n' > highest.tsv
printf '4294967295\t00000000000000ff\n' > above.tsv
t hamming create ix one.u64 --format u64 -q
t hamming add ix above.tsv -q
t hamming add ix highest.tsv -q
t hamming query ix highest.tsv -q
t hamming compact ix
t hamming query ix highest.tsv -q
t hamming add ix one.u64 --format u64 -q
t hamming add ix highest.tsv -q
t hamming check ix
