# Plans; every number of the curve is compared with the formula.
t plan
t plan --threshold .5 --recall .9 --perms 64
t plan --threshold 1
t plan --threshold=.83 --json

check() {
    "$NEARDUP" plan "$@" | awk '
        NR == 1 { bands = $1; rows = $4 }
        /^[0-9]/ && NR > 3 {
            want = 1 - (1 - $1 ^ rows) ^ bands
            if ($2 - want > 6e-9 || want - $2 > 6e-9) print "wrong: " $0 ", not " want
            n++
        }
        END { print n " rows checked" }'
}
check
check --threshold .5 --recall .9 --perms 64
check --threshold .123 --recall .5 --perms 1024
check --perms 1 --recall .5
