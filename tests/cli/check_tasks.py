#!/usr/bin/env python3
"""Fails when a verb asks for a task by name: it is to look it up in the table, cli/tasks.h.

usage: check_tasks.py SOURCE_DIRECTORY
"""
import pathlib
import re
import sys

TABLE = "tasks.cc"
COMPARED = re.compile(r'task(\(\))?\s*[=!]=\s*"|"\s*[=!]=\s*[\w.()>-]*task\b|require_task')

root = pathlib.Path(sys.argv[1]) / "cli"
names = re.findall(r'\.name = "(\w+)"', (root / TABLE).read_text())
assert len(names) > 1, "the table of tasks was not found"
bad = []
for path in sorted(root.glob("*.[hc]*")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        compares_name = any(re.search(rf'[=!]= "{name}"', line) for name in names)
        if COMPARED.search(line) or compares_name:
            bad.append(f"{path}:{number}: asks for a task by name")
print("\n".join(bad) or f"tasks {', '.join(names)}: all by the table")
sys.exit(1 if bad else 0)
