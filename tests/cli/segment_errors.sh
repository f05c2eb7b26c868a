# Missing and malformed dictionaries, flags that exclude each other, and commands that cannot store
# results of a dictionary.
printf '{"text":"飞碟"}\n' > zh.jsonl
try() { printf '%b' "$1" > words.txt; t keywords zh.jsonl -q --analyzer segment --dict words.txt --weights tf; }
try '飞碟 3\n曾 x\n'
try '飞碟 -3\n'
try '\n飞碟 3 n 4\n'
try '飞，碟 3\n'
try '飞\xff碟 3\n'
try 'hello 3\n'
try ''
t keywords zh.jsonl -q --analyzer segment --dict none.txt --weights tf
t keywords zh.jsonl --analyzer chars
t simhash zh.jsonl --analyzer segments
t keywords zh.jsonl --dict words.txt
t idf zh.jsonl --analyzer segment --stem english
t simhash zh.jsonl --analyzer segment --features chars
t dedup zh.jsonl --dict words.txt -o kept.jsonl
t compare zh.jsonl zh.jsonl --dict words.txt
t index create seen --analyzer segment
t dedup zh.jsonl --analyzer segment --index seen -o kept.jsonl
