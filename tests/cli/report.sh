# --report of neardup dedup, index add and stream: the page says what the summary says, and hostile texts are texts.
cat > check.py <<'P'
"""check.py PAGE SUMMARY: compares every number of the page with the summary, and looks for errors
of the page. Prints what it has compared."""
import json
import re
import sys
from html.parser import HTMLParser

VOID = {'meta'}

class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.numbers, self.tables, self.ids = [], [], {}, {}, set()
        self.table = self.key = self.cell = None
        self.headings, self.links = [], set()
        self.pictures = self.names = 0

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if tag not in VOID: self.open.append(tag)
        if 'id' in a:
            if a['id'] in self.ids: self.wrong.append('id ' + a['id'])
            self.ids.add(a['id'])
        if a.get('href', '').startswith('#'): self.links.add(a['href'][1:])
        elif 'href' in a or 'src' in a: self.wrong.append(f'address {tag}')
        if tag in ('script', 'img', 'iframe', 'link') or any(k.startswith('on') for k in a):
            self.wrong.append(tag)
        if re.fullmatch('h[1-6]', tag): self.headings.append(int(tag[1]))
        if a.get('role') == 'img':
            self.pictures += 1
            self.names += bool(a.get('aria-label'))
        if tag == 'table': self.table = self.tables.setdefault(a['data-key'], []) if 'data-key' in a else None
        if tag == 'tr' and self.table is not None: self.table.append([])
        if tag in ('td', 'th'): self.cell, self.key = '', a.get('data-key')

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag: self.wrong.append('/' + tag)
        if tag not in ('td', 'th'): return
        if self.key: self.numbers[self.key] = self.cell
        if self.table: self.table[-1].append(self.cell)
        self.cell = None

    def handle_data(self, data):
        if self.cell is not None: self.cell += data

def number(text): return float(text.replace(',', ''))

raw = open(sys.argv[1], 'rb').read()
page, summary = Page(), json.load(open(sys.argv[2]))
page.feed(raw.decode())
for key, text in page.numbers.items():
    # The page rounds seconds to a thousandth, the summary to a millionth: 0.0375004 is 0.038 on the
    # page and 0.037500 in the summary, so each may be half a unit of its own away.
    most = 0.0005 + 0.0000005 + 1e-9 if isinstance(summary[key], float) else 0
    assert abs(number(text) - summary[key]) <= most, (key, text, summary[key])
rows = {key: table[1:] for key, table in page.tables.items()}
def shown(text): return re.sub('[\u202a-\u202e\u2066-\u2069]', '\ufffd', text)
def first(text): return number(text.split('–')[0])
for key in ('similarities', 'distances'):
    assert [[number(c) for c in row] for row in rows.get(key, [])] == summary.get(key, []), key
for row, c in zip(rows.get('clusters', []), summary.get('clusters', []), strict=True):
    cut = lambda text, most: shown(text if len(text) <= most else text[:most] + ' …')
    assert row == [cut(c[0], 100), f'{c[1]:,}', c[2], '\xa0· '.join(cut(t, 40) for t in c[3])], (row, c)
assert [[first(row[0]), number(row[1])] for row in rows.get('group_sizes', [])] == summary['group_sizes']
for kind, classes in summary['losses'].items():
    assert [[number(row[1]), number(row[2])] for row in rows.get(kind, [])] == \
        [[c['documents'], c['removed']] for c in classes], kind
    for row, c in zip(rows.get(kind, []), classes):
        assert row[3] == '%.1f %%' % (100 * c['removed'] / max(c['documents'], 1)), row
assert not page.wrong and not page.open, (page.wrong, page.open)
assert page.links <= page.ids
assert page.pictures == page.names
assert all(b <= a + 1 for a, b in zip(page.headings, page.headings[1:])) and page.headings[0] == 1
assert len(raw) < 1000000, len(raw)
assert b'http:' not in raw and b'https:' not in raw and b'url(' not in raw and b'@import' not in raw
assert not re.search('[\u202a-\u202e\u2066-\u2069\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]', raw.decode())
print('numbers:', *sorted(page.numbers))
print('tables:', *rows, ' pictures:', page.pictures)
P
# The words of the page, without its style, times and memory.
words_of() {
    sed -e '/<style>/,/<\/style>/d' -e 's/<svg[^>]*role=img aria-label="\([^"]*\)">/[\1]/' -e 's/<[^>]*>/ /g' "$1" |
        sed -E -e 's/ +/ /g' -e 's/^ | $//g' -e '/^[0-9.,]* ?$/d' -e 's/(neardup) [0-9.]+$/\1 VERSION/' \
            -e '/^(Read|Match|Decide|Write|Sync|Total|读取|匹配|判定|写出|落盘|合计) [0-9.]/d' -e '/MB of text a second|MB 文本；/d' -e '/Peak memory|内存峰值/d' -e '/^The run took|^运行用时/d'
}

