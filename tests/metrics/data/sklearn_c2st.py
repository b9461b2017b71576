#!/usr/bin/python3
"""Makes sklearn_c2st.csv: mean and standard deviation over seeds of scikit-learn's C2ST.

Usage: sklearn_c2st.py FOLDER [SEEDS] > sklearn_c2st.csv
FOLDER holds what export_cases wrote (cmake --build build --target export_cases). Needs
python3-sklearn, which neither the build nor the tests use. The numbers came from 1.2.1.
"""
import pathlib
import sys

import numpy as np
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neural_network import MLPClassifier


def c2st(a, b, seed):
    """As sbibm defines it."""
    mean, deviation = a.mean(axis=0), a.std(axis=0, ddof=1)
    rows = (np.concatenate([a, b]) - mean) / deviation
    labels = np.concatenate([np.zeros(len(a)), np.ones(len(b))])
    hidden = 10 * a.shape[1]
    classifier = MLPClassifier(
        hidden_layer_sizes=(hidden, hidden), max_iter=10000, random_state=seed)
    folds = KFold(n_splits=5, shuffle=True, random_state=seed)
    return cross_val_score(classifier, rows, labels, cv=folds, scoring="accuracy").mean()


def main(folder, seeds="8"):
    print("case,mean,deviation,seeds")
    for path in sorted(pathlib.Path(folder).glob("*_a.csv")):
        name = path.name[:-len("_a.csv")]
        a = np.loadtxt(path, delimiter=",", ndmin=2)
        b = np.loadtxt(path.with_name(name + "_b.csv"), delimiter=",", ndmin=2)
        values = [c2st(a, b, seed) for seed in range(int(seeds))]
        print(f"{name},{np.mean(values):.5f},{np.std(values, ddof=1):.5f},{seeds}", flush=True)


main(*sys.argv[1:])
