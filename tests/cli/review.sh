# neardup review: pairs of a run, their differences, and what marks say.
{
    record a "$(words 1 60)"
    record b "$(words 1 29) november $(words 31 60)"
    record c "$(words 1 60)"
    record d "$(words 1 9) 奇 $(words 11 29) x $(words 31 60)"
    record e "$(words 1 9) q $(words 11 29) x $(words 31 49) y $(words 51 60)"
    record f "something else entirely, with no copy"
} > in.jsonl
t dedup -q in.jsonl -o kept.jsonl --removed removed.tsv --edges edges.tsv --review review.tsv
shown review.tsv
t review in.jsonl review.tsv
t review in.jsonl review.tsv --differences 1
t review in.jsonl removed.tsv -o pairs.txt
shown pairs.txt
t review in.jsonl edges.tsv --json
t review in.jsonl - --json < review.tsv
t dedup -q in.jsonl -o - --review few.tsv --review-pairs 1 --threshold .5
shown few.tsv
# The sample is the same at any number of threads.
for n in 1 2 5; do t dedup -q in.jsonl -o kept.jsonl --review "threads$n.tsv" --threads "$n"; done
cmp threads1.tsv threads2.tsv
cmp threads1.tsv threads5.tsv

# Marks: written, read again, and summed up.
awk -F'\t' -v OFS='\t' 'NR == 1 { $5 = $5 "\tmark" } NR > 1 { $5 = $5 "\t" ($4 == "rejected" ? "different" : "same") } { print }' review.tsv > marked.tsv
t review in.jsonl marked.tsv --marks again.tsv -o pairs.txt
cmp marked.tsv again.tsv
# The same file.
t review in.jsonl again.tsv --marks again.tsv -o pairs.txt
cmp marked.tsv again.tsv

# In a terminal: keys. The answers are in the table.
cat > keys.py <<'P'
import os, pty, select, sys
pid, fd = pty.fork()
if pid == 0:
    os.environ['TERM'] = 'xterm'
    os.execv(sys.argv[1], ['neardup', 'review', 'in.jsonl', 'review.tsv', *sys.argv[3:]])
shown = b''
for key in sys.argv[2]:
    before = len(shown)
    while b'q end' not in shown[before:]:
        shown += os.read(fd, 65536)
    os.write(fd, key.encode())
try:
    while True:
        shown += os.read(fd, 65536)
except OSError:
    pass
print('exit', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
text = shown.decode().replace('\r', '')
print('\n'.join(line for line in text.split('\n') if 'of 6 ' in line or 'precision' in line or '->' in line or 'saved' in line))
P
python3 keys.py "$NEARDUP" 'sd bus q' --marks keys.tsv
cut -f 1,2,6 keys.tsv
python3 keys.py "$NEARDUP" 'sq'
# Ctrl-C ends it, too; the marks before it are kept.
python3 keys.py "$NEARDUP" $'s\x03' --marks broken.tsv
cut -f 1,2,6 broken.tsv | head -n 2

# A page: all pairs, hostile texts as texts.
{
    record '<script>alert(1)</script>' "$(words 1 60)"
    record '<img>' "$(words 1 29) </div><img src=x> $(words 31 60)"
} > hostile.jsonl
t dedup -q hostile.jsonl -o kept.jsonl --review hostile.tsv
t review hostile.jsonl hostile.tsv --page page.html
grep -c '<script>' page.html
grep -o '&lt;script&gt;alert(1)&lt;/script&gt;' page.html | sort | uniq -c
grep -o '<img' page.html || echo 'no image'
grep -o 'https*:' page.html || echo 'no address'

# Texts that are not there, and tables that are none.
grep -v '"b"' in.jsonl > other.jsonl
t review other.jsonl review.tsv
t review in.jsonl in.jsonl
printf '' > empty.tsv
t review in.jsonl empty.tsv
head -n 1 review.tsv > none.tsv
t review in.jsonl none.tsv
sed 's/duplicate/double/' review.tsv > bad.tsv
t review in.jsonl bad.tsv
t review in.jsonl missing.tsv
t review - - < in.jsonl
# Values that no measure has.
for value in 1.5 -1 nan inf 1e999; do
    awk -F'\t' -v OFS='\t' -v v="$value" 'NR > 1 { $3 = v } { print }' review.tsv > bad.tsv
    t review in.jsonl bad.tsv -o pairs.txt
done
# A table that is much larger than its sample: two pairs of a band, and how many there are.
awk -F'\t' -v OFS='\t' 'NR == 1 { print } { row = $0 } END { for (i = 0; i < 5000; i++) print row }' \
    removed.tsv > many.tsv
t review in.jsonl many.tsv --pairs 2 --differences 0
t review in.jsonl
t review in.jsonl review.tsv --page in.jsonl
t review in.jsonl review.tsv --page page.html --json
t dedup -q in.jsonl -o same.tsv --review same.tsv
t dedup -q in.jsonl -o kept.jsonl --review in.jsonl

# Nothing is lost: a table of removed documents has more rows than the marks; two outputs are two.
t review in.jsonl removed.tsv --marks removed.tsv
t review in.jsonl review.tsv -o same.txt --marks same.txt
# Tables with lines in CR LF, and an empty one at the end.
{
    sed 's/$/\r/' review.tsv
    echo
} > crlf.tsv
t review in.jsonl crlf.tsv -o pairs.txt
"$NEARDUP" review in.jsonl review.tsv | cmp - pairs.txt
sed '2s/\t[0-9.]*\tduplicate/\t0x1p-1\tduplicate/' review.tsv > bad.tsv
t review in.jsonl bad.tsv
# The marks of a page are exact bytes.
printf '{"id":"\\u0085%%\\u202e\\u0001","text":"%s"}\n{"id":"2","text":"%s"}\n' "$(words 1 60)" "$(words 1 59)" > odd.jsonl
t dedup -q odd.jsonl -o kept.jsonl --review odd.tsv
t review odd.jsonl odd.tsv --page odd.html
grep -o 'data-begin="[^"]*"' odd.html

# A distance; texts of a directory.
t dedup -q in.jsonl -o kept.jsonl --review distance.tsv --sketch simhash --verify none --weights none -k 12
shown distance.tsv
t review in.jsonl distance.tsv --differences 0
# The bands of distances count by their pairs, too.
awk -F'\t' -v OFS='\t' 'NR == 1 { $5 = $5 "\tmark" }
    NR > 1 { $5 = (NR == 2 ? 97 : $5) "\t" (NR == 2 ? "same" : "different") } { print }' \
    distance.tsv > marked.tsv
t review in.jsonl marked.tsv -o pairs.txt
sed '2s/\t[0-9]*\tduplicate/\t301\tduplicate/' distance.tsv > bad.tsv
t review in.jsonl bad.tsv
mkdir tree
words 1 60 > tree/a.txt
words 2 60 > tree/b.txt
t dedup -q tree -o kept --review tree.tsv
t review tree tree.tsv
for flag in --page --marks -o; do t review tree tree.tsv $flag tree/a.txt; done
# Documents of an index have no texts.
t dedup -q tree --index index -o kept2 --review index.tsv
words 1 59 > tree/c.txt
rm tree/a.txt tree/b.txt
t dedup -q tree --index index -o kept3 --review index.tsv
t review tree index.tsv
