#!/usr/bin/env python3
"""Objectives against each other: precision, recall and F1 on test data of models trained for each.

    python3 objectives.py [--corpora bc5cdr,ncbi,conll2000] [--scales 1,4] [--iterations 30]

Every loss gets its loss scale on the development data, by the measure that it stands for; the last
tenth of the training data is the development data of a corpus that has none. Intervals are 95 % of
1000 bootstrap samples of the test sentences. Times are processor seconds of the whole training.
"""
import argparse
import os
import pathlib
import random
import tempfile
from typing import NamedTuple

import corpora
import measure
import scoring

PROGRAM = pathlib.Path(os.environ.get("COPPICE_BUILD", corpora.ROOT / "build" / "release"),
                       "cli", "coppice")
# name -> (options of train, the measure that the scale is chosen by)
CONTESTANTS = {
    "likelihood": ([], None),
    "margin hamming": (["--loss", "hamming"], "f1"),
    "margin dec-f1": (["--loss", "dec-f1"], "f1"),
    "margin f1": (["--loss", "f1"], "f1"),
    "margin precision": (["--loss", "precision"], "precision"),
    "margin recall": (["--loss", "recall"], "recall"),
    "risk f1": (["--objective", "risk", "--loss", "f1"], None),
    "corpus risk f1": (["--objective", "risk", "--loss", "f1", "--loss-level", "corpus"], None),
}
MEASURES = ("precision", "recall", "f1")


class Parts(NamedTuple):
    train: list
    dev: list
    test: list


def parts_of(corpus: str) -> Parts:
    train, test = corpora.load(corpus, "train"), corpora.load(corpus, "test")
    if "dev" in corpora.CORPORA[corpus][1]:
        return Parts(train, corpora.load(corpus, "dev"), test)
    cut = len(train) * 9 // 10
    return Parts(train[:cut], train[cut:], test)


class Model(NamedTuple):
    dev: dict
    test: dict
    predicted: list
    cpu: float


class Workshop:
    """The files of one corpus, and models trained on them."""

    def __init__(self, corpus: str, folder: pathlib.Path, iterations: int):
        self.parts, self.folder, self.iterations = parts_of(corpus), folder, iterations
        for name, sentences in self.parts._asdict().items():
            corpora.write_columns(sentences, folder / f"{name}.conll")

    def labels(self, part: str) -> list:
        output = self.folder / "predicted.conll"
        measure.measure([str(PROGRAM), "predict", "-q", "-m", str(self.folder / "model.cop"),
                         str(self.folder / f"{part}.conll")], str(output))
        return corpora.labels_of(corpora.read_tsv(output))

    def model(self, options: list[str]) -> Model:
        costs = measure.measure(
            [str(PROGRAM), "train", "tag", "-q", "--force", "-j", "1",
             "-t", str(self.folder / "train.conll"), "-o", str(self.folder / "model.cop"),
             "--max-iterations", str(self.iterations), *options])
        dev, test = self.labels("dev"), self.labels("test")
        return Model(scoring.span_f1(corpora.labels_of(self.parts.dev), dev),
                     scoring.span_f1(corpora.labels_of(self.parts.test), test), test, costs.cpu)


def best_of(workshop: Workshop, options: list[str], by: str | None, scales: list[str]):
    if by is None:
        return "", workshop.model(options)
    models = {scale: workshop.model([*options, "--loss-scale", scale]) for scale in scales}
    chosen = max(scales, key=lambda scale: models[scale].dev[by])
    return chosen, models[chosen]


def interval(gold: list, predicted: list, key: str, samples: int = 1000) -> float:
    """Half the width of the 95 % interval."""
    counts = []
    for right, answered in zip(gold, predicted, strict=True):
        wanted, found = scoring.spans(right), scoring.spans(answered)
        counts.append((len(wanted & found), len(found), len(wanted)))
    counts = [c for c in counts if c[1] or c[2]]
    draw, values = random.Random(1), []
    for _ in range(samples):
        n, d, g = map(sum, zip(*draw.choices(counts, k=len(counts))))
        values.append(100 * {"precision": n / max(d, 1), "recall": n / max(g, 1),
                             "f1": 2 * n / max(d + g, 1)}[key])
    values.sort()
    return (values[int(0.975 * samples)] - values[int(0.025 * samples)]) / 2


def run_corpus(corpus: str, arguments: argparse.Namespace) -> dict[str, dict]:
    tests, rows = {}, []
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(corpus, pathlib.Path(folder), arguments.iterations)
        gold = corpora.labels_of(workshop.parts.test)
        for name, (options, by) in CONTESTANTS.items():
            scale, model = best_of(workshop, options, by, arguments.scales.split(","))
            tests[name] = model.test
            rows.append([name, scale, *(f"{model.test[key]:.2f}" for key in MEASURES),
                         f"+-{interval(gold, model.predicted, 'f1'):.2f}", f"{model.cpu:.1f}"])
    print(f"{corpus}: test of {len(gold)} sentences")
    measure.print_table(["objective", "scale", *MEASURES, "f1 95%", "cpu s"], rows)
    print(flush=True)
    return tests


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", default="bc5cdr,ncbi,conll2000")
    parser.add_argument("--scales", default="1,4")
    parser.add_argument("--iterations", type=int, default=30)
    arguments = parser.parse_args()
    results = {}
    for corpus in arguments.corpora.split(","):
        tests = run_corpus(corpus, arguments)
        results[f"{corpus}_likelihood_f1"] = tests["likelihood"]["f1"]
        results[f"{corpus}_f1loss_f1"] = tests["margin f1"]["f1"]
        if corpus == "bc5cdr":
            results["bc5cdr_recall_gain"] = (tests["margin recall"]["recall"]
                                             - tests["likelihood"]["recall"])
            results["bc5cdr_precision_gain"] = (tests["margin precision"]["precision"]
                                                - tests["likelihood"]["precision"])
    measure.print_result(**results)


if __name__ == "__main__":
    main()
