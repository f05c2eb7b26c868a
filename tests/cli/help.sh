# The help of the program and of each command; -h, --help and help are one.
t help
t help dedup
t help pairs
t help plan
for way in --help -h; do "$NEARDUP" $way | cmp - <("$NEARDUP" help) && echo same; done
for way in --help -h; do "$NEARDUP" dedup $way | cmp - <("$NEARDUP" help dedup) && echo same; done
"$NEARDUP" dedup --help | awk 'length > 80 { print "too long: " $0 }'
