#!/usr/bin/env python3
"""Measures what Gatepost costs the application that embeds it (`checks/embed/main.rs`): keys,
webhooks, REST API and console on PostgreSQL, as differences to the same application without.

    checks/embed.py            crates, CPU of a debug and of a release build, size of the binary
    checks/embed.py --crates   only crates

It needs Cargo, and the network or crates fetched before. Each build begins with an empty folder;
nothing else should run. The application has the versions of our `Cargo.lock`.
"""

import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MANIFEST = """
[package]
name = "embed"
edition = "2024"

[[bin]]
name = "embed"
path = "{root}/checks/embed/main.rs"

[dependencies]
axum = "0.8"
sqlx = {{ version = "0.9", features = ["postgres", "runtime-tokio", "tls-rustls-ring"] }}
tokio = {{ version = "1", features = ["full"] }}
tracing-subscriber = "0.3"

[dependencies.gatepost]
path = "{root}/crates/gatepost"
default-features = false
features = ["console", "http", "keys", "postgres", "webhooks"]
optional = true

[profile.release]
strip = true

[workspace]
"""


def crates(folder, features):
    """How many crates are compiled, those of build scripts and macros included."""
    command = ["cargo", "tree", "--locked", "--edges", "normal,build", "--prefix", "none"]
    command += ["--target", "x86_64-unknown-linux-gnu", *features]
    tree = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    return len({" ".join(line.split()[:2]) for line in tree.splitlines() if line})


def build(folder, arguments):
    """The seconds of CPU that a build takes, and the bytes of the binary."""
    target = folder / "target"
    shutil.rmtree(target, ignore_errors=True)
    environment = os.environ | {"CARGO_INCREMENTAL": "0", "CARGO_TARGET_DIR": str(target)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["cargo", "build", "--locked", "--quiet", *arguments]
    subprocess.run(command, cwd=folder, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, next(target.glob("*/embed")).stat().st_size


def main():
    """Prints a row for each measure: without, with, the difference."""
    rows = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "Cargo.toml").write_text(MANIFEST.format(root=ROOT))
        shutil.copy(ROOT / "Cargo.lock", folder)
        subprocess.run(["cargo", "update", "--workspace", "--quiet"], cwd=folder, check=True)
        for features in ([], ["--features", "gatepost"]):
            rows.setdefault("crates", []).append(crates(folder, features))
            if "--crates" in sys.argv:
                continue
            rows.setdefault("CPU of a debug build, s", []).append(build(folder, features)[0])
            seconds, size = build(folder, ["--release", *features])
            rows.setdefault("CPU of a release build, s", []).append(seconds)
            rows.setdefault("stripped release binary, MB", []).append(size / 1e6)
    for measure, (without, embedded) in rows.items():
        print(f"{measure:28}{without:8.0f}{embedded:8.0f}{embedded - without:8.0f}")


if __name__ == "__main__":
    sys.exit(main())
