#!/usr/bin/env bash
# Holds the public interface of each library crate against that of the last release, the newest tag
# `v…` that leads here, by cargo-semver-checks. Without a release there is nothing to hold it against.
#
#     checks/semver.sh            against the last release
#     checks/semver.sh REVISION   against any commit: as if the version had stayed the same
set -euo pipefail
cd "$(dirname "$0")/.."

baseline=${1:-$(git describe --tags --match 'v[0-9]*' --abbrev=0 2>/dev/null || true)}
if ! cargo semver-checks --version >/dev/null 2>&1; then
    echo "ignored: cargo-semver-checks is not installed"
elif [ -z "$baseline" ]; then
    echo "ignored: there is no release yet to compare with"
else
    cargo semver-checks --workspace --exclude examples --exclude examples-kv --exclude benches --exclude tests --baseline-rev "$baseline"
fi
