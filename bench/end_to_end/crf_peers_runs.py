"""The runs of crf_peers.py: commands, files and kept reports."""
import datetime
import json
import os
import pathlib
import re
import subprocess
import time
from typing import NamedTuple

import attributes
import corpora
import measure
import peers
import scoring

HERE = pathlib.Path(__file__).resolve().parent


MALLET_SECONDS = 600  # of processor time: it may need half an hour to the optimum
JAVA_OPTIONS = ["-Xmx3g", "-XX:+UseSerialGC"]  # one thread collects garbage: less processor time


class Task(NamedTuple):
    corpus: str
    extractor: str
    span_scored: bool


CHUNK = Task("conll2000", "chunking", True)
XPOS = Task("ewt-xpos", "pos", False)
XPOS_WORDS = Task("ewt-xpos", "", False)  # words alone: the default templates


class Bench:
    """Files and reports of one benchmark, in a folder of the peers."""

    def __init__(self, quick: bool):
        self.quick = quick
        self.folder = peers.folder() / ("crf-peers-quick" if quick else "crf-peers")
        build = pathlib.Path(os.environ.get("COPPICE_BUILD", corpora.ROOT / "build" / "release"))
        self.coppice = os.fspath(build / "cli" / "coppice")

    def file(self, name: str) -> pathlib.Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / name

    def sentences(self, task: Task, part: str) -> list[corpora.Sentence]:
        sentences = corpora.load(task.corpus, part)
        return sentences[:len(sentences) // 10] if self.quick and part == "train" else sentences

    def attribute_file(self, task: Task, part: str) -> pathlib.Path:
        path = self.file(f"{task.corpus}.{part}.crfsuite")
        if not path.exists():
            attributes.write_attributes(self.sentences(task, part), task.extractor, path)
        return path

    def column_file(self, task: Task, part: str) -> pathlib.Path:
        path = self.file(f"{task.corpus}.{part}.tsv")
        if not path.exists():
            corpora.write_columns(self.sentences(task, part), path)
        return path

    @staticmethod
    def read(path: pathlib.Path) -> dict:
        return json.loads(path.read_text())

    def kept(self, name: str, command: list[str], run) -> dict:
        """The report of an expensive run: the kept one of the same command, else that of run()."""
        path = self.file(f"{name}.report.json")
        if path.exists():
            report = self.read(path)
            if report["command"] == command:
                return report
        report = {"command": command, "measured": f"{datetime.datetime.now():%Y-%m-%d %H:%M}",
                  **run()}
        path.write_text(json.dumps(report, indent=1))
        return report

    # --- CRFsuite ----------------------------------------------------------------------------

    def crfsuite(self, task: Task, name: str, algorithm: str, **settings) -> dict:
        model, report = self.file(f"{name}.crfsuite-model"), self.file(f"{name}.json")
        options = ["--algorithm", algorithm]
        for key, value in settings.items():
            options += ["--set", f"{key}={value}"]

        def run() -> dict:
            subprocess.run([peers.python(), "-B", HERE / "crf_peers_crfsuite.py",
                            "--train", self.attribute_file(task, "train"),
                            "--test", self.column_file(task, "test"),
                            "--extractor", task.extractor,
                            "--model", model, "--report", report, *options],
                           check=True, stdout=subprocess.DEVNULL)
            return self.read(report)
        return self.kept(name, [*peers.PYTHON_PEERS[:1], task.corpus, task.extractor, *options], run)

    def crfsuite_program(self, programs: pathlib.Path, task: Task, name: str,
                         seconds_before: float = 0) -> float:
        """Tokens a second of its command line; extraction has been done before."""
        tokens = sum(map(len, self.sentences(task, "test")))
        return tokens / (seconds_before + measure.measure(
            [os.fspath(programs / "crfsuite"), "tag", "-m", os.fspath(self.file(f"{name}.crfsuite-model")),
             os.fspath(self.attribute_file(task, "test"))]).cpu)

    def crfsuite_script(self, programs: pathlib.Path, task: Task, name: str) -> float:
        """The same, with the time in which a script makes the file of features."""
        sentences = self.sentences(task, "test")
        begin = time.process_time()
        attributes.write_attributes(sentences, task.extractor, self.file("made.crfsuite"))
        return self.crfsuite_program(programs, task, name, time.process_time() - begin)

    def crfsuite_ids(self, programs: pathlib.Path, task: Task, name: str, repeats: int) -> float:
        """Tokens a second of its C interface."""
        done = subprocess.run([programs / "crfsuite_ids", self.file(f"{name}.crfsuite-model"),
                               self.attribute_file(task, "test"), str(repeats)],
                              check=True, text=True, stdout=subprocess.PIPE)
        tokens, seconds = map(float, done.stdout.split())
        return tokens / seconds

    # --- MALLET ------------------------------------------------------------------------------

    def mallet(self, task: Task, name: str, l2: float) -> dict | None:
        """Its L-BFGS for at most MALLET_SECONDS of processor time; None where there is no Java."""
        class_path = peers.mallet_class_path()
        if class_path is None:
            return None
        variance = 1 / (2 * l2)  # MALLET's penalty is |w|^2 / (2 variance)
        model, predictions = self.file(f"{name}.mallet-model"), self.file(f"{name}.labels")

        def run() -> dict:
            subprocess.run(["javac", "-cp", class_path, "-d", self.folder, HERE / "MalletCrf.java"],
                           check=True)
            done = subprocess.run(
                ["java", *JAVA_OPTIONS, "-cp", f"{class_path}:{self.folder}", "MalletCrf",
                 self.attribute_file(task, "train"), self.attribute_file(task, "test"),
                 str(variance), str(MALLET_SECONDS), model, predictions],
                check=True, text=True, stdout=subprocess.PIPE)
            predicted = [list(map(attributes.unescape, line.split("\t")))
                         for line in predictions.read_text().splitlines()]
            return {"train": {**json.loads(done.stdout), "model_bytes": model.stat().st_size},
                    "test": self.score_of(task, predicted)}
        return self.kept(name, [*peers.MALLET, task.corpus, task.extractor, str(variance),
                                str(MALLET_SECONDS), *JAVA_OPTIONS], run)

    # --- Coppice -----------------------------------------------------------------------------

    def train_command(self, task: Task, model: pathlib.Path, options: list[str]) -> list[str]:
        """Columns and templates for chunking, the peers' own attributes for XPOS, or words."""
        command = [self.coppice, "train", "tag", "--unconstrained", "--force",
                   "--output", os.fspath(model), *options]
        if task is CHUNK:
            templates = HERE / "crfsuite_chunking.templates"
            return command + ["--train", os.fspath(self.column_file(task, "train")),
                              "--columns", "w,pos,label", "--templates", os.fspath(templates)]
        return command + ["--train", os.fspath(self.input_file(task, "train"))]

    def input_file(self, task: Task, part: str) -> pathlib.Path:
        """What Coppice reads."""
        return (self.attribute_file(task, part) if task == XPOS else self.column_file(task, part))

    def trace(self, task: Task, name: str, options: list[str]) -> list[dict]:
        """The objective after each iteration of L-BFGS or OWL-QN, in a run to its end."""
        log = self.file(f"{name}.log")
        command = self.train_command(task, self.file(f"{name}.cop"), ["--threads", "0", *options])
        subprocess.run([*command, "--max-iterations", "2000", "--quiet", "--log", log], check=True)
        rows = [json.loads(line) for line in log.read_text().splitlines()]
        passes = sum(row["stage"] == "stochastic" for row in rows)  # which come first
        return [{"iterations": row["iteration"] - passes, "loss": row["objective"]}
                for row in rows if row["stage"] == "batch"]

    def train(self, task: Task, name: str, options: list[str], iterations: int,
              threads: int) -> measure.Costs:
        return measure.measure(self.train_command(
            task, self.file(f"{name}.cop"),
            [*options, "--quiet", "--threads", str(threads), "--max-iterations", str(iterations)]))

    def predict_command(self, task: Task, name: str, path: pathlib.Path) -> list[str]:
        columns = ["--columns", "w,pos,label"] if task is CHUNK else []
        return [self.coppice, "predict", "--quiet", "--threads", "1", *columns,
                "--model", os.fspath(self.file(f"{name}.cop")), os.fspath(path)]

    def keys(self) -> float:
        """Tokens a second of decoding alone, with the chunking templates (`./dev bench predict`)."""
        program = pathlib.Path(self.coppice).parent.parent / "bench" / "chain" / "predict_bench"
        done = subprocess.run([program, corpora.shared_data() / "conll2000"], check=True, text=True,
                              stdout=subprocess.PIPE)
        return float(re.search(r"chunking_decode_tokens_per_s=(\d+)", done.stdout)[1])

    def score(self, task: Task, name: str) -> float:
        """F1 of spans, or accuracy, of a model on the test data."""
        path = self.input_file(task, "test")
        done = subprocess.run([*self.predict_command(task, name, path), "--out", "text"],
                              check=True, text=True, stdout=subprocess.PIPE)
        return self.score_of(task, [line.split() for line in done.stdout.splitlines()])

    def score_of(self, task: Task, predicted: list[list[str]]) -> float:
        gold = corpora.labels_of(self.sentences(task, "test"))
        return (scoring.span_f1(gold, predicted)["f1"] if task.span_scored
                else scoring.accuracy(gold, predicted))

    def model_bytes(self, name: str) -> int:
        return self.file(f"{name}.cop").stat().st_size
