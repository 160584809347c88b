#!/usr/bin/env bash
# Types the commands of README.md and compares what they print with what stands
# there. A block ```sh is typed; a block ```text right after it is what the last
# command of it prints, all of it or, where it has a line with only …, its
# beginning. Figures that depend on the machine are not compared. Commands that
# need an archive elsewhere (s3://, ARCHIVE=) are only read.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/target/debug:$PATH"
# As if typed, also where make runs this.
unset MAKEFLAGS MAKELEVEL MFLAGS

commands=0 outputs=0
typed=$(mktemp) expected=$(mktemp)
trap 'rm -f "$typed" "$expected"' EXIT

# The seconds of a run are the machine's, trailing blanks are nobody's.
comparable() { sed -E 's/^(seconds +)[0-9.]+$/\1…/; s/[[:space:]]+$//'; }

compare() { # $1: the block that was expected
    outputs=$((outputs + 1))
    printf '%s' "$1" | comparable > "$expected"
    comparable < "$typed" > "$typed.all"
    if grep -qx '…' "$expected"; then
        sed -i '/^…$/,$d' "$expected"
        head -n "$(wc -l < "$expected")" "$typed.all" > "$typed"
    else
        mv "$typed.all" "$typed"
    fi
    diff -u --label README.md --label printed "$expected" "$typed"
    rm -f "$typed.all"
}

type_in() { # $1: a command, maybe of several lines
    case $1 in
    *://* | *ARCHIVE=* | *"make test"*) return ;;
    esac
    commands=$((commands + 1))
    echo "\$ $1"
    bash -euo pipefail -c "$1" > "$typed"
}

block='' kind='' previous=''
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
done < README.md

echo "README.md: $commands blocks of commands typed, $outputs outputs compared"
[[ $commands -ge 4 && $outputs -ge 4 ]]
