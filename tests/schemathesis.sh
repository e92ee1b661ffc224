#!/usr/bin/env bash
# Runs schemathesis (https://schemathesis.readthedocs.io) with all its checks against the OpenAPI document that the
# example platform serves: no 5xx, no undocumented status, no response that is not as documented, no bad input taken and no
# good input refused. Makes a Python environment of its own from the package index, in the target folder, where the next run
# finds it; where it cannot, it says so and ends with 77. `./test` runs it for 30 seconds, with the same seed each time: what
# it finds is of the change that is tested.
#
#   tests/schemathesis.sh                  # half a minute
#   tests/schemathesis.sh --max-time 600   # whatever `schemathesis run` takes: a seed of its own each time
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d "${TMPDIR:-/tmp}/gatepost-schemathesis.XXXXXX")
platform=
cleanup() { [ -z "$platform" ] || kill "$platform" 2>/dev/null || true; rm -rf "$scratch"; }
trap cleanup EXIT

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
venv=${SCHEMATHESIS_VENV:-$target/schemathesis/4.32}
install() { # bounded: a package index that does not answer must not hold up the checks
    python3 -m venv "$venv" && timeout 120 "$venv/bin/pip" install -q --retries 1 --timeout 15 'schemathesis>=4.32,<5'
}
if [ ! -x "$venv/bin/schemathesis" ] && ! install >"$scratch/install" 2>&1; then
    echo "ignored: schemathesis cannot be installed here: $(tail -n 1 "$scratch/install")"
    exit 77
fi

program=${GATEPOST_HOST:-}
if [ -z "$program" ]; then
    cargo build -q --locked --example host
    program=$target/debug/examples/host
fi
GATEPOST_ADMIN_PASSWORD=schemathesis "$program" --listen 127.0.0.1:0 --data memory --unlimited --no-demo --quiet >"$scratch/out" 2>"$scratch/err" &
platform=$!
for _ in $(seq 100); do grep -q '^listening on' "$scratch/out" && break; sleep 0.1; done
base=$(sed -n 's/^listening on //p' "$scratch/out")
[ -n "$base" ] || { cat "$scratch/err" >&2; exit 1; }

[ $# -gt 0 ] || set -- --max-time 30 --seed 1
# Every operation may delete what another one made, so the login is a password: a key would not live long. Wrong
# logins are 401 until there were too many of them, and 429 then: `ignored_auth` knows of no such limit.
"$venv/bin/schemathesis" --config-file tests/schemathesis.toml run "$base/api/v4/openapi.json" --auth admin:schemathesis \
    --checks all --exclude-checks ignored_auth --continue-on-failure "$@" | tee "$scratch/run" || status=$?
if grep -q '^ *No test cases were generated' "$scratch/run"; then
    echo "ignored: this machine is too busy for schemathesis to begin in time"
    exit 77
fi
[ ! -s "$scratch/err" ] || { echo "the platform said:"; tail -n 20 "$scratch/err"; }
exit "${status:-0}"
