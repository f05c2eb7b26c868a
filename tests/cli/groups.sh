# neardup groups: the largest groups of a run, with the differences of their members.
{
    record a "$(words 1 60)"
    record b "$(words 1 29) november $(words 31 60)"
    record alone "something else entirely, with no copy"
    record c "$(words 1 60)"
    record p "$(words 1 40 p)"
    record d "$(words 1 9) 奇 $(words 11 60)"
    record q "$(words 1 40 p) more"
    record x "$(words 1 30 x)"
    record y "$(words 1 30 x)"
    record e "$(words 1 50) tail"
} > in.jsonl
t dedup -q in.jsonl -o kept.jsonl --threshold .7 --clusters clusters.tsv --removed removed.tsv --edges edges.tsv
t groups in.jsonl clusters.tsv
# The other table has the similarities, too.
t groups in.jsonl removed.tsv --groups 1 --members 100
t groups in.jsonl clusters.tsv --groups 1 --members 1 --differences 0
t groups in.jsonl clusters.tsv --groups 2 --members 0
t groups in.jsonl clusters.tsv --least 3
t groups in.jsonl clusters.tsv --least 6
t groups in.jsonl removed.tsv --json --groups 2 --members 1
t groups in.jsonl clusters.tsv -o groups.txt
shown groups.txt
# Standard input: a pipe is copied, a file is read twice.
"$NEARDUP" groups in.jsonl clusters.tsv > usual.txt
"$NEARDUP" groups in.jsonl - < clusters.tsv | cmp - usual.txt
cat clusters.tsv | "$NEARDUP" groups in.jsonl - | cmp - usual.txt
sed 's/in.jsonl/-/g' clusters.tsv > piped.tsv
t groups - piped.tsv --groups 1 --members 0 < in.jsonl
# The same at any number of threads.
for n in 1 2 5; do "$NEARDUP" groups in.jsonl clusters.tsv --threads "$n" | cmp - usual.txt; done

# A sample of the members of a large group, the same in both tables; a tie of sizes is broken by the
# order of the input.
awk 'BEGIN { for (g = 1; g <= 3; g++) for (i = 0; i < (g == 2 ? 700 : 300); i++) {
    printf "{\"id\":\"%d.%d\",\"text\":\"", g, i
    for (w = 0; w < 40; w++) printf "g%dw%d ", g, w
    printf "end%d\"}\n", i } }' > large.jsonl
t dedup -q large.jsonl -o kept.jsonl --clusters clusters.tsv --removed removed.tsv
t groups large.jsonl clusters.tsv --members 4
cp .out usual.txt
"$NEARDUP" groups large.jsonl removed.tsv --members 4 | sed 's/  jaccard .*//' | cmp - usual.txt
"$NEARDUP" groups large.jsonl clusters.tsv --members 4 --groups 2 | cmp - <(head -n 43 usual.txt)

# Every group that a plain count finds, whatever the order of the rows: 5,000 of 1 to 7 rows.
awk 'BEGIN { print "id\tcluster\tkept\tsource\tline\tcluster_source\tcluster_line"
    for (i = 0; i < 20000; i++) { g = (i * 7919) % 5000; if (i < 15000 || g % 3 == 0)
        printf "i%d\tg%d\t0\tno.jsonl\t%d\tno.jsonl\t%d\n", i, g, i + 1, 1000000 + g } }' > many.tsv
printf 'nothing\n' > no.txt
count() { awk -F'\t' 'NR > 1 { rows[$2]++ } END { for (g in rows) print rows[g] + 1, g }' many.tsv | sort -k 1,1nr | head -n "$1" | cut -d ' ' -f 1 | sort | uniq -c | sed 's/^ *//'; }
for n in 1 700 1000; do
    "$NEARDUP" groups no.txt many.tsv --groups "$n" --members 0 2> .err > groups.txt
    cmp <(sed -nE 's/^[0-9]+ of [0-9,]+  ([0-9]+) documents,.*/\1/p' groups.txt | sort | uniq -c | sed 's/^ *//') <(count "$n")
