#!/usr/bin/env python3
"""NETtalk: phoneme and stress of each letter of an English word, by chains of order 1, 2 and 3.

The 20,007 words are shuffled once; 1,000 or 19,000 of them train, the last 1,007 are held out. A
label is a phoneme with its stress mark (163 of them); the features are the letters around, by
themselves and in runs of up to six. One thread; time is that of the whole `coppice train tag`.

Trees get the letters by themselves and have to find the runs; beside weights, both get the same templates
as weights alone. They score every pair of labels at every letter (26,700 numbers of 8 bytes), so that they
learn from fewer words.

    nettalk.py [--words N,...] [--orders N,...] [--iterations N] [--tree-words N,...] [--rounds N]
"""
import argparse
import os
import pathlib
import random
import subprocess
import tempfile
from typing import NamedTuple

import corpora
import measure
import scoring

HELD_OUT = 1007
RUNS = [(first, last) for length in range(2, 7) for first in range(1 - length, 1)
        for last in [first + length - 1]]
TEMPLATES = "\n".join(["columns w", "bias()", "w[-5..5]"]
                      + ["|".join(f"w[{at}]" for at in range(first, last + 1))
                         for first, last in RUNS]) + "\n"


LETTERS = "columns w\nw[-5..5]\n"
TREES = ["--leaves", "16", "--leaf-values", "newton", "--shrinkage", "0.3", "--pseudo-rounds", "0",
         "--feature-fraction", "0.5"]


class Model(NamedTuple):
    potential: str
    order: int
    templates: str
    options: list[str]


def read_words(path: pathlib.Path) -> list[corpora.Sentence]:
    """A word is a sentence of letters, each with its phoneme and stress as one label."""
    words = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if len(fields) < 3:
                continue
            word, phonemes, stress = fields[:3]
            words.append([[letter, phoneme + mark] for letter, phoneme, mark
                          in zip(word, phonemes, stress, strict=True)])
    return words


def split(words: list[corpora.Sentence]) -> tuple[list[corpora.Sentence], list[corpora.Sentence]]:
    shuffled = list(words)
    random.Random(1).shuffle(shuffled)
    return shuffled[:-HELD_OUT], shuffled[-HELD_OUT:]


def word_accuracy(gold: scoring.Labels, predicted: scoring.Labels) -> float:
    return 100.0 * sum(g == p for g, p in zip(gold, predicted, strict=True)) / len(gold)


def kept(model: pathlib.Path, coppice: str) -> str:
    """What pruning has left, from the model's card: label sequences a letter."""
    card = subprocess.run([coppice, "inspect", os.fspath(model), "--json"], check=True,
                          capture_output=True, text=True).stdout
    marker = '"edges":'
    return f"{float(card.split(marker)[1].split('}')[0]):.1f}" if marker in card else "all"


def run(train: list[corpora.Sentence], test: list[corpora.Sentence], model: Model,
        folder: pathlib.Path) -> list[object]:
    coppice = os.fspath(pathlib.Path(os.environ["COPPICE_BUILD"]) / "cli" / "coppice")
    files = {name: folder / name for name in ("train", "test", "predicted", "model.cop", "templates")}
    corpora.write_columns(train, files["train"])
    corpora.write_columns(test, files["test"])
    files["templates"].write_text(model.templates)
    command = [coppice, "train", "tag", "-t", os.fspath(files["train"]), "-o",
               os.fspath(files["model.cop"]), "--templates", os.fspath(files["templates"]),
               "--format", "columns", "--order", str(model.order), "--threads", "1", "--force", "-q",
               *model.options]
    training = measure.measure(command)
    tagging = measure.measure([coppice, "predict", "-m", os.fspath(files["model.cop"]), "--format",
                               "columns", "--columns", "w,_", "--threads", "1",
                               os.fspath(files["test"])], os.fspath(files["predicted"]))
    gold = corpora.labels_of(test)
    predicted = corpora.labels_of(corpora.read_tsv(files["predicted"]))
    return [len(train), model.potential, model.order, kept(files["model.cop"], coppice),
            training.cpu, training.peak_bytes / 1e6, corpora.num_tokens(test) / tagging.cpu,
            scoring.accuracy(gold, predicted), word_accuracy(gold, predicted)]


def models(options: argparse.Namespace) -> list[tuple[int, Model]]:
    """Each with the number of words it learns from."""
    iterations = ["--max-iterations", str(options.iterations)]
    rounds = ["--rounds", str(options.rounds), *TREES]
    made = [(words, Model("linear", order, TEMPLATES, iterations))
            for words in options.words for order in options.orders]
    for words in options.tree_words:
        made += [(words, Model("trees", 1, LETTERS, ["--potential", "trees", *rounds])),
                 (words, Model("linear+trees", 1, TEMPLATES,
                               ["--potential", "linear+trees", *iterations, *rounds]))]
    return made


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",") if word]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=numbers, default="1000,19000")
    parser.add_argument("--orders", type=numbers, default="1,2,3")
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--tree-words", type=numbers, default="1000")
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    train, test = split(read_words(corpora.shared_data() / "nettalk" / "nettalk.data"))
    rows = []
    for words, model in models(options):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(run(train[:words], test, model, pathlib.Path(folder)))
    print(f"{options.iterations} iterations of weights, {options.rounds} rounds of trees")
    measure.print_table(["words", "potential", "order", "sequences", "train CPU s", "peak MB",
                         "letters/s", "letters %", "words %"],
                        [[*row[:4], f"{row[4]:.1f}", f"{row[5]:.0f}", f"{row[6]:.0f}",
                          f"{row[7]:.2f}", f"{row[8]:.2f}"] for row in rows])
    short = {"linear": "", "trees": "_trees", "linear+trees": "_both"}
    measure.print_result(**{f"{name}_{row[0]}_{row[2]}{short[row[1]]}": row[place] for row in rows
                            for name, place in (("cpu", 4), ("letters", 7), ("words", 8))})


if __name__ == "__main__":
    main()
