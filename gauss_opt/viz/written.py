"""A file that was written, as a path that a notebook shows inline: a film, or a report."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

__all__ = ["Written"]

LARGEST = 30_000_000  # bytes; what is larger would make the notebook itself too large
HEIGHT = 640  # of a report, in pixels

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())  # Path itself chooses the kind of the system, which a subclass must be


class Written(_Path):
    """The path of a film or a report; as the last line of a notebook cell it shows the file.

    >>> Written("film.gif").suffix
    '.gif'
    """

    def _repr_html_(self) -> str | None:
        kind = _SHOWN.get(self.suffix.lower())
        if kind is None or not self.is_file() or self.stat().st_size > LARGEST:
            return None  # then its name is shown
        if kind == "page":
            page = escape(self.read_text(encoding="utf-8"))
            style = f"width:100%;height:{HEIGHT}px;border:0"
            return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'
        data = b64encode(self.read_bytes()).decode()
        if kind == "image/gif":
            return f'<img alt="{escape(self.name)}" src="data:image/gif;base64,{data}">'
        return f'<video controls loop src="data:video/mp4;base64,{data}"></video>'


_SHOWN = {".gif": "image/gif", ".mp4": "video/mp4", ".html": "page"}
