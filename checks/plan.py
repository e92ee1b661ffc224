"""The plan of crates and modules is what manifests and imports say.

In the block of ARCHITECTURE.md that begins with `facade`, a line names crates, and after an arrow the
crates that they depend on; a crate may also depend on the dependencies of those. In
checks/modules.txt a line names a crate and its modules (the files and folders of its `src`), the top
layer first; a module imports only from lower layers."""

import functools
import posixpath
import re
import tomllib

from cycles import Crate, shortest
from tree import Problem

CRATES = "ARCHITECTURE.md"
MODULES = "checks/modules.txt"
ARROW = "───►"
CRATE = re.compile(r"\b(?:gatepost(?:-[a-z]+)?|apikey-core|webhook-model|delivery)\b")


def block(tree):
    """The lines of the map of the crates, and where it begins."""
    lines = tree.text(CRATES).splitlines()
    for at, line in enumerate(lines):
        if line == "```" and lines[at + 1 : at + 2] and lines[at + 1].startswith("facade"):
            end = lines.index("```", at + 1)
            return at + 2, lines[at + 1 : end]
    return 0, []


def manifests(tree):
    """What each library crate depends on among ours."""
    found = {}
    for path in tree.paths:
        if re.fullmatch(r"crates/[^/]+/Cargo\.toml", path):
            needs = tomllib.loads(tree.text(path)).get("dependencies", {})
            name = posixpath.basename(posixpath.dirname(path))
            found[name] = {need for need in needs if CRATE.fullmatch(need)}
    return found


def declared(lines):
    """What each crate of the map depends on; the facade depends on all."""
    arrows = {}
    for line in lines:
        left, arrow, right = line.partition(ARROW)
        needs = set(CRATE.findall(right.strip().split("  ")[0])) if arrow else set()
        for name in CRATE.findall(left.split("   ", 1)[-1] if not arrow else left):
            arrows[name] = needs
    if "gatepost" in arrows:
        arrows["gatepost"] = set(arrows) - {"gatepost"}
    return arrows


def crates_as_planned(tree):
    """the map of the crates in ARCHITECTURE.md is what the manifests say"""
    at, lines = block(tree)
    plan, real = declared(lines), manifests(tree)
    if real and not lines:
        yield Problem(CRATES, 0, "has no map of the crates")
        return
    for name in sorted(plan.keys() ^ real.keys()):
        yield Problem(CRATES, at, f"{name} is on the map or in crates/, not in both")

    def below(name, seen=frozenset()):
        needs = plan.get(name, set())
        return needs.union(*(below(n, seen | {name}) for n in needs - seen))

    for name in sorted(plan.keys() & real.keys()):
        for extra in sorted(real[name] - below(name)):
            yield Problem(CRATES, at, f"{name} depends on {extra}, which is not below it on the map")
        if name != "gatepost":
            for missing in sorted(plan[name] - real[name]):
                yield Problem(CRATES, at, f"{name} does not depend on {missing}")


def named_paths(text):
    """The paths in code marks that begin with `crates/`; `{a,b}` stands for both."""
    for path in re.findall(r"`(crates/[^` ]+)`", text):
        head, brace, rest = path.partition("{")
        inner, _, tail = rest.partition("}")
        for part in inner.split(",") if brace else [""]:
            yield head + part + tail


def paths_that_exist(tree):
    """the paths in the documents of the root exist"""
    folders = {path.rsplit("/", n)[0] for path in tree.paths for n in range(1, path.count("/") + 1)}
    for page in (p for p in tree.paths if "/" not in p and p.endswith(".md")):
        for number, line in enumerate(tree.text(page).splitlines(), 1):
            for path in named_paths(line):
                if path.rstrip("/") not in folders and path not in tree.paths:
                    yield Problem(page, number, f"{path} does not exist")


def module(path):
    """The file or folder of `src` that a file is in."""
    return path.split("/src/")[1].split("/")[0].removesuffix(".rs")


def layers(crate):
    """The modules of a crate, top layer first; or the modules of a cycle."""
    below = {}
    for start, end in crate.arrows:
        start, end = module(start), module(end)
        if start != "lib":
            below.setdefault(start, set())
            if start != end:
                below[start].add(end)
                below.setdefault(end, set())
        elif end != "lib":
            below.setdefault(end, set())
    for start in sorted(below):
        for end in sorted(below[start]):
            way = shortest(below, end, start)
            if way:
                return None, way

    @functools.cache
    def layer(name):
        return 1 + max(map(layer, below[name]), default=-1)

    tops = max(map(layer, below), default=-1)
    plan = [sorted(m for m in below if layer(m) == n) for n in range(tops, -1, -1)]
    return " > ".join(", ".join(modules) for modules in plan), None


def modules_as_planned(tree):
    """the modules of each crate in checks/modules.txt are what the imports say, layer by layer"""
    plan = dict(line.split(":", 1) for line in tree.text(MODULES).splitlines())
    for lib in (p for p in tree.rust if re.fullmatch(r"crates/[^/]+/src/lib\.rs", p)):
        name = lib.split("/")[1]
        real, cycle = layers(Crate(tree, lib))
        if cycle:
            yield Problem(lib, 0, f"a cycle of modules: {' -> '.join(cycle)}")
        elif real and plan.get(name, "").strip() != real:
            yield Problem(MODULES, 0, f"the modules are now\n    {name}: {real}")
