#!/usr/bin/env python3
"""Lists and runs the benchmarks named in bench/benchmarks.txt, and records their tables.

    bench.py list
    bench.py check                            every command is there
    bench.py run NAME [--record] [ARGUMENT...]

A benchmark prints its table and ends with one line `result: key=value ...`. With --record the
output replaces the section of that name in bench/RESULTS.md, with the command and the date.
"""
import datetime
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "bench" / "benchmarks.txt"
RESULTS = ROOT / "bench" / "RESULTS.md"


def benchmarks() -> dict[str, tuple[list[str], str]]:
    """name -> (command, description), from lines `name | command | description`."""
    found = {}
    for line in TABLE.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, command, description = (part.strip() for part in line.split("|"))
            found[name] = (command.split(), description)
    return found


def list_benchmarks() -> int:
    for name, (_, description) in benchmarks().items():
        print(f"  {name:<18} {description}")
    return 0


def check() -> int:
    missing = [f"{name}: {command[0]}" for name, (command, _) in benchmarks().items()
               if not (ROOT / command[0]).is_file()]
    print("\n".join(missing) or "every benchmark's command is there")
    return 1 if missing else 0


def machine() -> str:
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{os.cpu_count()} cores of {model[1] if model else platform.machine()}"


def record(name: str, arguments: list[str], output: str) -> None:
    heading = f"## {name}\n"
    today = datetime.date.today().isoformat()
    section = (f"{heading}\n`./dev bench {' '.join([name, *arguments])}` on {today}, {machine()}\n\n"
               f"```\n{output.rstrip()}\n```\n")
    text = RESULTS.read_text() if RESULTS.exists() else (
        "# Results\n\nThe last table of each benchmark, with its command and date; written by "
        "`./dev bench NAME --record`.\n")
    start = text.find("\n" + heading)
    if start >= 0:
        end = text.find("\n## ", start + len(heading))
        text = text[:start] + "\n" + section + (text[end:] if end >= 0 else "")
    else:
        text = text.rstrip() + "\n\n" + section
    RESULTS.write_text(text)


def run(name: str, arguments: list[str]) -> int:
    known = benchmarks()
    if name not in known:
        print(f'bench: no benchmark "{name}"; there are: {", ".join(known)}', file=sys.stderr)
        return 2
    recording = "--record" in arguments
    data = os.environ.get("COPPICE_SHARED_DATA", str(ROOT.parent / "shared" / "data"))
    command = [word.replace("{data}", data) for word in known[name][0]]
    arguments = [a for a in arguments if a != "--record"]
    command += arguments
    if command != known[name][0] and not pathlib.Path(data).is_dir():
        print(f"bench: {name} needs the data sets, and {data} is not there; "
              "name their folder in COPPICE_SHARED_DATA", file=sys.stderr)
        return 1
    environment = {
        **os.environ,
        "COPPICE_SHARED_DATA": data,
        "COPPICE_BUILD": str(ROOT / "build" / "release"),
        "COPPICE_PEERS": str(ROOT / ".peers"),
    }
    process = subprocess.Popen(command, cwd=ROOT, env=environment, text=True,
                               stdout=subprocess.PIPE)
    lines = []
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    if process.wait() != 0:
        print(f"bench: {name} failed with status {process.returncode}", file=sys.stderr)
        return 1
    if not lines or not lines[-1].startswith("result: "):
        print(f"bench: {name} did not end with a line `result: ...`", file=sys.stderr)
        return 1
    if recording:
        record(name, arguments, "".join(lines))
    return 0


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["list"]:
        return list_benchmarks()
    if arguments == ["check"]:
        return check()
    if arguments[:1] == ["run"] and len(arguments) > 1:
        return run(arguments[1], arguments[2:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
