#!/usr/bin/env python3
"""Word alignment of Tatoeba French-English with the 37 Hansards pairs behind it: AER and processor time.

Every method aligns both directions in one thread and is symmetrised by grow-diag-final-and; the error
rate is that of the 37 pairs. Samplers are run with several seeds (eflomal draws its own), in turns, and the
medians of their processor times are compared.

    align.py [--seeds N] [--no-peer]
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

import corpora
import measure
import peers

EFLOMAL = ["eflomal==2.0.0"]
NUM_GOLD = 37


def coppice() -> str:
    return os.fspath(pathlib.Path(os.environ["COPPICE_BUILD"]) / "cli" / "coppice")


def write_bitext(folder: pathlib.Path) -> dict[str, str]:
    data, files = corpora.shared_data(), {}
    for language, gold in (("fr", "f"), ("en", "e")):
        parts = [data / "tatoeba_fr_en" / f"train.tok.{language}",
                 data / "hansards_gold37" / f"hansards.37.{gold}"]
        path = folder / f"all.{language}"
        path.write_text("".join(part.read_text(encoding="utf-8") for part in parts), encoding="utf-8")
        files[language] = os.fspath(path)
    return files


def error_rate(links: str, folder: pathlib.Path) -> float:
    """Of the last pairs of a file of links."""
    last = folder / "last.align"
    last.write_text("".join(pathlib.Path(links).read_text().splitlines(keepends=True)[-NUM_GOLD:]))
    gold = corpora.shared_data() / "hansards_gold37" / "hansards.37.a"
    report = subprocess.run([coppice(), "eval", "--task", "align", "--gold", os.fspath(gold),
                             "--pred", os.fspath(last), "--json"],
                            check=True, capture_output=True, text=True).stdout
    return json.loads(report)["aer"]


def run_coppice(files: dict[str, str], folder: pathlib.Path, model: str, seed: int):
    links = os.fspath(folder / f"{model}.align")
    costs = measure.measure([coppice(), "align", "-s", files["fr"], "-t", files["en"], "-o", links,
                             "--model", model, "--seed", str(seed), "-j", "1", "-q", "--force"])
    return costs, error_rate(links, folder)


def run_eflomal(files: dict[str, str], folder: pathlib.Path, program: str):
    forward, backward, both = (os.fspath(folder / name) for name in ("e.fwd", "e.rev", "e.both"))
    costs = measure.measure([program, "-s", files["fr"], "-t", files["en"], "-f", forward,
                             "-r", backward, "--overwrite"])
    subprocess.run([coppice(), "align", "--forward", forward, "--backward", backward, "-o", both,
                    "--force", "-q"], check=True)
    return costs, error_rate(both, folder)


def row(name: str, runs: list) -> list[object]:
    costs = measure.median_costs([costs for costs, _ in runs])
    rates = [rate for _, rate in runs]
    spread = f"{min(rates):.4f}-{max(rates):.4f}" if len(rates) > 1 else ""
    return [name, len(runs), f"{statistics.mean(rates):.4f}", spread, f"{costs.cpu:.1f}",
            f"{costs.peak_bytes / 1e6:.0f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--no-peer", action="store_true", help="leave eflomal out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = write_bitext(folder)
        runs = {model: [run_coppice(files, folder, model, 1)] for model in ("ibm1", "hmm", "diagonal")}
        runs |= {"gibbs": [], "eflomal": []}
        program = None
        if not options.no_peer:
            program = os.fspath(peers.environment("eflomal", EFLOMAL).parent / "eflomal-align")
        for seed in range(1, options.seeds + 1):
            runs["gibbs"].append(run_coppice(files, folder, "gibbs", seed))
            if program:
                runs["eflomal"].append(run_eflomal(files, folder, program))
    measure.print_table(["model", "runs", "AER", "range", "CPU s", "peak MB"],
                        [row(model, found) for model, found in runs.items() if found])
    rates = {model: statistics.mean(rate for _, rate in found)
             for model, found in runs.items() if found}
    result = {"aer": rates["gibbs"], "aer_diagonal": rates["diagonal"]}
    if program:
        cpu = {model: statistics.median(costs.cpu for costs, _ in runs[model])
               for model in ("gibbs", "eflomal")}
        result |= {"aer_eflomal": rates["eflomal"],
                   "align_cpu_ratio_eflomal": cpu["gibbs"] / cpu["eflomal"]}
    measure.print_result(**result)


if __name__ == "__main__":
    main()
