#!/usr/bin/env python3
"""Fails when the sources use an error code that cli/codes.cc does not explain, or when two modules
use one code: a code has one meaning, so one module throws it."""
import pathlib
import re
import sys

CODE = re.compile(r'"(E\d{3})"')
ENTRY = re.compile(r'CodeEntry\{\s*"(E\d{3})"')
# Several modules mean the same by these: who takes options, readers of JSON lines, and who asks for
# values or derivations, who reads examples of classes, and who wants a model of another task.
SHARED = {"E002", "E003", "E006", "E130", "E146", "E203", "E204", "E208", "E240", "E241", "E243", "E246", "E263", "E264", "E301", "E310", "E403", "E404", "E406"}


def uses(root):
    """(code, module, place) of every code in the sources."""
    for top in ("include/coppice", "src", "cli", "python"):
        for path in sorted((root / top).rglob("*.[hc]*")):
            name = path.relative_to(root)
            if name == pathlib.Path("cli/codes.cc"):
                continue
            module = top if top in ("cli", "python") else path.relative_to(root / top).parts[0]
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if line.lstrip().startswith("//"):
                    continue
                for code in CODE.findall(line.split(" // ")[0]):
                    yield code, module, f"{name}:{number}"


def main(root):
    explained = ENTRY.findall((root / "cli/codes.cc").read_text())
    problems = []
    if explained != sorted(set(explained)):
        problems.append("cli/codes.cc: the codes are not in order, or one stands there twice")
    first = {}
    for code, module, place in uses(root):
        other, where = first.setdefault(code, (module, place))
        if where == place and code not in explained:
            problems.append(f"{place}: {code} is not explained in cli/codes.cc")
        if other != module and code not in SHARED:
            problems.append(f"{place}: {code} has a meaning already, at {where}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
