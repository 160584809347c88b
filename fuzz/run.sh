#!/usr/bin/env bash
# Builds every fuzz target and runs each for some seconds. The first finding ends the script.
#
# The flags are those of `cargo fuzz build --sanitizer none`: coverage for libFuzzer, and assertions.
# The toolchain of the workspace knows them as unstable, hence RUSTC_BOOTSTRAP.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-60}
target=${CARGO_TARGET_DIR:-../target}/fuzz
host=$(rustc -vV | sed -n 's/^host: //p')
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="--cfg fuzzing -Cdebug-assertions -Ccodegen-units=1 -Cpasses=sancov-module \
-Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"

# With a target triple, the flags do not apply to build scripts.
cargo build --locked --release --target "$host" --target-dir "$target" --quiet

run() { # TARGET DICTIONARY
    local found=$target/found/$1/ corpus=$target/corpus/$1
    mkdir -p "$found" "$corpus"
    echo "fuzzing $1 for $seconds s"
    local log=$target/found/$1.log
    if ! "$target/$host/release/$1" "$corpus" "seeds/$1" -dict="dict/$2" -artifact_prefix="$found" \
        -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 2> "$log"; then
        tail -n 40 "$log" >&2
        echo "$1: the input is in $found" >&2
        exit 1
    fi
    grep -E 'number_of_executed_units' "$log"
}

# A target keeps one core busy, so two run at a time.
pair() { # TARGET DICTIONARY TARGET DICTIONARY
    run "$1" "$2" & local one=$!
    run "$3" "$4" & local other=$!
    wait "$one"
    wait "$other"
}

pair blocks html.dict url_key url.dict
pair rules url.dict job_spec job.dict
pair warc warc.dict feed feed.dict
run index index.dict
