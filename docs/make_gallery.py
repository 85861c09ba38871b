"""Draw every case once: pictures into docs/gallery/, and the page docs/gallery.md around them.

Run ``make gallery``. Pictures and page are written from actual runs, like everything else here.
"""

from __future__ import annotations

from pathlib import Path

import gauss_opt as go
from gauss_opt.viz.plots import stroboscope

HERE = Path(__file__).parent
FILM = "rimless_wheel"  # the one that moves
# Cases whose own figures are shown, with the parameters that make them worth it.
STUDIES: dict[str, dict[str, int]] = {
    "ball_basin": {"side": 16},
    "ball_on_table": {},
    "impact_oscillator": {"points": 90, "settled": 30},
    "rocking_block_earthquake": {"scales": 6, "blocks": 6},
}
HEAD = """# Gallery

Written by `make gallery`. Every picture is drawn from a run that has checked itself; the later a
state, the stronger it is drawn. `gauss-opt run NAME` makes all pictures of a case and its report.

```python
import gauss_opt as go

print(len(go.case_names()), "cases")
```

```text
{count} cases
```
"""


def draw(name: str) -> str:
    """Draw a case, and return its section of the page."""
    case = go.find_case(name)()
    result = case.run()
    assert all(check.ok for check in case.check(result)), name
    figure = stroboscope(result, case.draw)
    figure.axes[0].set_title("")
    figure.savefig(HERE / "gallery" / f"{name}.png", dpi=90)
    if name == FILM:
        result.animate(HERE / "gallery" / f"{name}.gif", case.draw, frames_per_second=15)
    section = f"## {name}\n\n{case.title()}.\n\n![{name}](gallery/{name}.png)\n"
    for label in study(name, result) if name in STUDIES else ():
        section += f"\n![{name}, {label}](gallery/{name}_{label}.png)\n"
    return section


def study(name: str, result: go.Result) -> list[str]:
    """Draw the figures of a case that takes many runs for them; their names."""
    figures = go.find_case(name).create(STUDIES[name]).figures(result)
    for label, figure in figures.items():
        figure().savefig(HERE / "gallery" / f"{name}_{label}.png", dpi=90)
    return list(figures)


def main() -> None:
    """Draw all cases."""
    (HERE / "gallery").mkdir(exist_ok=True)
    names = go.case_names()
    sections = [draw(name) for name in names]
    page = "\n".join([HEAD.format(count=len(names)), *sections])
    (HERE / "gallery.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
