"""The package as others get it: wheel, sdist and editable install, with a compiler and without."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ENGINE = Path("gauss_opt", "simulation", "engine")


def sources(tree):
    """All C sources in a source tree."""
    native = tree / ENGINE / "native"
    return sorted(path.relative_to(native).as_posix() for path in native.rglob("*.[ch]"))


HIDDEN = {"CC": "/nowhere/cc", "PATH": "/nowhere"}
BALL = (
    "import gauss_opt as go; from gauss_opt.simulation.engine import extension;"
    "case = go.find_case('bouncing_ball')(); result = case.run();"
    "print(go.__file__); print(all(check.ok for check in case.check(result)));"
    "print(extension())"
)


def can_compile():
    """Whether this machine has the compiler and the headers that the build asks for."""
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    header = Path(sysconfig.get_path("include"), "Python.h")
    return shutil.which(compiler) is not None and header.exists()


with_compiler = pytest.mark.skipif(not can_compile(), reason="no C compiler, or no Python.h")


def build(what, source, folder, **environment):
    """Build with the backend that pip would call, in a process of its own."""
    call = f"import sys; from hatchling.build import {what}; print({what}(sys.argv[1]))"
    made = subprocess.run(
        [sys.executable, "-c", call, str(folder)],
        cwd=source, env={**os.environ, **environment}, capture_output=True, text=True,
    )  # fmt: skip
    if made.returncode:
        raise RuntimeError(made.stderr)
    return folder / made.stdout.split()[-1]


def run(code, folder):
    """What a new process prints that has only `folder` beside the installed dependencies."""
    shown = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return shown.stdout.splitlines()


def install(wheel, folder):
    """By pip, so that the tag of the wheel is one that this Python takes."""
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
         "--no-compile", "--disable-pip-version-check", "--target", str(folder), str(wheel)],
        check=True, capture_output=True,
    )  # fmt: skip


def tags(folder):
    (about,) = folder.glob("*.dist-info/WHEEL")
    lines = [line.partition(": ") for line in about.read_text().splitlines()]
    return {key: value for key, _, value in lines}


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The sdist, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build("build_sdist", ROOT, folder)) as archive:
        archive.extractall(folder, filter="data")
    (source,) = (path for path in folder.iterdir() if path.is_dir())
    return source


def test_the_sdist_has_the_sources_and_nothing_that_was_built(unpacked):
    assert sources(unpacked) == sources(ROOT) != []
    assert (unpacked / "hatch_build.py").exists()
    assert not [*unpacked.rglob("*.so"), *unpacked.rglob("*.pyd"), *unpacked.rglob("not_built*")]


@with_compiler
def test_a_wheel_from_the_sdist_is_compiled_and_runs(unpacked, tmp_path):
    wheel = build("build_wheel", unpacked, tmp_path, GAUSS_OPT_BUILD_ENGINE="required")
    assert wheel.name.split("-")[2:4] == ["cp311", "abi3"]
    installed = tmp_path / "installed"
    install(wheel, installed)
    assert tags(installed)["Root-Is-Purelib"] == "false"
    assert not (installed / ENGINE / "native").exists()
    where, verdict, engine = run(BALL, installed)
    assert Path(where).is_relative_to(installed)
    assert (verdict, engine) == ("True", "compiled")


def test_without_a_compiler_the_wheel_is_python_and_runs(unpacked, tmp_path):
    wheel = build("build_wheel", unpacked, tmp_path, **HIDDEN)
    assert wheel.name.endswith("-py3-none-any.whl")
    installed = tmp_path / "installed"
    install(wheel, installed)
    assert tags(installed)["Root-Is-Purelib"] == "true"
    assert not list((installed / ENGINE).glob("_engine*.so"))
    _, verdict, engine = run(BALL, installed)
    assert verdict == "True"
    assert engine.startswith("Python only: not compiled when the package was built: ")
    assert "/nowhere/cc" in engine


def test_an_engine_that_is_required_and_cannot_be_compiled_fails_the_build(unpacked, tmp_path):
    with pytest.raises(RuntimeError, match="/nowhere/cc"):
        build("build_wheel", unpacked, tmp_path, GAUSS_OPT_BUILD_ENGINE="required", **HIDDEN)
    with pytest.raises(RuntimeError, match="say auto, required or never"):
        build("build_wheel", unpacked, tmp_path, GAUSS_OPT_BUILD_ENGINE="perhaps")


@with_compiler
def test_an_editable_install_compiles_in_place_and_knows_edited_sources(unpacked, tmp_path):
    source = tmp_path / "source"
    shutil.copytree(unpacked, source)
    state = "from gauss_opt.simulation.engine import extension; print(extension())"
    assert run(state, source) == [
        "Python only: it has not been compiled: install the package again, or run "
        "`python hatch_build.py` in the source tree"
    ]
    build("build_editable", source, tmp_path)
    assert run(state, source) == ["compiled"]
    edited = source / ENGINE / "native" / "module.c"
    edited.write_text(edited.read_text() + "/* edited */\n")
    assert "compiled from other sources" in run(state, source)[0]
    again = [sys.executable, "hatch_build.py"]
    subprocess.run(again, cwd=source, check=True, capture_output=True)
    assert run(state, source) == ["compiled"]
    edited.write_text(edited.read_text() + "an error\n")
    build("build_editable", source, tmp_path)
    assert "not compiled when the package was built" in run(state, source)[0]
    assert not [*(source / ENGINE).glob("_engine*.so"), *(source / ENGINE).glob(".build*")]
