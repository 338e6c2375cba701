#!/usr/bin/env python3
"""One run of a peer of l1_trees.py, in the environment that has it: prints a line of JSON.

    l1_trees_peers.py LEARNER FOLDER [--trees N] [--keep N]

FOLDER has train, dev and test as svmlight files. LEARNER is xgboost-exact, xgboost-hist, lightgbm or
logistic. Boosting stops early by the development loss, unless --trees says how many there are to be.
Logistic regression takes the penalty with the least development loss; with --keep, it is trained
again on the N features with the largest weights. Times are CPU seconds of training alone, without
reading and laying out the data.
"""
import argparse
import json
import pathlib
import time

import numpy
from sklearn.datasets import load_svmlight_files
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

MOST_TREES, PATIENCE = 400, 20
PENALTIES = [0.03, 0.1, 0.3]


def boost_xgboost(method: str, data: dict, trees: int | None) -> dict:
    import xgboost
    made = {part: xgboost.DMatrix(x, label=y) for part, (x, y) in data.items()}
    options = {"objective": "binary:logistic", "eval_metric": "logloss", "tree_method": method,
               "max_depth": 6, "eta": 0.3, "nthread": 1, "verbosity": 0}
    begin = time.process_time()
    model = xgboost.train(options, made["train"], trees or MOST_TREES,
                          evals=[] if trees else [(made["dev"], "dev")],
                          early_stopping_rounds=None if trees else PATIENCE, verbose_eval=False)
    cpu = time.process_time() - begin
    kept = trees or model.best_iteration + 1
    p = model.predict(made["test"], iteration_range=(0, kept))
    leaves = sum(tree.count("leaf=") for tree in model.get_dump()[:kept])
    return {"cpu": cpu, "trees": kept, "parameters": leaves, "loss": log_loss(data["test"][1], p)}


def boost_lightgbm(data: dict, trees: int | None) -> dict:
    import lightgbm
    train = lightgbm.Dataset(*data["train"])
    dev = lightgbm.Dataset(*data["dev"], reference=train)
    options = {"objective": "binary", "metric": "binary_logloss", "num_leaves": 63,
               "learning_rate": 0.2, "num_threads": 1, "verbosity": -1}
    begin = time.process_time()
    model = lightgbm.train(options, train, trees or MOST_TREES, valid_sets=[dev],
                           callbacks=[] if trees else [lightgbm.early_stopping(PATIENCE,
                                                                              verbose=False)])
    cpu = time.process_time() - begin
    kept = trees or model.best_iteration
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
    parser.add_argument("--trees", type=int)
    parser.add_argument("--keep", type=int)
    options = parser.parse_args()
    parts = ("train", "dev", "test")
    loaded = load_svmlight_files([str(options.folder / part) for part in parts])
    data = {part: (loaded[2 * i], (loaded[2 * i + 1] > 0).astype(int))
            for i, part in enumerate(parts)}
    if options.learner == "lightgbm":
        result = boost_lightgbm(data, options.trees)
    elif options.learner == "logistic":
        result = fit_logistic(data, options.keep)
    else:
        result = boost_xgboost(options.learner.split("-")[1], data, options.trees)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
