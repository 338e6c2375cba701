#!/usr/bin/env python3
"""Coppice's tagger against CRFsuite and MALLET: same features, same penalty, same data.

    python3 crf_peers.py [--quick] [--rounds N] [--trainings NAME ...]

Training is timed until the objective is within 1e-4, relative, of the best that any run reached.
Counted for Coppice: the whole process `coppice train tag`, from its start to the written model, with
reading, feature extraction and layout; its number of iterations comes from a first run that reports
the objective. Counted for CRFsuite: train() alone, from its feature generation on, without the
reading of the file, which python-crfsuite leaves to Python. CRFsuite has one thread: its processor
time stands for its time on the wall. Counted for MALLET (MalletCrf.java says how it is made to train
the same model): the virtual machine from the layout of the features on, without the reading of the
file, with compilation and garbage collection; it is stopped after ten minutes of processor time,
and the row says so. It has no l1 penalty, and joins the chunking alone.

Tagging is timed for the Python packages with the features made in Python, as their users make them; for
CRFsuite's own program, built from the sources that python-crfsuite brings, from a file of features, and
with the making of that file by a script, as its own examples do; and for its C interface (the perceptron's
model) and our library (the model of `./dev bench predict`) with the features in memory. tag_speedup is
over the faster of the package and the program, features being made in both.

A peer's run takes minutes: its report is kept in the folder of the peers and used again while the
command is the same; the table says when the last of them was measured. CRFsuite's trainings have as many
runs as Coppice's, each before those of Coppice that are not kept; MALLET has one. --quick makes do with
the first tenth of the training data; --trainings leaves others out, and their figures.
"""
import argparse
import os
import statistics
import subprocess

import measure
import peers
from crf_peers_runs import CHUNK, HERE, XPOS, XPOS_WORDS, Bench, Task

WITHIN = 1e-4
TRAININGS = {"chunk-l2": (CHUNK, {"l1": 0, "l2": 1}), "chunk-l1": (CHUNK, {"l1": 1, "l2": 0}),
             "xpos-l2": (XPOS, {"l1": 0, "l2": 1})}
# Its accuracy and CPU seconds on XPOS with its own features, as they were told to us: it is not run here.
MARMOT = (94.3, 46, "not here")
FAST_ITERATIONS = (0, 5, 10, 20, 40, 80)  # of L-BFGS, tried until a fast learner's score is reached
MALLET_TRAININGS = ("chunk-l2",)
REPEATS = 10  # of the test data, when tagging is timed


def time_to(trace: list[dict], optimum: float) -> dict:
    """The first entry near the optimum; the last when none is: a peer may stop before."""
    return measure.first_within(trace, optimum, WITHIN) or trace[-1]


def compare_training(bench: Bench, task: Task, penalty: dict[str, float], name: str,
                     rounds: int) -> dict:
    """One penalty on one corpus: CRFsuite's L-BFGS and Coppice with one thread and with two."""
    options = [word for key, value in penalty.items() for word in (f"--{key}", str(value))]

    def crfsuite_run(number: int) -> dict:
        return bench.crfsuite(task, f"{name}-crfsuite{number}", "lbfgs", c1=penalty["l1"],
                              c2=penalty["l2"])
    crfsuite = crfsuite_run(1)
    mallet = (bench.mallet(task, f"{name}-mallet", penalty["l2"]) if name in MALLET_TRAININGS
              else None)
    trace = bench.trace(task, f"{name}-end", options)
    peer_trace = crfsuite["train"]["trace"]
    optimum = min(trace[-1]["loss"], peer_trace[-1]["loss"])
    near, peer_near = time_to(trace, optimum), time_to(peer_trace, optimum)
    numbers = iter(range(1, rounds + 1))
    jobs = {"crfsuite": lambda: crfsuite_run(next(numbers))}
    jobs |= {f"{threads}": lambda threads=threads: bench.train(
        task, f"{name}-near", options, near["iterations"], threads) for threads in (1, 2)}
    runs = measure.alternate(jobs, rounds)
    peer_near["cpu"] = statistics.median(time_to(run["train"]["trace"], optimum)["cpu"]
                                         for run in runs["crfsuite"])
    crfsuite["measured"] = max(run["measured"] for run in runs.pop("crfsuite"))
    runs = {key: measure.median_costs(costs) for key, costs in runs.items()}
    return {"name": name, "optimum": optimum, "crfsuite": crfsuite, "peer_near": peer_near,
            "mallet": mallet,
            "trace": trace, "near": near, "one": runs["1"], "two": runs["2"],
            "score": bench.score(task, f"{name}-end"),
            "peer_score": crfsuite["test"]["f1" if task.span_scored else "accuracy"],
            "model_bytes": bench.model_bytes(f"{name}-end"),
            "speedup_1": peer_near["cpu"] / runs["1"].cpu,
            "speedup_2": peer_near["cpu"] / runs["2"].wall}


