# The help of the program and of each command; -h, --help and help print the same.
t help
for command in dedup exact pairs audit simhash tlsh idf keywords compare passages substrings plan stream clusters index hamming; do t help $command; done
for command in create add query remove compact check info; do t help index $command; done
for command in create add query join remove compact check info plan calibrate; do t help hamming $command; done
for way in --help -h; do "$NEARDUP" $way | cmp - <("$NEARDUP" help) && echo same; done
for way in --help -h; do "$NEARDUP" dedup $way | cmp - <("$NEARDUP" help dedup) && echo same; done
for way in --help -h; do "$NEARDUP" index $way | cmp - <("$NEARDUP" help index) && echo same; done
for way in --help -h; do "$NEARDUP" index add $way | cmp - <("$NEARDUP" help index add) && echo same; done
# No line is wider than a terminal, except that examples are never broken.
for command in dedup exact pairs audit simhash tlsh idf keywords compare passages substrings plan stream clusters index hamming 'index add' 'index query' 'hamming create' 'hamming query' 'hamming join'; do
    # shellcheck disable=SC2086
    "$NEARDUP" help $command | sed '/^Examples:$/,/^$/d' | awk 'length > 80 { print "too long: " $0 }'
done
