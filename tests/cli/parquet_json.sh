# JSON Lines of Parquet. (tests/support/with_duckdb)
if [[ -z ${NEARDUP_DUCKDB-} ]]; then
    echo "needs DuckDB: tests/support/with_duckdb"
    exit 77
fi

echo "== values of every kind"
write_parquet types.parquet '
nan, inf = float("nan"), float("inf")
t = pa.table({
    "id": ["a", None, "c\"d"],
    "text": ["one two three\n\t/", "", "\u00e4\u20ac\U0001f600\u2028\u0001"],
    "n": pa.array([1, None, -2**63], pa.int64()),
    "unsigned": pa.array([0, None, 2**64 - 1], pa.uint64()),
    "flag": [True, None, False],
    "ratio": pa.array([0.1, nan, -inf], pa.float32()),
    "x1": [0.1, inf, -0.0],
    "price": [Decimal("1.10"), None, Decimal("-12345678901234567890.25")],
    "part": pa.array([Decimal("-0.123456789012345678"), None, Decimal(0)], pa.decimal128(18, 18)),
    "least": pa.array([Decimal("1e-37"), None, Decimal(0)], pa.decimal128(38, 38)),
    "day": [date(2024, 1, 2), None, date(1, 1, 1)],
    "time": pa.array([datetime(2024, 1, 2, 3, 4, 5, 600000), None, datetime(1960, 1, 1)], pa.timestamp("us")),
    "zoned": pa.array([datetime(2024, 7, 2, 3, 4, 5, 600000, tzinfo=timezone.utc), None, datetime(1960, 1, 1, tzinfo=timezone.utc)]),
    "blob": [b"plain \xc3\xa4\x00\"", None, b"\xff\x00a\\"],
    "tags": [["x", None], [], None],
    "ratios": [[1.5, nan, None], [], None],
    "deep": [[[inf]], [None, []], None],
    "doc": [{"body": "b", "score": nan, "at": None, "raw": [b"\xfe"]}, None, {"body": None, "score": 1, "at": datetime(2024, 1, 1, tzinfo=timezone.utc), "raw": None}],
    "map": pa.array([[("k", nan), ("l\"", 2.0)], None, []], pa.map_(pa.string(), pa.float64())),
    "turns": [[{"role": "user", "p": inf}, None], [], None],
    "it'"'"'s \"": ["q", "r", "s"],
    "file_row_number": [7, 8, 9]})'
for zone in UTC Asia/Tokyo; do
    TZ=$zone t dedup types.parquet -q -o types.jsonl
    python3 -c 'import json, sys
for line in open(sys.argv[1]):
    print(line, end="")
    json.loads(line, parse_constant=lambda name: sys.exit(f"not JSON: {name}"))' types.jsonl
done
# The texts and ids are the same. One without an id has its place, which is another one then.
cmp <("$NEARDUP" text types.parquet -q | sed 's/parquet:/jsonl:/') <("$NEARDUP" text types.jsonl -q) && echo same
write_parquet bytes.parquet 't = pa.table({"id": [b"a", b"b"], "text": ["\u00e4 \u00f6 \u00fc".encode(), b"x y z"]})'
t dedup bytes.parquet -q -o bytes.jsonl
t text bytes.jsonl -q

echo "== outputs"
mkdir -p in/sub
write_parquet in/0.parquet 't = pa.table({"id": ["p", "q", "r"], "text": ["a b c", "d e f", "A b c"], "n": [1, 2, 3]})'
write_parquet in/sub/1.parquet 't = pa.table({"text": ["d e f", None, "g h i", "a b c"], "more": [{"a": 1}, None, None, None]})'
write_parquet in/sub/2.parquet 't = pa.table({"text": pa.array([], pa.string())})'
t dedup in -q --on-error skip --output-format json-lines
t dedup in -q --on-error skip -o kept.jsonl.gz --removed-records removed.jsonl
gzip -dc kept.jsonl.gz && shown removed.jsonl
t dedup in -q --on-error skip -o kept.jsonl.zst --mark --removed-records removed.jsonl --threads 1
zstd -dcq kept.jsonl.zst && shown removed.jsonl
t dedup in -q --on-error skip -o out/ --output-format json-lines
find out -type f | LC_ALL=C sort && shown out/0.jsonl out/sub/1.jsonl out/sub/2.jsonl
t dedup in -q --on-error skip -o parts/ --output-format json-lines --shard-size 40
shown parts/*
# Rows in both formats at once.
cp in/0.parquet same.parquet
t dedup same.parquet -q -o kept.parquet --removed-records removed.jsonl
python3 -c 'import pyarrow.parquet as pq; print(pq.read_table("kept.parquet").to_pydict())' && shown removed.jsonl
t dedup same.parquet -q -o kept.jsonl --removed-records removed.parquet --mark
python3 -c 'import pyarrow.parquet as pq; print(pq.read_table("removed.parquet").to_pydict())' && shown kept.jsonl
# Marks are replaced, whether of Parquet or of JSON Lines.
t dedup same.parquet -q --mark -o marked.parquet
t dedup marked.parquet -q --mark -o again.jsonl
cmp kept.jsonl again.jsonl && echo same

echo "== many rows"
write_parquet many.parquet '
n = 30000
t = pa.table({"id": [f"d{i}" for i in range(n)], "n": range(n), "x": [float(i) for i in range(n)],
              "text": [" ".join(f"w{i % 10000}x{j}" for j in range(5)) for i in range(n)]})
options = {"row_group_size": 7000}'
mkdir several && cp many.parquet several/1.parquet && cp many.parquet several/2.parquet
"$NEARDUP" dedup several -q -o several.jsonl --removed-records several-removed.jsonl 2> /dev/null
python3 -c '
import json, sys
rows = [json.loads(line) for line in open("several.jsonl")]
print([row["n"] for row in rows] == list(range(10000)), [row["id"] for row in rows] == [f"d{i}" for i in range(10000)])
rows = [json.loads(line) for line in open("several-removed.jsonl")]
print([row["n"] for row in rows] == list(range(10000, 30000)) + list(range(30000)))'

echo "== what is not written"
write_parquet cases.parquet 't = pa.table([pa.array(["a b", "c d"])] * 3, names=["text", "Text", "TEXT"])'
t dedup cases.parquet -q -o cases.jsonl
shown cases.jsonl
write_parquet twice.parquet 't = pa.table([pa.array(["a b", "c d"])] * 2, names=["text", "text"])'
write_parquet inside.parquet '
t = pa.table({"text": ["a"], "s": [{"aa": 1, "Aa": 2}]},
             schema=pa.schema([("text", pa.string()), ("s", pa.struct([("aa", pa.int8()), ("Aa", pa.int8())]))]))'
for name in twice inside; do
    t dedup $name.parquet -q -o failed.jsonl
    t dedup $name.parquet -q -o failed/ --output-format json-lines
done
t dedup in -q -o in-out.csv
t dedup in -q -o out/ --output-format json-lines
t dedup in/0.parquet -q -o failed.jsonl --removed none/removed.tsv
status=0
(
    trap '' XFSZ
    ulimit -f 50
    "$NEARDUP" dedup -q in/0.parquet many.parquet -o failed/ --output-format json-lines 2> /dev/null
) || status=$?
echo "= $status"
left | grep -e failed -e neardup || echo "nothing of it is left"
