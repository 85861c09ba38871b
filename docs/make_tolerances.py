"""Write docs/tolerances.md from the table of tolerances. Run ``make tolerances``."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from gauss_opt.base.tolerances import TOLERANCES, Tolerance

PAGE = Path(__file__).parent / "tolerances.md"
HEAD = """# Tolerances

Written by `make tolerances`. Every tolerance of the package has one name, one value, and something
that it is relative to. A name means the same thing everywhere.

```python
from gauss_opt.base.tolerances import TOLERANCES

print(TOLERANCES["CERTIFIED"].value, TOLERANCES["CERTIFIED"].relative_to)
```

```text
1e-09 the terms that each residual is the difference of
```
"""
COLUMNS = "| name | value | relative to | used for |\n|---|---|---|---|"


def page() -> str:
    """The whole page: one table for each room of the package."""
    rooms = groupby(sorted(TOLERANCES.values(), key=lambda one: one.room), lambda one: one.room)
    sections = ["\n".join([f"## {room}\n\n{COLUMNS}", *map(line, group)]) for room, group in rooms]
    return "\n".join([HEAD, "\n\n".join(sections), ""])


def line(one: Tolerance) -> str:
    """A line of a table."""
    values = one.value if isinstance(one.value, tuple) else (one.value,)
    shown = ", ".join(f"{value:g}" for value in values)
    cells = (f"`{one.name}`", shown, one.relative_to, one.used_for)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
