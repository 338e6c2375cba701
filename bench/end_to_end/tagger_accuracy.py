#!/usr/bin/env python3
"""Accuracy of taggers with Coppice's default templates: chunks, parts of speech, entities, slots.

    python3 tagger_accuracy.py [--keep FOLDER]      the final configurations, on test data
    python3 tagger_accuracy.py --choose [TASK ...]  their rivals, without test data

With --keep, rows that an earlier run left in the folder are not made again, choices included.

A configuration is a set of options of `coppice train tag`; none names a template file. With "classes"
there are word classes too, which `coppice classes` learns from the film reviews of the shared data
and the words of the training part. Those of FINAL were chosen by hand on development data, from single runs;
--choose opens no test file. CoNLL-2000 has no development data: --choose scores its rivals by
cross-validation, on three parts of the training sentences that follow one another, trained to the end on the
other two, and the final model learns from all of them to the end. Its rivals are few, and the test score of
the one chosen had been seen before, for a model of nine tenths of the data (`./dev bench objectives`).
BC5CDR and NCBI are scored beside CRFsuite with each of its two usual sets of entity templates: those of
its Python packages' tutorials and those of its own example (attributes.py, `tutorial` and `ner`; these
corpora have no parts of speech for either toolkit). Its penalties are the tutorials', and --choose compares
others; of the two sets, the result line has the one that is better on development data.

Scores are F1 of spans as conlleval counts them, or the accuracy of tokens, in percent, by scoring.py.
Needs the release build and the shared data, and for CRFsuite the peers (peers.py).
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
from typing import Callable, NamedTuple

import attributes
import corpora
import measure
import peers
import scoring

HERE = pathlib.Path(__file__).resolve().parent
COPPICE = pathlib.Path(os.environ.get("COPPICE_BUILD", corpora.ROOT / "build" / "release"),
                       "cli", "coppice")


class Task(NamedTuple):
    key: str       # of the result line
    is_spans: bool


TASKS = {
    "conll2000": Task("conll2000_f1", True),
    "ewt-upos": Task("ewt_upos", False),
    "ewt-xpos": Task("ewt_xpos", False),
    "bc5cdr": Task("bc5cdr_f1", True),
    "ncbi": Task("ncbi_f1", True),
    "snips": Task("snips_f1", True),
}

FOLDS = 3  # of cross-validation


class Setting(NamedTuple):
    options: list[str]
    classes: bool = False

    def __str__(self) -> str:
        return " ".join([*self.options, *(["classes"] if self.classes else [])])


RAW_TEXT = "imdb_reviews/unsup.tok.txt"
CLASS_OPTIONS = ["--classes", "1000", "--min-count", "3"]

TAGS = [Setting(["--l2", penalty, "--passes", "8", *loss], classes)
        for classes in (False, True) for loss in ([], ["--loss", "hamming"])
        for penalty in ("0.1", "0.2", "0.5")]
ENTITIES = [Setting(["--l2", penalty, "--features", features]) for features in ("observed", "all")
            for penalty in ("0.03", "0.1", "0.5")]
RIVALS = {
    "conll2000": [Setting(["--l2", penalty]) for penalty in ("0.5", "1", "2")] +
                 [Setting(["--l2", "1", *options]) for options in (
                     ["--features", "all"], ["--loss", "hamming"], ["--loss", "dec-f1"],
                     ["--loss", "dec-f1", "--loss-scale", "3"])],
    "ewt-upos": TAGS, "ewt-xpos": TAGS, "bc5cdr": ENTITIES, "ncbi": ENTITIES, "snips": ENTITIES,
}
FINAL = {
    "conll2000": Setting(["--l2", "1", "--loss", "dec-f1", "--loss-scale", "3"]),
    "ewt-upos": Setting(["--l2", "0.2", "--passes", "8", "--loss", "hamming"], True),
    "ewt-xpos": Setting(["--l2", "0.1", "--passes", "8"], True),
    "bc5cdr": Setting(["--l2", "0.1", "--features", "all"]),
    "ncbi": Setting(["--l2", "0.1", "--features", "all"]),
    "snips": Setting(["--l2", "0.1", "--features", "all"]),
}

CRFSUITE_TASKS = {"bc5cdr": "bc5cdr_crfsuite_f1", "ncbi": "ncbi_crfsuite_f1"}
# Templates (attributes.py) and parameters: the first penalties are those of the tutorials of its Python
# packages, as are the number of iterations and the transitions.
CRFSUITE_TEMPLATES = ("tutorial", "ner")


def crfsuite_settings(templates: str, penalties: list[str]) -> list[str]:
    return [templates, *penalties, "max_iterations=100", "feature.possible_transitions=1"]


CRFSUITE_RIVALS = [crfsuite_settings(templates, penalties) for templates in CRFSUITE_TEMPLATES
                   for penalties in (["c1=0.1", "c2=0.1"], ["c2=0.1"], ["c2=0.5"], ["c2=1"])]
CRFSUITE_FINAL = {  # for each set of templates
    task: [crfsuite_settings(templates, ["c1=0.1", "c2=0.1"]) for templates in CRFSUITE_TEMPLATES]
    for task in CRFSUITE_TASKS
}


class Outcome(NamedTuple):
    dev: float
    cpu: float          # of the training
    model_bytes: int
    test: float | None = None


class Parts(NamedTuple):
    """Column files of one corpus: `all` is `train` and what was held out of it."""
    train: pathlib.Path
    dev: pathlib.Path
    all: pathlib.Path
    has_dev: bool


def write_parts(corpus: str, folder: pathlib.Path) -> Parts:
    sentences = corpora.load(corpus, "train")
    paths = {name: folder / f"{corpus}.{name}" for name in ("train", "dev", "all")}
    has_dev = "dev" in corpora.CORPORA[corpus][1]
    corpora.write_columns(sentences, paths["train"])
    corpora.write_columns(corpora.load(corpus, "dev") if has_dev else [], paths["dev"])
    corpora.write_columns(sentences, paths["all"])
    return Parts(paths["train"], paths["dev"], paths["all"], has_dev)


def score(task: Task, gold: list[corpora.Sentence], predicted: list[corpora.Sentence]) -> float:
    labels = corpora.labels_of(gold), corpora.labels_of(predicted)
    return scoring.span_f1(*labels)["f1"] if task.is_spans else scoring.accuracy(*labels)


# --- Coppice ---------------------------------------------------------------------------------

def train(data: pathlib.Path, model: pathlib.Path, options: list[str]) -> measure.Costs:
    return measure.measure([os.fspath(COPPICE), "train", "tag", "-t", os.fspath(data),
                            "-f", "columns", "-o", os.fspath(model), "--force", "-q", "-j", "1",
                            *options])


def predict(model: pathlib.Path, data: pathlib.Path) -> list[corpora.Sentence]:
    output = data.with_suffix(".predicted")
    subprocess.run([os.fspath(COPPICE), "predict", "-q", "-m", os.fspath(model), "-f", "columns",
                    "-o", os.fspath(output), "--force", os.fspath(data)], check=True)
    return corpora.read_tsv(output)


def classes_of(corpus: str, parts: Parts) -> pathlib.Path:
    """Learnt once for each training text: parts of speech of the same words share them."""
    words = "".join(" ".join(row[0] for row in sentence) + "\n"
                    for sentence in corpora.read_tsv(parts.all))
    path = parts.all.with_name(f"{hashlib.sha256(words.encode()).hexdigest()[:16]}.classes")
    if not path.exists():
        text = parts.all.with_suffix(".words")
        text.write_text(words, encoding="utf-8")
        costs = measure.measure([os.fspath(COPPICE), "classes", "-q", "-j", "1", "-f", "text",
                                 "--raw", os.fspath(corpora.shared_data() / RAW_TEXT),
                                 "--raw", os.fspath(text), "-o", os.fspath(path), *CLASS_OPTIONS])
        print(f"word classes for {corpus}: {costs.cpu:.1f} CPU s", flush=True)
    return path


def options_of(setting: Setting, corpus: str, parts: Parts) -> list[str]:
    classes = ["--classes", os.fspath(classes_of(corpus, parts))] if setting.classes else []
    return [*setting.options, *classes]


def try_on_development(corpus: str, parts: Parts, setting: Setting,
                       model: pathlib.Path) -> Outcome:
    options = options_of(setting, corpus, parts)
    costs = train(parts.train, model, ["-d", os.fspath(parts.dev), *options])
    gold = corpora.read_tsv(parts.dev)
    return Outcome(score(TASKS[corpus], gold, predict(model, parts.dev)), costs.cpu,
                   model.stat().st_size)


def folds(sentences: list[corpora.Sentence], count: int) -> list[tuple[list, list]]:
    """Pairs of training and held-out sentences; these follow one another, as articles do."""
    cuts = [len(sentences) * i // count for i in range(count + 1)]
    return [(sentences[:begin] + sentences[end:], sentences[begin:end])
            for begin, end in zip(cuts, cuts[1:])]


def cross_validate(corpus: str, parts: Parts, setting: Setting, model: pathlib.Path) -> Outcome:
    """The score over all parts held out; time and size of the trainings in the mean."""
    gold, predicted, cpu, size = [], [], 0.0, 0
    for train_part, held_out in folds(corpora.read_tsv(parts.all), FOLDS):
        corpora.write_columns(train_part, parts.train)
        corpora.write_columns(held_out, parts.dev)
        fold = parts._replace(all=parts.train)  # whose words classes may be learnt from
        cpu += train(parts.train, model, options_of(setting, corpus, fold)).cpu / FOLDS
        size += model.stat().st_size // FOLDS
        gold += held_out
        predicted += predict(model, parts.dev)
    return Outcome(score(TASKS[corpus], gold, predicted), cpu, size)


def try_without_test(corpus: str, parts: Parts, setting: Setting, model: pathlib.Path) -> Outcome:
    compare = try_on_development if parts.has_dev else cross_validate
    return compare(corpus, parts, setting, model)


def run_final(corpus: str, folder: pathlib.Path) -> Outcome:
    parts, model, setting = write_parts(corpus, folder), folder / f"{corpus}.cop", FINAL[corpus]
    outcome = try_without_test(corpus, parts, setting, model)
    if not parts.has_dev:
        costs = train(parts.all, model, options_of(setting, corpus, parts))
        outcome = outcome._replace(cpu=costs.cpu, model_bytes=model.stat().st_size)
    gold, test = corpora.load(corpus, "test"), folder / f"{corpus}.test"
    corpora.write_columns(gold, test)
    return outcome._replace(test=score(TASKS[corpus], gold, predict(model, test)))


# --- CRFsuite --------------------------------------------------------------------------------

def crfsuite_job(corpus: str, folder: pathlib.Path, extractor: str,
                 arguments: list[str]) -> dict:
    report = folder / f"{corpus}.crfsuite.json"
    peers.run_quietly([os.fspath(peers.python()), os.fspath(HERE / "crf_peers_crfsuite.py"),
                       "--model", os.fspath(folder / f"{corpus}.crfsuite"),
                       "--report", os.fspath(report), "--extractor", extractor, "--untimed",
                       *arguments])
    return json.loads(report.read_text())


def train_crfsuite(corpus: str, settings: list[str], folder: pathlib.Path) -> Outcome:
    parts, features = write_parts(corpus, folder), folder / f"{corpus}.attributes"
    extractor, *parameters = settings
    attributes.write_attributes(corpora.read_tsv(parts.train), extractor, features)
    pairs = [argument for parameter in parameters for argument in ("--set", parameter)]
    report = crfsuite_job(corpus, folder, extractor, ["--train", os.fspath(features), "--test",
                                                      os.fspath(parts.dev), *pairs])
    return Outcome(report["test"]["f1"], report["train"]["cpu_train"],
                   report["train"]["model_bytes"])


def run_crfsuite_final(corpus: str, settings: list[str], folder: pathlib.Path) -> Outcome:
    outcome = train_crfsuite(corpus, settings, folder)
    test = folder / f"{corpus}.test"
    corpora.write_columns(corpora.load(corpus, "test"), test)
    report = crfsuite_job(corpus, folder, settings[0], ["--test", os.fspath(test)])
    return outcome._replace(test=report["test"]["f1"])


# --- tables ----------------------------------------------------------------------------------

def cells(outcome: Outcome) -> list[str]:
    return [f"{outcome.cpu:.1f}", f"{outcome.model_bytes / 1e6:.1f}"]


def final_row(corpus: str, toolkit: str, setting: str, outcome: Outcome) -> list[str]:
    return [corpus, toolkit, f"{outcome.dev:.2f}", f"{outcome.test:.2f}", *cells(outcome), setting]


def kept_outcome(keep: pathlib.Path | None, name: str, setting: str,
                 run: Callable[[], Outcome]) -> Outcome:
    """The outcome that an earlier run of the same setting left in `keep`, or else a new one."""
    path = keep / f"{name}.json" if keep else None
    if path and path.exists():
        stored = json.loads(path.read_text())
        if stored["setting"] == setting:
            return Outcome(**stored["outcome"])
    outcome = run()
    if path:
        keep.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"setting": setting, "outcome": outcome._asdict()}))
    return outcome


def report_final(folder: pathlib.Path, keep: pathlib.Path | None) -> None:
    rows, results = [], {}

    def add(corpus: str, toolkit: str, setting: str, run: Callable[[], Outcome]) -> Outcome:
        outcome = kept_outcome(keep, f"{corpus}.{toolkit}", setting, run)
        rows.append(final_row(corpus, toolkit, setting, outcome))
        return outcome

    for corpus, task in TASKS.items():
        results[task.key] = add(corpus, "coppice", str(FINAL[corpus]),
                                lambda: run_final(corpus, folder)).test
        if corpus in CRFSUITE_TASKS:
            outcomes = [add(corpus, f"crfsuite {settings[0]}", " ".join(settings[1:]),
                            lambda: run_crfsuite_final(corpus, settings, folder))
                        for settings in CRFSUITE_FINAL[corpus]]
            results[CRFSUITE_TASKS[corpus]] = max(outcomes, key=lambda outcome: outcome.dev).test
    measure.print_table(["corpus", "toolkit", "dev", "test", "train CPU s", "model MB", "chosen"],
                        rows)
    measure.print_result(**results)


def report_choices(chosen: list[str], folder: pathlib.Path, keep: pathlib.Path | None) -> None:
    """Ends with the best score of each task."""
    rows, results = [], {}

    def best(corpus: str, toolkit: str, rivals: list, run: Callable[..., Outcome]) -> float:
        outcomes = []
        for number, rival in enumerate(rivals):
            setting = " ".join(rival) if isinstance(rival, list) else str(rival)
            outcome = kept_outcome(keep, f"{corpus}.{toolkit}.choice{number}", setting,
                                   lambda: run(rival))
            rows.append([corpus, toolkit, f"{outcome.dev:.2f}", *cells(outcome), setting])
            outcomes.append(outcome.dev)
        return max(outcomes)

    for corpus in chosen:
        parts = write_parts(corpus, folder)
        results[TASKS[corpus].key] = best(
            corpus, "coppice", RIVALS[corpus],
            lambda setting: try_without_test(corpus, parts, setting, folder / "model.cop"))
        if corpus in CRFSUITE_TASKS:
            results[CRFSUITE_TASKS[corpus]] = best(
                corpus, "crfsuite", CRFSUITE_RIVALS,
                lambda settings: train_crfsuite(corpus, settings, folder))
    measure.print_table(["corpus", "toolkit", "dev", "train CPU s", "model MB", "setting"], rows)
    measure.print_result(**results)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--choose", nargs="*", choices=TASKS, metavar="TASK",
                        help="compare configurations without test data (all tasks without TASK)")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER",
                        help="leave finished rows there, and take over those of an earlier run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="coppice-accuracy-") as name:
        if options.choose is None:
            report_final(pathlib.Path(name), options.keep)
        else:
            report_choices(options.choose or list(TASKS), pathlib.Path(name), options.keep)


if __name__ == "__main__":
    main()
