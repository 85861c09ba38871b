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
# # The Udwadia-Kalaba equation along a run
#
# For equality constraints A a = b the acceleration has a closed form,
#
#     a = a^ + M^-1/2 (A M^-1/2)^+ (b - A a^),
#
# and so it must be the one that Gauss's principle gives. We take a double pendulum of points on
# rods, run it, and compare the two at many states.

# %%
import numpy as np

import gauss_opt as go

g = 9.81
rods = [
    go.Holonomic("upper rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0),
    go.Holonomic("lower rod", lambda q, t: (q[2] - q[0]) ** 2 + (q[3] - q[1]) ** 2 - 0.64),
]
masses = np.array([2.0, 2.0, 1.0, 1.0])
weight = masses * [0.0, -g, 0.0, -g]
pendulum = go.System(
    masses,
    weight,
    rods,
    potential=lambda q, t: g * (2.0 * q[1] + q[3]),
    coordinates=["x1", "y1", "x2", "y2"],
    units=["m"] * 4,
)
result = go.simulate(pendulum, [1.0, 0.0, 1.8, 0.0], np.zeros(4), (0.0, 3.0))
result

# %% [markdown]
# One state first, by every route that this package knows. "solver's own x" is what a solver said
# before its active set was solved anew.

# %%
go.crosscheck(pendulum, result.q[40], result.v[40], result.t[40])

# %% [markdown]
# Now the equation by hand, with numpy alone: the constraint rows and their right-hand sides are
# written down once more.

# %%
half = np.diag(1.0 / np.sqrt(masses))


def udwadia_kalaba(q, v):
    """Acceleration by the closed form, from rows that were derived on paper."""
    d, w = q[2:] - q[:2], v[2:] - v[:2]
    A = 2.0 * np.array([[q[0], q[1], 0.0, 0.0], [-d[0], -d[1], d[0], d[1]]])
    b = -2.0 * np.array([v[:2] @ v[:2], w @ w])
    free = weight / masses
    return free + half @ np.linalg.pinv(A @ half) @ (b - A @ free)


times = np.linspace(0.0, 3.0, 200)
states = [result(t) for t in times]
ours = np.array([go.accelerate(pendulum, s.q, s.v, s.t).acceleration for s in states])
theirs = np.array([udwadia_kalaba(s.q, s.v) for s in states])
difference = np.abs(ours - theirs).max(axis=1) / np.abs(theirs).max()
f"largest relative difference: {difference.max():.1e}"

# %%
from matplotlib.figure import Figure

figure = Figure(figsize=(7, 3), layout="constrained")
axes = figure.subplots()
axes.semilogy(times, np.maximum(difference, 1e-18))
axes.set(xlabel="t (s)", ylabel="relative difference", title="Gauss and Udwadia-Kalaba")
figure.savefig("difference.png")

# %% [markdown]
# The equation knows equalities only. With a wall, contacts may open and close, and the principle
# goes on where the closed form has to be told which contacts hold.

# %%
wall = go.Contact("wall", lambda q, t: q[2] + 1.2, restitution=0.6)
beside_wall = go.System(masses, weight, rods, [wall], coordinates=["x1", "y1", "x2", "y2"])
bounced = go.simulate(beside_wall, [1.0, 0.0, 1.8, 0.0], np.zeros(4), (0.0, 3.0))
bounced.events

# %%
assert difference.max() < 1e-10
assert bounced.success
assert bounced.events.of("impact")
