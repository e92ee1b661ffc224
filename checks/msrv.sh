#!/bin/sh
# Compiles the published crates with the oldest Rust that each of them names: 1.88, and 1.89 where
# SQLite is. Says so where a toolchain is not here; the build is a folder of its own in `target`.
set -eu
cd "$(dirname "$0")/.."
check() { # toolchain, arguments
    toolchain=$1; shift
    if cargo "+$toolchain" --version >/dev/null 2>&1; then
        echo "Rust $toolchain"
        cargo "+$toolchain" check -q --locked --target-dir "target/msrv-$toolchain" "$@"
    else
        echo "ignored: Rust $toolchain is not installed (rustup toolchain install $toolchain --profile minimal)"
    fi
}
check 1.88 -p gatepost-http -p gatepost-console -p gatepost-postgres -p gatepost-testkit
check 1.88 -p gatepost-kv --all-features
check 1.89 -p gatepost --all-features
