#!/bin/sh
# Compiles `gatepost` with each feature by itself, or with what it needs. What all features together
# hide is seen here: an import that only another feature brings along.
set -eu
cd "$(dirname "$0")/.."
for features in '' keys webhooks 'keys sqlite' 'webhooks sqlite' 'keys postgres' http console; do
    echo "features: ${features:-none}"
    cargo check -q --locked -p gatepost --lib --no-default-features --features "$features"
done
cargo check -q --locked -p delivery --lib --no-default-features
cargo check -q --locked -p delivery --lib --no-default-features --features verify
cargo check -q --locked -p gatepost-storage --lib --no-default-features --features 'keys serde'
cargo check -q --locked -p gatepost-storage --lib --no-default-features --features 'serde webhooks'
cargo check -q --locked -p gatepost-kv --lib
