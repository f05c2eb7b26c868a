# TLSH digests of texts: of all variants, of texts without a digest, at any number of threads.
{
    record latin 'Sed ut perspiciatis unde omnis iste natuserror sit voluptatem accusantium'
    record other 'odit aut fugit, sed quia consequuntur magni dolores'
    record 'a\tb' 'The quick brown fox jumps over the lazy dog, and the dog sleeps.'
    record short 'too short'
    record same "$(printf 'a%.0s' {1..100})"
} > in.jsonl
t tlsh in.jsonl --quiet
for buckets in 128 256; do for bytes in 1 3; do t tlsh in.jsonl -q --buckets $buckets --checksum $bytes -o $buckets.$bytes; done; done
shown 128.3 256.1 256.3
cmp 128.1 <("$NEARDUP" tlsh - -q < in.jsonl) && echo 'the same of standard input'
"$NEARDUP" tlsh in.jsonl 2>&1 > /dev/null | grep TNULL
awk 'BEGIN {
    for (i = 1; i <= 3000; i++) {
        printf "{\"id\":\"%d\",\"text\":\"w%d", i, i
        for (n = i + 1; n <= i + 40; n++) printf " w%d", n
        print "\"}"
    }
}' > many.jsonl
for threads in 1 2 7; do "$NEARDUP" tlsh many.jsonl -q --threads $threads -o $threads.tsv; done
cmp 1.tsv 2.tsv && cmp 1.tsv 7.tsv && sort -u 1.tsv | wc -l
t tlsh in.jsonl --buckets 48
t tlsh missing.jsonl
