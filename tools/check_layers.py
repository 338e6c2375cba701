#!/usr/bin/env python3
"""Fails when a file includes a module that its own module may not know (docs/architecture.md), and
when an installed header serves nobody: one that neither the front ends, examples, the consumer test
or the documentation include, directly or through another header, nor FOR_USERS names."""
import fnmatch
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

# Headers that nothing of ours outside the library includes: who calls them.
FOR_USERS = {
    "base/signed_log.h": "a number that semirings may be made of",
    "base/wide_float.h": "a number that semirings may be made of",
    "forest/*.h": "algorithms on forests, for those who build their own",
    "learn/derivation_list.h": "k-best lists as what a structure of one's own is trained on",
    "learn/forest_engine.h": "engines for a structure of one's own",
    "learn/mert.h": "minimum error rate training on forests",
    "learn/min_risk.h": "minimum-risk decoding of forests",
    "learn/ngram_loss.h": "losses over n-grams, for a structure of one's own",
    "learn/part_explanation.h": "explanations of models over parts",
    "lm/fragment.h": "scores of pieces of a translation, for decoders",
    "semiring/*.h": "weights of forests",
    "text/head_rules.h": "heads of phrases, for those who train on trees",
    "text/tree_binary.h": "binarised trees, for those who train on them",
}
PUBLIC_INCLUDE = re.compile(r'#include [<"]coppice/([\w/]+\.h)[>"]')
PRIVATE_INCLUDE = re.compile(r'#include "(?!coppice/)')


def module_of(root: pathlib.Path, path: pathlib.Path) -> str:
    return path.relative_to(root).parts[0]


def included(paths) -> set[str]:
    return {name for path in paths for name in PUBLIC_INCLUDE.findall(path.read_text())}


def used_outside(root: pathlib.Path) -> set[str]:
    sources = [path for folder in ("cli", "python", "examples", "tests/consumer")
               for path in (root / folder).rglob("*.[hc]*") if path.suffix in (".h", ".cc")]
    pages = [root / "README.md", *(root / "docs").rglob("*.md")]
    return included(sources + pages)


def closure(names: set[str], includes: dict[str, set[str]]) -> set[str]:
    reached, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached and name in includes:
            reached.add(name)
            waiting += includes[name]
    return reached


def check_public_headers(root: pathlib.Path) -> list[str]:
    top = root / "include/coppice"
    includes = {str(path.relative_to(top)): included([path]) for path in top.rglob("*.h")}
    reached = closure(used_outside(root), includes)
    bad = []
    for pattern in FOR_USERS:
        if not set(fnmatch.filter(includes, pattern)) - reached:
            bad.append(f"tools/check_layers.py: FOR_USERS need not name {pattern}")
    listed = {name for pattern in FOR_USERS for name in fnmatch.filter(includes, pattern)}
    for name in sorted(set(includes) - closure(listed, includes) - reached):
        bad.append(f"{top / name}: serves nobody outside the library; move it to src")
    for path in sorted(top.rglob("*.h")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if PRIVATE_INCLUDE.match(line):
                bad.append(f"{path}:{number}: a public header includes public headers only")
    return bad


def main(root: pathlib.Path) -> int:
    bad = check_public_headers(root)
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
