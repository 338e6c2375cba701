#!/usr/bin/env python3
"""Missing values: accuracy of trees as 0, 10 and 30 percent of their inputs are deleted.

    missing.py [--rounds N] [--draws N] [--sentences N]

Inputs are deleted at random, each for itself, from training and test data alike. Three ways to deal with
that: the side of a question that was better in training takes those that lack the value (default
directions); another question that mostly agrees is asked instead (surrogates); or a deleted input is a
value like any other (?). Two data sets: residues of proteins (windows of 11 in Qian and Sejnowski's
data), which say little of one another; and words of CoNLL-2000 (the first 1,000 sentences of each part),
whose inputs do: part of speech, endings, shape and length of the word, and parts of speech around it.
Means of --draws draws of the deletions, and their standard deviation.
"""
import argparse
import os
import pathlib
import random
import statistics
import subprocess
import tempfile

import corpora
import measure
import scoring

COPPICE = os.fspath(pathlib.Path(os.environ.get("COPPICE_BUILD",
                                                corpora.ROOT / "build" / "release"),
                                 "cli", "coppice"))
WINDOW = 5
SHARES = [0.0, 0.1, 0.3]
WAYS = {"default directions": [], "surrogates": ["--surrogates", "5"], "as a value": []}
TREES = ["--potential", "trees", "--leaves", "20", "--shrinkage", "0.2", "--row-fraction", "0.5",
         "--pseudo-rounds", "0"]


def residues(sentence: corpora.Sentence, at: int) -> list[str]:
    places = range(at - WINDOW, at + WINDOW + 1)
    return [sentence[place][0] if 0 <= place < len(sentence) else "-" for place in places]


def shape(word: str) -> str:
    kinds = "".join("X" if c.isupper() else "x" if c.islower() else "0" if c.isdigit() else c
                    for c in word)
    return "".join(c for i, c in enumerate(kinds) if i == 0 or kinds[i - 1] != c)


def word_inputs(sentence: corpora.Sentence, at: int) -> list[str]:
    def tag(distance: int) -> str:
        place = at + distance
        return sentence[place][1] if 0 <= place < len(sentence) else "-"
    word = sentence[at][0]
    return [tag(-2), tag(-1), tag(0), tag(1), tag(2), word[-1:], word[-2:-1] or "-", shape(word),
            str(min(len(word), 9))]


class Alphabet:
    """A character for each value of a column, since a template can tell an empty cell from one."""
    def __init__(self, inputs: list[list[str]]):
        self.codes = [{value: chr(0x4E00 + i) for i, value in enumerate(sorted(set(column)))}
                      for column in zip(*inputs)]

    def write(self, inputs: list[str]) -> list[str]:
        return [codes.get(value, "") for codes, value in zip(self.codes, inputs)]


def delete(cells: list[str], share: float, mark: str, draw: random.Random) -> list[str]:
    return [mark if draw.random() < share else cell for cell in cells]


def accuracy(parts: dict, columns: int, share: float, way: str, seed: int, rounds: int,
             folder: pathlib.Path) -> float:
    """Tokens labelled right by forward-backward decoding, in percent."""
    draw, mark = random.Random(seed), "?" if way == "as a value" else ""
    for part, sentences in parts.items():
        rows = [[[*delete(cells, share, mark, draw), label] for cells, label in sentence]
                for sentence in sentences]
        corpora.write_columns(rows, folder / part)
    names = [f"c{i}" for i in range(columns)]
    (folder / "templates").write_text("columns " + " ".join(names) + "\n"
                                      + "".join(f"prefix({name}[0],1)\n" for name in names))
    model, output = os.fspath(folder / "model.cop"), folder / "output"
    common = ["--columns", ",".join([*names, "label"]), "--format", "columns", "-q", "--threads", "1"]
    subprocess.run([COPPICE, "train", "tag", "-t", os.fspath(folder / "train"), "-o", model,
                    "--force", "--templates", os.fspath(folder / "templates"), "--rounds",
                    str(rounds), *common, *TREES, *WAYS[way]], check=True)
    with open(output, "wb") as out:
        subprocess.run([COPPICE, "predict", "-m", model, "--decode", "posterior", *common,
                        os.fspath(folder / "test")], stdout=out, check=True)
    predicted = corpora.labels_of(corpora.read_tsv(output))
    return scoring.accuracy([[label for _, label in sentence] for sentence in parts["test"]],
                            predicted)


def coded(parts: dict, inputs_of) -> tuple[dict, int]:
    inputs = {part: [[(inputs_of(sentence, at), sentence[at][-1]) for at in range(len(sentence))]
                     for sentence in sentences] for part, sentences in parts.items()}
    alphabet = Alphabet([row for sentence in inputs["train"] for row, _ in sentence])
    return ({part: [[(alphabet.write(row), label) for row, label in sentence]
                    for sentence in sentences] for part, sentences in inputs.items()},
            len(alphabet.codes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=1000, help="of CoNLL-2000")
    options = parser.parse_args()
    protein = {part: corpora.load("protein", part) for part in ("train", "test")}
    words = {part: corpora.load("conll2000", part)[:options.sentences] for part in ("train", "test")}
    rows, results = [], {}
    with tempfile.TemporaryDirectory() as name:
        for data, (parts, columns) in (("protein", coded(protein, residues)),
                                       ("chunks", coded(words, word_inputs))):
            for way in WAYS:
                cells = []
                for share in SHARES:
                    found = [accuracy(parts, columns, share, way, seed, options.rounds,
                                      pathlib.Path(name)) for seed in range(options.draws if share else 1)]
                    spread = f" ({statistics.stdev(found):.2f})" if len(found) > 1 else ""
                    cells.append(f"{statistics.mean(found):.2f}{spread}")
                    key = f"{data}_{way.split()[0].replace('as', 'value')}_{share * 100:.0f}"
                    results[key] = statistics.mean(found)
                rows.append([f"{data}: {way}", *cells])
    print(f"{options.rounds} rounds; accuracy in percent, inputs deleted:")
    measure.print_table(["", *(f"{share:.0%}" for share in SHARES)], rows)
    measure.print_result(**results)


if __name__ == "__main__":
    main()
