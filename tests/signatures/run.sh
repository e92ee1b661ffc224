#!/usr/bin/env bash
# Lets the official Standard Webhooks libraries for Python (PyPI) and JavaScript (npm) verify what we send.
# Run by hand: it needs both package indexes, python3 with venv, and node.
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gatepost-signatures.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install -q 'standardwebhooks>=1,<2'
npm install --silent --no-audit --no-fund --prefix "$scratch/node" 'standardwebhooks@^1'
GATEPOST_TEST_PYTHON="$scratch/venv/bin/python" NODE_PATH="$scratch/node/node_modules" \
    cargo test -p tests --test it -- --ignored signatures::
