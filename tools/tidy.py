#!/usr/bin/env python3
"""Runs clang-tidy on the sources of src/ and cli/ that may have something new to say.

    tidy.py [--all]

A source was clean with some content of its own and of its headers; build/tidy-clean remembers a
digest of that, and only sources with another digest are looked at. A header belongs to the source
of the same name, or else to the first one that includes it. That a change of a header makes
another source wrong is left to --all.

Without that memory, in a fresh clone, the sources that history changed last are looked at, FRESH
of them: more than a change usually touches, and few enough for two cores in a few minutes. The
others are taken to be as clean as their own change left them.
"""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLEAN = pathlib.Path("build/tidy-clean")
DATABASE = pathlib.Path("build/clang")
FRESH = 40
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
COUNTS = re.compile(r"^\d+ warnings? (generated|treated as errors)")


def git(*arguments: str) -> list[str]:
    return subprocess.run(["git", *arguments], check=True, capture_output=True,
                          text=True).stdout.splitlines()


def files() -> dict[str, str]:
    """path -> text of what clang-tidy is for, files that git does not know yet included."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard",
                 "include/*.h", "src/*.h", "src/*.cc", "cli/*.h", "cli/*.cc")
    return {path: pathlib.Path(path).read_text() for path in sorted(listed)
            if pathlib.Path(path).is_file()}


def owners(texts: dict[str, str]) -> dict[str, str]:
    """header -> the source that answers for it; headers that no source includes have none."""
    included = {}  # as written in #include, headers of headers too -> the first source to do so

    def visit(name: str, source: str) -> None:
        if name in included:
            return
        included[name] = source
        for path in (f"include/{name}", f"src/{name}", name):
            for inner in INCLUDE.findall(texts.get(path, "")):
                visit(inner, source)

    for source in (path for path in texts if path.endswith(".cc")):
        for name in INCLUDE.findall(texts[source]):
            visit(name, source)
    found = {}
    for header in (path for path in texts if path.endswith(".h")):
        name = re.sub(r"^(include|src)/", "", header)
        same = re.sub(r"^(include/coppice|src)/", "src/", header)[:-1] + "cc"
        owner = same if same in texts else included.get(name)
        if owner:
            found[header] = owner
    return found


def digests(texts: dict[str, str], owner_of: dict[str, str]) -> dict[str, str]:
    """source -> digest of what clang-tidy's verdict on it is about."""
    checks = pathlib.Path(".clang-tidy").read_text()
    hashes = {path: hashlib.sha256((checks + texts[path]).encode())
              for path in texts if path.endswith(".cc")}
    for header, owner in sorted(owner_of.items()):
        hashes[owner].update(texts[header].encode())
    return {path: found.hexdigest() for path, found in hashes.items()}


def youngest(owner_of: dict[str, str], sources: set[str]) -> set[str]:
    """The sources that were changed last, by themselves or by their headers."""
    changed = git("ls-files", "--others", "--modified", "--exclude-standard")
    changed += git("log", "--name-only", "--format=", "--diff-filter=d")
    found = dict.fromkeys(owner_of.get(path, path) for path in changed)
    return set([path for path in found if path in sources][:FRESH])


def tidy(source: str) -> str:
    """What clang-tidy has to say about a source; empty when nothing."""
    run = subprocess.run(["clang-tidy-19", "--quiet", "-p", str(DATABASE), source],
                         capture_output=True, text=True, check=False)
    lines = [line for line in (run.stdout + run.stderr).splitlines() if not COUNTS.match(line)]
    return "\n".join(lines) or (f"{source}: clang-tidy failed" if run.returncode else "")


def main(everything: bool) -> int:
    texts = files()
    owner_of = owners(texts)
    wanted = digests(texts, owner_of)
    clean = set(CLEAN.read_text().split()) if CLEAN.is_file() else None
    if everything:
        chosen = set(wanted)
    elif clean is None:
        chosen = youngest(owner_of, set(wanted))
    else:
        chosen = {path for path, digest in wanted.items() if digest not in clean}
    print(f"clang-tidy: {len(chosen)} of {len(wanted)} sources", flush=True)
    if chosen and not (DATABASE / "compile_commands.json").is_file():
        subprocess.run(["cmake", "--preset", "clang"], check=True, stdout=subprocess.DEVNULL)
    bad = set()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for source, findings in zip(sorted(chosen), pool.map(tidy, sorted(chosen))):
            if findings:
                print(findings, flush=True)
                bad.add(source)
    CLEAN.parent.mkdir(exist_ok=True)
    CLEAN.write_text("".join(f"{wanted[path]}\n" for path in sorted(set(wanted) - bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--all"]):
        sys.exit("usage: ./dev lint [--all]")
    os.chdir(ROOT)
    sys.exit(main(everything=len(sys.argv) > 1))
