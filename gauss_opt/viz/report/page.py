"""A result as one HTML file that needs no network: summary, checks, player, charts, events.

The numbers travel as JSON inside the page, and a script of our own shows them. Nothing is loaded
from elsewhere, and a Content-Security-Policy allows that one script and that one style by their
hashes only, so that a name in a model can never become code.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from inspect import cleandoc
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from ...base.errors import InputError
from ...base.whole_file import require_folder, whole_file
from ...results.files.result_file import versions
from ...results.result import Result
from ...results.summary import described, verdict
from ..film import pace
from ..scene import Drawing
from ..style import BLUE, DARK, EVENTS, LIGHT, LINES, SKY, YELLOW
from ..written import Written
from .charts import charts, event_marks
from .numbers import number
from .scene import scene
from .tables import (
    check_rows,
    crosscheck_data,
    event_table,
    named_values,
    stats_data,
    summary_tiles,
)

if TYPE_CHECKING:
    from ...mechanics.crosscheck import Crosscheck
    from ...studies.case import Check

__all__ = ["report_page", "write_report"]

SCRIPTS = (
    "elements",
    "numbers",
    "clock",
    "tables",
    "facts",
    "curves",
    "plot",
    "chart",
    "scene",
    "player",
    "events",
    "crosschecks",
    "start",
)  # each may use what is in those before it
DASHES = 7  # the colours of lines; more series repeat them dashed


def write_report(result: Result, path: str | os.PathLike[str], **options: Any) -> Path:
    """Write the page of :func:`report_page`, complete or not at all."""
    target = Path(path)
    require_folder(target)
    page = report_page(result, **options).encode("utf-8", "replace")
    with whole_file(target) as temporary:
        temporary.write_bytes(page)
    return Written(target)


def report_page(
    result: Result,
    *,
    title: str = "",
    text: str = "",
    drawing: Drawing | None = None,
    checks: Iterable[Check] = (),
    crosscheck: Crosscheck | Iterable[Crosscheck] | None = None,
    parameters: Mapping[str, Any] | None = None,
    speed: float | None = None,
) -> str:
    """The page; the options are those of :meth:`gauss_opt.Result.report`."""
    rate = pace(float(result.t[-1] - result.t[0])) if speed is None else speed
    if not rate > 0.0:
        raise InputError(f"speed must be positive, got {speed}")
    title = title or described(result)
    drawn, times = charts(result)
    data = {
        "format": "gauss_opt report",
        "version": 1,
        "title": title,
        "text": _paragraphs(text, title),
        "success": bool(result.success),
        "status": result.status,
        "verdict": verdict(result),
        "message": result.message,
        "summary": summary_tiles(result),
        "stats": stats_data(result),
        "checks": check_rows(checks),
        "parameters": named_values(parameters),
        "span": [number(result.t[0]), number(result.t[-1])],
        "speed": rate,
        "charts": drawn,
        "times": times,
        "marks": event_marks(result),
        "scene": scene(result, drawing, rate),
        "events": event_table(result),
        "crosschecks": crosscheck_data(result, crosscheck),
        "settings": named_values(result.settings),
        "versions": named_values(versions()),
    }
    style = _palette() + _asset("report.css")
    script = _script()
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return Template(_asset("report.html")).substitute(
        title=escape(title),
        policy=escape(policy, quote=False),
        style=style,
        script=script,
        data=_embedded(data),
    )


def _script() -> str:
    """All parts of the script, in the order of ``SCRIPTS``, as one that leaves no global names."""
    parts = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def _embedded(data: Any) -> str:
    """JSON that no HTML parser can mistake for markup; a NaN would be an error."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text  # U+2028 and U+2029 are escaped already, like all that is not ASCII


def _hash(source: str) -> str:
    """The source expression by which a policy allows exactly this text."""
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"


def _paragraphs(text: str, title: str) -> list[dict[str, Any]]:
    """Paragraphs of a docstring, without a first line that only repeats the title.

    Indented ones, such as formulas, keep their lines.
    """
    found = []
    for block in re.split(r"\n[ \t]*\n", cleandoc(text)):
        if block.strip() and block.strip().rstrip(".") != title.strip().rstrip("."):
            fixed = all(line.startswith((" ", "\t")) for line in block.splitlines())
            found.append({"fixed": fixed, "text": block if fixed else " ".join(block.split())})
    return found


def _palette() -> str:
    """The colours that all pictures share, as variables of the style sheet."""
    dark = {LIGHT.roles[role]: color for role, color in DARK.roles.items()}
    dark |= {LIGHT.ink: DARK.ink, "#000000": DARK.ink, BLUE: SKY, SKY: YELLOW}
    lines = [color for color, _ in LINES[:DASHES]]
    shared = [("line", lines), ("event", [event.color for event in EVENTS.values()])]
    light_rules = [f"--{role}:{color}" for role, color in LIGHT.roles.items()]
    dark_rules = [f"--{role}:{color}" for role, color in DARK.roles.items()]
    for word, colors in shared:
        names = list(EVENTS) if word == "event" else range(len(colors))
        for name, color in zip(names, colors, strict=True):
            light_rules.append(f"--{word}-{name}:{color}")
            dark_rules.append(f"--{word}-{name}:{dark.get(color, color)}")
    for rules, theme in ((light_rules, LIGHT), (dark_rules, DARK)):
        rules += [f"--paper:{theme.paper}", f"--ink:{theme.ink}", f"--flash:{theme.flash}"]
    return (
        f":root{{{';'.join(light_rules)}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{';'.join(dark_rules)}}}}}\n"
    )
