#!/usr/bin/env python3
"""The l1-boosted learner from 1 to 40 million examples, in files that are mapped.

    trees_scale.py [--examples N,...] [--trees N] [--depth N] [--quick] [--folder FOLDER]

Examples are generated: 1.1 million binary features, 30 of them on in each. Time is that of a tree, the
median of all but the first, CPU seconds of one thread: choosing splits, fitting leaves and weighing all
examples again. Peak memory is the largest resident set, with the pages of the mapped file that were in
memory. The exponent is that of the growth of the time from the smallest to the largest number of
examples. --quick: 0.1 to 1 million. Files (130 bytes an example) are made in FOLDER, and removed.
"""
import argparse
import math
import os
import pathlib
import statistics
import tempfile

import corpora
import measure

PROGRAM = pathlib.Path(os.environ.get("COPPICE_BUILD", corpora.ROOT / "build" / "release"),
                       "bench", "trees", "scale_bench")


def run(examples: int, trees: int, depth: int, folder: pathlib.Path) -> dict:
    data, output = os.fspath(folder / "examples.cpx"), os.fspath(folder / "output")
    writing = measure.measure([os.fspath(PROGRAM), "write", data, str(examples)])
    size = os.path.getsize(data)
    costs = measure.measure([os.fspath(PROGRAM), "train", data, str(trees), str(depth)], output)
    os.remove(data)
    rows = [line.split("\t") for line in pathlib.Path(output).read_text().splitlines()[2:]]
    return {"examples": examples, "seconds": statistics.median(float(row[2]) for row in rows[1:]),
            "leaves": statistics.median(int(row[3]) for row in rows[1:]),
            "peak": costs.peak_bytes, "file": size, "all": costs.cpu, "writing": writing.cpu}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", default="1000000,6000000,40000000")
    parser.add_argument("--trees", type=int, default=4)
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--folder")
    options = parser.parse_args()
    sizes = [100_000, 1_000_000] if options.quick else list(map(int, options.examples.split(",")))
    rows = []
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        for size in sizes:
            rows.append(run(size, options.trees, options.depth, pathlib.Path(name)))
    print(f"{options.trees} trees of depth {options.depth}; CPU seconds of one thread")
    measure.print_table(
        ["examples", "file GB", "a tree", "its leaves", "whole training", "writing", "peak GB"],
        [[row["examples"], f"{row['file'] / 1e9:.2f}", f"{row['seconds']:.2f}", f"{row['leaves']:.0f}",
          f"{row['all']:.1f}", f"{row['writing']:.1f}", f"{row['peak'] / 1e9:.2f}"] for row in rows])
    first, last = rows[0], rows[-1]
    exponent = math.log(last["seconds"] / first["seconds"]) / math.log(last["examples"]
                                                                      / first["examples"])
    measure.print_result(examples=last["examples"], seconds_per_tree=last["seconds"],
                         peak_gb=last["peak"] / 1e9, growth_exponent=exponent)


if __name__ == "__main__":
    main()
