# Which files of directories are read: globs, hidden files, lists of inputs.
ids() {
    echo "\$ neardup text $*"
    "$NEARDUP" text -q "$@" | sed -E 's/^\{"id":"([^"]*)".*/\1/'
}
mkdir -p notes/sub/.git notes/.hidden notes/build
for name in a.txt b.md c.txt sub/a.txt sub/d.md sub/.git/x build/out.txt .hidden/h.txt .dot.txt; do
    echo "text of $name" > "notes/$name"
done

echo "-- globs of files in a directory"
ids notes
ids notes -g '*.txt'
ids notes -g '*.txt' -g '!a*'
ids notes --exclude '*.txt' -g 'c*'
ids notes --exclude build/ --exclude 'sub/*.md'
ids notes -g '/*.{txt,md}'
ids notes -g 'sub/**'
ids notes --hidden --exclude .git
ids notes -g '*.pdf'
# A glob that has the dot names what is hidden; a * does not.
ids notes -g '.*'
ids notes -g '.hidden/*' -g 'c*'
ids notes -g '.hid*/**'
ids 'notes/.*'
ids 'notes/.hidden/*'
ids notes -g 'sub/.git/*'
t text notes -g '[a'
t text notes/a.txt -g '*'

echo "-- an input that is a glob"
ids 'notes/*.txt'
ids notes/*.txt
ids './notes/**/*.md'
ids 'not*/sub/?.txt' 'notes/b.md'
t text 'notes/*.pdf'
t text 'missing/*.txt'
echo brackets > 'notes/[a].txt'
ids 'notes/[a].txt'
rm 'notes/[a].txt'
cd notes
ids '*.txt'
cd ..

echo "-- directories of one name"
mkdir -p one/x two/x
echo one > one/x/file
echo two > two/x/file
ids one/x two/x
ids one/x/ two/x notes/a.txt
ids one two/x
t text one/x one/x

echo "-- lists of inputs"
printf 'notes/a.txt\r\n\nnotes/sub\nnotes/*.md\n' > list
ids --files-from list
ids notes/c.txt --files-from list
find notes -name '*.md' -print0 | sort -z > list0
ids --files-from - < list0
gzip < list > list.gz
ids --files-from list.gz
t text --files-from /dev/null
t text --files-from missing
t text
echo missing.txt > list
t text --files-from list
t text --files-from list --on-error skip

echo "-- shards by a glob"
mkdir -p crawl/more
for i in 0 1 2; do echo "{\"text\": \"shard $i\"}" > crawl/part-$i.jsonl; done
cp crawl/part-0.jsonl crawl/more/part-9.jsonl
ids 'crawl/part-*.jsonl'
ids crawl -g 'part-[12].jsonl'
cd crawl
ids 'p*'
cd ..
# Names that begin with _ are left out, unless a glob has it.
mkdir crawl/_temporary
echo '{"text": "mark"}' | tee crawl/_part-0.jsonl crawl/_temporary/part-1.jsonl crawl/.part.jsonl > crawl/more/_x.jsonl
ids crawl
ids crawl -g '_*'
ids 'crawl/_*.jsonl'
ids 'crawl/*/_x.jsonl' 'crawl/_temporary/*'
ids crawl -g '{_,.}*.jsonl' -g part-0.jsonl

echo "-- the copies of kept files"
t dedup -q notes/a.txt one/x two/x -o kept --removed removed.tsv
find kept -type f | sort
t dedup -q ../case/one/x two/x -o kept2
cd one
t dedup -q '../two/x/*' x -o kept
cd ..
t dedup -q notes/a.txt notes/b.md -o - --removed notes/b.md
"$NEARDUP" dedup -q --files-from list0 -o - --null | tr '\0' '\n'
