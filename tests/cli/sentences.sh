# Candidates by longest sentences. b is a with moved paragraphs, c is a inside other text, d is a
# with one long sentence changed, e with all changed. f and g have only a notice in common. h and i
# have only short sentences.
council='The council decided on Tuesday evening to close the old bridge for good.'
cost='Repairing its arches would have cost more than eleven million.'
protest='Several shopkeepers from the left bank protested loudly in front of the hall.'
notice='All of the rights that there may be are reserved by the publisher of this page.'
{
    record a "$council\\n\\n$cost $protest"
    record b "$protest\\n\\n$council\\n\\n$cost"
    record c "Home. News. Sport.\\n\\n${council^^} $cost\\n$protest Log in!"
    record d "$council $cost Some shopkeepers protested in front of the hall."
    record e "$(sed 's/ evening//; s/its/the/; s/loudly/a lot/' <<< "$council $cost $protest")"
    record f "Apples are dear this year. $notice"
    record g "The train to Ulm was late again. $notice"
    record h 'See you soon. Best regards.'
    record i 'See you soon. Best regards!'
    record j 'See you soon. Thank you. Best regards.'
    record k '市议会星期二晚上决定关闭旧桥。没有人。'
    record l '大家都知道。市议会星期二晚上决定关闭旧桥！'
    record m ''
} > in.jsonl
t pairs in.jsonl -q --sketch sentences:3 --threshold .4
t pairs in.jsonl -q --sketch sentences:1 --threshold .4
t pairs in.jsonl -q --sketch sentences:3 --threshold .05
t pairs in.jsonl -q --sketch sentences:3 --verify none --threshold .4
t dedup in.jsonl -q --sketch sentences:3 --threshold .4 --removed removed.tsv --clusters clusters.tsv -o kept.jsonl
shown removed.tsv
grep -v 1$ clusters.tsv

# The summary.
t dedup in.jsonl --threads 1 --sketch sentences:3 --perms 64 -o kept.jsonl
t dedup in.jsonl --threads 1 --sketch sentences:3 -o kept.jsonl --summary -
: > empty.jsonl
t dedup empty.jsonl --threads 1 --sketch sentences:3

# The output is the same at any number of threads, and from a pipe.
one=$("$NEARDUP" pairs in.jsonl -q --sketch sentences:5 --threshold .1 --threads 1)
[[ $("$NEARDUP" pairs in.jsonl -q --sketch sentences:5 --threshold .1 --threads 4) == "$one" ]] && echo 'threads: same'
[[ $("$NEARDUP" pairs - -q --sketch sentences:5 --threshold .1 < in.jsonl) == "$one" ]] && echo 'a pipe: same'
