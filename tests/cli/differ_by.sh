# Similar texts that differ in numbers or listed words are kept apart.
rest='turns on or off a user, computer or service account of Active Directory; name the account by its distinguished name, its GUID, its SID or its name'
cattle='The price of cattle at the market was as high as it had been a week ago, and buyers from three states paid it without a word, on April'
{
    record enable "Enable-ADAccount $rest"
    record disable "Disable-ADAccount $rest"
    record shouted "ENABLE-ADACCOUNT $rest"
    record underscore "Enable_ADAccount $rest"
    record april5 "$cattle 5"
    record april9 "$cattle 9"
    record april5again "$cattle the 5"
    record v1.2 "$rest, as of version 1.2"
    record v2.1 "$rest, as of version 2.1"
    record v12 "$rest, as of version 1 2"
    record may4 "$rest, seen on 04/05"
    record april5th "$rest, seen on 05/04"
    record zh5 '北京市场的牛肉价格在四月继续保持稳定，来自各地的买家都按照这个价格成交，价格为５元'
    record zh5ascii '北京市场的牛肉价格在四月继续保持稳定，来自各地的买家都按照这个价格成交，价格为5元'
    record zh9 '北京市场的牛肉价格在四月继续保持稳定，来自各地的买家都按照这个价格成交，价格为９元'
    record zhon '管理员可以在控制面板中启用这个用户账户，并且通知所有相关的服务器和部门的负责人'
    record zhoff '管理员可以在控制面板中禁用这个用户账户，并且通知所有相关的服务器和部门的负责人'
} > in.jsonl
removals() {
    t dedup -q in.jsonl "$@" -o out.jsonl --removed removed.tsv
    cut -f 1-3 removed.tsv
}
removals
removals --differ-by numbers
removals --differ-by enable,disable --differ-by 启用,禁用
removals --differ-by numbers --differ-by enable,disable,启用,禁用
removals --differ-by numbers --verify none --group component
removals --differ-by numbers --sketch simhash --analyzer chars --weights tf --keep longest

# The summary counts pairs that are kept apart; compare and audit know them, too.
t pairs in.jsonl --differ-by numbers --differ-by enable,disable -o pairs.tsv --summary summary.json
cut -f 1-3 pairs.tsv
grep -o '"\(candidates\|verified\|rejected\|kept_apart\)":[0-9]*' summary.json
"$NEARDUP" pairs in.jsonl --differ-by numbers -o pairs.tsv 2>&1 | grep -A 3 candidates
t audit -q in.jsonl --differ-by numbers --json
t compare --in in.jsonl april5 april9 --differences 0 --differ-by numbers | sed -n 1,2p
t compare --in in.jsonl enable disable --differences 0 --differ-by numbers,enable,disable | sed -n 1,2p
t compare --in in.jsonl zh5 zh9 --differ-by numbers --json | grep -o '"apart":"[^"]*"'
t compare --in in.jsonl april5 april5again --differ-by numbers | sed -n 1,2p

# Wrong lists, and where there are none.
t dedup -q in.jsonl --differ-by ''
t dedup -q in.jsonl --differ-by 'yes,,no'
t dedup -q in.jsonl --differ-by '?'
t dedup -q in.jsonl --differ-by numbers --index seen
t index add seen in.jsonl --differ-by numbers
left

# The same bytes at any number of threads.
for ((i = 0; i < 300; i++)); do
    record $i "$(words $((i * i % 31)) $((40 + i % 5))) $((i % 3))"
done > many.jsonl
for threads in 1 2 5; do
    "$NEARDUP" dedup -q many.jsonl --differ-by numbers --threads $threads -o out.jsonl --clusters clusters.tsv 2> /dev/null
    cat out.jsonl clusters.tsv | md5sum
done | sort -u | wc -l

# Pages of a template, two with each number: those that are kept apart do not use up --max-compare.
for i in {1..120}; do record "$i" "$(words 1 60) number $((1000 + i / 2)) of the $(printf "w%.0s" $(seq $((i % 2 + 1)))) rows"; done > template.jsonl
for measure in '--threshold .8' '--measure containment' '--sketch simhash --weights tf' '--sketch simhash --weights tf --bits 16 --k 1'; do
    t pairs template.jsonl -q --differ-by numbers --max-compare 5 $measure -o found.tsv
    tail -n +2 found.tsv | awk -F'\t' 'int($1 / 2) != int($2 / 2)' | wc -l
    tail -n +2 found.tsv | wc -l
done
t pairs in.jsonl -q --differ-by ' NUMBERS ,enable' -o numbers.tsv
"$NEARDUP" pairs in.jsonl -q --differ-by enable,numbers | cmp - numbers.tsv
