# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Solvers on problems from a run
#
# A run solves many small problems that are much alike. Here they are harvested, and every installed
# solver answers each of them, cold and alone.

# %%
from time import perf_counter

import numpy as np
import pandas as pd

import gauss_opt as go

case = go.find_case("newtons_cradle").create({"balls": 4, "angle": 30.0})
case

# %% [markdown]
# `record_problems` keeps every problem of a run in one file, which is data and never code.

# %%
result = case.build().run(record_problems="problems.npz", t_end=0.5)
problems = go.load_problems("problems.npz")
print(len(problems), "problems,", sum(p.n_inequality > 0 for p in problems), "with inequalities")
result.stats.qp_total, result.stats.qp_from_active_set, result.stats.qp_solver_calls

# %% [markdown]
# Most of them were answered from the active set of the problem before: the set is proposed, the
# answer on it computed exactly, and proved. That is the same proof which an answer of a solver has
# to pass, so the answer is the same. To compare solvers, each is asked itself:

# %%
sample = [p for p in problems if p.n_inequality][:60]
rows = []
for name in go.solvers.available():
    took, worst, own = [], 0.0, []
    for problem in sample:
        start = perf_counter()
        try:
            answer = go.solve(problem, name, fallback=())
        except go.SolverError:
            took.append(np.nan)
            continue
        took.append(perf_counter() - start)
        worst = max(worst, answer.certificate.worst)
        own.append(answer.raw.seconds)
    rows.append(
        {
            "solver": name,
            "answered": int(np.isfinite(took).sum()),
            "worst certificate": worst,
            "median with proof (us)": round(1e6 * float(np.nanmedian(took)), 1),
            "median of the solver alone (us)": round(1e6 * float(np.nanmedian(own)), 1),
        }
    )
table = pd.DataFrame(rows).set_index("solver")
table

# %% [markdown]
# Times are those of this machine. What does not depend on it: every answer is proved, and all of
# them are the same.

# %%
answers = [go.solve(sample[0], name, fallback=()) for name in ("osqp", "daqp", "active_set")]
answers[0].certificate

# %%
assert (table["answered"] == len(sample)).all()
assert table["worst certificate"].max() < 1e-9
assert all(np.allclose(answer.x, answers[0].x) for answer in answers)
