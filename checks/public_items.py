#!/usr/bin/env python3
"""Counts the public items of a crate, as its documentation lists them: `checks/public_items.py gatepost-storage`.

Methods are not counted, but the required ones of traits are printed beside: what an integrator writes.
"""
import re
import subprocess
import sys
from pathlib import Path

crate = sys.argv[1] if len(sys.argv) > 1 else "gatepost-storage"
subprocess.run(["cargo", "doc", "--locked", "-q", "--no-deps", "--all-features", "-p", crate], check=True)
told = subprocess.run(["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"], check=True, capture_output=True, text=True)
target = Path(re.search(r'"target_directory":"([^"]+)"', told.stdout)[1])
pages = target / "doc" / crate.replace("-", "_")
items = re.findall(r'<li><a href="([^"]+)">', (pages / "all.html").read_text())
required = 0
for item in items:
    page = (pages / item).read_text()
    if Path(item).name.startswith("trait."):
        # The page of a trait has a section of its own for each of them.
        required += len(re.findall(r'<section id="tymethod\.', page))
print(f"{crate}: {len(items)} public items; their traits have {required} required methods")