done
head -n 1 groups.txt

# Hostile texts and ids: what a terminal would obey, tabs, texts that run right to left, long words.
{
    printf '{"id":"tab\\there","text":"\\u001b[31mred\\u001b]0;title\\u0007 \\u202eevil %s"}\n' "$(words 1 40)"
    printf '{"id":"line\\nbreak\\\\","text":"\\u001b[31mred\\u001b]0;title\\u0007 \\u202eevil %s \\u001b[2J"}\n' "$(words 1 40)"
    printf '{"id":"han","text":"%s"}\n' "$(printf '天地玄黃宇宙洪荒%.0s' {1..30})"
    printf '{"id":"han2","text":"%s終"}\n' "$(printf '天地玄黃宇宙洪荒%.0s' {1..30})"
    printf '{"text":"%s"}\n' "$(printf 'a%.0s' {1..400})"
    printf '{"text":"  %s  "}\n' "$(printf 'a%.0s' {1..400})"
    printf '{"id":"","text":""}\n{"id":"","text":" "}\n{"id":null,"text":""}\n'
} > hostile.jsonl
t dedup -q hostile.jsonl -o kept.jsonl --threshold .5 --clusters clusters.tsv
t groups hostile.jsonl clusters.tsv
t groups hostile.jsonl clusters.tsv --json --groups 1

# Documents of several inputs with the same ids; of a directory; of an index, whose texts are gone.
cp in.jsonl other.jsonl
t dedup -q in.jsonl other.jsonl -o kept.jsonl --clusters clusters.tsv
t groups in.jsonl other.jsonl clusters.tsv --groups 1
mkdir tree
words 1 60 > tree/a.txt
words 2 60 > tree/b.txt
t dedup -q tree -o kept --clusters tree.tsv
t groups tree tree.tsv
t dedup -q tree --index index -o kept2
words 1 59 > tree/c.txt
rm tree/a.txt tree/b.txt
t dedup -q tree --index index -o kept3 --clusters index.tsv
t groups tree index.tsv
t groups tree index.tsv --json
# Distances.
t dedup -q in.jsonl -o kept.jsonl --removed distance.tsv --sketch simhash --verify none --weights none -k 12
t groups in.jsonl distance.tsv --groups 1 --members 1

# Texts that are not there, and tables that are none.
grep -v '"d"\|"p"' in.jsonl > other.jsonl
t dedup -q in.jsonl -o kept.jsonl --clusters clusters.tsv
sed 's/in.jsonl/other.jsonl/g' clusters.tsv > moved.tsv
t groups other.jsonl moved.tsv --differences 0
t groups in.jsonl edges.tsv
t groups in.jsonl in.jsonl
printf '' > empty.tsv
t groups in.jsonl empty.tsv
head -n 1 clusters.tsv > none.tsv
t groups in.jsonl none.tsv
t groups in.jsonl none.tsv --json
cat none.tsv | t groups in.jsonl -
sed '3s/\t0\t/\t2\t/' clusters.tsv > bad.tsv
t groups in.jsonl bad.tsv
sed '3s/\t[^\t]*$//' clusters.tsv > bad.tsv
t groups in.jsonl bad.tsv
sed '3s/[0-9]*$/x/' clusters.tsv > bad.tsv
t groups in.jsonl bad.tsv
awk -F'\t' -v OFS='\t' 'NR > 1 { $3 = 7 } { print }' removed.tsv > bad.tsv
t groups large.jsonl bad.tsv
t groups in.jsonl missing.tsv
t groups in.jsonl tree
t groups missing.jsonl clusters.tsv
t groups - - < in.jsonl
t groups in.jsonl
t groups in.jsonl clusters.tsv -o in.jsonl
t groups in.jsonl clusters.tsv -o clusters.tsv
t groups in.jsonl clusters.tsv -o no/such/place
t groups in.jsonl clusters.tsv --groups 0
t groups in.jsonl clusters.tsv --least 1
left
