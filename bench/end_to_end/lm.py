#!/usr/bin/env python3
"""Language models beside KenLM: perplexity, CPU time and peak memory of training, size, speed of queries.

    lm.py [--rounds N] [--orders N,N]

English of Tatoeba fr-en and Japanese of small_parallel_enja. Both programs read the same text, take one
thread's worth of sorting memory (1 GB) and write ARPA text; each then makes its own binary files. Queries
are the whole training text, read and scored by `coppice lm query` and KenLM's `query`, the processes timed
as they are. Runs alternate; medians. Where lmplz cannot be built, its perplexities and CPU times are those
that it had on another two-core machine, and the line `result` compares with them.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import corpora
import measure
import peers

COPPICE = os.fspath(pathlib.Path(os.environ.get("COPPICE_BUILD", corpora.ROOT / "build" / "release"),
                                 "cli", "coppice"))
DATA = corpora.shared_data()
SETS = {"en": ("tatoeba_fr_en/train.tok.en", "tatoeba_fr_en/test.tok.en"),
        "ja": ("small_parallel_enja/train.ja", "small_parallel_enja/test.ja")}
# lmplz 0.3: perplexity, and CPU seconds at order 4; tokens per CPU second of probing and trie.
KNOWN_PERPLEXITY = {("en", 4): 29.000, ("en", 5): 28.667, ("ja", 4): 13.300, ("ja", 5): 13.099}
KNOWN_CPU = {"en": 1.3, "ja": 0.6}
KNOWN_SPEED = {"hash": 6.6e6, "trie": 2.7e6}
STORAGES = {"hash": "probing", "trie": "trie"}


def through_shell(command: list[str], text: pathlib.Path) -> list[str]:
    return ["/bin/sh", "-c", 'input=$1; shift; exec "$@" < "$input" 2> /dev/null', "sh",
            os.fspath(text), *command]


class Ours:
    name = "coppice"

    def __init__(self, folder: pathlib.Path):
        self.folder = folder

    def file(self, kind: str) -> str:
        return os.fspath(self.folder / f"coppice.{'arpa' if kind == 'arpa' else kind}")

    def train(self, text: pathlib.Path, order: int) -> measure.Costs:
        return measure.measure([COPPICE, "lm", "train", "-q", "--force", "-j1", "-t", os.fspath(text),
                                "--order", str(order), "-o", self.file("arpa")])

    def binary(self, text: pathlib.Path, order: int, storage: str) -> measure.Costs:
        return measure.measure([COPPICE, "lm", "train", "-q", "--force", "-j1", "-t", os.fspath(text),
                                "--order", str(order), "--binary", storage, "-o", self.file(storage)])

    def query(self, text: pathlib.Path, storage: str) -> measure.Costs:
        return measure.measure(through_shell([COPPICE, "lm", "query", "-m", self.file(storage)], text))

    def perplexity(self, text: pathlib.Path) -> float:
        done = subprocess.run([COPPICE, "lm", "query", "--json", "-m", self.file("hash"),
                               os.fspath(text)], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)["ppl"]


class KenLM:
    name = "KenLM"

    def __init__(self, folder: pathlib.Path, programs: pathlib.Path):
        self.folder, self.programs = folder, programs

    def file(self, kind: str) -> str:
        return os.fspath(self.folder / f"kenlm.{kind}")

    def program(self, name: str) -> str:
        return os.fspath(self.programs / name)

    def train(self, text: pathlib.Path, order: int) -> measure.Costs:
        return measure.measure(through_shell([self.program("lmplz"), "-o", str(order), "-S", "1G",
                                              "--arpa", self.file("arpa")], text))

    def binary(self, text: pathlib.Path, order: int, storage: str) -> measure.Costs:
        """Of both steps."""
        train = self.train(text, order)
        build = measure.measure(through_shell([self.program("build_binary"), STORAGES[storage],
                                               self.file("arpa"), self.file(storage)], text))
        return measure.Costs(0, train.cpu + build.cpu, train.wall + build.wall,
                             max(train.peak_bytes, build.peak_bytes))

    def query(self, text: pathlib.Path, storage: str) -> measure.Costs:
        return measure.measure(through_shell([self.program("query"), "-v", "summary",
                                              self.file(storage)], text))

    def perplexity(self, text: pathlib.Path) -> float:
        with open(text, "rb") as lines:
            done = subprocess.run([self.program("query"), "-v", "summary", self.file("hash")],
                                  stdin=lines, check=True, capture_output=True)
        return float(re.search(rb"including OOVs:\s*([\d.]+)", done.stdout)[1])


def num_tokens(text: pathlib.Path) -> int:
    """Words, and an end for each sentence."""
    with open(text, encoding="utf-8") as lines:
        return sum(len(line.split()) + 1 for line in lines)


def run(language: str, order: int, rounds: int, systems: list) -> dict:
    """Measures by (system, what)."""
    train, test = (DATA / name for name in SETS[language])
    found = {}
    for what, job in {"arpa": lambda s: s.train(train, order),
                      **{f"make {k}": lambda s, k=k: s.binary(train, order, k) for k in STORAGES},
                      **{f"ask {k}": lambda s, k=k: s.query(train, k) for k in STORAGES}}.items():
        runs = measure.alternate({s.name: (lambda s=s: job(s)) for s in systems}, rounds)
        for name, costs in runs.items():
            found[name, what] = measure.median_costs(costs)
    tokens = num_tokens(train)
    rows = []
    for system in systems:
        found[system.name, "ppl"] = system.perplexity(test)
        rows.append([f"{language} {order} {system.name}", f"{found[system.name, 'ppl']:.3f}",
                     *(f"{found[system.name, what].cpu:.2f}"
                       for what in ("arpa", "make hash", "make trie")),
                     f"{found[system.name, 'arpa'].peak_bytes / 1e6:.0f}",
                     *(f"{os.path.getsize(system.file(k)) / 1e6:.1f}" for k in STORAGES),
                     *(f"{tokens / found[system.name, f'ask {k}'].cpu / 1e6:.1f}" for k in STORAGES)])
    measure.print_table(["data, order", "ppl", "arpa s", "hash s", "trie s", "peak MB", "hash MB",
                         "trie MB", "hash M/s", "trie M/s"], rows)
    print(flush=True)
    found["tokens"] = tokens
    return found


def ratios(language: str, order: int, found: dict) -> tuple[float, float, float]:
    """Perplexity and CPU of training (below 1 is better), speed of queries (above 1 is better)."""
    ours = {what: found["coppice", what] for what in ("ppl", "arpa", "ask hash", "ask trie")}
    if ("KenLM", "ppl") in found:
        theirs = {what: found["KenLM", what] for what in ours}
        speed = min(theirs[f"ask {k}"].cpu / ours[f"ask {k}"].cpu for k in STORAGES)
        return ours["ppl"] / theirs["ppl"], ours["arpa"].cpu / theirs["arpa"].cpu, speed
    speed = min(found["tokens"] / ours[f"ask {k}"].cpu / KNOWN_SPEED[k] for k in STORAGES)
    return (ours["ppl"] / KNOWN_PERPLEXITY.get((language, order), float("nan")),
            ours["arpa"].cpu / KNOWN_CPU[language], speed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--orders", default="4,5")
    options = parser.parse_args()
    programs = peers.kenlm_programs()
    if programs is None:
        print("KenLM is not here: the result compares with its figures on another machine")
    all_ratios = []
    for language in SETS:
        for order in map(int, options.orders.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                systems = [Ours(pathlib.Path(folder))]
                if programs is not None:
                    systems.append(KenLM(pathlib.Path(folder), programs))
                all_ratios.append(ratios(language, order, run(language, order, options.rounds,
                                                              systems)))
    perplexity, cpu, speed = zip(*all_ratios)
    measure.print_result(lm_ppl_ratio_kenlm=max(perplexity), lm_cpu_ratio_kenlm=max(cpu),
                         lm_query_ratio_kenlm=min(speed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
