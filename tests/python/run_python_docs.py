#!/usr/bin/env python3
"""Runs the Python of a documentation page and compares what it prints with what the page shows.

usage: run_python_docs.py ROOT PAGE

Blocks tagged `pycon` hold what one types at Python's prompt, as doctest wants it; `...` stands for
any text. All blocks of a page are one conversation, in a temporary directory that has a link to
data/.
"""
import doctest
import os
import pathlib
import re
import sys
import tempfile

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def conversation(text):
    """The page with everything but its pycon blocks blanked, so that line numbers stay."""
    kept, end = [], 0
    for block in BLOCK.finditer(text):
        begin = block.start(2) if block[1] == "pycon" else block.end()
        kept.append(re.sub(r"[^\n]", "", text[end:begin]))
        end = begin
        if block[1] == "pycon":
            kept.append(block[2])
            end = block.end(2)
    return "".join(kept)


def main(root, page):
    test = doctest.DocTestParser().get_doctest(
        conversation((root / page).read_text()), {"__name__": "__main__"}, page, page, 0)
    if not test.examples:
        print(f"{page}: there is nothing to run")
        return 1
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    with tempfile.TemporaryDirectory() as directory:
        os.symlink(root / "data", pathlib.Path(directory, "data"))
        os.chdir(directory)
        failed = runner.run(test).failed
        os.chdir(root)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]))
