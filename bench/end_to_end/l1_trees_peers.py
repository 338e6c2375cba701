#!/usr/bin/env python3
"""One run of a peer of l1_trees.py, in the environment that has it: prints a line of JSON.

    l1_trees_peers.py LEARNER FOLDER [--seconds S [--settings N] | --trees N] [--keep N]

FOLDER has train, dev and test as svmlight files. LEARNER is xgboost-exact, xgboost-hist, lightgbm or
logistic. With --trees, boosting makes so many of depth 6. With --seconds, it goes on for so many with
each of the first N settings below, and the setting and number of trees with the least development loss count.
Logistic regression takes the penalty with the least development loss; with --keep, it is trained
again on the N features with the largest weights. Times are CPU seconds of training alone (of all
settings or penalties together), without reading and laying out the data.
"""
import argparse
import json
import pathlib
import time

import numpy
from sklearn.datasets import load_svmlight_files
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

MOST_TREES = 10_000
PENALTIES = [0.1, 0.3, 0.6, 1]
DEPTH_SIX = {"max_depth": 6, "eta": 0.3}
XGBOOST_SETTINGS = [{"grow_policy": "lossguide", "max_leaves": 63, "max_depth": 0, "eta": 0.5},
                    DEPTH_SIX]
LIGHTGBM_SETTINGS = [{"num_leaves": 63, "learning_rate": 0.2},
                     {"num_leaves": 255, "learning_rate": 0.3}]


def boost_xgboost(method: str, data: dict, settings: list, seconds: float,
                  trees: int | None) -> dict:
    import xgboost

    class Clock(xgboost.callback.TrainingCallback):
        def before_training(self, model):
            self.begin = time.process_time()
            return model

        def after_iteration(self, model, epoch, evals_log):
            return not trees and time.process_time() - self.begin > seconds

    made = {part: xgboost.DMatrix(x, label=y) for part, (x, y) in data.items()}
    fits = []
    begin = time.process_time()
    for setting in settings:
        curve = {}
        options = {"objective": "binary:logistic", "eval_metric": "logloss", "tree_method": method,
                   "nthread": 1, "verbosity": 0, **setting}
        model = xgboost.train(options, made["train"], trees or MOST_TREES,
                              evals=[] if trees else [(made["dev"], "dev")], evals_result=curve,
                              verbose_eval=False, callbacks=[Clock()])
        losses = curve["dev"]["logloss"] if curve else [0.0] * trees
        kept = trees or int(numpy.argmin(losses)) + 1
        fits.append((losses[kept - 1], kept, model))
    cpu = time.process_time() - begin
    _, kept, model = min(fits, key=lambda fit: fit[0])
    p = model.predict(made["test"], iteration_range=(0, kept))
    leaves = sum(tree.count("leaf=") for tree in model.get_dump()[:kept])
    return {"cpu": cpu, "trees": kept, "parameters": leaves, "loss": log_loss(data["test"][1], p)}


def boost_lightgbm(data: dict, settings: list, seconds: float) -> dict:
    import lightgbm

    fixed = {"objective": "binary", "metric": "binary_logloss", "num_threads": 1, "verbosity": -1}
    train = lightgbm.Dataset(*data["train"], params=fixed).construct()
    dev = lightgbm.Dataset(*data["dev"], reference=train, params=fixed).construct()
    fits = []
    begin = time.process_time()
    for setting in settings:
        curve, clock = {}, []

        def stop_in_time(env, clock=clock):
            clock.append(time.process_time())  # the first time when features are bundled already
            if clock[-1] - clock[0] > seconds:
                raise lightgbm.callback.EarlyStopException(env.iteration,
                                                           env.evaluation_result_list)

        stop_in_time.order = 100  # after the recording
        model = lightgbm.train({**fixed, **setting}, train, MOST_TREES, valid_sets=[dev],
                               valid_names=["dev"],
                               callbacks=[lightgbm.record_evaluation(curve), stop_in_time])
        losses = curve["dev"]["binary_logloss"]
        kept = int(numpy.argmin(losses)) + 1
        fits.append((losses[kept - 1], kept, model))
    cpu = time.process_time() - begin
    _, kept, model = min(fits, key=lambda fit: fit[0])
    leaves = sum(tree["num_leaves"] for tree in model.dump_model()["tree_info"][:kept])
    p = model.predict(data["test"][0], num_iteration=kept)
    return {"cpu": cpu, "trees": kept, "parameters": leaves, "loss": log_loss(data["test"][1], p)}


def fit_logistic(data: dict, keep: int | None) -> dict:
    columns = slice(None)
    begin = time.process_time()
    while True:
        fits = []
        for penalty in PENALTIES:
            model = LogisticRegression(C=penalty, solver="lbfgs", max_iter=300)
            model.fit(data["train"][0][:, columns], data["train"][1])
            p = model.predict_proba(data["dev"][0][:, columns])[:, 1]
            fits.append((log_loss(data["dev"][1], p), penalty, model))
        model = min(fits, key=lambda fit: fit[0])[2]
        if keep is None or not isinstance(columns, slice):
            break
        columns = numpy.sort(numpy.argsort(-abs(model.coef_[0]))[:keep])
    cpu = time.process_time() - begin
    p = model.predict_proba(data["test"][0][:, columns])[:, 1]
    return {"cpu": cpu, "trees": 0, "parameters": int((model.coef_ != 0).sum()),
            "loss": log_loss(data["test"][1], p)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("learner",
                        choices=["xgboost-exact", "xgboost-hist", "lightgbm", "logistic"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--settings", type=int, default=2)
    parser.add_argument("--trees", type=int)
    parser.add_argument("--keep", type=int)
    options = parser.parse_args()
    parts = ("train", "dev", "test")
    loaded = load_svmlight_files([str(options.folder / part) for part in parts])
    data = {part: (loaded[2 * i], (loaded[2 * i + 1] > 0).astype(int))
            for i, part in enumerate(parts)}
    if options.learner == "lightgbm":
        result = boost_lightgbm(data, LIGHTGBM_SETTINGS[:options.settings], options.seconds)
    elif options.learner == "logistic":
        result = fit_logistic(data, options.keep)
    else:
        settings = [DEPTH_SIX] if options.trees else XGBOOST_SETTINGS[:options.settings]
        result = boost_xgboost(options.learner.split("-")[1], data, settings, options.seconds,
                               options.trees)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
