# Parquet: texts out of columns, and kept rows as they were. (tests/support/with_duckdb)
if [[ -z ${NEARDUP_DUCKDB-} ]]; then
    echo "needs DuckDB: tests/support/with_duckdb"
    exit 77
fi

# kept FILE OUT: says whether OUT has the columns of FILE and the rows of FILE that have these ids.
kept() {
    python3 - "$@" << 'END'
import sys
import pyarrow.parquet as pq
old, new = (pq.read_table(name) for name in sys.argv[1:])
ids = new['id'].to_pylist()
types = lambda table: [(field.name, str(field.type)) for field in table.schema]
same = [row for row in old.to_pylist() if row['id'] in ids] == new.to_pylist()
print('columns', 'same' if types(old) == types(new) else f'{types(old)} {types(new)}')
print('rows', ' '.join(map(str, ids)), 'same' if same else new.to_pylist())
print(pq.ParquetFile(sys.argv[2]).metadata.row_group(0).column(0).compression
      if len(ids) else 'empty')
END
}

echo "== columns, and values inside of them"
write_parquet types.parquet '
t = pa.table({
    "id": ["a", "b", None, "d", "e"],
    "text": ["one two three", None, "four\nfive", "", "one two three"],
    "title": ["A", None, None, "D", "E"],
    "number": pa.array([1, 2, 3, None, 5], pa.int64()),
    "unsigned": pa.array([1, 2, 3, None, 2**64 - 1], pa.uint64()),
    "small": pa.array([1, 2, 3, None, 5], pa.int8()),
    "ratio": pa.array([0.5, None, 1e300, -0.0, 2], pa.float32()),
    "price": pa.array([Decimal("1.10"), None, Decimal("-3.25"), Decimal("0.00"), Decimal("9.99")]),
    "day": [date(2024, 1, i) for i in range(1, 6)],
    "time": pa.array([datetime(2024, 1, i) for i in range(1, 6)], pa.timestamp("us")),
    "zoned": pa.array([datetime(2024, 1, i, tzinfo=timezone.utc) for i in range(1, 6)]),
    "flag": [True, False, None, True, False],
    "blob": [b"\xff\x00", b"", None, b"abc", b"d" * 20],
    "tags": [["x", None], [], None, ["y"], ["z"]],
    "doc": [{"body": f"body {i}", "a/b": {"~": "deep"}} for i in range(5)],
    "turns": [[{"role": "user", "content": f"turn {i}"}] for i in range(5)],
    "quo\"te": ["q1", "q2", "q3", "q4", "q5"],
    "it'"'"'s; --": ["r1", "r2", "r3", "r4", "r5"]})
'
t text types.parquet -q
t text types.parquet -q --on-error skip
t text types.parquet -q --text-field title --text-field text --on-error skip
t text types.parquet -q --text-field /doc/body --id-field number
t text types.parquet -q --text-field '/doc/a~1b/~0' --id-field unsigned
t text types.parquet -q --text-field /turns/0/content --id-field small
t text types.parquet -q --text-field /tags/0 --on-error skip
t text types.parquet -q --text-field 'quo"te' --id-field "it's; --"
t text types.parquet -q --text-field /text --id-field nosuch --on-error skip
t text types.parquet -q --text-field blob --on-error skip
t text types.parquet -q --text-field blob --invalid replace --on-error skip

echo "== what is not there, or of another type"
t text types.parquet -q --text-field body
t text types.parquet -q --text-field /doc/bod
t text types.parquet -q --text-field /doc/body/x
t text types.parquet -q --text-field /tags/first
t text types.parquet -q --text-field Text
t text types.parquet -q --text-field number
t text types.parquet -q --text-field doc
t text types.parquet -q --text-field title --id-field ratio
t dedup types.parquet -q --text-field title --keep max:tags -o kept.parquet

echo "== kept rows have all columns and types"
t dedup types.parquet -q --on-error skip --threshold .5 -o kept.parquet
kept types.parquet kept.parquet
write_parquet groups.parquet '
n = 20000
t = pa.table({"id": [f"d{i}" for i in range(n)], "n": pa.array(range(n), pa.int32()),
              "text": [" ".join(f"w{i // 2}x{j}" for j in range(9)) for i in range(n)]})
options = {"row_group_size": 3000, "compression": "zstd"}
'
t dedup groups.parquet -q -o kept.parquet
python3 -c '
import pyarrow.parquet as pq
t = pq.read_table("kept.parquet")
print(t["n"].to_pylist() == list(range(0, 20000, 2)), t.schema.field("n").type)
print(pq.ParquetFile("kept.parquet").metadata.row_group(0).column(2).compression)'
t dedup groups.parquet -q --threads 1 -o kept1.parquet
cmp kept.parquet kept1.parquet && echo "the same bytes with one thread"
write_parquet empty.parquet 't = pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.string())})'
t text empty.parquet -q
t dedup empty.parquet -q -o kept.parquet
kept empty.parquet kept.parquet

echo "== strings are UTF-8, and so are bytes"
for encoding in utf-8 latin1 auto; do
    t text types.parquet -q --text-field /doc/body --id-field small --encoding $encoding --on-error skip
done

echo "== which one stays, by each type"
write_parquet dates.parquet '
t = pa.table({"id": ["a", "b", "c"], "text": ["x y z"] * 3, "real": [1.5, 2.5, 2],
    "day": [date(1969, 1, 1), date(2024, 1, 2), date(2000, 1, 1)],
    "ms": pa.array([datetime(2024, 1, i) for i in (1, 3, 2)], pa.timestamp("ms")),
    "ns": pa.array([datetime(2024, 1, i) for i in (1, 3, 2)], pa.timestamp("ns")),
    "zoned": pa.array([datetime(2024, 1, i, tzinfo=timezone.utc) for i in (1, 3, 2)]),
    "word": ["2024-01-01", "2024-01-03T00:00:00Z", "17"], "price": [Decimal("1.1"), Decimal("3"), None]})
'
for field in real day ms ns zoned word price; do
    t dedup dates.parquet -q --keep max:$field --removed removed.tsv -o kept.parquet
    cut -f 1,2 removed.tsv
done
write_parquet word.parquet 't = pa.table({"id": ["a", "b"], "text": ["x", "y"], "word": ["2024-01-01", "soon"]})'
t dedup word.parquet -q --keep max:word -o kept.parquet

echo "== several files, and directories of them"
mkdir -p 'shards/a=1' && touch shards/_SUCCESS
write_parquet shards/0.parquet 't = pa.table({"id": ["p", "q"], "text": ["a b c", "d e f"]})'
write_parquet shards/1.parquet 't = pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.string())})'
write_parquet shards/a=1/2.parquet 't = pa.table({"id": ["r", "s"], "text": ["a b c", "g h i"]})'
t dedup shards -q -o kept.parquet --removed removed.tsv
cat removed.tsv
python3 -c 'import pyarrow.parquet as pq; print(pq.read_table("kept.parquet").to_pydict())'
write_parquet other.parquet 't = pa.table({"id": ["p"], "text": ["a b c"], "more": [1]})'
t dedup shards other.parquet -q -o kept.parquet
t text shards other.parquet -q
record a "a b c" > lines.jsonl
t text shards lines.jsonl -q

echo "== outputs of another kind are refused before anything is read"
for output in kept.csv - kept.parquet.gz kept.json.gz; do t dedup shards -q -o $output; done
mkfifo pipe.parquet
cat pipe.parquet > /dev/null &
t dedup shards -q -o pipe.parquet
t dedup shards -q -o kept/ --shard-size 10
t dedup shards -q -o kept.parquet --output-format json-lines
t dedup lines.jsonl -q -o kept.parquet
t dedup shards -q -o kept --removed-records removed.parquet
python3 -c 'import pyarrow.parquet as pq; print(pq.read_table("kept").num_rows, pq.read_table("removed.parquet").to_pydict())'

echo "== names that could be patterns, URLs, SQL, or a home directory"
for name in 'a*b' 'a?b' 'a[b]' "it's" 'x"); --' '~user' '$1' 'back\slash' 's3:' $'new\nline'; do
    mkdir -p "$name" && cp shards/0.parquet "$name/$name.parquet"
    cp other.parquet "$name/aXb.parquet"
    t dedup "$name/$name.parquet" -q -o "$name/out $name.parquet"
    cmp -s "$name/out $name.parquet" <("$NEARDUP" dedup shards/0.parquet -q -o kept.parquet; cat kept.parquet) ||
        echo "differs: $name"
done

echo "== other commands"
t pairs shards -q -o pairs.tsv
cat pairs.tsv
t index create store -q
t index add store shards -q
t index query store shards/0.parquet -q

echo "== damage"
head -c 1000 groups.parquet > cut.parquet
t text cut.parquet -q
printf 'PAR1' > head.parquet
t text head.parquet -q
t text lines.jsonl -q --format parquet
t text - -q --format parquet < shards/0.parquet
cat shards/0.parquet | t text - -q
t text - -q < shards/0.parquet
mkfifo rows.parquet
t text rows.parquet -q --format parquet
cat shards/0.parquet > rows.parquet &
t text rows.parquet -q
wait
t text nosuch.parquet -q --format parquet --on-error skip
# A pipe without an end is refused, too.
{ cat shards/0.parquet; yes 2> /dev/null || true; } | t text - -q
t text cut.parquet shards/0.parquet -q --on-error skip
python3 - << 'END'
import pyarrow.parquet as pq
column = pq.ParquetFile('groups.parquet').metadata.row_group(4).column(2)
data = bytearray(open('groups.parquet', 'rb').read())
begin = column.data_page_offset + 100
data[begin:begin + 2000] = bytes(2000)
open('torn.parquet', 'wb').write(data)
END
t text torn.parquet -q -o torn.jsonl
t text torn.parquet -q -o torn.jsonl --on-error skip
(($(wc -l < torn.jsonl) > 10000)) && echo "the rows before the damage are read"
t dedup torn.parquet -q -o kept.parquet --on-error skip

echo "== the library"
t text shards -q --duckdb nosuch.so
t text shards -q --duckdb libc.so.6
NEARDUP_DUCKDB=libc.so.6 t text shards -q
NEARDUP_DUCKDB=libc.so.6 "$NEARDUP" text shards -q --duckdb "$NEARDUP_DUCKDB" | wc -l
left | grep -e neardup -e duckdb || echo "nothing temporary is left"

# Values that protect a row: strings, numbers, booleans, members of structs.
write_parquet split.parquet "
words = lambda n: ' '.join(f'w{i}' for i in range(1, n))
t = pa.table({'id': ['a', 'b', 'c', 'd'], 'split': ['x', \"te'st\", None, \"te'st\"], 'n': [1, 2, 3, 4],
              'ok': [True, False, True, None], 's': [{'k': 1}, {'k': 2}, {'k': 5}, {'k': 7}],
              'text': [words(25), words(25), words(26), words(27)]})"
for protect in "split=te'st" n=3 ok=true /s/k=7 other=1; do
    t dedup -q split.parquet --protect "$protect" -o kept.parquet --removed removed.tsv
    cut -f 1-3 removed.tsv
done
