#!/usr/bin/env python3
"""Fails when the sources use an error code that cli/codes.cc does not explain."""
import pathlib
import re
import sys

CODE = re.compile(r'"(E\d{3})"')


def main(root):
    explained = re.findall(r'CodeEntry\{"(E\d{3})"', (root / "cli/codes.cc").read_text())
    if explained != sorted(set(explained)):
        print("cli/codes.cc: the codes are not in order, or one stands there twice")
        return 1
    missing = {}
    for top in ("include", "src", "cli"):
        for path in sorted((root / top).rglob("*.[hc]*")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                for code in CODE.findall(line):
                    if code not in explained:
                        missing.setdefault(code, f"{path.relative_to(root)}:{number}")
    for code, where in sorted(missing.items()):
        print(f"{where}: {code} is not explained in cli/codes.cc")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