{
    record a "$(words 1 60)"
    record b "$(words 1 29) november $(words 31 60)"
    record c "$(words 1 60)"
    record d "$(words 1 9) 奇 $(words 11 29) x $(words 31 60)"
    record e "$(words 1 9) q $(words 11 29) x $(words 31 49) y $(words 51 60)"
    record f "something else entirely, with no copy"
} > in.jsonl
t dedup -q in.jsonl -o kept.jsonl --threads 1 --report report.html --summary summary.json
python3 check.py report.html summary.json
words_of report.html
t dedup -q in.jsonl -o kept.jsonl --threads 1 --report zh.html --report-language zh
words_of zh.html
# The same at any number of threads, but for the times.
for n in 2 5; do
    t dedup -q in.jsonl -o kept.jsonl --threads "$n" --report "threads$n.html"
    diff <(words_of report.html) <(words_of "threads$n.html") | grep -v -- 'threads\|---\|^[0-9]' || true
done

# Hostile texts, ids and names; bytes that are no text; the page stays small.
mkdir '<img src=x onerror=alert(1)>'
{
    record '<script>alert(1)</script>' "$(words 1 60)"
    record '\"><img src=x>' "$(words 1 29) </td></table><script>alert(2)</script> $(words 31 60)"
    record "$(printf '\342\200\256desrever')" "$(words 1 28) $(printf '\342\200\256') $(words 30 60)"
} > '<img src=x onerror=alert(1)>/a&b.jsonl'
t dedup -q '<img src=x onerror=alert(1)>/a&b.jsonl' -o kept.jsonl --threshold .5 --report report.html --summary summary.json
python3 check.py report.html summary.json
python3 - > long.jsonl <<'P'
import json
name = '"<&\u202e' * 2500
for i in range(200):
    words = [f'{chr(0x4e00 + (i // 2 * 37 + w) % 20000)}"' if w % 5 else '<&' for w in range(300)]
    if i % 2: words[::67 if i % 4 == 1 else 13] = ['"x"'] * len(words[::67 if i % 4 == 1 else 13])
    print(json.dumps({'id': f'{i}{name}', 'text': ' "&" '.join(words)}))
print(json.dumps({'id': 'long', 'text': 'w <&" ' * 200000}))
print(json.dumps({'id': 'longer', 'text': 'w <&" ' * 200000 + 'x'}))
P
for ((i = 0; i < 200; i++)); do { record "x$i" "$(words $i $((i + 9)))"; record "y$i" "$(words 1 20 "$i-")"; } > "$(printf '"<&%0100d' $i).jsonl"; done
t dedup -q long.jsonl *000*.jsonl -o kept.jsonl --threshold .4 --report report.html --summary summary.json 2> /dev/null |
    sed 's/0000*/0-/g' | tail -n 1
python3 check.py report.html summary.json
grep -c '<table class=pair>' report.html
name=$(printf 'caf\351.txt')
mkdir tree
words 1 60 > "tree/$name"
words 2 60 > "tree/a$name"
t dedup -q tree -o kept --report report.html --summary summary.json
python3 check.py report.html summary.json

# Other sketches have no curve; an index has no texts; a stream is read once.
t dedup -q in.jsonl -o kept.jsonl --threads 1 --sketch simhash --verify none --weights none -k 12 --report report.html --summary summary.json
python3 check.py report.html summary.json
grep -o 'Candidates are[^<]*' report.html
t dedup -q in.jsonl -o kept.jsonl --threads 1 --sketch sentences:2 --report report.html
grep -o 'Candidates are[^<]*' report.html
t dedup -q in.jsonl -o kept.jsonl --threads 1 --measure containment --report report.html
grep -o "This run found[^<]*" report.html
t dedup -q - -o kept.jsonl --threads 1 --report report.html --summary summary.json < in.jsonl
python3 check.py report.html summary.json
grep -c '<del>\|<ins>' report.html
t dedup -q in.jsonl --index index -o kept.jsonl
sed 's/"id":"/"id":"again-/' in.jsonl > again.jsonl
t index add -q index again.jsonl --report report.html --summary summary.json
python3 check.py report.html summary.json
grep -o 'This document is in the index[^<]*' report.html | sort | uniq -c
printf '' > empty.jsonl
t dedup -q empty.jsonl -o kept.jsonl --report report.html --summary summary.json
python3 check.py report.html summary.json
grep -o 'No [^<]*' report.html

