"""Files that are complete or absent, whatever happens while they are written."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import InputError

__all__ = ["require_folder", "whole_file"]


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
    require_folder(target)
    temporary = _new_file_beside(target)
    try:
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o777)
        yield temporary
        with open(temporary, "rb+") as stream:
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def require_folder(path: str | os.PathLike[str]) -> None:
    """Refuse a file to be written into a folder that does not exist, with its name."""
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {str(target.parent)!r} to write {target.name!r} into")


def _new_file_beside(target: Path) -> Path:
    """An empty file with the permissions of any new file: the system applies the umask to it.

    The ending is that of the target: some writers choose the format by it.
    """
    while True:
        path = target.with_name(f".{target.stem}.{secrets.token_hex(4)}{target.suffix}")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        except FileExistsError:
            continue
        return path
