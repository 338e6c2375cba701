#!/usr/bin/env python3
"""How the scale of a loss moves precision, recall and F1 on development data, for each loss.

    python3 tau_sweep.py [--corpus bc5cdr] [--scales 0.5,1,2,4,8] [--iterations 20] [--out FILE]

With --out, a table for `coppice plot`: a line for each loss and scale.
"""
import argparse
import pathlib
import tempfile

import measure
import objectives

LOSSES = ("hamming", "precision", "recall", "f1", "dec-f1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", default="bc5cdr")
    parser.add_argument("--scales", default="0.5,1,2,4,8")
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--out")
    arguments = parser.parse_args()
    rows, best = [], {}
    with tempfile.TemporaryDirectory() as folder:
        workshop = objectives.Workshop(arguments.corpus, pathlib.Path(folder),
                                       ["--max-iterations", str(arguments.iterations),
                                        *objectives.OPTIONS[arguments.corpus]])
        rows.append(["likelihood", "0", *(f"{workshop.model([]).dev[key]:.2f}"
                                          for key in objectives.MEASURES)])
        for loss in LOSSES:
            for scale in arguments.scales.split(","):
                dev = workshop.model(["--loss", loss, "--loss-scale", scale]).dev
                rows.append([loss, scale, *(f"{dev[key]:.2f}" for key in objectives.MEASURES)])
                for key in objectives.MEASURES:
                    best[loss, key] = max(best.get((loss, key), 0.0), dev[key])
    header = ["loss", "scale", *objectives.MEASURES]
    measure.print_table(header, rows)
    if arguments.out:
        lines = ["\t".join(map(str, row)) for row in [header, *rows]]
        pathlib.Path(arguments.out).write_text("\n".join(lines) + "\n", encoding="utf-8")
    measure.print_result(likelihood_f1=float(rows[0][4]), f1_loss_f1=best["f1", "f1"],
                         precision_loss_precision=best["precision", "precision"],
                         recall_loss_recall=best["recall", "recall"])


if __name__ == "__main__":
    main()
