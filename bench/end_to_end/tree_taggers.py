#!/usr/bin/env python3
"""Taggers with trees, with weights, and with both, on chunks (CoNLL-2000) and entities (BC5CDR).

    tree_taggers.py [--rounds N] [--corpora NAME,...] [--share X]

All three have the same plain templates: words, lower case, beginnings and endings, shapes and, for
chunks, parts of speech, each by itself. Trees have to find the conjunctions; the last row of each corpus
is what weights make of the default templates, which have conjunctions written out. Rounds and iterations
are chosen on development data; CoNLL-2000 has none, so the last tenth of its training sentences stands
in for it, and no model learns from that tenth. Scores are F1 of spans as conlleval counts them, in
percent. One thread; times are CPU seconds of whole commands. --share takes only the first sentences of
each part, so many of all.
"""
import argparse
import json
import os
import pathlib
import tempfile
from typing import NamedTuple

import corpora
import measure
import scoring

COPPICE = os.fspath(pathlib.Path(os.environ.get("COPPICE_BUILD",
                                                corpora.ROOT / "build" / "release"),
                                 "cli", "coppice"))
WORDS = """form[-2..2]
lower(form[0])
prefix(lower(form[0]),1..4)
suffix(lower(form[0]),1..4)
shape(form[0])
collapsed(form[-1..1])
class(form[-1..1])
length(form[0])
"""
TEMPLATES = {"conll2000": WORDS + "c2[-2..2]\n",
             "bc5cdr": WORDS + "suffix(lower(form[-1]),3)\nsuffix(lower(form[1]),3)\n"}
PENALTY = {"conll2000": ["--l2", "1"], "bc5cdr": ["--l2", "0.1"]}
# The best of three on BC5CDR's development part: the others had half as many leaves and shorter steps, and trees
# that see all features.
TREES = ["--leaves", "32", "--leaf-values", "newton", "--shrinkage", "0.3", "--pseudo-rounds", "0",
         "--feature-fraction", "0.5", "--check-every", "10", "--patience", "4", "--min-count", "2"]


class Kind(NamedTuple):
    name: str
    options: list[str]
    plain: bool = True


def kinds(corpus: str, rounds: int) -> list[Kind]:
    trees = [*TREES, "--rounds", str(rounds)]
    return [Kind("trees", ["--potential", "trees", *trees]),
            Kind("linear", PENALTY[corpus]),
            Kind("linear+trees", ["--potential", "linear+trees", *PENALTY[corpus], *trees]),
            Kind("linear, default templates", PENALTY[corpus], False)]


class Files(NamedTuple):
    train: str
    dev: str
    test: str
    templates: str


def write_files(corpus: str, folder: pathlib.Path, share: float) -> Files:
    parts = {"train": corpora.load(corpus, "train"), "test": corpora.load(corpus, "test")}
    if "dev" in corpora.CORPORA[corpus][1]:
        parts["dev"] = corpora.load(corpus, "dev")
    else:
        held = len(parts["train"]) // 10
        parts["dev"], parts["train"] = parts["train"][-held:], parts["train"][:-held]
    for part, sentences in parts.items():
        corpora.write_columns(sentences[:max(1, int(share * len(sentences)))], folder / part)
    (folder / "templates").write_text(TEMPLATES[corpus])
    return Files(*(os.fspath(folder / name) for name in ("train", "dev", "test", "templates")))


def kept_rounds(model: str, output: str) -> str:
    measure.measure([COPPICE, "inspect", model, "--json"], output)
    card = json.loads(pathlib.Path(output).read_text())
    return str(card["card"]["iteration"])


def run(corpus: str, kind: Kind, files: Files, folder: pathlib.Path) -> list[object]:
    model, output = os.fspath(folder / "model.cop"), os.fspath(folder / "output")
    templates = ["--templates", files.templates] if kind.plain else []
    common = ["--threads", "1", "--format", "columns", "-q"]
    training = measure.measure([COPPICE, "train", "tag", "-t", files.train, "-d", files.dev, "-o",
                                model, "--force", *common, *templates, *kind.options])
    tagging = measure.measure([COPPICE, "predict", "-m", model, *common, files.test], output)
    gold = corpora.read_columns(pathlib.Path(files.test), "\t")
    predicted = corpora.read_tsv(pathlib.Path(output))
    f1 = scoring.span_f1(corpora.labels_of(gold), corpora.labels_of(predicted))["f1"]
    return [corpus, kind.name, f1, training.cpu, training.peak_bytes / 1e6,
            os.path.getsize(model) / 1e6, corpora.num_tokens(gold) / tagging.cpu,
            kept_rounds(model, output)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--corpora", default="conll2000,bc5cdr")
    parser.add_argument("--share", type=float, default=1)
    options = parser.parse_args()
    rows = []
    for corpus in options.corpora.split(","):
        for kind in kinds(corpus, options.rounds):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                files = write_files(corpus, folder, options.share)
                rows.append(run(corpus, kind, files, folder))
    print(f"at most {options.rounds} rounds of trees, {options.share:.0%} of the sentences")
    measure.print_table(["corpus", "potential", "F1", "train CPU s", "peak MB", "model MB",
                         "tokens/s", "kept"],
                        [[*row[:2], f"{row[2]:.2f}", f"{row[3]:.1f}", f"{row[4]:.0f}",
                          f"{row[5]:.1f}", f"{row[6]:.0f}", row[7]] for row in rows])
    keys = {"trees": "trees", "linear": "linear", "linear+trees": "both"}
    measure.print_result(**{f"{row[0]}_{keys[row[1]]}_{name}": row[place] for row in rows
                            if row[1] in keys for name, place in (("f1", 2), ("cpu", 3))})


if __name__ == "__main__":
    main()
