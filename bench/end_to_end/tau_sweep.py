#!/usr/bin/env python3
"""How the scale of a loss moves precision, recall and F1 on development data, for each loss.

    python3 tau_sweep.py [--corpora bc5cdr,ncbi,conll2000] [--scales 0.5,1,2,4,8]
                         [--iterations 20] [--sentences 2000] [--figures FOLDER]

Trains on the first --sentences sentences. With --figures, `coppice plot` draws a picture for each
corpus and measure: a line for each loss, and one for the likelihood, which has no scale.
"""
import argparse
import pathlib
import tempfile

import corpora
import measure
import objectives

LOSSES = {"hamming": ["--loss", "hamming"], "precision": ["--loss", "precision"],
          "recall": ["--loss", "recall"], "f1": ["--loss", "f1"], "dec-f1": ["--loss", "dec-f1"],
          "corpus f1": ["--loss", "f1", "--loss-level", "corpus"]}


def sweep(corpus: str, arguments: argparse.Namespace) -> list[list[str]]:
    """Rows of loss, scale and measures; those of the likelihood stand first, once for each scale."""
    scales = arguments.scales.split(",")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        workshop = objectives.Workshop(corpus, folder, [
            "--max-iterations", str(arguments.iterations), *objectives.OPTIONS[corpus]])
        corpora.write_columns(workshop.parts.train[:arguments.sentences], folder / "train.conll")

        def row(loss: str, scale: str, options: list[str]) -> list[str]:
            dev = workshop.model(options).dev
            return [loss, scale, *(f"{dev[key]:.2f}" for key in objectives.MEASURES)]

        likelihood = row("likelihood", "", [])
        rows = [["likelihood", scale, *likelihood[2:]] for scale in scales]
        rows += [row(loss, scale, [*options, "--loss-scale", scale])
                 for loss, options in LOSSES.items() for scale in scales]
    return rows


def draw(corpus: str, rows: list[list[str]], folder: pathlib.Path) -> None:
    table = folder / f"tau-{corpus}.tsv"
    lines = ["\t".join(row) for row in [["loss", "scale", *objectives.MEASURES], *rows]]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for key in objectives.MEASURES:
        measure.measure([str(objectives.PROGRAM), "plot", str(table), "--x", "scale", "--log-x",
                         "--y", key, "--by", "loss", "--title", f"{corpus}, development data",
                         "--x-label", "loss scale", "--force",
                         "-o", str(folder / f"tau-{corpus}-{key}.svg")])
    table.unlink()


def best(rows: list[list[str]], loss: str, key: str) -> float:
    column = 2 + objectives.MEASURES.index(key)
    return max(float(row[column]) for row in rows if row[0] == loss)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", default="bc5cdr,ncbi,conll2000")
    parser.add_argument("--scales", default="0.5,1,2,4,8")
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--figures", type=pathlib.Path)
    arguments = parser.parse_args()
    results = {}
    for corpus in arguments.corpora.split(","):
        rows = sweep(corpus, arguments)
        print(corpus)
        measure.print_table(["loss", "scale", *objectives.MEASURES], rows)
        print(flush=True)
        if arguments.figures:
            draw(corpus, rows, arguments.figures)
        for loss, key in (("precision", "precision"), ("recall", "recall"), ("f1", "f1"),
                          ("corpus f1", "f1")):
            name = f"{corpus}_{loss.replace(' ', '_')}_loss_{key}"
            results[name] = best(rows, loss, key)
            results[f"{corpus}_likelihood_{key}"] = best(rows, "likelihood", key)
    measure.print_result(**results)


if __name__ == "__main__":
    main()
