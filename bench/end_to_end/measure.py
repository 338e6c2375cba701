"""CPU time, wall time and peak memory of a command; medians of alternating runs; plain tables.

    python3 measure.py COMMAND ...     runs it and prints its costs as one line of JSON on stderr
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Callable, NamedTuple


class Costs(NamedTuple):
    status: int
    cpu: float         # seconds, user and system, of the command and of the children it waited for
    wall: float        # seconds
    peak_bytes: int    # largest resident set of one process


def spawn_and_wait(command: list[str]) -> Costs:
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, wait_status, usage = os.wait4(pid, 0)
    return Costs(os.waitstatus_to_exitcode(wait_status), usage.ru_utime + usage.ru_stime,
                 time.perf_counter() - start, usage.ru_maxrss * 1024)


def measure(command: list[str], output: str = os.devnull) -> Costs:
    """Runs a command with its stdout in a file. Raises CalledProcessError when it fails.

    Linux counts the memory of the process that spawns into the peak of the spawned one, so this file
    runs itself as a small process in between: peaks below its 10 MB cannot be told.
    """
    with tempfile.NamedTemporaryFile("r", suffix=".json") as report, open(output, "wb") as out:
        subprocess.run([sys.executable, "-S", "-E", __file__, "--report", report.name, *command],
                       stdout=out, check=False)
        written = report.read()
    if not written:
        raise FileNotFoundError(f"cannot run {command[0]}")
    costs = Costs(**json.loads(written))
    if costs.status != 0:
        raise subprocess.CalledProcessError(costs.status, command)
    return costs


def alternate(jobs: dict[str, Callable[[], object]], rounds: int) -> dict[str, list]:
    """Runs every job once a round, so that a busy spell of the machine strikes all of them."""
    results = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            results[name].append(job())
    return results


def median_costs(runs: list[Costs]) -> Costs:
    """The median of each field on its own."""
    return Costs(*(statistics.median(field) for field in zip(*runs)))


def first_within(trace: list[dict], optimum: float, relative: float) -> dict | None:
    """The first entry of a trace whose "loss" is at most (1 + relative) times the optimum."""
    return next((entry for entry in trace if entry["loss"] <= optimum * (1 + relative)), None)


def print_table(header: list[str], rows: list[list[object]]) -> None:
    """Columns as wide as their longest cell; the first to the left, the others to the right."""
    lines = [header] + [[f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row]
                        for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        first, *others = (cell.rjust(width) for cell, width in zip(line, widths))
        print("  ".join([first.strip().ljust(widths[0]), *others]).rstrip())


def print_result(**values: float) -> None:
    """The last line of a benchmark, which tools/bench.py asks for."""
    print("result: " + " ".join(f"{key}={value:.6g}" for key, value in values.items()))


def main(arguments: list[str]) -> int:
    report = None
    if arguments[:1] == ["--report"]:
        report, arguments = arguments[1], arguments[2:]
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        costs = spawn_and_wait(arguments)
    except OSError as error:
        print(f"measure: cannot run {arguments[0]}: {error.strerror}", file=sys.stderr)
        return 127
    text = json.dumps(costs._asdict())
    if report is None:
        print(text, file=sys.stderr)
        return costs.status
    with open(report, "w", encoding="utf-8") as out:
        out.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
