#!/usr/bin/env bash
# Runs the commands of README.md and of the pages below, and compares their output with the pages.
# A block ```sh is run. A block ```text right after it is the expected output of its
# last command; a line with only … means that more output may follow.
# Figures that depend on the machine are not compared. Commands with an archive
# elsewhere (s3://, ARCHIVE=) are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/target/debug:$PATH"
# If make runs this script, its variables must not reach the commands.
unset MAKEFLAGS MAKELEVEL MFLAGS

commands=0 outputs=0
typed=$(mktemp) expected=$(mktemp)
trap 'rm -f "$typed" "$expected"' EXIT

# Removes the seconds, the memory and the spilled bytes of a run, and trailing blanks, which are not compared.
comparable() { sed -E 's/^(seconds|peak memory MB|spilled MB) +[0-9.]+$/\1 …/; s/[[:space:]]+$//'; }

compare() { # $1: the expected output
    outputs=$((outputs + 1))
    printf '%s' "$1" | comparable > "$expected"
    comparable < "$typed" > "$typed.all"
    if grep -qx '…' "$expected"; then
        sed -i '/^…$/,$d' "$expected"
        head -n "$(wc -l < "$expected")" "$typed.all" > "$typed"
    else
        mv "$typed.all" "$typed"
    fi
    diff -u --label "$page" --label printed "$expected" "$typed"
    rm -f "$typed.all"
}

type_in() { # $1: a block of commands
    case $1 in
    # Addresses of pages in a list are http://.
    *[!p]://* | *ARCHIVE=* | *"make test"*) return ;;
    esac
    commands=$((commands + 1))
    echo "\$ $1"
    case $1 in
    # A server runs until Ctrl-C.
    'urltree serve '*) timeout --signal=INT --preserve-status 5 bash -c "exec $1" > "$typed" ;;
    *) bash -euo pipefail -c "$1" > "$typed" ;;
    esac
}

type_page() { # $1: a page; $2: commands and outputs that it has at least
    local page=$1 block='' kind='' previous='' line
    commands=0 outputs=0
    while IFS= read -r line || [[ $line ]]; do
        case $kind:$line in
        :'```'*)
            kind=${line#'```'} block=''
            [[ $kind ]] || kind=plain
            ;;
        ?*:'```')
            if [[ $kind == sh ]]; then
                type_in "$block"
            elif [[ $kind == text && $previous == sh ]]; then
                compare "$block"
            fi
            previous=$kind kind=''
            ;;
        :'') ;;
        :*) previous='' ;;
        *) block+=$line$'\n' ;;
        esac
    done < "$page"
    echo "$page: $commands blocks of commands typed, $outputs outputs compared"
    [[ $commands -ge $2 && $outputs -ge $2 ]]
}

type_page README.md 4
type_page docs/archives.md 5
type_page docs/nights.md 3
type_page docs/output.md 3
type_page docs/near-duplicates.md 1
type_page docs/boilerplate.md 1
type_page docs/report.md 2
