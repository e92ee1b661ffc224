"""The files that Git tracks, read once."""

import functools
import pathlib
import subprocess
from dataclasses import dataclass

from rust import Source


@dataclass(frozen=True)
class Problem:
    """A place that breaks a rule. Line 0 is the whole file."""

    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


class Tree:
    """A working copy."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True
        )
        self.paths = sorted(filter(None, listed.stdout.split("\0")))

    def text(self, path):
        """The file as text; empty for one that is deleted but still tracked."""
        file = self.root / path
        return file.read_text(encoding="utf-8") if file.is_file() else ""

    @functools.cached_property
    def rust(self):
        """All Rust files, by path. What must not compile is a sample, not code of ours."""
        ours = [p for p in self.paths if p.endswith(".rs") and not is_sample(p)]
        return {path: Source(path, self.text(path)) for path in ours}

    def below(self, *prefixes):
        """The Rust files whose path begins with one of these."""
        return [source for path, source in self.rust.items() if path.startswith(prefixes)]

    def sources(self):
        """The library files: `crates/*/src`."""
        return [s for s in self.below("crates/") if s.path.split("/")[2] == "src"]


def is_sample(path):
    """Whether this is a sample for trybuild."""
    return "/compile_fail/" in path or "/ui/" in path
