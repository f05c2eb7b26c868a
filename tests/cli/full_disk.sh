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
status=0
"$NEARDUP" dedup -q many.jsonl -o small/out.jsonl --work . 2> message || status=$?
echo "= $status"
grep -c '^neardup: .*: No space left on device$' message
find small -mindepth 1
[[ $sum == "$(md5sum < many.jsonl)" ]] && echo 'the input is unchanged'
