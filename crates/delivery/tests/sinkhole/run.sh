#!/bin/sh
# Runs the sinkhole test where every address leads to this machine. As root, in a fresh network
# namespace: unshare -n sh crates/delivery/tests/sinkhole/run.sh
set -eu
if [ "$(ip -o link | wc -l)" -ne 1 ]; then
    echo "this is not a fresh network namespace; start me by: unshare -n sh $0" >&2
    exit 1
fi
ip link set lo up
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo
# As the workspace builds it, which need not be built again.
exec cargo test --offline --locked -q --workspace --test sinkhole -- --ignored --nocapture
