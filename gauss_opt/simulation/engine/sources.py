"""Which C sources the engine is compiled from; used by the build, so it imports nothing of ours."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

__all__ = ["SOURCES", "fingerprint"]

NATIVE = Path(__file__).parent / "native"
SOURCES = sorted(NATIVE.rglob("*.[ch]"))


def fingerprint() -> int | None:
    """64 bits of a hash of all sources; None where they are not installed."""
    if not SOURCES:
        return None
    found = sha256()
    for path in SOURCES:
        text = path.read_bytes().replace(b"\r\n", b"\n")
        name = path.relative_to(NATIVE).as_posix()
        found.update(f"{name} {len(text)}\n".encode() + text)
    return int.from_bytes(found.digest()[:8], "big")
