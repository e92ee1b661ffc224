"""How files are named and laid out: paths, derive lists, comments, constants, imports."""

import re

from rust import items, uses
from tree import Problem

WIDTH = 100
FORBIDDEN_FOLDERS = {"target", "debug"}
COMMENT = re.compile(r"\s*(///|//!|//)\s?")
CODE_SPAN = re.compile(r"`[^`\n]+`|\[[^\]\n]*\]\([^)\n]*\)|\[`?[^\]\n]+\]")
AFTER_CONSTANTS = {"fn", "struct", "enum", "union", "trait", "impl"}
STANDARD = {"std", "core", "alloc"}
LOCAL = {"crate", "self", "super"}


def no_ignored_paths(tree):
    """no path with a part named `target` or `debug`, which common ignore files drop"""
    for path in tree.paths:
        for part in FORBIDDEN_FOLDERS.intersection(path.lower().split("/")):
            yield Problem(path, 0, f"`{part}`: the ignore files of whoever vendors this drop it")


def derives_in_order(tree):
    """derive lists in byte order"""
    for source in tree.rust.values():
        for match in re.finditer(r"\bderive\(([^)]*)\)", source.code):
            names = [name.strip() for name in match[1].split(",") if name.strip()]
            if names != sorted(names):
                text = f"derive({', '.join(names)}): write {', '.join(sorted(names))}"
                yield Problem(source.path, source.line(match.start()), text)


def comments_in_width(tree):
    """comment lines of at most 100 columns, but for addresses and what cannot be broken"""
    for source in tree.rust.values():
        fenced = False
        for number, line in enumerate(source.text.splitlines(), 1):
            marker = COMMENT.match(line)
            if not marker:
                fenced = False
                continue
            text = line[marker.end() :]
            if text.lstrip().startswith("```"):
                fenced = not fenced
            if len(line) > WIDTH and not fenced and is_breakable(line, marker.end()):
                yield Problem(source.path, number, f"{len(line)} columns, more than {WIDTH}")


def is_breakable(line, start):
    """Whether a comment could be broken before the limit."""
    text = line[start:].strip()
    if "://" in text or text.startswith("|"):
        return False
    whole = CODE_SPAN.sub(lambda found: "x" * len(found[0]), text)
    first = whole.find(" ")
    # The mark of a list is no place for a break.
    if re.match(r"(?:[-*]|\d+\.)\s", whole):
        first = whole.find(" ", first + 1)
    return 0 <= first < WIDTH - start


def constants_at_the_top(tree):
    """module-level constants below the imports and above everything else"""
    for source in tree.rust.values():
        top = [item for item in items(source.product) if item.depth == 0]
        first = min((i.start for i in top if i.kind in AFTER_CONSTANTS), default=None)
        constants = [i for i in top if i.kind in ("const", "static") and i.name != "_"]
        for item in constants:
            if first is not None and item.start > first:
                text = f"`{item.name}`: constants stand above the first function or type"
                yield Problem(source.path, source.line(item.start), text)
        declared = [u.start for u in uses(source.product) if u.depth == 0]
        declared += [i.start for i in top if i.kind == "mod"]
        if constants and declared and constants[0].start < max(declared):
            text = f"`{constants[0].name}`: constants stand below the imports and modules"
            yield Problem(source.path, source.line(constants[0].start), text)


def imports_in_form(tree):
    """one `use` for each module, without nested braces; groups: std, other crates, this crate"""
    for source in tree.rust.values():
        yield from one_use_for_each_module(source)
        yield from groups(source)


def one_use_for_each_module(source):
    """Nested braces, and declarations that belong together."""
    seen = {}
    for use in uses(source.code):
        line = source.line(use.start)
        if use.text.count("{") > 1:
            yield Problem(source.path, line, f"`use {use.text}` has nested braces")
            continue
        head, brace, _ = use.text.partition("{")
        module = head.strip() if brace else "::".join(re.split(r" as ", head)[0].split("::")[:-1])
        module = module.strip().removesuffix("::")
        key = (scope(source.code, use.start), use.visibility, attributes(source, use), module)
        if module and key in seen:
            text = f"`use {module}::…` a second time; the first is in line {seen[key]}"
            yield Problem(source.path, line, text)
        seen.setdefault(key, line)


def scope(code, at):
    """The offset of the brace that is open here, -1 at the top of a file."""
    depth = 0
    for match in reversed(list(re.finditer(r"[{}]", code[:at]))):
        depth += 1 if match[0] == "}" else -1
        if depth < 0:
            return match.start()
    return -1


def attributes(source, use):
    """The attributes and doc comments that stand on a `use`."""
    above, kept = source.text[: use.start].splitlines()[::-1], []
    for line in above[1:] if above and not above[0].strip() else above:
        if not re.match(r"\s*(#\[|//)", line):
            break
        kept.append(line.strip())
    return tuple(kept)


def groups(source):
    """The order of the groups in each run of declarations at the top of a file."""
    previous = None
    for use in (u for u in uses(source.product) if u.depth == 0):
        between = source.product[previous.start + 1 : use.start] if previous else ""
        rest = between.partition(";")[2]
        blanked = re.sub(r"#\[[^\]]*\]", "", rest).strip()
        if previous and not blanked:
            before, now = group(previous), group(use)
            separated = "\n\n" in re.sub(r"[ \t]+\n", "\n", rest)
            if now < before:
                text = f"`use {use.text}` belongs above `use {previous.text}`"
                yield Problem(source.path, source.line(use.start), text)
            elif now > before and not separated:
                text = f"a blank line belongs before `use {use.text}`"
                yield Problem(source.path, source.line(use.start), text)
        previous = use


def group(use):
    """0 for the standard library, 1 for other crates, 2 for this one."""
    first = re.split(r"\W+", use.text.removeprefix("::"))[0]
    return 0 if first in STANDARD else 2 if first in LOCAL else 1
