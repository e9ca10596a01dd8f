"""Solves recorded activation problems by SciPy: scipy_judge.py PROBLEMS.json, prints a JSON of what it found.

min 1/2 |w (a - ref)|^2 + 1/(2 eps) |(tau - C a) / s|^2, lower <= a <= upper, as a bounded least-squares problem: `lsq_linear`,
and `nnls` where no upper bound binds.
"""
import json
import sys

try:
    import numpy as np
    from scipy.optimize import lsq_linear, nnls
except ImportError:
    print("SciPy is not here (Debian: python3-scipy)")
    sys.exit(77)


def judge(p):
    C, tau, s = np.array(p["C"]), np.array(p["tau"]), np.array(p["s"])
    w, ours = np.array(p["w"]), np.array(p["a"])
    rows = 1 / (np.sqrt(p["eps"]) * s)
    A = np.vstack([rows[:, None] * C, np.diag(w)])
    b = np.concatenate([rows * tau, np.zeros(len(w))])
    lower, upper = np.array(p["lower"]), np.array(p["upper"])
    best = lsq_linear(A, b, (lower, upper), method="bvls", tol=1e-15, max_iter=2000)
    theirs = best.x
    by = "lsq_linear"
    if np.all(theirs < upper - 1e-9) and not lower.any():
        theirs, by = nnls(A, b, maxiter=10000)[0], "nnls"
    cost = lambda a: 0.5 * np.sum((A @ a - b) ** 2)
    # Optimality of ours: the gradient vanishes inside, points outwards at the bounds.
    gradient = A.T @ (A @ ours - b)
    scale = np.abs(A.T) @ np.abs(b) + np.abs(A.T) @ (np.abs(A) @ np.abs(ours))
    wrong = np.where(ours <= lower, np.minimum(gradient, 0), np.where(ours >= upper, np.maximum(gradient, 0), gradient))
    return {
        "by": by,
        "apart": float(np.max(np.abs(theirs - ours))),
        "cost_over": float((cost(ours) - cost(theirs)) / cost(theirs)) if cost(theirs) > 0 else 0.0,
        "kkt": float(np.max(np.abs(wrong) / scale)),
        "missing": float(np.max(np.abs(tau - C @ ours)) / np.max(np.abs(tau))),
    }


print(json.dumps([judge(p) for p in json.load(open(sys.argv[1], encoding="utf-8"))]))
