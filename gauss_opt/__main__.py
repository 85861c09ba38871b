"""A first look, ``python -m gauss_opt``: a mechanism by every route, and a bouncing ball."""

from __future__ import annotations

import numpy as np

import gauss_opt as go


def slider_crank(l1: float = 0.15, l2: float = 0.35, m1: float = 3.0, m2: float = 1.0) -> go.System:
    """Crank and rod as two planar bodies (x, y, angle) of half lengths l1, l2, under gravity."""

    def joints(q: np.ndarray, t: float) -> np.ndarray:
        x1, y1, a1, x2, y2, a2 = q
        return np.array([
            x1 - l1 * np.cos(a1),
            y1 - l1 * np.sin(a1),
            (x2 - l2 * np.cos(a2)) - (x1 + l1 * np.cos(a1)),
            (y2 - l2 * np.sin(a2)) - (y1 + l1 * np.sin(a1)),
            y2 + l2 * np.sin(a2),
        ])  # fmt: skip

    return go.System(
        mass=[m1, m1, m1 * l1**2 / 3, m2, m2, m2 * l2**2 / 3],
        force=[0, -9.81 * m1, 0, 0, -9.81 * m2, 0],
        constraints=[go.Holonomic("joints", joints)],
        coordinates=["x1", "y1", "angle1", "x2", "y2", "angle2"],
    )


def bouncing_ball(restitution: float = 0.8) -> None:
    """Drop a ball from 1 m; compare its first impact and the end of its bouncing with theory."""
    floor = go.Contact("floor", lambda q, t: q[1], restitution=restitution)
    ball = go.System([1.0, 1.0], [0.0, -9.81], contacts=[floor])
    result = go.simulate(ball, [0, 1], [1, 0], (0, 5))
    fall = np.sqrt(2 / 9.81)
    exact = {"first impact": fall, "comes to rest": fall * (1 + restitution) / (1 - restitution)}
    print(result, end="\n\n")
    for (what, t), event in zip(exact.items(), (result.events[0], result.events[-1]), strict=True):
        print(f"{what:<15} {event.t:.12f} s, closed form {t:.12f} s, off by {event.t - t:.1e}")


def main() -> None:
    """Show a slider crank by every route, then a bouncing ball against its closed form."""
    system = slider_crank()
    q, v = go.assemble(
        system, [0.1, 0.1, 0.8, 0.5, 0.0, -0.3], [0, 0, 10, 0, 0, 0], hold_q=["angle1"], hold_v=[2]
    )
    print(system, end="\n\n")
    print(go.accelerate(system, q, v), end="\n\n")
    print(go.crosscheck(system, q, v), end="\n\n")
    bouncing_ball()


if __name__ == "__main__":
    main()
