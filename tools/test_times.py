#!/usr/bin/env python3
"""Prints where the time of `./dev test` went.

    test_times.py STAGES JUNIT...

STAGES is a file with a line `seconds<TAB>stage` for every stage that ran, JUNIT are the files that
ctest wrote. Prints the stages, the time of all tests by the first word of their names (the program or
the kind of test), and the ten slowest tests. Tests run side by side, so their times add up to more
than the stage took.
"""
import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

SLOWEST = 10


class Timed(NamedTuple):
    seconds: float
    name: str
    preset: str


def stages(path: pathlib.Path) -> list[tuple[float, str]]:
    """(seconds, stage) in the order in which they ran."""
    pairs = (line.split("\t", 1) for line in path.read_text().splitlines())
    return [(float(seconds), name) for seconds, name in pairs]


def tests(path: pathlib.Path) -> list[Timed]:
    """The tests of one run of ctest; its preset is the name of the folder."""
    cases = ElementTree.parse(path).getroot().iter("testcase")
    return [Timed(float(case.get("time", 0)), case.get("name", ""), path.parent.name) for case in cases]


def kind(name: str) -> str:
    """ "docs" of docs.training; "unit" of Suite.Name, which GoogleTest discovers."""
    first = name.split(".")[0]
    return first if first.islower() else "unit"


def report(ran: list[tuple[float, str]], timed: list[Timed]) -> list[str]:
    lines = ["where the time went:"]
    lines += [f"  {seconds:7.0f} s  {name}" for seconds, name in ran]
    by_kind = collections.Counter()
    for test in timed:
        by_kind[f"{test.preset} {kind(test.name)}"] += test.seconds
    lines.append("tests by kind, side by side:")
    lines += [f"  {seconds:7.1f} s  {name}" for name, seconds in by_kind.most_common()]
    lines.append(f"the {SLOWEST} slowest tests:")
    lines += [f"  {test.seconds:7.1f} s  {test.preset} {test.name}" for test in sorted(timed)[:-SLOWEST - 1:-1]]
    return lines


def main(arguments: list[str]) -> int:
    if not arguments:
        print("usage: test_times.py STAGES JUNIT...", file=sys.stderr)
        return 2
    ran = pathlib.Path(arguments[0])
    files = [pathlib.Path(name) for name in arguments[1:]]
    timed = [test for file in files if file.is_file() for test in tests(file)]
    print("\n".join(report(stages(ran) if ran.is_file() else [], timed)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
