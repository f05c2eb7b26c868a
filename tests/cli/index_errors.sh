# Wrong command lines: exit status 2, and nothing is read or written.
t index
t index crate x
t index frobnicate
t index --json add
t index ad --help
t index create
t index create x y
t index create x --threshold 2
t index create x --store disk
t index create x --threshold .01 --recall .999999 --perms 8
t index create x --verify none
t index add
t index add x
t index add x y --threshold .5
t index add x y --edges -
t index query
t index query x
t index query x y --all --best
t index query x y -o z
t index remove
t index remove x
t index remove x --ids
t index remove x --ids=
t index compact
t index compact x y
t index check
t index check --all x
t index info
t index info x y
t help index x
t help index add x
t help pairs add
t --man index nothing
t dedup x --replace
t dedup x --resume
t dedup x --index
t dedup x --index i --group component
left

# No index, a missing index, or an index that exists already: exit status 1.
mkdir directory
echo text > file
record a 'all alone' > in.jsonl
for command in check info compact remove query add; do
    operand=()
    case $command in
    remove) operand=(a) ;;
    query | add) operand=(-q in.jsonl) ;;
    esac
    for place in directory file nowhere; do t index $command $place "${operand[@]}"; done
done
t index create file
t index create no/such/place
t index create index
t index create index
t index create directory
t index check directory
t index remove index a --ids nowhere
t index remove index a --ids directory
t index add index nowhere.jsonl -q

# One writer at a time: the first waits for ids, a second one is rejected, readers are not.
t index add index in.jsonl -q
mkfifo ids
"$NEARDUP" index remove index --ids - < ids > removed 2>&1 &
exec 3> ids
echo nobody >&3
while [[ ! -s removed ]]; do sleep .02; done # it has named this one
t index compact index
t index add index in.jsonl -q --replace
t index check index
t index query index in.jsonl -q
exec 3>&-
wait
cat removed
t index compact index

# Damage is reported with the file's name, and no damaged value is used.
damaged() {
    local status=0
    "$NEARDUP" index check index > .out 2> .err || status=$?
    cat .out
    sed -E 's/^(neardup: index\/[a-z]+-)[0-9]+: .*/\1N: REASON/' .err
    echo "= $status"
}
damage() { for file; do printf damage | dd of="$file" bs=1 seek=100 conv=notrunc status=none; done; }
damaged
damage index/segment-*
damaged
damage index/manifest-*
damaged
rm index/manifest-*
t index check index
