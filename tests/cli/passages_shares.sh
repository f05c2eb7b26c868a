# --shares, --source-shares and --page of neardup passages, and several sources: the tables against
# a count of each token, the page against the tables; hostile texts are texts.
cat > check.py <<'P'
"""check.py PASSAGES SHARES SOURCE_SHARES SUMMARY PAPERS: counts each token that a passage of --json
covers, and compares both tables and the summary with that. Texts are in ASCII."""
import csv
import json
import re
import sys

def lines(path): return [json.loads(line) for line in open(path)]
def table(path): return list(csv.DictReader(open(path), delimiter='\t', quoting=csv.QUOTE_NONE))

passages, papers = lines(sys.argv[1]), lines(sys.argv[5])
shares, parts, summary = table(sys.argv[2]), table(sys.argv[3]), json.load(open(sys.argv[4]))
places = {p['id']: [m.span() for m in re.finditer(r'\w+', p['text'])] for p in papers}

def found(query, sources):
    return sum(any(p['query'] == query and p['source'] in sources and p['query_begin'] <= b and e <= p['query_end'] for p in passages)
               for b, e in places[query])

expected = []
for paper in papers:
    names = [p['source'] for p in passages if p['query'] == paper['id']]
    order = sorted(dict.fromkeys(names), key=lambda s: -found(paper['id'], [s]))
    for s in order: expected.append((paper['id'], s, found(paper['id'], [s]), names.count(s)))
    row = shares.pop(0)
    tokens, all_found = len(places[paper['id']]), found(paper['id'], order)
    assert row['query'] == paper['id'] and row['query_file'].endswith('.jsonl'), row
    assert [int(row[k]) for k in ('tokens', 'found', 'passages', 'sources')] == [tokens, all_found, len(names), len(order)], row
    assert row['share'] == '%.6f' % (all_found / max(tokens, 1)), row
    largest = found(paper['id'], order[:1])
    assert row['largest_found'] == (str(largest) if order else ''), row
    assert row['largest_share'] == ('%.6f' % (largest / tokens) if order else ''), row
    assert row['largest'] == (order[0] if order else '') or largest == found(paper['id'], [row['largest']]), row
assert not shares
assert sorted(expected) == sorted((r['query'], r['source'], int(r['found']), int(r['passages'])) for r in parts)
for a, b in zip(parts, parts[1:]): assert a['query'] != b['query'] or int(a['found']) >= int(b['found'])
assert summary['queries'] == len(papers) and summary['query_tokens'] == sum(map(len, places.values()))
assert summary['queries_found'] == len({p['query'] for p in passages})
assert summary['found_tokens'] == sum(found(p['id'], {s['source'] for s in passages}) for p in papers)
print('rows:', len(papers), len(parts), 'tokens:', summary['query_tokens'], 'found:', summary['found_tokens'])
P
cat > page.py <<'P'
"""page.py PAGE SHARES WORDS...: looks for errors of the page and for words, and compares its table
with the shares; if nothing is left out, the marked tokens, too."""
import csv
import re
import sys
from html.parser import HTMLParser

class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.ids, self.links, self.headings = [], [], set(), set(), []
        self.rows, self.key, self.cell, self.text, self.marked = {}, None, None, '', ''

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if tag != 'meta': self.open.append(tag)
        if a.get('id') in self.ids: self.wrong.append('id ' + a['id'])
        if 'id' in a: self.ids.add(a['id'])
        if a.get('href', '').startswith('#'): self.links.add(a['href'][1:])
        elif 'href' in a or 'src' in a: self.wrong.append('address ' + tag)
        if tag in ('script', 'img', 'iframe', 'link', 'b') or any(k.startswith('on') for k in a): self.wrong.append(tag)
        if re.fullmatch('h[1-6]', tag): self.headings.append(int(tag[1]))
        if tag == 'table': self.key = a.get('data-key')
        if tag == 'tr': self.rows.setdefault(self.key, []).append([])
        if tag in ('td', 'th'): self.cell = ''
        if tag == 'mark': self.marked += ' '

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag: self.wrong.append('/' + tag)
        if tag in ('td', 'th'): self.rows[self.key][-1].append(self.cell)

    def handle_data(self, data):
        if self.cell is not None: self.cell += data
        if 'style' not in self.open: self.text += data
        if self.open[-1:] == ['mark']: self.marked += data

raw = open(sys.argv[1], 'rb').read()
page = Page()
page.feed(raw.decode())
shares = [r for r in csv.DictReader(open(sys.argv[2]), delimiter='\t', quoting=csv.QUOTE_NONE) if int(r['found'])]
shares.sort(key=lambda r: -int(r['found']) / int(r['tokens']))
rows = page.rows.get('papers', [[]])[1:]
def number(text): return int(text.replace(',', ''))
assert len(rows) == min(len(shares), 100), len(rows)
for row, share in zip(rows, shares):
    assert row[0] == share['query'] and row[1] == '%.1f %%' % (100 * float(share['share'])), row
    assert [number(c) for c in row[3:]] == [int(share[k]) for k in ('found', 'tokens', 'sources')], row
assert not page.wrong and not page.open, (page.wrong, page.open)
assert page.links <= page.ids, page.links - page.ids
assert all(b <= a + 1 for a, b in zip(page.headings, page.headings[1:])) and page.headings[0] == 1
assert len(raw) < 1000000, len(raw)
assert b'url(' not in raw and b'@import' not in raw
assert not re.search('[\u202a-\u202e\u2066-\u2069\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]', raw.decode())
if '\u2026' not in page.text and 'left out' not in page.text:
    assert len(re.findall(r'\w+', page.marked)) == sum(int(s['found']) for s in shares), page.marked
    print('marked:', sum(int(s['found']) for s in shares))