# No page of a run that fails, and none in the place of another file.
rm report.html
t dedup -q in.jsonl missing.jsonl -o kept.jsonl --report report.html
t dedup -q in.jsonl -o kept.jsonl --max-removed .1 --report report.html
[[ ! -e report.html ]]
t dedup -q in.jsonl -o kept.jsonl --report in.jsonl
t dedup -q in.jsonl -o kept.jsonl --report kept.jsonl
t dedup -q in.jsonl -o kept.jsonl --report same --summary same
t dedup -q in.jsonl -o kept.jsonl --report same --removed same
t dedup -q in.jsonl -o kept.jsonl --report missing/report.html
t dedup -q --files-from list -o kept.jsonl --report list
t dedup -q in.jsonl -o kept.jsonl --report report.html --report-language fr

# A run of a stream. expect.py PAGE ANSWERS CLUSTERS BEFORE SUMMARY: adds to the summary as JSON what
# the answers and the clusters say, so that check.py compares the page with it.
cat > expect.py <<'P'
import collections
import json
import sys

def lines(path): return [json.loads(line) for line in open(path)]
answers, clusters, before = lines(sys.argv[1]), lines(sys.argv[2]), int(sys.argv[3])
summary = json.load(open(sys.argv[4]))
fresh = [a for a in answers if not a.get('again')]
joined = [a for a in fresh if not a['new']]
grown = [c for c in clusters if c['grown'] > before]
def counts(values): return [list(c) for c in sorted(collections.Counter(values).items())]
summary.update(
    founded=len(fresh) - len(joined), joined=len(joined), again=len(answers) - len(fresh),
    similarities=counts(min(int(a['similarity'] * 100), 99) / 100 for a in joined if 'similarity' in a),
    distances=counts(a['distance'] for a in joined if 'distance' in a),
    group_sizes=counts(1 << (c['size'].bit_length() - 1) for c in grown),
    clusters=[[c['cluster'], c['size'], 'this run' if c['founded'] > before else 'an earlier run',
               [t for t, _ in c['topics']]] for c in grown[:10]])
sources = collections.Counter(a['source'] for a in answers)
parts = collections.Counter(a['source'] for a in joined)
summary['losses'] = {'source': [{'documents': n, 'removed': parts[s]} for s, n in sources.most_common(20)]}
json.dump(summary, open(sys.argv[4], 'w'))
P
# stream STATE PAGE BEFORE FLAG...: runs the stream, and checks its page.
stream_page() {
    local state=$1 page=$2 before=$3
    shift 3
    "$NEARDUP" stream -q "$@" --state "$state" --report "$page" --summary summary.json > answers.jsonl
    "$NEARDUP" clusters "$state" --min-size 1 --json --topics 10 > clusters.jsonl
    python3 expect.py answers.jsonl clusters.jsonl "$before" summary.json
    python3 check.py "$page" summary.json
}
sed 's/"id":"\(.\)"/"id":"\1 later"/' in.jsonl > later.jsonl
stream_page seen report.html 0 in.jsonl --threshold .5 --threads 1
words_of report.html
# Older clusters that grow, a document that is answered again, and two sources.
stream_page seen report.html 6 later.jsonl in.jsonl --threads 1
words_of report.html | sed -n -e '/^Answer Number/,/^Similarities/p' -e '/^First document/,/^By source/p'
stream_page near report.html 0 in.jsonl later.jsonl -k 12 --mode follow --threads 1
words_of report.html | grep '^\[\|^The documents have\|at most'
t stream -q in.jsonl --state zh --threshold .5 --threads 1 --report zh.html --report-language zh > answers.jsonl
words_of zh.html
for n in 2 5; do
    stream_page "near$n" "threads$n.html" 0 in.jsonl later.jsonl -k 12 --mode follow --threads "$n" > /dev/null
    diff <(words_of report.html) <(words_of "threads$n.html") | grep -v -- 'threads\|---\|^[0-9]' || true
done
stream_page timed report.html 0 empty.jsonl
grep -o 'No [^<]*' report.html

# Hostile ids, topics and names; many clusters and sources: bounded.
stream_page hostile report.html 0 '<img src=x onerror=alert(1)>/a&b.jsonl' --threshold .5 --threads 1
stream_page long report.html 0 long.jsonl *000*.jsonl --threshold .4 --threads 1
python3 - > many.jsonl <<'P'
import json
for i in range(6000):
    print(json.dumps({'id': f'{i % 600} {i}', 'text': ' '.join(f'w{i % 600}-{w}' for w in range(6))}))
P
stream_page many report.html 0 many.jsonl
[[ $(wc -c < report.html) -lt 30000 ]]
stream_page many report.html 6000 - < <(sed 's/"id": "/&x/' many.jsonl | head -n 20)

# No page of a stream that fails, and none in the place of another file, or in the state.
rm report.html
t stream -q in.jsonl missing.jsonl --state other --report report.html
[[ ! -e report.html ]]
t stream -q in.jsonl --state seen --report in.jsonl
t stream -q in.jsonl --state seen --report seen/report.html
t stream -q in.jsonl --state seen --report same --summary same
t stream -q in.jsonl --state seen --report missing/report.html
t stream -q in.jsonl --state seen --report-language zh
