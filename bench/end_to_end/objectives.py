#!/usr/bin/env python3
"""Objectives against each other: precision, recall and F1 on test data of models trained for each.

    python3 objectives.py [--corpora bc5cdr,ncbi,conll2000] [--iterations 30]
    python3 objectives.py --potential trees [--corpora ncbi] [--iterations 60]

Every loss, of softmax-margin and of risk, gets its loss scale on the development data, by the
measure that it stands for; the last tenth of the training data is the development data of a corpus
that has none. The penalty and the features are those that are best for likelihood on the same
development data. *_f1loss_f1 is of the loss of F1 that is best on development data. Intervals are
95 % of 1000 bootstrap samples of the test sentences, of the difference in F1 to the likelihood's
answers for the same sentences. Times are processor seconds of the training at the chosen scale.
With trees the losses of the corpus are left out, to save time.
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
# By corpus: options of all trainings, for weights the best for likelihood on development data.
OPTIONS = {"bc5cdr": ["--l2", "0.1", "--features", "all"],
           "ncbi": ["--l2", "0.1", "--features", "all"], "conll2000": ["--l2", "1"]}
TREES = ["--potential", "trees", "--leaf-values", "newton", "--shrinkage", "0.3", "--leaves", "32"]


class Contestant(NamedTuple):
    options: list[str]
    by: str = "f1"  # the measure that its scale is chosen by
    scales: tuple[str, ...] = ()


F1_LOSSES = {
    "margin dec-f1": Contestant(["--loss", "dec-f1"], "f1", ("1", "3", "6")),
    "margin f1": Contestant(["--loss", "f1"], "f1", ("1", "4")),
    "margin corpus f1": Contestant(["--loss", "f1", "--loss-level", "corpus"], "f1",
                                   ("3", "10", "20")),
    "risk f1": Contestant(["--objective", "risk", "--loss", "f1"], "f1", ("10", "30", "100")),
    "risk corpus f1": Contestant(["--objective", "risk", "--loss", "f1", "--loss-level", "corpus"],
                                 "f1", ("10", "30")),
}
CONTESTANTS = {
    "likelihood": Contestant([]),
    "margin hamming": Contestant(["--loss", "hamming"], "f1", ("1", "3")),
    **F1_LOSSES,
    "margin precision": Contestant(["--loss", "precision"], "precision", ("1", "4")),
    "margin recall": Contestant(["--loss", "recall"], "recall", ("1", "4")),
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

    def __init__(self, corpus: str, folder: pathlib.Path, options: list[str]):
        self.parts, self.folder, self.options = parts_of(corpus), folder, options
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
             *self.options, *options])
        dev, test = self.labels("dev"), self.labels("test")
        return Model(scoring.span_f1(corpora.labels_of(self.parts.dev), dev),
                     scoring.span_f1(corpora.labels_of(self.parts.test), test), test, costs.cpu)


class Chosen(NamedTuple):
    scale: str
    model: Model


def best_of(workshop: Workshop, contestant: Contestant) -> Chosen:
    if not contestant.scales:
        return Chosen("", workshop.model(contestant.options))
    models = [Chosen(scale, workshop.model([*contestant.options, "--loss-scale", scale]))
              for scale in contestant.scales]
    return max(models, key=lambda chosen: chosen.model.dev[contestant.by])


def counts_of(gold: list, predicted: list) -> list[tuple[int, int, int]]:
    """By sentence: right, answered, wanted spans."""
    counts = []
    for right, answered in zip(gold, predicted, strict=True):
        wanted, found = scoring.spans(right), scoring.spans(answered)
        counts.append((len(wanted & found), len(found), len(wanted)))
    return counts


def f1(counts) -> float:
    n, d, g = map(sum, zip(*counts))
    return 200 * n / max(d + g, 1)


def interval(gold: list, predicted: list, baseline: list, samples: int = 1000) -> str:
    """Of the difference in F1 between two lists of answers."""
    pairs = list(zip(counts_of(gold, predicted), counts_of(gold, baseline)))
    pairs = [pair for pair in pairs if any(pair[0]) or any(pair[1])]
    draw, values = random.Random(1), []
    for _ in range(samples):
        ours, theirs = zip(*draw.choices(pairs, k=len(pairs)))
        values.append(f1(ours) - f1(theirs))
    values.sort()
    return f"{values[int(0.025 * samples)]:+.2f} to {values[int(0.975 * samples)]:+.2f}"


def is_of_corpus(contestant: Contestant) -> bool:
    return "corpus" in contestant.options


def run_corpus(corpus: str, options: list[str],
               contestants: dict[str, Contestant]) -> dict[str, Model]:
    models, rows = {}, []
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(corpus, pathlib.Path(folder), options)
        gold = corpora.labels_of(workshop.parts.test)
        for name, contestant in contestants.items():
            scale, model = best_of(workshop, contestant)
            models[name] = model
            rows.append([name, scale, *(f"{model.dev[key]:.2f}" for key in MEASURES),
                         *(f"{model.test[key]:.2f}" for key in MEASURES),
                         interval(gold, model.predicted, models["likelihood"].predicted),
                         f"{model.cpu:.1f}"])
    print(f"{corpus} ({' '.join(options)}): test of {len(gold)} sentences")
    measure.print_table(["objective", "scale", *(f"dev {key}" for key in MEASURES), *MEASURES,
                         "f1 beside likelihood", "cpu s"], rows)
    best = max((name for name in F1_LOSSES if name in models),
               key=lambda name: models[name].dev["f1"])
    print(f"of the losses of F1, development data choose {best}\n", flush=True)
    return {**models, "F1": models[best]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--potential", choices=("linear", "trees"), default="linear")
    parser.add_argument("--corpora")
    parser.add_argument("--iterations")
    arguments = parser.parse_args()
    has_trees = arguments.potential == "trees"
    corpus_names = arguments.corpora or ("ncbi" if has_trees else "bc5cdr,ncbi,conll2000")
    contestants = {name: contestant for name, contestant in CONTESTANTS.items()
                   if not (has_trees and is_of_corpus(contestant))}
    results = {}
    for corpus in corpus_names.split(","):
        options = (["--rounds", arguments.iterations or "60", *TREES] if has_trees else
                   ["--max-iterations", arguments.iterations or "30", *OPTIONS[corpus]])
        models = run_corpus(corpus, options, contestants)
        results[f"{corpus}_likelihood_f1"] = models["likelihood"].test["f1"]
        results[f"{corpus}_f1loss_f1"] = models["F1"].test["f1"]
        if corpus == "bc5cdr":
            for key in ("recall", "precision"):
                results[f"bc5cdr_{key}_gain"] = (models[f"margin {key}"].test[key]
                                                 - models["likelihood"].test[key])
    measure.print_result(**results)


if __name__ == "__main__":
    main()
