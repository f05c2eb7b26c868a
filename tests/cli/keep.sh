# The choice of the kept document. All five are near each other (J = 19/21 or more): one is kept,
# and the records are written in input order.
common=$(words 1 40)
{
    printf '{"id":"a","date":"2024-05-01","n":-3,"text":"%s"}\n' "$common"
    printf '{"id":"b","date":"2024-05-02T10:00:00Z","n":2.5e1,"text":"%s x"}\n' "$common"
    printf '{"id":"c","date":"2023-12-31","n":10,"text":"%s xyz"}\n' "$common"
    printf '{"id":"d","text":"%s"}\n' "$common"
    printf '{"id":"e","date":"2024-05-02T10:00:00Z","n":25,"text":"%s y"}\n' "$common"
    record z 'something else'
} > in.jsonl
for keep in first longest max:date min:date max:n min:n max:/n; do
    t dedup -q in.jsonl --keep $keep -o out.jsonl --removed removed.tsv
    shown out.jsonl removed.tsv
done
echo '{"id":"f","date":"yesterday","n":true,"text":"f"}' >> in.jsonl
t dedup -q in.jsonl --keep max:date
t dedup -q in.jsonl --keep max:n
# Records without the field are counted in the summary; without any record that has it, nothing is
# written.
echo '{"id":"g","text":"g"}' > more.jsonl
head -n 6 in.jsonl | cat - more.jsonl > some.jsonl
t dedup some.jsonl --keep max:date -o some.out 2>&1 | grep -e value -e 'no number'
t dedup -q some.jsonl --keep min:n --summary - -o some.out | grep -o '"without_value":[0-9]*'
t dedup -q more.jsonl --keep max:date -o none.out --removed-records none.rest
printf 'id,n,text\n1,2,a\n2,,a\n3,1,b\n' > table.csv
t dedup -q table.csv --keep min:n
t dedup -q table.csv --keep min:other -o none.out
ls none* 2> /dev/null || echo 'nothing is written'
