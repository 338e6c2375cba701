#!/usr/bin/env python3
"""Rare entities: with 5 % of the sentences that have one kept among all others, costs of missed
items move the operating point.

    python3 imbalance.py [--corpus bc5cdr] [--keep 0.05] [--ratios 1,2,5,10] [--iterations 20]

A row for each cost of a missed item against a wrong one in training; then the operating points of
the likelihood's model, by `coppice eval --curve`.
"""
import argparse
import pathlib
import random
import tempfile

import corpora
import measure
import objectives


def thinned(sentences: list, keep: float) -> list:
    draw = random.Random(1)
    return [sentence for sentence in sentences
            if all(row[-1] == "O" for row in sentence) or draw.random() < keep]


def operating_points(folder: pathlib.Path) -> list[list[str]]:
    """Of the model there, on the test data: cost, precision, recall, F1."""
    points = folder / "points.tsv"
    measure.measure([str(objectives.PROGRAM), "eval", "-q", "-m", str(folder / "model.cop"),
                     "--gold", str(folder / "test.conll"), "--curve", str(points)],
                    str(folder / "report.txt"))
    return [line.split("\t") for line in points.read_text().splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", default="bc5cdr")
    parser.add_argument("--keep", type=float, default=0.05)
    parser.add_argument("--ratios", default="1,2,5,10")
    parser.add_argument("--iterations", type=int, default=20)
    arguments = parser.parse_args()
    rows, recalls, precisions = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        workshop = objectives.Workshop(arguments.corpus, pathlib.Path(folder),
                                       ["--max-iterations", str(arguments.iterations),
                                        *objectives.OPTIONS[arguments.corpus]])
        train = thinned(workshop.parts.train, arguments.keep)
        corpora.write_columns(train, pathlib.Path(folder) / "train.conll")
        settings = [("likelihood", [])]
        settings += [(f"fn={ratio},fp=1", ["--cost", f"fn={ratio},fp=1"])
                     for ratio in arguments.ratios.split(",")]
        settings += [("fn=1,fp=5", ["--cost", "fn=1,fp=5"])]
        for name, options in settings:
            test = workshop.model(options).test
            if name == "likelihood":
                curve = operating_points(pathlib.Path(folder))
            rows.append([name, *(f"{test[key]:.2f}" for key in objectives.MEASURES)])
            recalls.append(test["recall"])
            precisions.append(test["precision"])
    print(f"{arguments.corpus}: {len(train)} training sentences")
    measure.print_table(["trained for costs", *objectives.MEASURES], rows)
    print("\nthe likelihood's model, decoded for a cost of a missed item where a wrong one costs 1")
    measure.print_table(curve[0], curve[1::4])
    print()
    measure.print_result(likelihood_recall=recalls[0], best_recall=max(recalls),
                         likelihood_precision=precisions[0], fp5_precision=precisions[-1])


if __name__ == "__main__":
    main()
