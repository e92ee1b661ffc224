#!/usr/bin/env python3
"""Counts lines of Rust and SQL by crate, tests apart: without blank lines and comments, except a
comment behind code."""

import pathlib
import re
import sys

sys.dont_write_bytecode = True

from tree import Tree, is_sample  # noqa: E402

TEST = re.compile(r"^tests/|/tests/|/tests\.rs$|/testing\b")


def main():
    """Prints a row for each crate, and the sums."""
    rows, size = {}, 0
    tree = Tree(pathlib.Path(__file__).resolve().parent.parent)
    for path in tree.paths:
        if not path.endswith((".rs", ".sql")) or "/vendor/" in path or is_sample(path):
            continue
        code, tests = counted(path, tree)
        row = rows.setdefault("/".join(path.split("/")[: 2 if path.startswith("crates/") else 1]), [0, 0])
        row[0], row[1] = row[0] + code, row[1] + tests
        size += len(tree.text(path).encode())
    rows["all"] = [sum(column) for column in zip(*rows.values())]
    for name, (code, tests) in rows.items():
        print(f"{name:28}{code:9,}{tests:9,}")
    print(f"{size:,} bytes")


def counted(path, tree):
    """The lines of a file: of code, of tests."""
    if path.endswith(".sql"):
        lines = [line.strip() for line in tree.text(path).splitlines()]
        found = sum(bool(line) and not line.startswith("--") for line in lines)
        return (0, found) if TEST.search(path) else (found, 0)
    source = tree.rust[path]
    everything = full(source.text, source.code)
    product = 0 if TEST.search(path) else full(source.text, source.product)
    return product, everything - product


def full(text, code):
    """The lines of `code`, which has the insides of comments blanked, that are not blank in it and
    are no comment in `text`."""
    pairs = zip(text.splitlines(), code.splitlines())
    return sum(bool(c.strip()) and not t.lstrip().startswith("//") for t, c in pairs)


if __name__ == "__main__":
    main()
