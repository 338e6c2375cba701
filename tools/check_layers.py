#!/usr/bin/env python3
"""Fails when a file includes a module that its own module may not know (docs/architecture.md)."""
import pathlib
import re
import sys

BELOW = {"base", "semiring", "forest", "text", "trees", "score", "learn", "eval", "align", "lm"}
STRUCTURES = {"chain", "span", "search", "ccg", "scfg", "transduce"}
TASKS = {"tag", "classify", "parse", "ccgparse", "translate", "transducer", "compile"}
# module -> modules it may include directly. Anything not listed is forbidden.
MAY_INCLUDE = {
    "base": set(),
    "semiring": {"base"},
    "forest": {"base", "semiring"},
    "text": {"base"},
    "trees": {"base"},
    "score": {"base", "forest", "trees"},
    "learn": {"base", "semiring", "forest", "trees", "score"},
    "eval": {"base", "text"},
    "align": {"base", "text"},
    "lm": {"base", "text"},
    **{structure: BELOW for structure in STRUCTURES},
    # A task may use another task's public face: a parser uses the tagger.
    **{task: BELOW | STRUCTURES | TASKS for task in TASKS},
}
INCLUDE = re.compile(r'#include [<"](?:coppice/)?(\w+)/')


def module_of(root: pathlib.Path, path: pathlib.Path) -> str:
    return path.relative_to(root).parts[0]


def main(root: pathlib.Path) -> int:
    bad = []
    for top in ("include/coppice", "src"):
        for path in sorted((root / top).rglob("*.[hc]*")):
            module = module_of(root / top, path)
            allowed = MAY_INCLUDE.get(module, set()) | {module}
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                if found and found[1] in MAY_INCLUDE and found[1] not in allowed:
                    bad.append(f"{path}:{number}: {module} may not include {found[1]}")
    for front_end in ("cli", "python"):
        for path in sorted((root / front_end).rglob("*.[hc]*")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.match(rf'#include "(?!coppice/|{front_end}/)', line):
                    bad.append(f"{path}:{number}: a front end includes public headers only")
    print("\n".join(bad) or "layers hold")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
