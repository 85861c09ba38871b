"""Compiles the engine when the package is built; without a compiler the package is pure Python.

Run as a script, it compiles the extension beside its sources, for work on the sources themselves.
The variable GAUSS_OPT_BUILD_ENGINE decides: "auto" (the default) compiles where that is possible,
"required" fails where it is not, "never" does not try.
"""

from __future__ import annotations

import os
import runpy
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
ENGINE = Path("gauss_opt/simulation/engine")
NAME = "gauss_opt.simulation.engine._engine"
OLDEST = "cp311", "0x030B0000"  # the oldest CPython that the limited API is asked of
# No fused multiply-add where the source has none: the same bits on every machine.
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden",
         "-Wall", "-Wextra")  # fmt: skip
FLAGS_OF_MSVC = ("/std:c11", "/O2", "/fp:precise")


class CustomBuildHook(BuildHookInterface):
    """Puts the extension, or the reason why there is none, into a wheel or beside its sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            self._say(build_in_place())
            return
        self.folder = tempfile.mkdtemp(prefix="gauss_opt_engine_")
        made, reason = build(Path(self.folder))
        build_data["force_include"][str(made)] = (ENGINE / made.name).as_posix()
        if not reason:
            _, _, platform = self.build_config.builder.get_best_matching_tag().split("-", 2)
            build_data["tag"] = f"{OLDEST[0]}-abi3-{platform}"
            build_data["pure_python"] = False
        self._say(reason)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            shutil.rmtree(self.folder, ignore_errors=True)

    def _say(self, reason: str) -> None:
        if reason:
            self.app.display_warning(f"gauss_opt without its compiled engine: {reason}")


def build(folder: Path) -> tuple[Path, str]:
    """The extension as a file in `folder`; or a text that says why not, and the same in words."""
    wanted = os.environ.get("GAUSS_OPT_BUILD_ENGINE", "auto")
    if wanted not in ("auto", "required", "never"):
        raise ValueError(f"GAUSS_OPT_BUILD_ENGINE is {wanted!r}: say auto, required or never")
    try:
        if wanted == "never":
            raise RuntimeError("GAUSS_OPT_BUILD_ENGINE is never")
        return _compile(folder), ""
    except Exception as error:  # whatever is missing on this machine: the package works without
        if wanted == "required":
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        made = folder / "not_built.txt"
        made.write_text(reason + "\n", encoding="utf-8")
        return made, reason


def build_in_place() -> str:
    """Compile the extension beside its sources; the reason, if that is not possible."""
    place = ROOT / ENGINE
    with tempfile.TemporaryDirectory(prefix=".build_", dir=place) as folder:
        made, reason = build(Path(folder))
        for old in [*place.glob("_engine.*.so"), *place.glob("_engine*.pyd")]:
            if reason:
                old.unlink()
        (place / "not_built.txt").unlink(missing_ok=True)
        made.replace(place / made.name)  # a process that runs keeps the file that it has open
    return reason


def _compile(folder: Path) -> Path:
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise RuntimeError("this Python has no limited C API")
    sources = runpy.run_path(str(ROOT / ENGINE / "sources.py"))

    class Build(build_ext):  # type: ignore[misc]
        def build_extension(self, extension: Extension) -> None:
            msvc = self.compiler.compiler_type == "msvc"
            extension.extra_compile_args = list(FLAGS_OF_MSVC if msvc else FLAGS)
            super().build_extension(extension)

    files = [path for path in sources["SOURCES"] if path.suffix == ".c"]
    extension = Extension(
        NAME,
        [os.path.relpath(path, ROOT) for path in files],
        define_macros=[
            ("Py_LIMITED_API", OLDEST[1]),
            ("GAUSS_OPT_SOURCES", f"0x{sources['fingerprint']():016x}"),
        ],
        libraries=[] if os.name == "nt" else ["m"],
        py_limited_api=True,
    )
    command = Build(Distribution({"name": "gauss_opt", "ext_modules": [extension]}))
    command.build_lib, command.build_temp = str(folder), str(folder / "objects")
    command.force = True
    command.ensure_finalized()
    here = os.getcwd()
    os.chdir(ROOT)  # objects are placed by the sources' relative paths
    try:
        command.run()
    finally:
        os.chdir(here)
    return Path(command.get_ext_fullpath(NAME))


if __name__ == "__main__":
    print(build_in_place() or f"compiled in {ENGINE}")  # noqa: T201
