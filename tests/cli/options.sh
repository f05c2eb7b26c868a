# Every option of every command, as its --help lists them: given twice, without a value, with an
# empty, a wrong and an impossible value. The exit status is always 2, and the message names the
# option, before anything is read.
commands() {
    "$NEARDUP" help "$@" | sed -nE '/^(Usage|Commands):$/,$s/^  neardup ([a-z]+( [a-z]+)?)( .*)?$/\1/p'
}

tried=0

# refused MESSAGE ARGUMENTS: prints the output if the message or the exit status is different.
refused() {
    local message=$1 status=0 line=
    shift
    tried=$((tried + 1))
    "$NEARDUP" "$@" > .out 2> .err < /dev/null || status=$?
    IFS= read -r line < .err || true
    if [[ $status != 2 || -s .out || $line != "neardup: $message"* ]]; then
        echo "not refused as '$message', but with status $status: neardup $*"
        cat .out .err
    fi
}

# Sets `value` to one in range, chosen by the name that the help gives to the value.
choose_value() {
    case $1 in
        N | K) value=2 ;;
        SIZE) value=64M ;;
        S | P | SHARE) value=.5 ;;
        TIME) value=1d ;;
        *=*) value=x=y ;;
        *'|'*) value=${1%%|*} ;;
        *) value=x ;;
    esac
}

try_option() { # COMMAND (as words) OPTION ARGUMENT
    local option=$2 argument=$3 value
    local -a command
    read -ra command <<< "$1"
    if [[ -z $argument ]]; then
        refused "--$option: given twice" "${command[@]}" "--$option" "--$option"
        refused "--$option x: must be given without a value" "${command[@]}" "--$option=x"
        return
    fi
    choose_value "$argument"
    # Lists may be repeated.
    [[ $option == text-field || $option == glob || $option == exclude || $option == protect || $option == beside || $option == differ-by || "$1 $option" == 'passages in' ]] || refused "--$option: given twice" "${command[@]}" "--$option" "$value" "--$option=$value"
    refused "--$option: a value is missing" "${command[@]}" "--$option"
    refused "--$option \"\": must be" "${command[@]}" "--$option="
    case $argument in
        N | K | SIZE | S | P | SHARE | TIME)
            for value in wrong -1 nan 99999999999999999999999999; do refused "--$option $value: must be" "${command[@]}" "--$option=$value"; done
            ;;
        *'|'*) refused "--$option wrong: must be" "${command[@]}" "--$option=wrong" ;;
    esac
}

all=$(commands | grep -v '^index\|^hamming\|^help'; commands index; commands hamming)
while read -r command; do
    while read -r option argument; do try_option "$command" "$option" "$argument"; done < <(
        # shellcheck disable=SC2086
        "$NEARDUP" $command --help | sed -nE 's/^(  -., |      )--([a-z-]+)( ([^ ]+))?( .*)?$/\2 \4/p' | grep -v '^help'
    )
done <<< "$all"
((tried > 700)) && echo "all were tried"
left
