#!/usr/bin/env bash
# Sets up what the tests need, then runs every check of the project.
#
# PostgreSQL and Chromium come from the distribution's packages. For PostgreSQL the script starts an instance of its own on a free port in a temporary folder and removes it again; it touches no other.
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# -- packages --------------------------------------------------------------------------------------
missing=()
command -v cc >/dev/null || missing+=(gcc libc6-dev)
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
PATH=$PATH:/usr/sbin command -v pgbouncer >/dev/null || missing+=(pgbouncer)
command -v python3 >/dev/null || missing+=(python3)
command -v chromedriver >/dev/null && command -v chromium >/dev/null || missing+=(chromium chromium-driver)
compgen -G '/usr/share/fonts/truetype/*/*.ttf' >/dev/null || missing+=(fonts-dejavu-core)
command -v curl >/dev/null || missing+=(curl)
command -v strace >/dev/null || missing+=(strace)
! cargo +nightly --version >/dev/null 2>&1 || command -v c++ >/dev/null || missing+=(g++)
command -v ip >/dev/null || missing+=(iproute2)
if [ ${#missing[@]} -gt 0 ]; then
    step "installing ${missing[*]}"
    sudo=""; [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get update -q
    # A test instance is all that is wanted: keep the package from creating and starting a cluster.
    $sudo mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] \
        || echo 'create_main_cluster = false' | $sudo tee /etc/postgresql-common/createcluster.conf >/dev/null
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends "${missing[@]}"
fi

# -- a PostgreSQL of our own -------------------------------------------------------------------------
pgbin=$(dirname "$(ls -d /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)")
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gatepost-test.XXXXXX")
# initdb refuses to run as root: the package's own user runs the instance then.
as_pg() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"; else "$@"; fi; }
cleanup() {
    [ -f "$scratch/pg/postmaster.pid" ] && as_pg "$pgbin/pg_ctl" -D "$scratch/pg" -m immediate -w stop >/dev/null 2>&1 || true
    rm -rf "$scratch"
}
trap cleanup EXIT
step "PostgreSQL"
chmod 711 "$scratch"; mkdir "$scratch/pg" "$scratch/socket"
[ "$(id -u)" = 0 ] && chown postgres "$scratch/pg" "$scratch/socket"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
(cd "$scratch" && as_pg "$pgbin/initdb" -D "$scratch/pg" -U gatepost -A trust -E UTF8 --locale=C >/dev/null)
(cd "$scratch" && as_pg "$pgbin/pg_ctl" -D "$scratch/pg" -w -l "$scratch/pg/log" \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$scratch/socket -c max_connections=400" start >/dev/null)
export GATEPOST_TEST_POSTGRES_URL="postgres://gatepost@127.0.0.1:$port/postgres"
echo "listening on port $port"

# -- checks -------------------------------------------------------------------------------------------
step "the rules of the house"
checks/house.py --self-test
checks/house.py
step "format";  cargo fmt --all --check; cargo fmt --manifest-path fuzz/Cargo.toml --check; cargo fmt --manifest-path tests/oldest_sqlite/Cargo.toml --check; cargo fmt --manifest-path benches/peers/Cargo.toml --check
step "absences"
absent() { # package, pattern, extra arguments
    local package=$1 pattern=$2; shift 2
    if cargo tree --locked -q -p "$package" -e normal --prefix none "$@" | tail -n +2 | grep -E "^($pattern) "; then
        fail "$package must not depend on: $pattern"
    fi
}
absent gatepost-ids  'tokio|hyper|serde|chrono|apikey-core|webhook-model|delivery|gatepost-.*'
absent apikey-core   'tokio|hyper|serde|webhook-model|delivery|gatepost-(storage|keys|engine)'
absent webhook-model 'tokio|hyper|apikey-core|delivery|gatepost-(storage|keys|engine)'
absent delivery      'apikey-core|webhook-model|gatepost-.*'
absent gatepost-keys 'webhook-model|delivery|gatepost-engine'
absent gatepost-engine 'apikey-core|gatepost-keys'
for package in gatepost-keys gatepost-engine gatepost-sqlite gatepost-postgres gatepost-manage gatepost-http gatepost-console; do
    absent "$package" 'openssl|openssl-sys|native-tls'
done
absent gatepost-manage 'axum|maud|gatepost-(http|console)'
absent gatepost-http 'maud|gatepost-console'
absent gatepost-console 'gatepost-http'
absent examples 'webhook-model|delivery|gatepost-(engine|manage|http|console)' --no-default-features
# The roofs have only the door: they name no service and no authority.
if grep -rnwE 'gatepost_engine|KeyService|Authority' crates/gatepost-{http,console}/src --include='*.rs'; then
    fail 'a roof goes past gatepost-manage'
fi
grep -q 'unsafe_code = "forbid"' Cargo.toml || fail 'unsafe code is not forbidden'
for manifest in crates/*/Cargo.toml examples/Cargo.toml benches/Cargo.toml tests/Cargo.toml; do
    grep -A1 '^\[lints\]' "$manifest" | grep -q 'workspace = true' || fail "$manifest does not take the workspace lints"
done
if grep -rn 'ServerCertVerified::assertion' crates/*/src --include='*.rs' | grep -v '^crates/delivery/src/tls/dangerous.rs'; then
    fail 'a certificate is accepted unseen outside crates/delivery/src/tls/dangerous.rs'
fi
echo ok
step "lints";   cargo clippy --workspace --all-targets --locked -- -D warnings

step "tests"
cargo test --workspace --locked --no-fail-fast --lib --bins --tests --examples || echo TESTS-FAILED
step "the sinkhole: a network in which every address is this machine"
if unshare -n true 2>/dev/null; then
    unshare -n sh crates/delivery/tests/sinkhole/run.sh
elif unshare -rn true 2>/dev/null; then
    unshare -rn sh crates/delivery/tests/sinkhole/run.sh
else
    echo "ignored: no network namespace may be made here"
fi
step "the oldest rusqlite, beside a platform's sqlx"
cargo run -q --manifest-path tests/oldest_sqlite/Cargo.toml --target-dir "${CARGO_TARGET_DIR:-target}"
step "fuzz targets, ten seconds each"
fuzz/run.sh 10
step "documentation"
cargo test --workspace --locked --doc
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --locked --no-deps -q
step "the tour"
cargo run --locked -q --example tour
step "all checks passed"
