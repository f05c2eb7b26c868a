# Fields by name and by JSON Pointer. A name is literal: only a leading slash makes it a pointer.
{
    echo '{"doc":{"body":["no","hello there all you people"],"a/b":"A","m~n":7},"text":1,"x.y":"first"}'
    echo '{"doc":{"body":["no","Hello THERE, all you people!"],"a/b":"B","m~n":8},"text":2,"x.y":"second"}'
} > in.jsonl
t dedup -q in.jsonl --text-field /doc/body/1 --id-field '/doc/a~1b' -o out.jsonl --removed removed.tsv
shown out.jsonl removed.tsv
t dedup -q in.jsonl --text-field=x.y --id-field=/doc/m~0n -o out.jsonl --clusters clusters.tsv
shown clusters.tsv
t dedup -q in.jsonl --text-field /doc/body/2
t dedup -q in.jsonl --text-field /doc/none
t dedup -q in.jsonl --text-field doc
