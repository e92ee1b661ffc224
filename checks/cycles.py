"""No cycle of imports between the files of a crate: arrows point downward only.

An arrow goes from a file to the file that defines what it names, by `use` or by a path in its code
that begins with `crate`, `self`, `super` or a module; re-exports are followed to the definition.
A file with `mod x;` has an arrow to `x`. Tests are left out."""

import collections
import posixpath
import re
from dataclasses import dataclass, field

from rust import closing, items, uses
from tree import Problem

PATH = re.compile(r"(?<![\w:])(?:\$?crate|self|super|[a-z_][a-z0-9_]*)(?:\s*::\s*\w+)+")
PUB_IN = re.compile(r"\bpub\(in[^)]*\)")
EXPORTED = re.compile(r"#\[macro_export[^\]]*\]\s*$")
PATH_ATTRIBUTE = re.compile(r'#\[path = "([^"]*)"\]\s*$')


@dataclass
class Module:
    """A module: a file, or a part of one in braces."""

    file: str
    parent: "Module | None"
    span: tuple
    children: dict = field(default_factory=dict)
    defined: set = field(default_factory=set)
    imports: list = field(default_factory=list)  # Use declarations of the module itself


class Crate:
    """The modules of one crate and the arrows between its files."""

    def __init__(self, tree, lib):
        self.tree = tree
        self.arrows = {}  # (from, to) -> (line, text)
        self.modules = []
        self.macros = {}  # an exported macro is named from the root, wherever it is written
        self.root = self._read(lib, None, posixpath.dirname(lib))
        for module in self.modules:
            self._draw(module)

    def _read(self, path, parent, folder):
        """The module in a file; `folder` is where the files of its children are."""
        source = self.tree.rust[path]
        return self._module(source, parent, folder, (0, len(source.product)), 0)

    def _module(self, source, parent, folder, span, depth):
        module = Module(source.path, parent, span)
        self.modules.append(module)
        code = source.product
        inside = [i for i in items(code) if i.depth == depth and span[0] <= i.start < span[1]]
        for item in inside:
            if item.kind == "macro_rules" and EXPORTED.search(code[: item.start]):
                self.macros[item.name] = source.path
                continue
            if item.kind != "mod":
                module.defined.add(item.name)
                continue
            end = re.compile(r"[;{]").search(code, item.start)
            if end[0] == "{":
                body = (end.end(), closing(code, end.start()))
                inner = posixpath.join(folder, item.name)
                child = self._module(source, module, inner, body, depth + 1)
            else:
                file, below = self._file_of(source, item, folder)
                if file is None:
                    continue
                child = self._read(file, module, below)
                self._arrow(source, file, item.start)
            module.children[item.name] = child
        module.imports = [
            use for use in uses(code) if use.depth == depth and span[0] <= use.start < span[1]
        ]
        return module

    def _file_of(self, source, item, folder):
        """The file of `mod x;` and the folder of its children."""
        given = PATH_ATTRIBUTE.search(source.text[: item.start])
        if given:
            file = posixpath.normpath(posixpath.join(posixpath.dirname(source.path), given[1]))
            return (file, posixpath.dirname(file)) if file in self.tree.rust else (None, None)
        below = posixpath.join(folder, item.name)
        for file in (f"{below}.rs", f"{below}/mod.rs"):
            if file in self.tree.rust:
                return file, below
        return None, None

    def _draw(self, module):
        """The arrows of what a module names, without those of modules in braces within it."""
        source = self.tree.rust[module.file]
        inner = [c.span for c in module.children.values() if c.file == module.file]
        start, end = module.span

        def own(at):
            return start <= at < end and not any(a <= at < b for a, b in inner)

        declared = [use for use in uses(source.product) if own(use.start)]
        for use in declared:
            for segments, _ in use.names:
                self._point(source, module, segments, use.start)
        spans = [(use.start, use.start + len(use.text)) for use in declared]
        code = PUB_IN.sub(lambda found: " " * len(found[0]), source.product)
        for match in PATH.finditer(code, start, end):
            if own(match.start()) and not any(a <= match.start() < b for a, b in spans):
                segments = re.sub(r"[\s$]", "", match[0]).split("::")
                self._point(source, module, segments, match.start())

    def _point(self, source, module, segments, at):
        target = self.resolve(module, tuple(segments), frozenset())
        if target is not None:
            file = target.file if isinstance(target, Module) else target
            self._arrow(source, file, at)

    def _arrow(self, source, file, at):
        if file != source.path:
            line = source.line(at)
            text = source.text.splitlines()[line - 1].strip()
            self.arrows.setdefault((source.path, file), (line, text))

    def resolve(self, module, segments, seen):
        """What a path names, seen from a module: a Module, the file that defines the item, or None
        when it is not of this crate."""
        if (id(module), segments) in seen:
            return None
        seen |= {(id(module), segments)}
        first, rest = segments[0], segments[1:]
        if first == "crate":
            return self._within(self.root, rest, seen)
        if first == "self":
            return self._within(module, rest, seen)
        if first == "super":
            return self._within(module.parent, rest, seen) if module.parent else None
        return self._within(module, segments, seen, local=True)

    def _within(self, module, segments, seen, local=False):
        if not segments or segments[0] == "*":
            return module
        first, rest = segments[0], segments[1:]
        if first in ("super", "self"):
            return self.resolve(module, segments, seen)
        if first in module.children:
            return self._within(module.children[first], rest, seen)
        if module is self.root and first in self.macros:
            return self.macros[first]
        if first in module.defined:
            return module.file
        # An import such as `use url::url` names another crate, not itself.
        if (id(module), first) in seen:
            return None
        seen |= {(id(module), first)}
        for use in module.imports:
            for path, alias in use.names:
                if alias == first:
                    return self.resolve(module, path + rest, seen)
        for use in module.imports:
            for path, _ in use.names:
                if path[-1] != "*":
                    continue
                target = self.resolve(module, path, seen)
                if isinstance(target, Module):
                    found = self._within(target, segments, seen, local=True)
                    if found is not None:
                        return found
        # A name that was not found is of another crate, or a macro made it here.
        return None if local else module.file

    def cycles(self):
        """Every arrow that is part of a cycle, in the shortest cycle that it is part of."""
        after = collections.defaultdict(list)
        for start, end in self.arrows:
            after[start].append(end)
        found = set()
        for start, end in sorted(self.arrows):
            way = shortest(after, end, start)
            if way:
                least = way.index(min(way))
                found.add(tuple(way[least:] + way[:least]))
        return sorted(found, key=lambda cycle: (len(cycle), cycle))


def shortest(after, start, goal):
    """The files on the shortest way, both ends included; None if there is no way."""
    before, queue = {start: None}, collections.deque([start])
    while queue:
        at = queue.popleft()
        if at == goal:
            way = []
            while at is not None:
                way.append(at)
                at = before[at]
            return way[::-1]
        for file in after[at]:
            if file not in before:
                before[file] = at
                queue.append(file)
    return None


def no_cycles(tree):
    """no cycle of imports between the files of a crate"""
    for lib in (p for p in tree.rust if re.fullmatch(r"crates/[^/]+/src/lib\.rs", p)):
        crate = Crate(tree, lib)
        for cycle in crate.cycles():
            steps = []
            for start, end in zip(cycle, cycle[1:] + cycle[:1]):
                line, text = crate.arrows[start, end]
                steps.append(f"{start}:{line}: {text}")
            path, line, text = re.match(r"(.*?):(\d+): (.*)", steps[0]).groups()
            yield Problem(path, int(line), "\n    ".join([text, *steps[1:]]))
