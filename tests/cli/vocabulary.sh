# Each option has one meaning, one kind of value and one default in all commands. The man pages come
# from the tables of the parser.
commands() { "$NEARDUP" help "$@" | sed -nE '/^(Usage|Commands):$/,$s/^  neardup ([a-z]+( [a-z]+)?)( .*)?$/\1/p'; }
all=$(commands | grep -v '^index\|^hamming\|^help'; commands index; commands hamming)
echo "$(wc -l <<< "$all") commands"

# A line for each option of each command: name, letter, value, meaning, default, command.
options() {
    local command
    while read -r command; do
        # shellcheck disable=SC2086
        "$NEARDUP" --man $command | sed 's/\\-/-/g; s/\\e/\\/g' | awk -v command="$command" '
            /^\.SH/ { inside = /OPTIONS/ }
            inside && /^\.TP/ {
                getline
                letter = match($0, /\\fB-.\\fR, /) ? substr($0, RSTART + 4, 1) : "-"
                sub(/\\fB-.\\fR, /, "")
                name = $0; sub(/^\\fB--/, "", name); sub(/\\fR.*/, "", name)
                value = match($0, /\\fI.*\\fR/) ? substr($0, RSTART + 3, RLENGTH - 6) : "-"
                getline
                meaning = $0; sub(/[.;(].*/, "", meaning); sub(/ +$/, "", meaning)
                fallback = match($0, /default: .*\)$/) ? substr($0, RSTART + 9, RLENGTH - 10) : "-"
                sub(/; G: .*/, "", fallback)
                print name "\t" letter "\t" value "\t" meaning "\t" fallback "\t" command
            }'
    done <<< "$all"
}
options > options.tsv
# Prints the names of options with more than one value in a column.
unlike() { cut -f "1,$1" options.tsv | sort -u | cut -f 1 | uniq -d; }
echo "-- letters that differ"
unlike 2
echo "-- meanings that differ"
unlike 4
# The name of a value may differ, and a choice has fewer words in a command that supports fewer.
echo "-- values that differ"
for name in $(unlike 3); do awk -F '\t' -v name="$name" '$1 == name { print name ": " $3 }' options.tsv | sort -u; done
# If a default differs, the text gives the rule: -k is 6 if texts are verified and 3 if fingerprints
# decide; tfidf is the default if the words of the input are counted; a stream's answers have topics
# only on demand.
echo "-- defaults that differ"
for name in $(unlike 5); do awk -F '\t' -v name="$name" '$1 == name { print name ": " $5 }' options.tsv | sort | uniq -c | sed 's/^ *//'; done
echo "-- all options"
cut -f 1,2,4 options.tsv | sort -u | awk -F '\t' '{ print ($2 == "-" ? "    " : "-" $2 ", ") "--" $1 ": " $3 }'
