#!/usr/bin/env python3
"""Runs the commands of a documentation page and compares what they print with what it shows.

usage: run_docs.py ROOT PROGRAM PAGE           run one page
       run_docs.py ROOT --unlisted PAGE...     fail when another page has commands to run

A fenced block tagged `console` is run: a line `$ command` is a command (a backslash at its end joins
the next line), and the lines below it are what it prints on stdout and stderr together. In them
`...` stands for any text, and a line of `...` alone for any number of lines. A command must succeed,
unless the output shown has an error (`error[E...]`): then it must fail.

All commands of a page run in order in one temporary directory, which has links to data/ and docs/;
the program is the first on PATH. A block below a line `<!-- not run: reason -->` is left out.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from run_golden import pattern  # noqa: E402  the same wildcards as in the cases of the command line

SECONDS = 120
LINKED = ("data", "docs")
NOT_RUN = re.compile(r"<!-- not run: \S.* -->")


@dataclass
class Command:
    line: int
    text: str
    shown: list = field(default_factory=list)

    def must_fail(self):
        return any("error[E" in line for line in self.shown)


def console_blocks(lines):
    """Yields the line number and the lines of every block that is to be run."""
    number = 0
    last_text = ""  # the last line before the block that is not blank
    while number < len(lines):
        line = lines[number]
        number += 1
        if not line.startswith("```"):
            last_text = line.strip() or last_text
            continue
        begin = number
        while number < len(lines) and not lines[number].startswith("```"):
            number += 1
        if line.strip() == "```console" and not NOT_RUN.fullmatch(last_text):
            yield begin + 1, lines[begin:number]
        last_text = ""
        number += 1


def commands(text):
    """The commands of a page, each with the output shown."""
    found = []
    for begin, block in console_blocks(text.splitlines()):
        joined = False
        for number, line in enumerate(block, begin):
            if joined:
                found[-1].text += "\n" + line
                joined = line.endswith("\\")
            elif line.startswith("$ "):
                found.append(Command(number, line[2:]))
                joined = line.endswith("\\")
            elif number == begin:
                raise ValueError(f"line {number}: a console block begins with a command, `$ ...`")
            else:
                found[-1].shown.append(line)
    return found


def run(command, directory, environment):
    """What is wrong with the command, as lines; none when it does what the page says."""
    done = subprocess.run(["/bin/bash", "-c", command.text], cwd=directory, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=SECONDS, errors="replace")
    problems = []
    if (done.returncode != 0) != command.must_fail():
        problems.append(f"exit status {done.returncode}")
    expected, text = pattern(command.shown)
    found = done.stdout if done.stdout.endswith("\n") or not done.stdout else done.stdout + "\n"
    if not expected.fullmatch(found.rstrip("\n") + "\n" if found.strip() else ""):
        problems += difflib.unified_diff(text.splitlines(), found.splitlines(), "shown on the page",
                                         "printed", lineterm="")
    return problems


def run_page(root, program, page):
    path = root / page
    try:
        steps = commands(path.read_text())
    except ValueError as error:
        sys.exit(f"{page}: {error}")
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        for name in LINKED:
            pathlib.Path(directory, name).symlink_to(root / name)
        programs = pathlib.Path(directory, ".bin")
        programs.mkdir()
        (programs / "coppice").symlink_to(program.resolve())
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "NO_COLOR": "1"}
        for step in steps:
            problems = run(step, directory, environment)
            if problems:
                failed += 1
                print(f"{page}:{step.line}: $ {step.text}")
                print("\n".join("    " + line for line in problems))
    print(f"{page}: {len(steps)} commands, {failed} failed")
    return 1 if failed else 0


def pages(root):
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def check_listed(root, listed):
    missing = [str(page.relative_to(root)) for page in pages(root)
               if commands(page.read_text()) and str(page.relative_to(root)) not in listed]
    for page in missing:
        print(f"{page}: has commands; list it in tests/docs/CMakeLists.txt")
    return 1 if missing else 0


if __name__ == "__main__":
    top = pathlib.Path(sys.argv[1]).resolve()
    if sys.argv[2] == "--unlisted":
        sys.exit(check_listed(top, sys.argv[3:]))
    sys.exit(run_page(top, pathlib.Path(sys.argv[2]), sys.argv[3]))
