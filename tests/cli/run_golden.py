#!/usr/bin/env python3
"""Runs one case file against the real program and compares what it prints.

usage: run_golden.py CASE_FILE PROGRAM...

A case file is a list of steps, in one temporary directory:

    # a remark
    --- file NAME              the lines up to the next "---" or "$" are the file's content
    --- stdin                  the same, for the next command
    $ coppice VERB ...         run by bash; a program is known by its file name
    text                       what it must print on stdout
    --- stderr                 what it must print on stderr (nothing when left out)
    --- status N               its exit status (0 when left out)

`...` within an expected line stands for any text, and a line of `...` alone for any number of lines.
In files and expected text, \\t is a tab and \\e is the escape character; $ and --- at the start of a
line need a backslash. NO_COLOR and TERM are unset, so what is printed does not depend on the caller.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

SECONDS = 300  # a step of a debug build on a busy machine took 61


@dataclass
class Step:
    line: int
    command: str
    stdin: str = ""
    stdout: list = field(default_factory=list)
    stderr: list = field(default_factory=list)
    status: int = 0


def unescape(line):
    if line.startswith("\\$") or line.startswith("\\---"):
        line = line[1:]
    return line.replace("\\t", "\t").replace("\\e", "\x1b")


def read_case(path):
    """Returns the steps; a file is a step of the command None."""
    steps = []
    stdin = []
    target = None  # the list that plain lines go to
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("$ "):
            steps.append(Step(number, line[2:], "".join(s + "\n" for s in stdin)))
            stdin = []
            target = steps[-1].stdout
        elif line.startswith("--- file "):
            target = []
            steps.append((line[9:], target))
        elif line == "--- stdin":
            target = stdin
        elif line == "--- stderr":
            target = steps[-1].stderr
        elif line.startswith("--- status "):
            steps[-1].status = int(line[11:])
            target = None
        elif line.startswith("---"):
            sys.exit(f"{path}:{number}: unknown section: {line}")
        elif target is not None:
            target.append(unescape(line))
        elif line and not line.startswith("#"):
            sys.exit(f"{path}:{number}: text outside any section: {line}")
    return steps


def pattern(lines):
    """The regular expression of the expected lines. Blank lines and remarks at the end are layout."""
    lines = list(lines)
    while lines and (not lines[-1] or lines[-1].startswith("# ")):
        lines.pop()
    parts = []
    for line in lines:
        if line == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append("[^\n]*?".join(re.escape(part) for part in line.split("...")) + "\n")
    return re.compile("".join(parts)), "".join(line + "\n" for line in lines)


def check(what, expected, found):
    regex, text = pattern(expected)
    if found and not found.endswith("\n"):
        found += "\n"
    if regex.fullmatch(found):
        return []
    return [f"{what}: expected", text, f"{what}: found", found]


def run_step(step, environment, directory):
    done = subprocess.run(["/bin/bash", "-c", step.command], input=step.stdin, text=True, cwd=directory,
                          env=environment, capture_output=True, timeout=SECONDS, errors="replace")
    problems = check("stdout", step.stdout, done.stdout) + check("stderr", step.stderr, done.stderr)
    if done.returncode != step.status:
        problems.append(f"status: expected {step.status}, found {done.returncode}")
    return problems


def main(case, programs):
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        bin_directory = pathlib.Path(directory, ".bin")
        bin_directory.mkdir()
        for program in programs:
            (bin_directory / program.name).symlink_to(program.resolve())
        environment["PATH"] = f"{bin_directory}:{environment['PATH']}"
        for step in read_case(case):
            if isinstance(step, tuple):
                pathlib.Path(directory, step[0]).write_text("".join(s + "\n" for s in step[1]))
                continue
            problems = run_step(step, environment, directory)
            if problems:
                failed += 1
                print(f"{case}:{step.line}: $ {step.command}")
                print("\n".join("    " + line for p in problems for line in p.splitlines()))
    print(f"{case.name}: {'ok' if failed == 0 else f'{failed} failed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), [pathlib.Path(p) for p in sys.argv[2:]]))
