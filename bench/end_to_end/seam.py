#!/usr/bin/env python3
"""What the shared learner costs taggers: speed beside the last version without it, commit 51b3095.

    seam.py [--rounds N]

Builds that commit beside this one (build/seam-base, kept for the next run), and lets the two take
turns on one thread: trainings of taggers, tagging of a test file, and a pass of each objective
(objective_bench). A ratio is the time of the old version over that of this one, of the fastest run
of each: 1 is as fast as before, more is faster. It also compares the models byte by byte, and
counts the files of the chain and the lines of examples/own_structure.cc.
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

ROOT = corpora.ROOT
BASE = ROOT / "build" / "seam-base"
COMMIT = "51b3095"
TRAININGS = {  # name -> (corpus, options)
    "CoNLL-2000": ("conll2000", []),
    "CoNLL-2000, loss f1": ("conll2000", ["--loss", "f1"]),
    "CoNLL-2000, order 2": ("conll2000", ["--order", "2"]),
    "CoNLL-2000, trees": ("conll2000", ["--potential", "trees", "--rounds", "8"]),
    "BC5CDR": ("bc5cdr", []),
}
ITERATIONS = "12"


def build_base() -> None:
    """The program and the objectives' benchmark of the old commit, from git's own store."""
    if not (BASE / "CMakeLists.txt").exists():
        BASE.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(["git", "-C", str(ROOT), "archive", COMMIT], check=True,
                                 capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", str(BASE)], input=archive, check=True)
    if not (BASE / "build/release/build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release", "-DCOPPICE_PYTHON=OFF"], cwd=BASE,
                       check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "coppice-cli",
                    "objective_bench", "--", "--quiet"], cwd=BASE, check=True,
                   stdout=subprocess.DEVNULL)


def program(version: pathlib.Path) -> str:
    return str(version / "build/release/cli/coppice")


def data_of(corpus: str, folder: pathlib.Path) -> tuple[str, str]:
    """Column files of the training and test part."""
    files = []
    for part in ("train", "test"):
        path = folder / f"{corpus}-{part}.conll"
        if not path.exists():
            subprocess.run([sys.executable, str(pathlib.Path(corpora.__file__)), corpus, part,
                            str(path)], check=True)
        files.append(str(path))
    return files[0], files[1]


def identity(model: pathlib.Path) -> str:
    """Two models with the same one predict the same: every byte but the card's."""
    listed = subprocess.run([program(ROOT), "inspect", "--json", str(model)],
                            capture_output=True, check=True).stdout
    return json.loads(listed)["identity"]


def compare(jobs: dict[str, list[str]], rounds: int, outputs: dict[str, str]) -> float:
    runs = measure.alternate(
        {name: (lambda name=name: measure.measure(jobs[name], outputs.get(name, os.devnull)))
         for name in jobs}, rounds)
    old, new = (min(costs.cpu for costs in runs[name]) for name in ("old", "new"))
    print(f"{old:10.3f} {new:10.3f} {old / new:7.3f}", end="", flush=True)
    return old / new


def trainings(folder: pathlib.Path, rounds: int) -> tuple[float, bool]:
    ratios, equal = [], True
    for name, (corpus, options) in TRAININGS.items():
        train, _ = data_of(corpus, folder)
        jobs, models = {}, {}
        for version, root in (("old", BASE), ("new", ROOT)):
            models[version] = folder / f"{version}.cop"
            jobs[version] = [program(root), "train", "tag", "-t", train, "-o", str(models[version]),
                             "-j", "1", "-q", "--force", *options]
            if "trees" not in options:
                jobs[version] += ["--max-iterations", ITERATIONS]
        print(f"train    {name:<24}", end="")
        ratios.append(compare(jobs, rounds, {}))
        same = identity(models["old"]) == identity(models["new"])
        print("  same model" if same else "  ANOTHER MODEL", flush=True)
        equal = equal and same
    return min(ratios), equal


def tagging(folder: pathlib.Path, rounds: int) -> float:
    ratios = []
    for name in ("CoNLL-2000", "BC5CDR"):
        corpus, options = TRAININGS[name]
        train, test = data_of(corpus, folder)
        large = folder / "large.conll"
        large.write_bytes(pathlib.Path(test).read_bytes() * 10)
        jobs = {}
        for version, root in (("old", BASE), ("new", ROOT)):
            model = folder / f"{version}-predict.cop"
            subprocess.run([program(root), "train", "tag", "-t", train, "-o", str(model), "-q",
                            "--force", "--max-iterations", ITERATIONS, *options], check=True)
            jobs[version] = [program(root), "predict", "-m", str(model), "-j", "1", "-q",
                             str(large)]
        print(f"tag      {name:<24}", end="")
        ratios.append(compare(jobs, rounds + 2, {}))
        print(flush=True)
    return min(ratios)


def passes(rounds: int) -> float:
    """Seconds of a pass of each objective, the fastest of all runs."""
    data = corpora.shared_data()
    arguments = [f"bc5cdr={data}/bio_ner/BC5CDR-IOB/train.tsv:1:1",
                 f"conll2000={data}/conll2000/train.txt:2:2"]
    fastest: dict[tuple[str, str], float] = {}
    names = []
    for _ in range(rounds):
        for version, root in (("old", BASE), ("new", ROOT)):
            output = subprocess.run([str(root / "build/release/bench/chain/objective_bench"),
                                     *arguments], check=True, capture_output=True,
                                    text=True).stdout
            corpus = ""
            for line in output.splitlines():
                if heading := re.match(r"(\w+): \d+ sentences, ", line):
                    corpus = heading[1]
                elif row := re.match(r"  (softmax-margin|risk)(, .+?) +([\d.]+) s ", line):
                    name = f"{corpus}, {row[1]}{row[2]}"
                    if name not in names:
                        names.append(name)
                    key = (version, name)
                    fastest[key] = min(fastest.get(key, 1e9), float(row[3]))
    ratios = []
    for name in names:
        old, new = fastest["old", name], fastest["new", name]
        ratios.append(old / new)
        print(f"pass     {name:<40} {old:8.4f} {new:8.4f} {old / new:7.3f}")
    return min(ratios)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    build_base()
    print(f"CPU seconds of one thread, the fastest of {rounds} alternating runs\n")
    print(f"{'':<33}{COMMIT:>10} {'now':>10}   ratio")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        train_ratio, equal = trainings(folder, rounds)
        predict_ratio = tagging(folder, rounds)
    pass_ratio = passes(rounds)
    chain_files = sum(1 for top in ("src/chain", "include/coppice/chain")
                      for _ in (ROOT / top).glob("*.[hc]*"))
    lines = len((ROOT / "examples/own_structure.cc").read_text().splitlines())
    print(f"result: taggers_train_ratio={train_ratio:.3f} taggers_predict_ratio={predict_ratio:.3f} "
          f"objective_pass_ratio={pass_ratio:.3f} models_equal={int(equal)} "
          f"chain_files={chain_files} own_structure_lines={lines}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