print('papers:', len(rows), 'shown:', sum(i.startswith('paper-') for i in page.ids))
for line in re.findall('[^.\n]*left out[^.\n]*|[^.\n]*not listed[^.\n]*|未[^。\n]*。', page.text)[:3]: print(line.strip())
for words in sys.argv[3:]: assert words in page.text, words
P
{
    record anna "$(words 1 30) a b c $(words 100 130) d e f g h $(words 1 12)"
    record ben "$(words 5 25) x $(words 26 40)"
    record carl 'nothing of this stands elsewhere'
    record dora ''
} > papers.jsonl
{
    record one "$(words 1 20)"
    record two "$(words 10 40) y $(words 110 140)"
    record three 'nothing at all'
} > library.jsonl
for flags in '' '--gap 0' '--gap 9 --min 3' '--min 21' '--min 3 --analyzer words'; do
    # shellcheck disable=SC2086
    "$NEARDUP" passages papers.jsonl --in library.jsonl $flags -o p.json --json --shares s.tsv --source-shares o.tsv --page p.html --summary sum.json
    python3 check.py p.json s.tsv o.tsv sum.json papers.jsonl
    python3 page.py p.html s.tsv
done
t passages papers.jsonl --in library.jsonl -o p.tsv --shares s.tsv --source-shares o.tsv
cat s.tsv o.tsv
# Neither file changes the passages, nor do threads change a file.
"$NEARDUP" passages papers.jsonl --in library.jsonl -q | cmp - p.tsv && echo same
for threads in 1 3; do "$NEARDUP" passages papers.jsonl --in library.jsonl -q -o p2.tsv --shares s2.tsv --source-shares o2.tsv --page p2.html --threads $threads; cmp s.tsv s2.tsv && cmp o.tsv o2.tsv && echo "the same on $threads"; done

# Several sources are like one after the other; a token in both counts once.
head -1 library.jsonl > l1.jsonl
sed 1d library.jsonl > l2.jsonl
"$NEARDUP" passages papers.jsonl --in l1.jsonl --in l2.jsonl -q --shares s2.tsv | cut -f 1-7 | cmp - <(cut -f 1-7 p.tsv) && cmp s.tsv s2.tsv && echo same
mkdir d1 d2
words 1 20 > d1/one
{ words 10 40; echo y; words 110 140; } > d2/two
t passages papers.jsonl --in d1 --in d2 -q --source-shares o2.tsv -o p2.tsv
cut -f 1-5,8 o2.tsv
t passages papers.jsonl --in l1.jsonl --in - -q --gap 0 --min 20 < l2.jsonl
t passages papers.jsonl --in d1 --in library.jsonl
"$NEARDUP" dedup library.jsonl --index seen -q -o /dev/null
t passages papers.jsonl --in seen --in l1.jsonl
t passages papers.jsonl --in l1.jsonl --in missing
t passages papers.jsonl --in seen -q -o p2.tsv --shares s2.tsv --source-shares o2.tsv --page p2.html
cat s2.tsv o2.tsv
python3 page.py p2.html s2.tsv 'This document is in the index, which keeps no texts.'

# Texts and ids that would be a page's own, or turn it around.
evil='<script>alert(1)</script> "q" & <b onmouseover=alert(2)>bold</b> </mark></div></body> \u202e turned \u0007 bell <!-- no comment --> <style>*{display:none}</style> end of it'
printf '{"id":"<img src=x onerror=alert(3)>","text":"before %s behind"}\n' "${evil//\"/\\\"}" > evil.jsonl
printf '{"id":"\\"><svg onload=alert(4)>","text":"other %s other"}\n' "${evil//\"/\\\"}" > evil_library.jsonl
"$NEARDUP" passages evil.jsonl --in evil_library.jsonl -q -o /dev/null --shares s.tsv --page p.html
python3 page.py p.html s.tsv 'script>alert(1)</script>' '</mark></div></body>' '"><svg onload=alert(4)>' '<!-- no comment -->'
"$NEARDUP" passages evil.jsonl --in evil_library.jsonl -q -o /dev/null --page p.html --page-language zh
python3 page.py p.html s.tsv '论文与来源对照' 'script>alert(1)</script>'

# The page stays below 1 MB, and says what it leaves out.
awk 'BEGIN {
    for (i = 1; i <= 150; i++) {
        text = ""
        for (j = 1; j <= 60; j++) {
            for (n = j * 40; n <= j * 40 + 25 + i % 7; n++) text = text "w" n " "
            text = text "own" i " words" i " here" j " "
        }
        gsub(/w/, "<w>\\&", text)
        printf "{\"id\":\"paper %d\",\"text\":\"%s\"}\n", i, text
    }
}' > many.jsonl
for i in {1..12}; do record "source $i" "$(words 1 3000 | sed 's/w/<w>\&/g')"; done > large.jsonl
"$NEARDUP" passages many.jsonl --in large.jsonl -q -o /dev/null --shares s.tsv --page p.html
python3 page.py p.html s.tsv

# Files and flags that do not go together.
t passages papers.jsonl --in l1.jsonl --in l2.jsonl --shares l2.jsonl
t passages papers.jsonl --in l1.jsonl --shares x --page ./x
t passages papers.jsonl --in l1.jsonl --source-shares x -o x
t passages papers.jsonl --in l1.jsonl --page nowhere/x.html
t passages papers.jsonl --in l1.jsonl --page-language zh
t passages papers.jsonl --in l1.jsonl -q -o p.tsv --page /dev/full
rm -r -- *.jsonl *.tsv *.html *.json *.py seen d1 d2
left
