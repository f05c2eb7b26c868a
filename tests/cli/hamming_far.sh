# Queries beyond the k of an index compare all fingerprints, and a line on stderr reports this.
printf 'a\t0000000000000000\nb\t000000000000003f\nc\t00000000000000ff\nd\tffffffffffffffff\n' > prints.tsv
printf 'q\t0000000000000000\nr\t00000000000000ff\n' > queries.tsv
"$NEARDUP" hamming create ix prints.tsv -q --k 2
t hamming query ix queries.tsv -q
t hamming query ix queries.tsv -q -k 8
t hamming query ix queries.tsv -q -k 6 --nearest --limit 2
t hamming query ix queries.tsv -q -k 16 --count
t hamming query ix queries.tsv -q -k 8 --any
t hamming query ix queries.tsv -q -k 17
