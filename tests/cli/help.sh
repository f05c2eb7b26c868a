# The help of the program and of each command; -h, --help and help are one.
t help
t help dedup
t help pairs
t help plan
t help index
for command in create add query remove compact check info; do t help index $command; done
for way in --help -h; do "$NEARDUP" $way | cmp - <("$NEARDUP" help) && echo same; done
for way in --help -h; do "$NEARDUP" dedup $way | cmp - <("$NEARDUP" help dedup) && echo same; done
for way in --help -h; do "$NEARDUP" index $way | cmp - <("$NEARDUP" help index) && echo same; done
for way in --help -h; do "$NEARDUP" index add $way | cmp - <("$NEARDUP" help index add) && echo same; done
for command in dedup index 'index add' 'index query'; do "$NEARDUP" help $command | awk 'length > 80 { print "too long: " $0 }'; done
