# Outputs of Parquet: directories of files, and marks. (tests/support/with_duckdb)
if [[ -z ${NEARDUP_DUCKDB-} ]]; then
    echo "needs DuckDB: tests/support/with_duckdb"
    exit 77
fi

# contents DIRECTORY: the columns, rows and compressions of the files of Parquet in it.
contents() {
    python3 - "$1" << 'END'
import pathlib
import sys
import pyarrow.parquet as pq
for path in sorted(path for path in pathlib.Path(sys.argv[1]).rglob('*') if path.is_file()):
    table, metadata = pq.read_table(path, partitioning=None), pq.ParquetFile(path).metadata
    groups = metadata.num_row_groups and metadata.row_group(0)
    print('--', path, metadata.row_group(0).column(0).compression if groups else 'no rows')
    print(', '.join(f'{field.name} {field.type}' for field in table.schema))
    for row in table.to_pylist(): print(*row.values(), sep=' | ')
END
}

mkdir -p 'in/a=1' other/in && touch in/_SUCCESS
write_parquet in/0.parquet 't = pa.table({"id": ["p", "q"], "text": ["a b c", "d e f"]})'
write_parquet in/1.parquet '
t = pa.table({"text": ["a b c", "A B C!"], "more": [{"x": [1]}, None]})
options = {"compression": "gzip"}'
write_parquet in/2.parquet 't = pa.table({"id": pa.array([], pa.int64()), "text": pa.array([], pa.string())})'
write_parquet 'in/a=1/3.parquet' '
t = pa.table({"id": range(5), "text": ["a b c", "g h i", "", "d e f", "j k l"], "a": [0] * 5})
options = {"compression": "zstd", "row_group_size": 2}'
cp in/0.parquet in/named-otherwise
cp in/0.parquet other/in

echo "== a file for each file, with its own columns and compression"
t dedup in -q -o out/
contents out
mkdir empty
t dedup in -q --threads 1 -o empty --output-format parquet --removed removed.tsv
contents empty
t dedup in/0.parquet in/2.parquet -q -o named/
contents named
mkdir -p same && cp in/0.parquet same
t dedup same other/in -q -o both/
contents both
t dedup same -q -o removed/ --removed-records removed.parquet
t dedup other -q -o other-out/ --summary summary.json
grep -o '"output_bytes":[1-9]' summary.json | cut -d : -f 1

echo "== marks: all rows, with what became of them"
t dedup in -q --mark -o marked/
contents marked
mkdir text && cp in/0.parquet 'in/a=1/3.parquet' text
t dedup text/0.parquet -q --mark -o marked.parquet --removed-records removed.parquet
mkdir one && cp marked.parquet removed.parquet one && contents one
# Earlier marks are replaced, wherever they are and however they are written.
t dedup marked/a=1/3.parquet -q --mark -o again.parquet
t dedup again.parquet -q --mark -o twice.parquet
cmp again.parquet twice.parquet
write_parquet old.parquet '
t = pa.table({"NearDup_Of": [b"x", b"y", b"z"], "id": ["a", None, "c"], "neardup_similarity": [1, 2, 3],
    "nd_mark": [0, 0, 0], "text": ["one", "one", "ONE!"], "neardup_kept": ["no"] * 3})'
t dedup old.parquet -q --mark --keep max:nd_mark -o marked-old/
contents marked-old
t dedup in/2.parquet -q --mark -o marked-empty/
contents marked-empty
# The one that stays may come later, and have no id, or be in an index. Ids may be no UTF-8.
write_parquet ids.parquet '
t = pa.table({"id": [b"a", b"\xff\xfe", b"c", None, b"e"],
              "text": ["one two", "one two three", "four", "four five", "four five"]})'
t dedup ids.parquet -q --mark --threshold .5 --ngram 1 --keep longest -o marked-ids/
contents marked-ids
t index create ix
t index add ix text/0.parquet -q
t dedup "text/3.parquet" -q --index ix --mark -o marked-index/
contents marked-index
# Rows that are left out have no mark. Many rows, in many groups, are marked in their order.
write_parquet bad.parquet 't = pa.table({"id": [1, 2, 3], "text": ["a", None, "a"]})'
t dedup bad.parquet -q --mark --on-error skip -o marked-bad/
contents marked-bad
write_parquet many.parquet '
n = 30000
t = pa.table({"id": [f"d{i}" for i in range(n)], "n": range(n),
              "text": [" ".join(f"w{i % 10000}x{j}" for j in range(5)) if i % 3 < 2 else None for i in range(n)]})