def peer_row(name: str, report: dict, near: dict, score: float) -> list[object]:
    train = report["train"]
    return [name, f"{train['trace'][-1]['loss']:.2f}", f"{near['loss']:.2f}", near["iteration"],
            f"{near['cpu']:.1f}", "", f"{train['peak_bytes'] / 1e6:.0f}",
            f"{train['model_bytes'] / 1e6:.1f}", f"{score:.2f}", report["measured"]]


def mallet_row(name: str, report: dict, optimum: float) -> list[object]:
    """Says so when the time was over before the optimum was near."""
    trace = report["train"]["trace"]
    is_near = measure.first_within(trace, optimum, WITHIN) is not None
    return peer_row(f"{name}: MALLET" + ("" if is_near else ", stopped before"), report,
                    time_to(trace, optimum), report["test"])


def coppice_row(name: str, result: dict, costs: measure.Costs) -> list[object]:
    near = result["near"]
    return [name, f"{result['trace'][-1]['loss']:.2f}", f"{near['loss']:.2f}", near["iterations"],
            f"{costs.cpu:.1f}", f"{costs.wall:.1f}", f"{costs.peak_bytes / 1e6:.0f}",
            f"{result['model_bytes'] / 1e6:.1f}", f"{result['score']:.2f}", "now"]


def print_training(results: list[dict], rounds: int) -> None:
    print(f"Training until the objective is within {WITHIN:g} of the optimum; MB are 10^6 bytes."
          f"\nCoppice and CRFsuite: medians of {rounds} runs; MALLET: one. Load of the machine at the"
          f" end: {os.getloadavg()[2]:.1f}.\n")
    rows = []
    for r in results:
        rows.append(peer_row(f"{r['name']}: CRFsuite", r["crfsuite"], r["peer_near"],
                             r["peer_score"]))
        if r["mallet"]:
            rows.append(mallet_row(r["name"], r["mallet"], r["optimum"]))
        rows += [coppice_row(f"{r['name']}: Coppice, {label}", r, r[key])
                 for label, key in (("1 thread", "one"), ("2 threads", "two"))]
    measure.print_table(["", "at its end", "near", "iterations", "cpu s", "wall s", "peak MB",
                         "model MB", "test", "measured"], rows)


def as_fast(bench: Bench, task: Task, name: str, learner: str, wanted: float, cpu: float,
            measured: str) -> list[object]:
    """A fast learner against as much of Coppice's default training as its score needs."""
    for iterations in FAST_ITERATIONS:
        costs = bench.train(task, f"{name}-fast", [], iterations, threads=1)
        score = bench.score(task, f"{name}-fast")
        if score >= wanted:
            break
    return [f"{name}: {learner}", f"{wanted:.2f}", f"{cpu:.1f}", measured, iterations,
            f"{score:.2f}", f"{costs.cpu:.1f}"]


def compare_fast(bench: Bench) -> list[list[object]]:
    rows = []
    for task, name in ((CHUNK, "chunk"), (XPOS, "xpos")):
        perceptron = bench.crfsuite(task, f"{name}-perceptron", "ap", max_iterations=20)
        wanted = perceptron["test"]["f1" if task.span_scored else "accuracy"]
        rows.append(as_fast(bench, task, name, "CRFsuite's averaged perceptron", wanted,
                            perceptron["train"]["cpu_train"], perceptron["measured"]))
    return rows + [as_fast(bench, XPOS_WORDS, "xpos-words", "MarMoT", *MARMOT)]


