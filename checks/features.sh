#!/bin/sh
# Compiles `gatepost` with each choice of features that a platform may make. What all features
# together hide is seen here: an import that only another feature brings along.
set -eu
cd "$(dirname "$0")/.."
for features in '' keys webhooks 'keys sqlite' 'webhooks sqlite' 'keys postgres' \
    http 'http sqlite' 'console postgres' 'keys webhooks sqlite http console postgres'; do
    echo "features: ${features:-none}"
    cargo check -q --locked -p gatepost --lib --no-default-features --features "$features"
done
cargo check -q --locked -p delivery --lib --no-default-features
cargo check -q --locked -p delivery --lib --no-default-features --features verify
cargo check -q --locked -p gatepost-storage --lib --no-default-features --features 'keys serde'
cargo check -q --locked -p gatepost-storage --lib --no-default-features --features 'serde webhooks'
