#!/usr/bin/env python3
"""Entropy regularisation: a few labelled sentences of EWT (parts of speech) and raw text.

    python3 semi.py [--labelled 500] [--raw 2000] [--weights 0.01,0.1,1] [--iterations 30]

The best and the worst weight by accuracy on the development data, and their accuracy on test data.
"""
import argparse
import pathlib
import tempfile

import corpora
import measure
import scoring

from objectives import PROGRAM


def accuracy(folder: pathlib.Path, part: str, gold: list) -> float:
    output = folder / "predicted.conll"
    measure.measure([str(PROGRAM), "predict", "-q", "-m", str(folder / "model.cop"),
                     str(folder / f"{part}.conll")], str(output))
    return scoring.accuracy(corpora.labels_of(gold), corpora.labels_of(corpora.read_tsv(output)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--labelled", type=int, default=500)
    parser.add_argument("--raw", type=int, default=2000)
    parser.add_argument("--weights", default="-0.05,0.01,0.1,1")
    parser.add_argument("--iterations", type=int, default=30)
    arguments = parser.parse_args()
    train, dev, test = (corpora.load("ewt-upos", part) for part in ("train", "dev", "test"))
    raw = train[arguments.labelled:arguments.labelled + arguments.raw]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, sentences in {"train": train[:arguments.labelled], "dev": dev, "test": test,
                                "raw": raw}.items():
            corpora.write_columns(sentences, folder / f"{part}.conll")
        for weight in ["0", *arguments.weights.split(",")]:
            options = [] if weight == "0" else ["--unlabelled", str(folder / "raw.conll"),
                                                "--entropy-weight", weight]
            measure.measure([str(PROGRAM), "train", "tag", "-q", "--force", "-j", "1",
                             "-t", str(folder / "train.conll"), "-o", str(folder / "model.cop"),
                             "--max-iterations", str(arguments.iterations), *options])
            rows.append([weight, accuracy(folder, "dev", dev), accuracy(folder, "test", test)])
    measure.print_table(["weight", "dev", "test"], rows)
    best, worst = (chosen(rows[1:], key=lambda row: row[1]) for chosen in (max, min))
    measure.print_result(without_accuracy=rows[0][2], best_accuracy=best[2], worst_accuracy=worst[2],
                         best_weight=float(best[0]), worst_weight=float(worst[0]))


if __name__ == "__main__":
    main()
