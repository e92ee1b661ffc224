#!/usr/bin/env bash
# Generates clients from the OpenAPI document that the example platform serves, type-checks them, and lets each go the
# whole round (tests/openapi_clients): a key that is made and shown once, listed, edited, rolled; a webhook, a task, an
# event; what is delivered; what is refused; the end of the key. The document itself is validated first.
#
#   openapi-python-client    Python; a warning of the generator is a failure: it leaves something out
#   openapi-generator        Python, where there is Java
#   @hey-api/openapi-ts      TypeScript, where there is Node.js
#
# Generators come from the package indexes, into a folder of their own (OPENAPI_CLIENTS keeps it for the next time). One
# that cannot be had is named; where none can, it ends with 77. `./test` runs it in its second stage.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d "${TMPDIR:-/tmp}/gatepost-openapi-clients.XXXXXX")
tools=${OPENAPI_CLIENTS:-$scratch/tools}
rounds=$PWD/tests/openapi_clients
venv=$tools/venv
npm=$tools/npm
platform=
stop() { [ -z "$platform" ] || { kill "$platform" && wait "$platform"; } 2>/dev/null || true; platform=; }
trap 'stop; rm -rf "$scratch"' EXIT

program=${GATEPOST_HOST:-}
if [ -z "$program" ]; then
    cargo build -q --locked --example host
    program=${CARGO_TARGET_DIR:-target}/debug/examples/host
fi
start() { # a platform of which nothing is stored yet
    stop
    GATEPOST_ADMIN_PASSWORD=clients "$program" --listen 127.0.0.1:0 --data memory --state "$scratch" --unlimited --no-demo --quiet \
        --allow-private-targets >"$scratch/out" 2>"$scratch/err" &
    platform=$!
    for _ in $(seq 600); do grep -q '^listening on' "$scratch/out" && break; sleep 0.1; done
    base=$(sed -n 's/^listening on //p' "$scratch/out")
    [ -n "$base" ] || { cat "$scratch/err" >&2; exit 1; }
}
# Bounded: a package index that does not answer must not hold up the checks.
pip() { timeout 300 "$venv/bin/pip" install -q --retries 1 --timeout 15 "$@" >"$scratch/install" 2>&1; }
ran=0
left() { echo "ignored: $1: $(tail -n 1 "$scratch/install" 2>/dev/null)"; }

mkdir -p "$tools"
if [ ! -x "$venv/bin/openapi-python-client" ]; then
    python3 -m venv "$venv" >"$scratch/install" 2>&1 \
        && pip 'openapi-python-client>=0.26,<1' 'openapi-spec-validator>=0.7,<1' 'mypy>=1.15' \
        || { left "openapi-python-client cannot be installed here"; exit 77; }
fi
PATH=$(realpath "$venv")/bin:$PATH

start
curl -sSf -u admin:clients "$base/api/v4/openapi.json" >"$scratch/openapi.json"
openapi-spec-validator "$scratch/openapi.json"

# -- openapi-python-client ---------------------------------------------------------------------------
printf 'package_name_override: v4\nproject_name_override: v4\npost_hooks: []\n' >"$scratch/config.yml"
openapi-python-client generate --path "$scratch/openapi.json" --config "$scratch/config.yml" --output-path "$scratch/opc" --fail-on-warning
python -m compileall -q "$scratch/opc"
(cd "$scratch/opc" && MYPYPATH=$rounds mypy --strict --follow-imports=silent "$rounds/round_openapi_python_client.py")
PYTHONPATH=$scratch/opc:$rounds python -B "$rounds/round_openapi_python_client.py" "$base" admin:clients
ran=$((ran + 1))

# -- openapi-generator -------------------------------------------------------------------------------
if ! command -v java >/dev/null; then
    echo "ignored: openapi-generator: there is no Java here"
elif [ ! -x "$venv/bin/openapi-generator-cli" ] && ! pip 'openapi-generator-cli>=7.14,<8' urllib3 python-dateutil pydantic typing-extensions; then
    left "openapi-generator cannot be installed here"
else
    # Of the section `webhooks` of OpenAPI 3.1 it writes Python that does not parse, whatever is in it.
    python -c 'import json, sys; d = json.load(sys.stdin); del d["webhooks"]; json.dump(d, sys.stdout)' \
        <"$scratch/openapi.json" >"$scratch/without.json"
    openapi-generator-cli generate -i "$scratch/without.json" -g python --package-name v4 -o "$scratch/ogc" >"$scratch/generated" 2>&1 \
        || { tail -n 20 "$scratch/generated"; exit 1; }
    python -m compileall -q "$scratch/ogc"
    start
    PYTHONPATH=$scratch/ogc:$rounds python -B "$rounds/round_openapi_generator.py" "$base" admin:clients
    ran=$((ran + 1))
fi

# -- @hey-api/openapi-ts ------------------------------------------------------------------------------
if ! command -v npm >/dev/null; then
    echo "ignored: @hey-api/openapi-ts: there is no Node.js here"
elif [ ! -x "$npm/node_modules/.bin/openapi-ts" ] && ! { mkdir -p "$npm" && timeout 300 npm install --prefix "$npm" --no-audit --no-fund \
    @hey-api/openapi-ts@0.95 typescript@5 @types/node@20 >"$scratch/install" 2>&1; }; then
    left "@hey-api/openapi-ts cannot be installed here"
else
    mkdir "$scratch/ts"
    ln -s "$(realpath "$npm")/node_modules" "$scratch/ts/node_modules"
    cp "$rounds/round.ts" "$scratch/ts"
    (
        cd "$scratch/ts"
        node_modules/.bin/openapi-ts -i ../openapi.json -o v4 -c @hey-api/client-fetch >../generated 2>&1 || { tail -n 20 ../generated; exit 1; }
        node_modules/.bin/tsc --strict --skipLibCheck --target es2022 --module commonjs --moduleResolution node --types node --outDir out round.ts
    )
    start
    node "$scratch/ts/out/round.js" "$base" admin:clients
    ran=$((ran + 1))
fi
echo "$ran of 3 generated clients went the whole round"
