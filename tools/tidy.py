#!/usr/bin/env python3
"""Runs clang-tidy on the sources of src/, cli/ and python/ that may have something new to say.

    tidy.py [--all]

It reads the sources in the pieces that the preset asan compiles: most of the time goes into headers,
and a piece of eight sources costs little more than one of them. (Those of python/, which that preset
leaves out, are read as the preset release compiles them.) A piece was clean with some content
of its sources and of the headers that they include; build/tidy-clean remembers a digest of that, and
only pieces with another digest are looked at. --all looks at all of them, as does the first run in a
fresh clone.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLEAN = pathlib.Path("build/tidy-clean")
DATABASES = {"asan": ("src", "cli"), "release": ("python",)}  # preset -> folders of its sources
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
COUNTS = re.compile(r"^\d+ warnings? (generated|treated as errors)")


def configure() -> None:
    for preset in DATABASES:
        subprocess.run(["cmake", "--preset", preset], check=True, stdout=subprocess.DEVNULL)


def resolve(name: str) -> pathlib.Path | None:
    """The file of ours that an #include names; None for one of others."""
    for folder in ("include", "src", "."):
        path = pathlib.Path(folder, name)
        if path.is_file():
            return path
    return None


def content(path: pathlib.Path, seen: dict[pathlib.Path, str]) -> None:
    """Adds the file and what it includes of ours, however deep, to `seen`."""
    if path in seen:
        return
    seen[path] = path.read_text()
    for name in INCLUDE.findall(seen[path]):
        inner = resolve(name)
        if inner:
            content(inner, seen)


def sources(piece: pathlib.Path, folders: tuple[str, ...]) -> list[pathlib.Path]:
    """The sources of these folders that a compiled file is made of; none when it is no piece of those."""
    members = [piece]
    if "Unity" in piece.parts:
        members = [pathlib.Path(name) for name in INCLUDE.findall(piece.read_text())]
    members = [pathlib.Path(os.path.relpath(path)) for path in members]
    return [path for path in members if path.parts[0] in folders]


class Piece(NamedTuple):
    preset: str
    path: pathlib.Path


def pieces() -> dict[Piece, list[pathlib.Path]]:
    """piece -> its sources, as the build compiles them."""
    found = {}
    for preset, folders in DATABASES.items():
        commands = json.loads(pathlib.Path("build", preset, "compile_commands.json").read_text())
        for path in (pathlib.Path(entry["file"]) for entry in commands):
            found[Piece(preset, path)] = sources(path, folders)
    return {piece: members for piece, members in found.items() if members}


def digest(members: list[pathlib.Path]) -> str:
    """Of what clang-tidy's verdict on a piece is about."""
    seen = {}
    for path in members:
        content(path, seen)
    texts = [pathlib.Path(".clang-tidy").read_text(), *(f"{path}\n{seen[path]}" for path in seen)]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def tidy(piece: Piece) -> str:
    """What clang-tidy has to say about a piece; empty when nothing."""
    run = subprocess.run(
        ["clang-tidy-19", "--quiet", "-p", f"build/{piece.preset}", "--checks=-bugprone-suspicious-include",
         "--extra-arg=-Wno-unknown-warning-option",  # of the compiler that release is built with
         f"--header-filter={ROOT}/(include/coppice|src|cli|python/src)/", str(piece.path)],
        capture_output=True, text=True, check=False)
    lines = [line for line in (run.stdout + run.stderr).splitlines() if not COUNTS.match(line)]
    return "\n".join(lines) or (f"{piece.path}: clang-tidy failed" if run.returncode else "")


def main(everything: bool) -> int:
    configure()
    members = pieces()
    wanted = {piece: digest(members[piece]) for piece in members}
    clean = set() if everything or not CLEAN.is_file() else set(CLEAN.read_text().split())
    chosen = [piece for piece in wanted if wanted[piece] not in clean]
    print(f"clang-tidy: {sum(len(members[piece]) for piece in chosen)} of "
          f"{sum(map(len, members.values()))} sources", flush=True)
    bad = set()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for piece, findings in zip(chosen, pool.map(tidy, chosen)):
            if findings:
                print(findings, flush=True)
                bad.add(piece)
    CLEAN.parent.mkdir(exist_ok=True)
    CLEAN.write_text("".join(f"{wanted[piece]}\n" for piece in wanted if piece not in bad))
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--all"]):
        sys.exit("usage: ./dev lint [--all]")
    os.chdir(ROOT)
    sys.exit(main(everything=len(sys.argv) > 1))
