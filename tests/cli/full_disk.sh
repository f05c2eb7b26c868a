# A full disk: the partial output is removed, the input stays. The case needs a small file system of
# its own, and therefore root.
mkdir small
if ! mount -t tmpfs -o size=128k tmpfs small 2> /dev/null; then
    echo 'SKIPPED: a full disk needs a mounted tmpfs, and this user may not mount one; outputs.sh tests the same with a limit on file sizes'
    exit 77
fi
trap 'umount small' EXIT
for ((i = 0; i < 5000; i++)); do record "$i" "document $i is unlike all others $((i * 7919 % 5003))"; done > many.jsonl
sum=$(md5sum < many.jsonl)
for command in dedup exact lines substrings; do
    status=0
    "$NEARDUP" $command -q many.jsonl -o small/out.jsonl --work . 2> message || status=$?
    echo "$command = $status"
    grep -c '^neardup: small/out.jsonl: .*: No space left on device$' message
    find small -mindepth 1
done
# An index that gets no batch stays as it was.
record first 'document 1 of another batch' > first.jsonl
"$NEARDUP" exact -q --index small/seen first.jsonl -o /dev/null
status=0
"$NEARDUP" exact -q --index small/seen many.jsonl -o /dev/null --work . 2> message || status=$?
echo "exact --index = $status"
grep -c "^neardup: small/seen/.*: No space left on device$" message
"$NEARDUP" index check small/seen | cut -d , -f 1
[[ $sum == "$(md5sum < many.jsonl)" ]] && echo 'the input is unchanged'
