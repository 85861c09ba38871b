"""The landing of problems.py by MuJoCo, whose contacts are soft.

MuJoCo is not a dependency: ``python -m venv /tmp/mj && /tmp/mj/bin/pip install mujoco``, and run
this file with that Python.
"""

from __future__ import annotations

import sys
from typing import Any

from problems import LANDING, PENDULUM, pendulum_place
from side import least, serve

try:
    import mujoco
except ImportError:
    sys.exit("MuJoCo is not installed here (pip install mujoco)")

RADIUS = 0.1
STEP = 1e-4

MODEL = """
<mujoco>
  <option timestep="{step}" gravity="0 0 -{gravity}"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" solref="{stiffness} 1"/>
    <body pos="0 0 {height}">
      <joint type="slide" axis="0 0 1"/>
      <geom name="ball" type="sphere" size="{radius}" mass="{mass}" solref="{stiffness} 1"/>
    </body>
  </worldbody>
</mujoco>
"""


def landing(stiffness: float) -> dict[str, float]:
    """Time of landing, deepest penetration, height and floor force at the end.

    ``stiffness`` is the time constant of the contact in seconds; MuJoCo asks for two steps at the
    least.
    """
    text = MODEL.format(
        step=STEP, stiffness=stiffness, radius=RADIUS, height=LANDING["height"] + RADIUS, **{
            name: LANDING[name] for name in ("gravity", "mass")
        }
    )  # fmt: skip
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    touched, deepest = float("nan"), 0.0
    while data.time < LANDING["end"]:
        mujoco.mj_step(model, data)
        height = float(data.qpos[0]) + LANDING["height"]
        if touched != touched and height <= 0.0:
            touched = float(data.time)
        deepest = max(deepest, -height)
    return {
        "landing": touched,
        "deepest": deepest,
        "height": float(data.qpos[0]) + LANDING["height"],
        "force": float(data.qfrc_constraint[0]),
    }


SWING = """
<mujoco>
  <option timestep="{step}" gravity="0 0 -{gravity}" integrator="RK4"/>
  <worldbody>
    <body>
      <joint type="hinge" axis="0 1 0"/>
      <inertial pos="0 0 -{length}" mass="1" diaginertia="1e-14 1e-14 1e-14"/>
    </body>
  </worldbody>
</mujoco>
"""


def pendulum(steps: int, repeats: int) -> dict[str, Any]:
    """Where the pendulum is at the end, by a hinge and steps of one size of Runge and Kutta's."""
    step = PENDULUM["end"] / steps
    sizes = {name: PENDULUM[name] for name in ("gravity", "length")}
    model = mujoco.MjModel.from_xml_string(SWING.format(step=repr(step), **sizes))
    data = mujoco.MjData(model)

    def run() -> float:
        mujoco.mj_resetData(model, data)
        data.qpos[0] = PENDULUM["angle"]
        mujoco.mj_step(model, data, steps)
        return float(data.qpos[0])

    seconds, angle = least(run, repeats)
    return {"place": pendulum_place(angle), "seconds": seconds, "steps": steps}


if __name__ == "__main__":
    serve({"version": lambda: mujoco.__version__, "landing": landing, "pendulum": pendulum})
