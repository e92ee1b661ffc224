#!/usr/bin/env bash
# Runs every fuzz target: fuzz/run.sh [SECONDS] [TARGET...]. Needs a nightly toolchain, not cargo-fuzz.
# New inputs are kept in corpus/ with KEEP=1, and thrown away without. What makes a target fail is left in artifacts/.
set -euo pipefail
build=$(realpath -m "${CARGO_TARGET_DIR:-$(dirname "$0")/../target}/fuzz")
cd "$(dirname "$0")"
seconds=${1:-10}
shift || true
if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "fuzz: ignored: there is no nightly toolchain"
    exit 0
fi
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(basename -s .rs -a libfuzzer/fuzz_targets/*.rs)
host=$(rustc +nightly -vV | sed -n 's/^host: //p')
# What cargo-fuzz passes; with a --target, so that build scripts go without.
export RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Zsanitizer=address --cfg fuzzing"
export CARGO_TARGET_DIR="$build"
cargo +nightly build -q --release --locked --manifest-path libfuzzer/Cargo.toml --target "$host"
mkdir -p artifacts
for target in "${targets[@]}"; do
    fresh=$(mktemp -d)
    if [ "${KEEP:-}" = 1 ]; then corpora=("corpus/$target"); else corpora=("$fresh" "corpus/$target"); fi
    log="$fresh.log"
    if ! "$CARGO_TARGET_DIR/$host/release/$target" "${corpora[@]}" -max_total_time="$seconds" -timeout=5 \
        -rss_limit_mb=1024 -max_len=4096 -artifact_prefix="artifacts/$target-" >"$log" 2>&1; then
        tail -n 60 "$log"
        echo "fuzz: $target: FAILED"
        exit 1
    fi
    echo "fuzz: $target: $(grep -E '^Done ' "$log"), $(grep -oE 'cov: [0-9]+' "$log" | tail -n 1)"
    rm -rf "$fresh" "$log"
done
