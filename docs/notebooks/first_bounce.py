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
# # A first bounce
#
# A ball is thrown over a floor that is not flat. We write down its mass, its weight and a gap, run
# it, and look at every impact. Open this file as a notebook with Jupyter and jupytext, or run it as
# a script.

# %%
import numpy as np

import gauss_opt as go
from gauss_opt import scene


def ground(x):
    return 0.1 * np.cos(3.0 * x)


floor = go.Contact("floor", gap=lambda q, t: q[1] - ground(q[0]), restitution="e")
ball = go.System(
    mass=[1.0, 1.0],
    force=[0.0, -9.81],
    contacts=[floor],
    potential=lambda q, t: 9.81 * q[1],
    coordinates=["x", "y"],
    units=["m", "m"],
    parameters={"e": 0.7},
)
ball

# %% [markdown]
# A gap is positive while the bodies are apart. Its derivatives are computed for us.

# %%
result = go.simulate(ball, q0=[0.0, 1.0], v0=[0.6, 0.0], t_span=(0.0, 3.0))
result

# %% [markdown]
# All events are there, with both sides of every jump, as objects and as a table of pandas.

# %%
result.events[0]

# %%
result.events.to_dataframe()[["t", "kind", "energy_change", "impulse floor"]].head()

# %%
result.plot()

# %% [markdown]
# A drawing is a function of the state. `animate` writes a film, `report` one page that needs no
# network; both are shown here as well.

# %%
ground_points = [[x, ground(x)] for x in np.linspace(-0.2, 3.0, 100)]


def drawing(q, t):
    return [
        scene.line(ground_points, role="ground", contacts="floor"),
        scene.trail(q),
        scene.disc(q, 0.03, contacts="floor"),
    ]


result.animate("bounce.gif", drawing, frames_per_second=12, max_frames=40, dpi=60)

# %%
result.report("bounce.html", title="A first bounce", drawing=drawing)

# %% [markdown]
# The restitution is a parameter, so that a sweep traces nothing again.

# %%
heights = {}
for e in (0.3, 0.5, 0.7, 0.9):
    bounce = go.simulate(ball.with_parameters(e=e), [0.0, 1.0], [0.6, 0.0], (0.0, 1.5))
    q, v = bounce(np.linspace(bounce.events[0].t, 1.5, 400))
    heights[e] = float((q[:, 1] - ground(q[:, 0])).max())
heights

# %% [markdown]
# The higher the restitution, the higher the ball gets above the ground; never as high as the start.

# %%
assert sorted(heights.values()) == list(heights.values())
assert max(heights.values()) < 1.0
assert np.abs(result.energy.residual).max() < 1e-8
