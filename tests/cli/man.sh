# Man pages and completions name every flag, and the shells and roff accept them.
for shell in bash zsh fish; do "$NEARDUP" --completion $shell > "c.$shell"; done
for name in dedup exact pairs audit simhash tlsh idf keywords compare passages plan stream clusters index 'index create' 'index add' 'index query' 'index remove' 'index compact' 'index check' 'index info' \
    hamming 'hamming create' 'hamming add' 'hamming query' 'hamming join' 'hamming remove' 'hamming compact' 'hamming check' 'hamming info' 'hamming plan' 'hamming calibrate'; do
    read -ra command <<< "$name"
    page=neardup-${name// /-}.1
    "$NEARDUP" --man "${command[@]}" > "$page"
    if command -v groff > /dev/null; then groff -man -Tutf8 -ww "$page" > /dev/null; fi
    [[ $name != index && $name != hamming ]] || continue
    flags=$("$NEARDUP" help "${command[@]}" | sed -nE 's/^ {2,6}(-., )?--([a-z-]+).*/\2/p')
    [[ -n $flags ]]
    for flag in $flags; do
        grep -q -- "\\\\-\\\\-${flag//-/\\\\-}\\\\f" "$page" || echo "$page lacks $flag"
        grep -q -- "--$flag" c.bash || echo "bash lacks $flag"
        grep -q -- "--$flag" c.zsh || echo "zsh lacks $flag"
        grep -q -- "seen_subcommand_from ${command[-1]}' -l $flag" c.fish || echo "fish lacks $flag"
    done
done
bash -n c.bash
if command -v zsh > /dev/null; then zsh -n c.zsh; fi
if command -v fish > /dev/null; then fish -n c.fish; fi
"$NEARDUP" --man | sed -n 1,9p
"$NEARDUP" --man index | sed -n '1,/^.TP/p'
tail -n 8 neardup-index.1
tail -n 3 neardup-index-add.1

# The completions that bash offers.
. ./c.bash
compopt() { :; }
offer() {
    COMP_WORDS=(neardup "$@")
    COMP_CWORD=$#
    _neardup
    echo "$*: ${COMPREPLY[*]}"
}
touch input.jsonl
mkdir subdirectory
offer d
offer simhash --we
offer simhash --weights t
offer idf inp
offer dedup --ke
offer dedup --keep m
offer dedup --analyzer ''
offer dedup inp
offer help ''
offer help index ''
offer ind
offer index ''
offer index c
offer index add --k
offer index add --keep l
offer index add ind inp
offer index create --store ''
offer index info sub
offer index remove sub --ids inp
offer --completion ''
