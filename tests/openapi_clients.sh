#!/usr/bin/env bash
# Generates clients from the OpenAPI document that the example platform serves, type-checks them, and lets each go the
# whole round (tests/openapi_clients): a key that is made and shown once, listed, edited, rolled; a webhook, a task, an
# event; what is delivered; what is refused; the end of the key. The document itself is validated first.
#
#   openapi-python-client    Python; a warning of the generator is a failure: it leaves something out
#   openapi-generator        Python and Java, where there is Java; Go, where there is Go, too
#   @hey-api/openapi-ts      TypeScript, where there is Node.js
#
# Generators come from the package indexes, in the versions below, into the target folder, where the next run finds them
# (OPENAPI_CLIENTS names another one). The Java client needs Jackson, which is in the generator's own jar; the Go client needs nothing but
# Go's library. One that cannot be had is named; where none can, it ends with 77. `./test full` runs it.
set -euo pipefail
cd "$(dirname "$0")/.."

python_client=openapi-python-client==0.29.1
generator=openapi-generator-cli==7.26.0
typescript_client=@hey-api/openapi-ts@0.95.0

scratch=$(mktemp -d "${TMPDIR:-/tmp}/gatepost-openapi-clients.XXXXXX")
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
tools=${OPENAPI_CLIENTS:-$target/openapi_clients}
rounds=$PWD/tests/openapi_clients
venv=$tools/venv
npm=$tools/npm/${typescript_client##*@}
platform=
stop() { [ -z "$platform" ] || { kill "$platform" && wait "$platform"; } 2>/dev/null || true; platform=; }
trap 'stop; rm -rf "$scratch"' EXIT

program=${GATEPOST_HOST:-}
if [ -z "$program" ]; then
    cargo build -q --locked --example host
    program=$target/debug/examples/host
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
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" >"$scratch/install" 2>&1 \
    || { left "openapi-python-client cannot be installed here"; exit 77; }
pip "$python_client" openapi-spec-validator==0.9.0 mypy==2.4.1 || { left "openapi-python-client cannot be installed here"; exit 77; }
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
only_code=apiTests=false,modelTests=false,apiDocs=false,modelDocs=false,apis,models,supportingFiles
generated() { # language, folder, options
    openapi-generator-cli generate -i "$scratch/without.json" -g "$1" -o "$2" "${@:3}" >"$scratch/generated" 2>&1 \
        || { tail -n 20 "$scratch/generated"; exit 1; }
}
if ! command -v java >/dev/null; then
    echo "ignored: openapi-generator for Python, Go and Java: there is no Java here"
elif ! pip "$generator" urllib3 python-dateutil pydantic typing-extensions; then
    left "openapi-generator cannot be installed here"
else
    # Of the section `webhooks` of OpenAPI 3.1 it writes Python that does not parse, whatever is in it. Names and arguments
    # follow the order of the members, which depends on how the platform is built (`preserve_order` of serde_json): sorted.
    python -c 'import json, sys; d = json.load(sys.stdin); del d["webhooks"]; json.dump(d, sys.stdout, sort_keys=True)' \
        <"$scratch/openapi.json" >"$scratch/without.json"
    generated python "$scratch/ogc" --package-name v4
    python -m compileall -q "$scratch/ogc"
    start
    PYTHONPATH=$scratch/ogc:$rounds python -B "$rounds/round_openapi_generator.py" "$base" admin:clients
    ran=$((ran + 1))

    if ! command -v javac >/dev/null; then
        echo "ignored: openapi-generator for Java: there is no compiler of Java here"
    else
        jar=$(python -c 'import openapi_generator_cli as it, pathlib; print(next(pathlib.Path(it.__file__).parent.glob("*.jar")))')
        generated java "$scratch/java" --library native --global-property "$only_code" --additional-properties \
            openApiNullable=false,useJakartaEe=false,annotationLibrary=none,documentationProvider=none,invokerPackage=v4,apiPackage=v4.api,modelPackage=v4.model
        # The one class that it names and that neither the jar nor Java has any more.
        mkdir -p "$scratch/java/src/main/java/javax/annotation"
        echo 'package javax.annotation; public @interface Generated { String[] value(); String date() default ""; String comments() default ""; }' \
            >"$scratch/java/src/main/java/javax/annotation/Generated.java"
        find "$scratch/java/src/main" -name '*.java' >"$scratch/sources"
        javac -nowarn -cp "$jar" -d "$scratch/classes" @"$scratch/sources" "$rounds/Round.java" >"$scratch/compiled" 2>&1 \
            || { cat "$scratch/compiled"; exit 1; }
        start
        java -cp "$jar:$scratch/classes" Round "$base" admin:clients
        ran=$((ran + 1))
    fi

    if ! command -v go >/dev/null; then
        echo "ignored: openapi-generator for Go: there is no Go here"
    else
        # Without the prefix, words that two enumerations have are one name.
        generated go "$scratch/go/v4" --global-property "$only_code" --additional-properties packageName=v4,withGoMod=false,enumClassPrefix=true
        cp "$rounds/round.go" "$scratch/go"
        printf 'module round\n\ngo 1.18\n' >"$scratch/go/go.mod"
        (cd "$scratch/go" && GOPROXY=off GOTOOLCHAIN=local GOFLAGS=-mod=mod GOCACHE=$scratch/go/cache go build -o round .)
        start
        "$scratch/go/round" "$base" admin:clients
        ran=$((ran + 1))
    fi
fi

# -- @hey-api/openapi-ts ------------------------------------------------------------------------------
if ! command -v npm >/dev/null; then
    echo "ignored: @hey-api/openapi-ts: there is no Node.js here"
elif [ ! -x "$npm/node_modules/.bin/openapi-ts" ] && ! { mkdir -p "$npm" && timeout 300 npm install --prefix "$npm" --no-audit --no-fund \
    "$typescript_client" typescript@5.9.3 @types/node@20.19.43 >"$scratch/install" 2>&1; }; then
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
echo "$ran of 5 generated clients went the whole round"