def compare_tagging(bench: Bench, rounds: int) -> dict[str, float]:
    """Tokens a second of processor time, from columns to labels, one thread."""
    test = bench.column_file(CHUNK, "test")
    repeated = bench.file("repeated.tsv")
    repeated.write_text(test.read_text() * REPEATS)
    tokens = REPEATS * sum(map(len, bench.sentences(CHUNK, "test")))
    report = bench.file("tag.json")

    def crfsuite() -> dict[str, float]:
        subprocess.run([peers.python(), "-B", HERE / "crf_peers_crfsuite.py",
                        "--model", bench.file("chunk-perceptron.crfsuite-model"), "--test", test,
                        "--extractor", CHUNK.extractor, "--report", report], check=True)
        return bench.read(report)["test"]

    def coppice() -> float:
        return tokens / measure.measure(bench.predict_command(CHUNK, "chunk-fast", repeated)).cpu

    jobs = {"crfsuite": crfsuite, "coppice": coppice}
    if (programs := peers.crfsuite_programs()) is not None:
        jobs |= {"program": lambda: bench.crfsuite_program(programs, CHUNK, "chunk-perceptron"),
                 "script": lambda: bench.crfsuite_script(programs, CHUNK, "chunk-perceptron"),
                 "ids": lambda: bench.crfsuite_ids(programs, CHUNK, "chunk-perceptron", REPEATS),
                 "keys": bench.keys}
    runs = measure.alternate(jobs, rounds)
    return {**{name: statistics.median(runs[name])
               for name in ("coppice", "program", "script", "ids", "keys") if name in runs},
            **{name: statistics.median(run[key] for run in runs["crfsuite"])
               for name, key in (("crfsuite", "tokens_per_s"), ("sklearn", "tokens_per_s_sklearn"),
                                 ("ready", "tokens_per_s_decoding"))}}


def print_tagging(tagging: dict[str, float]) -> None:
    print("\nTagging CoNLL-2000, one thread, in tokens a second of processor time.\n")
    measure.print_table(["", "tokens/s"], [
        [name, f"{tagging[key]:.0f}"] for name, key in (
            ("python-crfsuite, features made in Python", "crfsuite"),
            ("sklearn-crfsuite, the same library and features", "sklearn"),
            ("python-crfsuite, features already made", "ready"),
            ("crfsuite tag, a new process, features made by a script", "script"),
            ("crfsuite tag, a new process, from a file of features", "program"),
            ("coppice predict, a new process, from columns to labels", "coppice"),
            ("CRFsuite's C interface, numbers of features in memory", "ids"),
            ("Coppice's library, keys of features in memory", "keys")) if key in tagging])
    print()


def figures(trainings: dict[str, dict], tagging: dict[str, float]) -> dict[str, float]:
    """The result line; what a training left out would have told is not there."""
    found = {}
    if chunk := trainings.get("chunk-l2"):
        train = chunk["crfsuite"]["train"]
        found |= {"objective_gap": abs(chunk["trace"][-1]["loss"] / train["final_loss"] - 1),
                  "f1_gap": abs(chunk["score"] - chunk["peer_score"]),
                  "chunk_speedup_1": chunk["speedup_1"], "chunk_speedup_2": chunk["speedup_2"]}
    if lasso := trainings.get("chunk-l1"):
        found["chunk_l1_speedup_1"] = lasso["speedup_1"]
    if xpos := trainings.get("xpos-l2"):
        found |= {"xpos_speedup_1": xpos["speedup_1"], "xpos_speedup_2": xpos["speedup_2"]}
    found |= {"tag_speedup": tagging["coppice"] / max(tagging["crfsuite"], tagging.get("script", 0)),
              "tokens_per_s": tagging["coppice"]}
    if chunk:
        found |= {"memory_ratio": chunk["one"].peak_bytes / train["peak_bytes"],
                  "model_ratio": chunk["model_bytes"] / train["model_bytes"]}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--quick", action="store_true", help="a tenth of the training data")
    parser.add_argument("--rounds", type=int, default=3, help="alternating runs of Coppice")
    parser.add_argument("--trainings", nargs="+", choices=TRAININGS, default=list(TRAININGS))
    options = parser.parse_args()
    bench = Bench(options.quick)
    trainings = {name: compare_training(bench, *TRAININGS[name], name, options.rounds)
                 for name in options.trainings}
    print_training(list(trainings.values()), options.rounds)
    print("\nFast learners (the perceptron: 20 passes), and Coppice's default training, cut short after so"
          "\nmany iterations of L-BFGS, until it scores as well: with the perceptron's features, and with"
          "\nthe default templates beside MarMoT, whose figures are quoted.\n")
    measure.print_table(["", "score", "cpu s", "measured", "iterations", "Coppice", "cpu s"],
                        compare_fast(bench))
    tagging = compare_tagging(bench, options.rounds)
    print_tagging(tagging)
    measure.print_result(**figures(trainings, tagging))


if __name__ == "__main__":
    main()
