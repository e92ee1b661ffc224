#!/usr/bin/env python3
"""Holds what is depended on against `docs/reference/dependencies.md` and `deny.toml`.

The numbers of crates on that page are counted again, for the features of `gatepost` that each row
names. Every crate in `Cargo.lock` has a licence that `deny.toml` allows, comes from a registry that
it allows, and is none that it bans. It needs Cargo, and the dependencies fetched.
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = "docs/reference/dependencies.md"
ROW = re.compile(r"^\| `([a-z ]+)`[^|]*\| (\d+) \|", re.MULTILINE)


def cargo(*arguments):
    """What Cargo prints."""
    command = ["cargo", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def counted(features):
    """How many crates `gatepost` with these features is, itself included."""
    tree = cargo(
        *("tree", "--locked", "--quiet", "--package", "gatepost", "--edges", "normal"),
        *("--target", "x86_64-unknown-linux-gnu", "--prefix", "none"),
        *("--no-default-features", "--features", features.replace(" ", ",")),
    )
    return len({" ".join(line.split()[:2]) for line in tree.splitlines() if line})


def wrong_numbers():
    """Rows of the page that are not true."""
    rows = ROW.findall((ROOT / PAGE).read_text())
    if len(rows) < 5:
        yield f"{PAGE}: only {len(rows)} rows could be read"
    for features, told in rows:
        if counted(features) != int(told):
            yield f"{PAGE}: `{features}` is {counted(features)} crates, not {told}"


def allowed(licence, by):
    """Whether an SPDX expression, or an older `A/B`, is met by licences in `by`."""
    words = re.findall(r"[()]|[^()\s]+", licence.replace("/", " OR "))

    def either():
        met = both()
        while words[:1] == ["OR"]:
            words.pop(0)
            met = both() or met
        return met

    def both():
        met = one()
        while words[:1] == ["AND"]:
            words.pop(0)
            met = one() and met
        return met

    def one():
        word = words.pop(0)
        if word == "(":
            met = either()
            words.pop(0)
            return met
        if words[:1] == ["WITH"]:
            words.pop(0)
            word = f"{word} WITH {words.pop(0)}"
        return word in by

    return either()


def refused():
    """Crates that `deny.toml` does not let in."""
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    banned = {ban["crate"] for ban in rules["bans"]["deny"]}
    known = json.loads(cargo("metadata", "--locked", "--format-version", "1"))["packages"]
    for package in known:
        name = f"{package['name']} {package['version']}"
        if not allowed(package["license"] or "none", rules["licenses"]["allow"]):
            yield f"{name}: licence {package['license']}"
        if package["name"] in banned:
            yield f"{name}: banned"
        source = (package["source"] or "").removeprefix("registry+")
        if source and source not in rules["sources"]["allow-registry"]:
            yield f"{name}: from {source}"


def main():
    """Prints what is not as written; the exit status."""
    faults = [*wrong_numbers(), *refused()]
    print("\n".join(faults) or "ok")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
