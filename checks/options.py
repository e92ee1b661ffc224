"""The options in docs/reference/configuration.md are those of the code.

A line `<!-- options: PATH… -->` of the page names source files. Each of their public methods that
takes `self` by value, but for `build`, and each public field is named in the first column of a table
that follows, before the next such line; and that column names nothing else. `limits.total` names
`limits` and `total`."""

import re

from tree import Problem

PAGE = "docs/reference/configuration.md"
SOURCES = re.compile(r"<!-- options: (.+) -->")
METHOD = re.compile(r"^    pub (?:const )?fn (\w+)\(\s*(?:mut )?self\b", re.MULTILINE)
FIELD = re.compile(r"^    pub (\w+): ", re.MULTILINE)
NAMED = re.compile(r"`([a-z]\w*(?:\.\w+)*)(?:\([^`]*\))?`")


def options_as_documented(tree):
    """docs/reference/configuration.md names each option of the builders, and no other"""
    sources, named = [], {}
    lines = tree.text(PAGE).splitlines()
    for number, line in enumerate(lines, 1):
        if match := SOURCES.fullmatch(line):
            yield from differences(tree, sources, named)
            sources, named = match[1].split(), {}
        elif line.startswith("| `") and not "".join(lines[number : number + 1]).startswith("|---"):
            for path in NAMED.findall(line.split(" | ")[0]):
                named.update((name, number) for name in path.split("."))
    yield from differences(tree, sources, named)


def differences(tree, sources, named):
    """What one part of the page and its sources do not have in common."""
    real = {}
    for path in sources:
        text = tree.text(path)
        for name in METHOD.findall(text) + FIELD.findall(text):
            real[name] = path
        if not text:
            yield Problem(PAGE, 0, f"{path} does not exist")
    real.pop("build", None)
    for name in sorted(real.keys() - named.keys()):
        yield Problem(PAGE, 0, f"the option {name} of {real[name]} is missing")
    for name in sorted(named.keys() - real.keys()) if sources else ():
        yield Problem(PAGE, named[name], f"no source has the option {name}")
