# Candidates by fingerprints. a2 is a with one word changed, a3 has the words of a in another order,
# a4 has other case and punctuation; z is Chinese. The other documents make these words rare. They
# have few words, so that a build with tiny limits counts them right, too.
{
    record a "$(words 1 60)"
    record a2 "$(words 1 59) other"
    record a3 "$(words 31 60) $(words 1 30)"
    record a4 "$(words 1 60 W)."
    record z '美国内部有9架飞碟，曾看见灰色外星人'
    record z2 '美国内部有9架飞碟，曾看见灰色外星人。他说'
    record empty ''
    record dots '...'
    record empty2 ''
} > in.jsonl
for ((i = 0; i < 12; i++)); do for ((j = 0; j < i; j++)); do record "$i $j" "r$i r$j"; done; done > others.jsonl
cat others.jsonl >> in.jsonl
for verify in exact cosine none; do
    t dedup in.jsonl -q --sketch simhash --verify $verify --removed removed.tsv --clusters clusters.tsv --edges edges.tsv -o kept.jsonl
    shown removed.tsv edges.tsv
    grep -v 1$ clusters.tsv
    t pairs in.jsonl -q --sketch simhash --verify $verify
done
t dedup in.jsonl -q --sketch simhash --verify cosine --threshold .95 --group component --edges edges.tsv -o kept.jsonl
shown edges.tsv

# Other weights, and other fingerprints.
t pairs in.jsonl -q --sketch simhash --weights tf --ngram 1 --verify cosine --threshold .9
t pairs in.jsonl -q --sketch simhash --weights none --ngram 2 --k 16 --threshold .5
t pairs in.jsonl -q --sketch simhash --weights tf --analyzer chars --ngram 3 --bits 128 --k 20
t pairs in.jsonl -q --sketch simhash --bits 16 --k 0 --verify none
t pairs in.jsonl -q --sketch simhash --bits 32 --k 8 --threshold .9
"$NEARDUP" idf in.jsonl -q -o words.tsv
cmp <("$NEARDUP" pairs in.jsonl -q --sketch simhash --weights tfidf:words.tsv) <("$NEARDUP" pairs in.jsonl -q --sketch simhash) && echo 'the same by a table'
printf 'other 20\nNew York 3\nw1 0\n' > some.txt
t pairs in.jsonl --threads 1 --sketch simhash --weights tfidf:some.txt --verify cosine

# The summary.
t dedup in.jsonl --threads 1 --sketch simhash -o kept.jsonl
t dedup in.jsonl --threads 1 --sketch simhash -o kept.jsonl --summary -
t pairs in.jsonl --threads 1 --sketch simhash --verify none -k 6 -o pairs.tsv
t pairs in.jsonl --threads 1 --sketch simhash --verify none -k 6 -o pairs.tsv --summary -
: > empty.jsonl
t dedup empty.jsonl --threads 1 --sketch simhash

# Input that cannot be read twice gives the same result.
by() { "$NEARDUP" dedup -q "$@" --sketch simhash --removed removed.tsv > kept.jsonl && cat kept.jsonl removed.tsv | md5sum; }
one=$(by in.jsonl)
[[ $(by - < in.jsonl) == "$one" ]] && echo 'a pipe: same'
gzip -k in.jsonl
[[ $(by in.jsonl.gz) == "$one" ]] && echo 'gzip: same'
mkdir texts
printf '%s' "$(words 1 60)" > texts/a
printf '%s' "$(words 31 60) $(words 1 30)" > texts/b
t dedup texts -q --sketch simhash --weights tf --ngram 1

# Comparisons that --max-compare leaves out are counted: pages with 99 of 100 words in common.
for ((i = 0; i < 300; i++)); do record "$i" "$(words 1 99) page$i"; done > pages.jsonl
t pairs pages.jsonl --threads 1 --sketch simhash --weights tf --ngram 1 --threshold .97 --max-compare 50 -o pairs.tsv | sed -E 's/^(! bounded +)[0-9]+ .*/\1documents MASKED/'
left
