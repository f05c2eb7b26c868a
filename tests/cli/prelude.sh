# Functions for the cases of tests/cli. Each case runs in an empty directory of its own.

# Runs the program and shows the command, its standard output, its standard error (each line after
# "! ") and its exit status.
t() {
    local status=0
    echo "\$ neardup $*"
    "$NEARDUP" "$@" > .out 2> .err || status=$?
    show .out
    sed 's/^/! /' .err
    echo "= $status"
}

# Prints a file's content, and whether its last line has no newline.
show() {
    cat "$1"
    if [[ -s $1 && -n $(tail -c 1 "$1" | tr '\n' ' ' | tr -d ' ') ]]; then
        printf '\n(no newline at the end)\n'
    fi
}

# Prints a file with its name.
shown() {
    local file
    for file; do
        echo "-- $file"
        show "$file"
    done
}

# words FROM TO [LETTER]: prints "w1 w2 w3". n words have n - 4 shingles of 5.
words() { seq -s ' ' -f "${3-w}%g" "$1" "$2"; }

# record ID TEXT: prints one line of JSON.
record() { printf '{"id":"%s","text":"%s"}\n' "$1" "$2"; }

# Prints 3,000 records with words of several scripts. (A loop of bash takes seconds for it.)
many_records() {
    awk 'BEGIN {
        for (i = 0; i < 3000; i++) {
            printf "{\"id\":\"%d\",\"text\":\"document %d is %d", i, i, i * 7919 % 2003
            printf " of Straße %d 汉字", i % 7
            for (n = i % 9; n <= i % 9 + 40; n++) printf " w%d", n
            print "\"}"
        }
    }'
}

# Lists the files and directories that are left, except those of this prelude.
left() { find . -mindepth 1 ! -name .out ! -name .err | LC_ALL=C sort; }

# write_parquet FILE CODE: writes the table `t` that the code makes. For cases with DuckDB.
write_parquet() {
    python3 - "$@" << 'END'
import sys
from datetime import date, datetime, timezone
from decimal import Decimal
import pyarrow as pa
import pyarrow.parquet as pq
options = {'row_group_size': 2, 'compression': 'snappy'}
exec(sys.argv[2])
pq.write_table(t, sys.argv[1], **options)
END
}
