#!/usr/bin/env python3
"""Packs every crate that is to be published, as crates.io would get it, and looks at what is in it.

Nothing is compiled or sent: the lints and tests have compiled the same files. Before a release,
`cargo publish --dry-run` compiles each from its package, for all of them with `--workspace
--exclude` examples, benches, tests and fuzz. It needs the index of crates.io.

A crate is refused that is larger than 300 KiB, lacks a licence text, a description, keywords,
categories or its page on docs.rs with all features, brings tests or their data along, or whose
README leads nowhere when it is read on crates.io. It needs Cargo, and the dependencies fetched.
"""

import json
import pathlib
import re
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "target" / "packages"
MOST = 300 * 1024
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")
# `[text](where)`, where `where` is no address and no place on the same page.
LINK = re.compile(r"\[[^\]]*\]\((?!https?://|#)([^)]*)\)")


def published():
    """The workspace's packages that are to be published, as Cargo describes them."""
    command = ["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"]
    told = json.loads(subprocess.check_output(command, cwd=ROOT))
    return [p for p in told["packages"] if p["publish"] is None], [
        p["name"] for p in told["packages"] if p["publish"] is not None
    ]


def pack(others):
    """Packs all but these, in an order in which each finds those that it depends on."""
    command = ["cargo", "package", "--workspace", "--locked", "--offline", "--quiet"]
    command += ["--no-verify", "--allow-dirty", "--target-dir", str(TARGET)]
    for name in others:
        command += ["--exclude", name]
    subprocess.run(command, cwd=ROOT, check=True)


def wrong(package):
    """What is wrong with a package."""
    for field in ("description", "keywords", "categories", "license", "repository", "readme"):
        if not package[field]:
            yield f"no {field}"
    documented = (package["metadata"] or {}).get("docs", {}).get("rs", {})
    if documented.get("all-features") is not True:
        yield "docs.rs does not show all features"
    name = f"{package['name']}-{package['version']}"
    crate = TARGET / "package" / f"{name}.crate"
    if crate.stat().st_size > MOST:
        yield f"{crate.stat().st_size} bytes are more than {MOST}"
    with tarfile.open(crate) as packed:
        files = {m.name.removeprefix(f"{name}/"): m for m in packed.getmembers()}
        for licence in LICENCES:
            member = files.get(licence)
            text = (ROOT / licence).read_bytes()
            if member is None or not member.isfile() or packed.extractfile(member).read() != text:
                yield f"no {licence}"
        for path in files:
            if re.search(r"(^|/)(tests|benches|proptest-regressions)(/|\.rs$)", path):
                yield f"{path} is for tests"
        readme = packed.extractfile(files["README.md"]).read().decode()
        for link in LINK.findall(readme):
            yield f"README.md: {link} leads nowhere on crates.io"


def main():
    """Prints what is wrong and the sizes; the exit status."""
    packages, others = published()
    pack(others)
    faults = [f"{p['name']}: {fault}" for p in packages for fault in wrong(p)]
    for fault in faults:
        print(fault)
    crates = [TARGET / "package" / f"{p['name']}-{p['version']}.crate" for p in packages]
    sizes = [crate.stat().st_size for crate in crates]
    print(f"{len(crates)} packages, {sum(sizes) // 1024} KiB, the largest {max(sizes) // 1024} KiB")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
