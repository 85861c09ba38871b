"""Files that are complete or absent, whatever happens while they are written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to; what is there afterwards takes the place of ``path`` at once.

    When the writing fails, or the process is killed, ``path`` is what it was before.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(f"{folder}/a.txt") as temporary:
    ...         _ = temporary.write_text("whole")
    ...     print(Path(f"{folder}/a.txt").read_text(), len(os.listdir(folder)))
    whole 1
    """
    target = Path(path).resolve()  # what a link points to is replaced, not the link
    if target.exists() and not target.is_file():  # a pipe or a device cannot be replaced
        yield target
        return
    mode = target.stat().st_mode if target.exists() else 0o666 & ~_umask()
    # The ending stays: some writers choose the format by it.
    descriptor, name = tempfile.mkstemp(
        dir=target.parent, prefix=f".{target.stem}.", suffix=target.suffix
    )
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        with open(temporary, "rb+") as stream:
            os.fsync(stream.fileno())
        temporary.chmod(mode & 0o777)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    """Permissions that new files do not get; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
