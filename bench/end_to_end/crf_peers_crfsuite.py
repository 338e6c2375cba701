"""Trains and applies python-crfsuite, and writes what it cost as JSON.

Runs in the peers' environment (peers.py), one job a process so that peak memory is its own:

    python crf_peers_crfsuite.py --train ATTRIBUTES --model MODEL --report JSON
        [--algorithm lbfgs|ap|l2sgd|...] [--set NAME=VALUE ...]
        [--test COLUMNS --extractor NAME [--predictions COLUMNS] [--untimed]]

Times are CPU seconds of this process. The objective of CRFsuite's L-BFGS is, as it reports it,

    sum over sentences of -log p(labels | sentence)  +  c2 |w|^2  +  c1 |w|_1

(no factor 1/2), measured after each iteration; its stamp counts from the start of train(), thus
with CRFsuite's own feature generation and without reading the file. sklearn-crfsuite is the same
library under another interface: its training is not run again, its tagging is timed beside.
"""
import argparse
import json
import os
import pathlib
import re
import time

import pycrfsuite
import sklearn_crfsuite

import attributes
import corpora
import scoring


class RecordingTrainer(pycrfsuite.Trainer):
    """Keeps the objective and a CPU stamp of every iteration. Requires verbose=True for its hooks."""

    def start_clock(self) -> None:
        self.trace = []
        self.num_features = None
        self.prepared_at = None
        self.clock_start = time.process_time()

    def elapsed(self) -> float:
        return time.process_time() - self.clock_start

    def on_start(self, log):
        pass

    def on_featgen_progress(self, log, percent):
        pass

    def on_featgen_end(self, log):
        found = re.search(r"Number of features: (\d+)", log)
        self.num_features = int(found[1]) if found else None

    def on_prepared(self, log):
        self.prepared_at = self.elapsed()

    def on_iteration(self, log, info):
        entry = {"iteration": info["num"], "cpu": self.elapsed(), "loss": info.get("loss")}
        if "active_features" in info:
            entry["active_features"] = info["active_features"]
        self.trace.append(entry)

    def on_optimization_end(self, log):
        pass

    def on_end(self, log):
        pass


def peak_bytes() -> int:
    """Of this process image alone: what its parent used does not count, as it would in getrusage."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) * 1024


def parameters(pairs: list[str]) -> dict[str, float | int]:
    parsed = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        parsed[name] = float(value) if re.search(r"[.e]", value) else int(value)
    return parsed


def train(options: argparse.Namespace) -> dict:
    trainer = RecordingTrainer(algorithm=options.algorithm, verbose=True)
    trainer.set_params(parameters(options.set))
    start = time.process_time()
    for items, labels in attributes.read_attributes(options.train):
        trainer.append(items, labels)
    read = time.process_time() - start
    trainer.start_clock()
    trainer.train(os.fspath(options.model))
    total = trainer.elapsed()
    return {
        "algorithm": options.algorithm, "params": parameters(options.set),
        "num_features": trainer.num_features, "trace": trainer.trace,
        "final_loss": trainer.trace[-1]["loss"], "iterations": len(trainer.trace),
        "cpu_read": read, "cpu_prepared": trainer.prepared_at, "cpu_train": total,
        "peak_bytes": peak_bytes(), "model_bytes": options.model.stat().st_size,
    }


def timed(function):
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def tag(options: argparse.Namespace) -> dict:
    sentences = corpora.read_tsv(options.test)
    extract = attributes.EXTRACTORS[options.extractor]
    tagger = pycrfsuite.Tagger()
    tagger.open(os.fspath(options.model))
    tagger.tag(extract(sentences[0]))
    predicted, with_extraction = timed(lambda: [tagger.tag(extract(s)) for s in sentences])
    gold = corpora.labels_of(sentences)
    scores = {"accuracy": scoring.accuracy(gold, predicted), **scoring.span_f1(gold, predicted)}
    if options.predictions:
        corpora.write_columns([[[*row, label] for row, label in zip(sentence, labels)]
                               for sentence, labels in zip(sentences, predicted)],
                              options.predictions)
    if options.untimed:
        return scores
    ready = [pycrfsuite.ItemSequence(extract(s)) for s in sentences]
    again, without_extraction = timed(lambda: [tagger.tag(items) for items in ready])
    model = sklearn_crfsuite.CRF(model_filename=os.fspath(options.model))
    model.predict_single(ready[0])
    wrapped, by_sklearn = timed(lambda: model.predict([extract(s) for s in sentences]))
    assert again == predicted and [list(labels) for labels in wrapped] == predicted
    tokens = corpora.num_tokens(sentences)
    return {"tokens": tokens, **scores,
            "tokens_per_s": tokens / with_extraction,
            "tokens_per_s_sklearn": tokens / by_sklearn,
            "tokens_per_s_decoding": tokens / without_extraction}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", type=pathlib.Path, help="attribute file; else MODEL is used")
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--report", type=pathlib.Path, required=True)
    parser.add_argument("--algorithm", default="lbfgs")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--test", type=pathlib.Path, help="column file with the labels last")
    parser.add_argument("--extractor", choices=attributes.EXTRACTORS)
    parser.add_argument("--predictions", type=pathlib.Path)
    parser.add_argument("--untimed", action="store_true", help="tag once, for the labels alone")
    options = parser.parse_args()
    if options.test and not options.extractor:
        parser.error("--test needs --extractor")
    report = {}
    if options.train:
        report["train"] = train(options)
    if options.test:
        report["test"] = tag(options)
    options.report.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
