# The output, the warnings and the losses have the same bytes at any number of threads and with any instruction set.
documents=3000
((${ND_TEST_TINY:-0})) && documents=1000 # small limits make as many blocks of them
awk -v documents=$documents 'BEGIN {
    x = 1
    for (i = 0; i < documents; i++) {
        x = (x * 16807) % 2147483647
        base = x % (documents / 4)
        printf "{\"id\":%d,\"text\":\"", i
        for (j = 0; j < 60; j++) printf "%s%d", j ? " " : "", (x % 60 == j && i % 3) ? i : (base * 7 + j * base) % 9973
        print (i % 5 ? "" : " \303\204rger \344\270\255\346\226\207") "\"}"
    }
}' > in.jsonl
for group in greedy component 'greedy --sketch simhash' 'component --sketch simhash --verify cosine --weights tf --ngram 2' 'greedy --sketch simhash --verify none --max-compare 3'; do
    run() {
        rm -rf out
        mkdir out
        # shellcheck disable=SC2086
        "$NEARDUP" dedup -q in.jsonl --group $group -o out/kept --removed out/removed --clusters out/clusters --edges out/edges --summary out/summary "$@" 2> out/warnings
        grep -o '"largest_groups".*' out/summary > out/losses
        cat out/kept out/removed out/clusters out/edges out/warnings out/losses | md5sum
    }
    one=$(run --threads 1)
    [[ $(wc -l < out/removed) -gt $((documents / 6)) && $(wc -l < out/kept) -gt $((documents / 6)) ]] || echo 'too few to mean anything'
    for threads in 2 7; do [[ $(run --threads $threads) == "$one" ]] && echo "$group, $threads threads: same"; done
    for cpu in avx512 avx512,avx2 avx512,avx2,neon; do
        [[ $(ND_DISABLE_CPU=$cpu run --threads 2) == "$one" ]] && echo "$group, without $cpu: same"
    done
    [[ $(run --threads 2 --memory 64M) == "$one" ]] && echo "$group, in little memory: same"
done
