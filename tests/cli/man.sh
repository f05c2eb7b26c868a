# Man pages and completions name every flag, and the shells and roff accept them.
for command in dedup pairs plan; do
    "$NEARDUP" --man "$command" > "$command.1"
    for shell in bash zsh fish; do "$NEARDUP" --completion $shell > "c.$shell"; done
    flags=$("$NEARDUP" help "$command" | sed -nE 's/^ +(-., )?--([a-z-]+).*/\2/p')
    [[ $(wc -w <<< "$flags") -ge 4 ]]
    for flag in $flags; do
        grep -q -- "\\\\-\\\\-${flag//-/\\\\-}\\\\f" "$command.1" || echo "$command.1 lacks $flag"
        grep -q -- "--$flag" c.bash || echo "bash lacks $flag"
        grep -q -- "--$flag" c.zsh || echo "zsh lacks $flag"
        grep -q -- "seen_subcommand_from $command' -l $flag" c.fish || echo "fish lacks $flag"
    done
    if command -v groff > /dev/null; then groff -man -Tutf8 -ww "$command.1" > /dev/null; fi
done
bash -n c.bash
if command -v zsh > /dev/null; then zsh -n c.zsh; fi
if command -v fish > /dev/null; then fish -n c.fish; fi
"$NEARDUP" --man | sed -n 1,9p

# What bash offers.
. ./c.bash
compopt() { :; }
offer() {
    COMP_WORDS=(neardup "$@")
    COMP_CWORD=$#
    _neardup
    echo "$*: ${COMPREPLY[*]}"
}
touch input.jsonl
offer d
offer dedup --ke
offer dedup --keep m
offer dedup --analyzer ''
offer dedup inp
offer help ''
offer --completion ''
