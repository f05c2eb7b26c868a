# A stream that answers document by document, is resumed, and is shown.
{
    record a "$(words 0 14)"
    record b "$(words 100 114)"
    record c "$(words 1 15)"
    record d ''
    record e "$(words 0 14)"
    record f '?!'
    record g "$(words 101 115)"
} > in.jsonl
t stream in.jsonl --state seen -q
t clusters seen
t clusters seen --min-size 1 --topics 3 --json --members

# Answered documents are recognised; other documents continue the stream.
t stream in.jsonl --state seen -q
{
    record h "$(words 2 15)"
    record i 'something else altogether that nobody has said before'
} > more.jsonl
t stream more.jsonl --state seen --threads 1
t clusters seen --topics 2

# The topics of the cluster with each answer; the last ones equal the list of clusters.
t stream in.jsonl --state told -q --topics 3
t clusters told --min-size 1 --topics 3 --json
t stream in.jsonl --state told -q --topics 1

# The same answers as an index: the new documents are the documents that the index keeps.
t index create index
t index add index in.jsonl -q -o kept.jsonl
shown kept.jsonl

# Fingerprints: leaders, and moving centroids.
t stream in.jsonl --state near --k 12 -q
t clusters near --json
t stream in.jsonl --state moving --k 12 --mode follow -q
t clusters moving --json

# The stream is resumed without settings that its state has.
t stream more.jsonl --state moving -q
t stream more.jsonl --state moving -q --mode follow --bits 64
t stream more.jsonl --state seen -q --topics 1

# Standard input, and clusters that are forgotten.
{
    printf '{"id": "x1", "date": "2024-01-01", "text": "%s"}\n' "$(words 0 30)"
    printf '{"id": "x2", "date": "2024-01-10", "text": "%s"}\n' "$(words 50 80)"
    printf '{"id": "x3", "date": "2024-02-05", "text": "%s"}\n' "$(words 0 30)"
    printf '{"id": "x4", "text": "%s"}\n' "$(words 50 80)"
} > dated.jsonl
t stream --state dated --expire 4w --time-field date -q < dated.jsonl
t clusters dated --min-size 1 --topics 0
t stream --state dated2 --expire 3w --time-field date --k 3 -q < dated.jsonl
t clusters dated2 --min-size 1 --topics 0 --json

# Texts of all scripts.
{
    record zh '今天的天气很好，我们去公园散步。'
    record zh2 '今天的天气很好，我们去公园散步！'
    record th 'วันนี้อากาศดีมาก'
    record ja '今日は天気がいいです'
    record ar 'الطقس جميل اليوم'
    record hi 'आज मौसम बहुत अच्छा है'
    record ru 'Сегодня хорошая погода'
    record em '🙂🙂'
    record dig '12 34 56'
} > scripts.jsonl
t stream scripts.jsonl --state scripts -q
t clusters scripts --min-size 1 --topics 3

# The first piece of a pipe may be shorter than what tells the format: a mark, a value over lines.
pieces() { for piece; do printf "$piece"; sleep 0.1; done; }
pieces '{' '"id": "a",' '\n"text": "one two three"}{"id":' '"b", "text":\n"four"}' |
    t stream --state values -q
pieces '\xef\xbb' '\xbf{"id": "a", "text"' ': "one two three"}\n\n{"text": \n' '{"id": "b", "text": "four"}\n' |
    t stream --state lines -q --on-error skip
pieces 'WA' 'RC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n' '\r\none\r\n\r\n' |
    t stream --state archive -q

# Each answer comes at once, while the input waits.
: > live.out
(
    sed -n 1p in.jsonl
    for ((i = 0; i < 100 && $(wc -l < live.out) < 1; i++)); do sleep 0.1; done
    sed -n 2p in.jsonl
) | "$NEARDUP" stream --state live -q > live.out
shown live.out
