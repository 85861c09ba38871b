"""The landing of problems.py by MuJoCo, whose contacts are soft: prints one JSON object.

MuJoCo is not a dependency: ``python -m venv /tmp/mj && /tmp/mj/bin/pip install mujoco``, and run
this file with that Python.
"""

from __future__ import annotations

import json
import sys

from problems import LANDING

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


if __name__ == "__main__":
    answers = {"soft (default, 20 ms)": landing(0.02), "stiff (0.2 ms)": landing(2.0 * STEP)}
    print(json.dumps({"version": mujoco.__version__, "landing": answers}))