options = {"row_group_size": 7000}'
mkdir several && cp many.parquet several/1.parquet && cp many.parquet several/2.parquet
for input in many.parquet several; do
    "$NEARDUP" dedup $input -q --mark --on-error skip -o all.parquet --memory 64M 2> /dev/null
    python3 - << 'END'
import pyarrow.parquet as pq
rows = pq.read_table('all.parquet').to_pylist()
expected = [i for i in range(30000) if i % 3 < 2] * (len(rows) // 20000)
seen = {}
for row, n in zip(rows, expected):
    assert row['n'] == n and row['id'] == f'd{n}'
    first = seen.setdefault(n % 10000, row['id'])
    kept = first == row['id'] and row['neardup_kept']
    assert kept or (row['neardup_of'], row['neardup_similarity'], row['neardup_kept']) == (first, 1, False), row
    assert not kept or (row['neardup_of'], row['neardup_similarity']) == (None, None)
print(len(rows), 'rows,', sum(row['neardup_kept'] for row in rows), 'kept')
END
done

echo "== names that DuckDB does not tell apart, or needs itself"
mkdir names
write_parquet names/file_row_number.parquet '
n = 5000
t = pa.table({"text": [f"text {i // 2} {i // 2}" for i in range(n)], "file_row_number": [7] * n, "n": range(n)})'
t dedup names/file_row_number.parquet -q --mark -o numbers.parquet --removed-records removed.parquet
python3 - << 'END'
import pyarrow.parquet as pq
table = pq.read_table('numbers.parquet')
print(table.column_names, table['n'].to_pylist() == list(range(5000)))
print(table['neardup_kept'].to_pylist() == [True, False] * 2500, set(table['file_row_number'].to_pylist()))
print(pq.read_table('removed.parquet')['n'].to_pylist() == list(range(1, 5000, 2)))
END
mkdir two && cp names/file_row_number.parquet two/1.parquet && cp names/file_row_number.parquet two/2.parquet
t dedup two -q -o numbers.parquet 2> /dev/null
python3 -c 'import pyarrow.parquet as pq; print(pq.read_table("numbers.parquet")["n"].to_pylist() == list(range(0, 5000, 2)))'
write_parquet names/cases.parquet 't = pa.table([pa.array(["a b", "c d"])] * 3, names=["text", "Text", "TEXT"])'
write_parquet names/twice.parquet 't = pa.table([pa.array(["a b", "c d"])] * 2, names=["text", "text"])'
write_parquet names/inside.parquet '
t = pa.table({"text": ["a"], "s": [{"x": [{"aa": 1, "b": {}, "Aa": 2}]}], "more": [{"AA": 3}]},
             schema=pa.schema([("text", pa.string()),
                               ("s", pa.struct([("x", pa.list_(pa.struct([("aa", pa.int8()), ("b", pa.struct([("y", pa.int8())])), ("Aa", pa.int8())])))])),
                               ("more", pa.struct([("AA", pa.int8())]))]))'
for name in cases twice inside; do
    t dedup names/$name.parquet -q -o names.parquet
    t dedup names/$name.parquet in/0.parquet -q -o names-out/ --mark
done
t text names/cases.parquet -q --text-field Text_1
t dedup names/cases.parquet -q --removed-records names.parquet --removed removed.tsv

echo "== names, sizes, and what is not there"
t dedup in -q -o sizes/ --shard-size 10
t dedup in/0.parquet other/in/0.parquet -q -o collide/
t dedup in -q -o out/
mkdir gz && cp in/0.parquet gz/0.parquet.gz
t dedup gz -q -o gz-out/
mkdir cut && head -c 100 in/0.parquet > cut/0.parquet && cp in/0.parquet cut/1.parquet
t dedup cut -q -o cut-out/
t dedup cut nosuch.parquet -q -o cut-out/ --on-error skip
contents cut-out

echo "== all files, or none"
t dedup in -q -o failed/ --removed none/removed.tsv
write_parquet many.parquet '
n = 20000
t = pa.table({"id": range(n), "text": [f"document {i} is unlike all others {i * 7919 % 20011}" for i in range(n)]})'
status=0
(
    trap '' XFSZ
    ulimit -f 100
    "$NEARDUP" dedup -q in/0.parquet many.parquet -o failed/ 2> /dev/null
) || status=$?
echo "= $status"
left | grep -e failed -e neardup || echo "nothing of it is left"
